/**
 * What checkers and the trace cost: `node bench/sim-checkers.mjs [workload] [seconds=N] [warm=N] [pairs=N] [of=FILE]`, after
 * a build. Two figures, for each alone deceives:
 *
 * 1. Shares: a warm run under the sampling profiler of V8. A sample belongs to the innermost file of sim/checkers or of the
 *    trace on its stack, with all that this file called; `of=FILE` tells the functions of one. What was allocated there and
 *    is collected later is not in it.
 * 2. Ratios: two runs of one seed in one process, one as it is and one in which something does nothing, go on by turns for
 *    a slice of virtual time each. A ratio is the median of those of the pairs, of CPU time of all threads. A checker that
 *    others ask directly cannot be left out alone, so only groups are.
 *
 * Checkers do not act, so both runs of a pair end with one hash, which is compared.
 */
import { readFileSync } from 'node:fs'
import { Session } from 'node:inspector/promises'
import { stateMachineSafety } from '../dist/sim/checkers/raft/state-machine-safety.js'
import { createPlatform } from '../dist/sim/platform/platform.js'
import { loadScenario } from '../dist/sim/scenario/language/load.js'
import { ScenarioRun } from '../dist/sim/scenario/run.js'

const given = process.argv.slice(2)
const numbers = new Map(given.filter((word) => word.includes('=')).map((word) => word.split('=')))
const workload = given.find((word) => !word.includes('=')) ?? 'five-servers'
const seconds = Number(numbers.get('seconds') ?? 120)
const warmSeconds = Number(numbers.get('warm') ?? 300)
const pairs = Number(numbers.get('pairs') ?? 40)
const sliceMs = 3000
const file = workload.endsWith('.yaml') ? workload : `bench/workloads/${workload}.yaml`
const loaded = loadScenario(file, readFileSync(new URL(`../${file}`, import.meta.url), 'utf8'))
if (!loaded.ok) throw new Error(loaded.error.map((problem) => `${problem.place}: ${problem.message}`).join('\n'))

const platform = createPlatform()
const nothing = () => undefined

async function begun(change = nothing) {
  const run = new ScenarioRun({ loaded: loaded.value, seed: 1, platform })
  change(run)
  await run.begin()
  return run
}

/** What can be made to do nothing, as a group. */
const groups = {
  'no fact reaches a checker': (run) => {
    for (const checks of run.invariantsOf.values()) {
      checks.tell = nothing
      // Those that are asked directly find what the others were never told.
      checks.report = nothing
    }
  },
  'no digest of a state': (run) => {
    for (const checks of run.invariantsOf.values()) checks.of(stateMachineSafety).state = nothing
  },
  'no trace': (run) => {
    const { trace } = run.simulation
    for (const name of ['add', 'addText', 'addBytes', 'flush']) {
      if (typeof trace[name] === 'function') trace[name] = nothing
    }
  },
}

function ownerOf(url) {
  const path = /\/dist\/(sim\/[^?]*)\.js$/.exec(url)?.[1]
  if (path === undefined) return undefined
  if (path.startsWith('sim/checkers/')) return path.slice('sim/'.length)
  return /^sim\/report\/(trace|event-teller)/.test(path) ? 'the trace' : undefined
}

/** Samples by owner, of all samples that are not idle; of the owner that is asked for also by function. */
function sharesOf({ nodes, samples }) {
  const byId = new Map(nodes.map((node) => [node.id, node]))
  const owners = new Map()
  const functions = new Map()
  const visit = (node, above) => {
    const owner = ownerOf(node.callFrame.url) ?? above
    owners.set(node.id, node.callFrame.functionName === '(idle)' ? 'idle' : owner)
    for (const child of node.children ?? []) visit(byId.get(child), owner)
  }
  visit(nodes[0], 'else')
  const counts = new Map()
  for (const id of samples) {
    const owner = owners.get(id)
    counts.set(owner, (counts.get(owner) ?? 0) + 1)
    if (owner !== numbers.get('of')) continue
    const { functionName, url } = byId.get(id).callFrame
    const name = `${functionName} ${url.replace(/.*[/]dist[/]/, '')}`
    functions.set(name, (functions.get(name) ?? 0) + 1)
  }
  counts.delete('idle')
  const all = [...counts.values()].reduce((sum, count) => sum + count, 0)
  return { all, shares: sorted(counts).filter(([owner]) => owner !== 'else'), functions: sorted(functions) }
}

function sorted(counts) {
  return [...counts].sort((a, b) => b[1] - a[1])
}

async function profiled(run) {
  const session = new Session()
  session.connect()
  await session.post('Profiler.enable')
  await session.post('Profiler.setSamplingInterval', { interval: 200 })
  await session.post('Profiler.start')
  await run.pass(seconds * 1000)
  const { profile } = await session.post('Profiler.stop')
  session.disconnect()
  return sharesOf(profile)
}

async function cpuOf(run) {
  const before = process.cpuUsage()
  await run.pass(sliceMs)
  const { user, system } = process.cpuUsage(before)
  return user + system
}

function quantile(sorted, at) {
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * at))]
}

const run = await begun()
await run.pass(warmSeconds * 1000)
const { all, shares, functions } = await profiled(run)
const percent = (count) => `${((100 * count) / all).toFixed(2)} %`
console.log(`${file}: ${seconds} virtual s from ${warmSeconds} s on, ${all} samples`)
console.log('| share of CPU time | file |\n|---|---|')
for (const [owner, count] of shares.filter(([, count]) => count > all / 2000))
  console.log(`| ${percent(count)} | ${owner} |`)
const checked = shares.filter(([owner]) => owner !== 'the trace').reduce((sum, [, count]) => sum + count, 0)
console.log(`| ${percent(checked)} | all checkers and their observers |`)

for (const [name, count] of functions.slice(0, 20)) console.log(`${percent(count)} ${name}`)
if (pairs > 0) console.log('\n| left out | CPU time with it, of that without (quartiles) |\n|---|---|')
for (const [name, change] of pairs > 0 ? Object.entries(groups) : []) {
  const [whole, part] = [await begun(), await begun(change)]
  for (const one of [whole, part]) await one.pass((warmSeconds * 1000) / 3)
  const ratios = []
  for (let pair = 0; pair < pairs; pair++) {
    const first = pair % 2 === 0 ? whole : part
    const [one, other] = [await cpuOf(first), await cpuOf(first === whole ? part : whole)]
    ratios.push(first === whole ? one / other : other / one)
  }
  ratios.sort((a, b) => a - b)
  const [low, median, high] = [0.25, 0.5, 0.75].map((at) => quantile(ratios, at).toFixed(2))
  const hashes = [whole, part].map((one) => one.simulation.finish().hash)
  if (name !== 'no trace' && hashes[0] !== hashes[1]) throw new Error(`${name}: another run`)
  console.log(`| ${name} | ${median} (${low} to ${high}) |`)
}
platform.close()
