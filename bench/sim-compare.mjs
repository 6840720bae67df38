/**
 * How much CPU time two builds of the simulator need for the same work, as a ratio:
 * `node bench/sim-compare.mjs DIR_A DIR_B [workload] [seconds] [pairs=N]`, both checkouts built. With `pages=N` the work
 * is that of a campaign: every Nth page of DIR_A's scenarios, each as long as it lasts, again and again.
 *
 * A machine whose speed drifts by a tenth within minutes hides a change of 2 % from runs of whole processes. Here both
 * builds are in one process, each with modules of its own, and take turns every few tenths of a second, in the order
 * A B B A; a pair is as old as the drift of half a second. The first tenth of the pairs warms up and is not counted.
 * Prints the median of the pairs' ratios B/A with its 95 % interval (by order statistics), for each simulated second and
 * for each event.
 */
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { pathToFileURL } from 'node:url'

const given = process.argv.slice(2)
const named = new Map(given.filter((word) => word.includes('=')).map((word) => word.split('=')))
const [dirA, dirB, ...words] = given.filter((word) => !word.includes('='))
const unbuilt = [dirA, dirB].find((dir) => dir === undefined || !existsSync(resolve(dir, 'dist/sim/scenario/run.js')))
if (dirA === undefined || dirB === undefined || unbuilt !== undefined) {
  const reason = unbuilt === undefined ? 'two folders are needed' : `${unbuilt} is no built checkout`
  process.stderr.write(`${reason}: node bench/sim-compare.mjs DIR_A DIR_B [workload] [seconds] [pairs=N] [pages=N]\n`)
  process.exit(2)
}
const pairs = Number(named.get('pairs') ?? 100)
const seconds = Number(words.find((word) => /^\d+$/.test(word)) ?? 20)
const workload = words.find((word) => !/^\d+$/.test(word)) ?? 'five-servers'
const everyNth = Number(named.get('pages') ?? 0)
const scenarios = resolve(dirA, 'scenarios')
const files =
  everyNth === 0
    ? [resolve(dirA, `bench/workloads/${workload}.yaml`)]
    : readdirSync(scenarios)
        .filter((name) => name.endsWith('.yaml'))
        .sort()
        .filter((_, at) => at % everyNth === 0)
        .map((name) => resolve(scenarios, name))

async function build(dir) {
  const part = (path) => import(pathToFileURL(resolve(dir, 'dist/sim', path)).href)
  const { createPlatform } = await part('platform/platform.js')
  const { loadScenario } = await part('scenario/language/load.js')
  const { ScenarioRun } = await part('scenario/run.js')
  const works = files.map((file) => {
    const loaded = loadScenario(file, readFileSync(file, 'utf8'))
    if (!loaded.ok) throw new Error(`${file}: ${loaded.error[0].message}`)
    const { scenario } = loaded.value
    return { ...loaded.value, scenario: everyNth === 0 ? { ...scenario, lasts: seconds * 1000 } : scenario }
  })
  return async (pair) => {
    const [loaded, seed] = [works[pair % works.length], Math.floor(pair / works.length)]
    const platform = createPlatform()
    const started = process.cpuUsage()
    const result = await new ScenarioRun({ loaded, seed, platform }).run()
    const { user, system } = process.cpuUsage(started)
    platform.close()
    if (result.failures.length > 0) throw new Error(`${dir}: ${result.failures[0].message}`)
    return { cpu: user + system, events: result.events }
  }
}

/** The median, and the ranks that hold it with 95 %. */
function spread(values) {
  const sorted = values.toSorted((a, b) => a - b)
  const half = 0.98 * Math.sqrt(sorted.length)
  const at = (rank) => sorted[Math.max(0, Math.min(sorted.length - 1, Math.round(rank)))].toFixed(3)
  const middle = (sorted.length - 1) / 2
  return `${at(middle)} (${at(middle - half)} to ${at(middle + half)})`
}

const [a, b] = [await build(dirA), await build(dirB)]
const ratios = { cpu: [], event: [] }
for (let pair = 0; pair < pairs; pair++) {
  // Each page begins with either build in turn.
  const isSwapped = (pair + Math.floor(pair / files.length)) % 2 === 1
  const first = await (isSwapped ? b : a)(pair)
  const second = await (isSwapped ? a : b)(pair)
  const [ofA, ofB] = isSwapped ? [second, first] : [first, second]
  if (pair < pairs / 10) continue
  ratios.cpu.push(ofB.cpu / ofA.cpu)
  ratios.event.push(ofB.cpu / ofB.events / (ofA.cpu / ofA.events))
}
const counted = ratios.cpu.length
const work = everyNth === 0 ? `${workload}, ${seconds} virtual s a run` : `${files.length} pages`
console.log(`${work}, ${counted} pairs, CPU time B/A, median (95 % interval)`)
console.log(`each simulated second: ${spread(ratios.cpu)}`)
console.log(`each event: ${spread(ratios.event)}`)
