/**
 * Whether the memory of the simulator stays flat: `node --expose-gc bench/sim-memory.mjs [seeds] [seconds] [entries]`, after a build.
 * First runs that many seeds of scenarios/crash-and-recover.yaml in one process, as a worker of a campaign does, then
 * bench/workloads/five-servers.yaml for that many virtual seconds. Prints, at ten places of each, what is in use after a
 * collection, and the resident set. 0 leaves a part out. `entries`: servers take a snapshot of their state after this many entries, in
 * place of 16,384. They keep 10,240 entries behind it, so that logs stop to grow after some 1,400 virtual seconds and not 3,500.
 */
import { readFileSync } from 'node:fs'
import { createPlatform } from '../dist/sim/platform/platform.js'
import { loadScenario } from '../dist/sim/scenario/language/load.js'
import { ScenarioRun } from '../dist/sim/scenario/run.js'

const [seeds = 1000, seconds = 3000, entries = 0] = process.argv.slice(2).map(Number)
if (globalThis.gc === undefined) throw new Error('run it with node --expose-gc')

function loadedFrom(file) {
  const loaded = loadScenario(file, readFileSync(new URL(`../${file}`, import.meta.url), 'utf8'))
  if (!loaded.ok) throw new Error(`${file} cannot be read`)
  return loaded.value
}

function compacting(loaded) {
  if (entries === 0) return loaded
  const { dc1 } = loaded.scenario.cluster
  const config = { ...dc1.config, raft_snapshot_threshold: entries }
  return { ...loaded, scenario: { ...loaded.scenario, cluster: { dc1: { ...dc1, config } } } }
}

/** Twice: what has a finalizer goes with the second. */
async function tell(what) {
  for (let times = 0; times < 2; times++) {
    globalThis.gc()
    await new Promise((resolve) => setImmediate(resolve))
  }
  const { heapUsed, arrayBuffers, rss } = process.memoryUsage()
  const mb = (bytes) => (bytes / 2 ** 20).toFixed(1)
  console.log(`${what}: heap ${mb(heapUsed)} MB, buffers ${mb(arrayBuffers)} MB, resident ${mb(rss)} MB`)
}

const platform = createPlatform()
const short = loadedFrom('scenarios/crash-and-recover.yaml')
for (let seed = 1; seed <= seeds; seed++) {
  const { failures } = await new ScenarioRun({ loaded: short, seed, platform }).run()
  if (failures.length > 0) throw new Error(`seed ${seed}: ${failures[0].message}`)
  if (seed % Math.max(1, Math.floor(seeds / 10)) === 0) await tell(`${seed} seeds`)
}
if (seconds > 0) {
  const run = new ScenarioRun({
    loaded: compacting(loadedFrom('bench/workloads/five-servers.yaml')),
    seed: 1,
    platform,
  })
  await run.begin()
  for (let part = 1; part <= 10; part++) {
    await run.pass((seconds * 1000) / 10)
    await tell(`${Math.round((seconds * part) / 10)} virtual s`)
  }
}
platform.close()
