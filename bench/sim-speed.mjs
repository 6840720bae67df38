/**
 * How fast the simulator is: `node bench/sim-speed.mjs [workload] [seconds] [rounds=N] [agents=N]`, after a build. Runs
 * bench/workloads/<workload>.yaml, `five-servers` if none is named (`five-servers-twenty-clients` is the other), which
 * stays as it is so that figures compare, with every invariant checked and every event in the trace hash, on one core.
 * Prints simulated seconds and events for each second of CPU time (all threads, the collector's too; on a machine that
 * does nothing else that is the wall clock or more), and how fast the core runs a fixed loop, so that figures of two
 * machines can be told apart. A virtual time in seconds may be given to make it shorter or longer. Rounds share a process:
 * the first ones also compile the program, so `rounds=8` shows what a warm worker of a campaign does. With `agents=N` the
 * clients of the workload are as many as make N agents with its servers, in several datacenters where one is too small.
 */
import { readFileSync } from 'node:fs'
import { createPlatform } from '../dist/sim/platform/platform.js'
import { loadScenario } from '../dist/sim/scenario/language/load.js'
import { ScenarioRun } from '../dist/sim/scenario/run.js'

const given = process.argv.slice(2)
const named = new Map(given.filter((word) => word.includes('=')).map((word) => word.split('=')))
const words = given.filter((word) => !word.includes('='))
const rounds = Number(named.get('rounds') ?? 3)
const agents = Number(named.get('agents') ?? 0)
const seconds = Number(words.find((word) => /^\d+$/.test(word)) ?? 0)
const file = `bench/workloads/${words.find((word) => !/^\d+$/.test(word)) ?? 'five-servers'}.yaml`
const text = readFileSync(new URL(`../${file}`, import.meta.url), 'utf8')
const loaded = loadScenario(file, text)
if (!loaded.ok) throw new Error(loaded.error.map((problem) => `${problem.place}: ${problem.message}`).join('\n'))
const scenario = { ...loaded.value.scenario, ...(agents > 0 ? { cluster: clusterOf(agents) } : {}) }
if (seconds > 0) scenario.lasts = seconds * 1000

/** A datacenter has at most 99 clients: more agents are in several of them, each with servers of its own. */
function clusterOf(agents) {
  const { dc1 } = loaded.value.scenario.cluster
  const datacenters = Math.ceil(agents / (dc1.servers.count + 99))
  const count = agents / datacenters - dc1.servers.count
  if (dc1.clients === undefined || !Number.isInteger(count) || count < 1)
    throw new Error(`${file} cannot have ${agents} agents`)
  const each = { ...dc1, clients: { ...dc1.clients, count } }
  return Object.fromEntries(Array.from({ length: datacenters }, (_, at) => [`dc${at + 1}`, each]))
}

/** Millions of steps of a fixed integer loop for each second of CPU time: how fast this core is today. */
function coreSpeed() {
  const steps = 200_000_000
  const started = process.cpuUsage()
  let word = 1
  for (let i = 0; i < steps; i++) word = (Math.imul(word, 1664525) + 1013904223) | 0
  const { user, system } = process.cpuUsage(started)
  return { millions: steps / (user + system), word }
}

async function round(seed) {
  const platform = createPlatform()
  const startedMs = performance.now()
  const startedCpu = process.cpuUsage()
  const result = await new ScenarioRun({ loaded: { ...loaded.value, scenario }, seed, platform }).run()
  const wallMs = performance.now() - startedMs
  const { user, system } = process.cpuUsage(startedCpu)
  platform.close()
  if (result.failures.length > 0) throw new Error(`${result.failures[0].place}: ${result.failures[0].message}`)
  return { result, wallMs, cpuMs: (user + system) / 1000 }
}

await new Promise((resolve) => setImmediate(resolve))
let best = 0
for (let seed = 1; seed <= rounds; seed++) {
  const { result, wallMs, cpuMs } = await round(seed)
  const simulated = result.virtualUs / 1000 / cpuMs
  const events = result.events / (cpuMs / 1000)
  best = Math.max(best, simulated)
  const virtual = (result.virtualUs / 1e6).toFixed(0)
  console.log(
    `seed ${seed}: ${virtual} virtual s in ${(wallMs / 1000).toFixed(2)} s (${(cpuMs / 1000).toFixed(2)} s of CPU): ` +
      `${simulated.toFixed(0)} simulated s/s, ` +
      `${(events / 1000).toFixed(0)} k events/s, ${(result.events / (result.virtualUs / 1e6)).toFixed(0)} events each, ` +
      `${result.writesAcknowledged} writes, ${result.judged.K1.facts} answered operations on keys, ` +
      `${(cpuMs / result.judged.K1.facts).toFixed(2)} ms of CPU for each with all else`,
  )
}
const core = coreSpeed().millions
console.log(`core: ${core.toFixed(0)} M steps/s; best round: ${(best / core).toFixed(3)} simulated s for each M steps`)
