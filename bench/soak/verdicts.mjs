/**
 * Judges the lines of a soak. What may grow is compared by medians of the second and the last quarter: in the first,
 * caches fill, and every agent is restarted. A process younger than a minute is not judged, because it still starts (in a
 * run of less than eight minutes: than an eighth of the run).
 */
import { median } from '../figures.mjs'
import { quantile } from '../rows/wire.mjs'

const youngS = 60
const sampledEachS = 5
/** A server that waits for a core for a third of the time cannot keep the timeouts of consensus. */
const starvedPercent = 33
/** Fewer samples in a quarter than this decide nothing. */
const samplesLeast = 5

/**
 * What may grow by how much from the second quarter to the last, as a share and besides. `isScaled`: by as much more as
 * the machine needed longer to make bytes durable, because other work may share its disk.
 */
const growths = [
  { field: 'rssMb', name: 'resident memory', unit: 'MB', share: 0.1, more: 16 },
  { field: 'heapMb', name: 'heap in use', unit: 'MB', share: 0.1, more: 8 },
  { field: 'descriptors', name: 'open descriptors', unit: '', share: 0.1, more: 8 },
  { field: 'threads', name: 'threads', unit: '', share: 0, more: 2 },
  { field: 'cpuPercent', name: 'CPU time', unit: '% of a core', share: 0.5, more: 2 },
  { field: 'lagMs', name: 'a write reaches a watcher', unit: 'ms', share: 0.5, more: 250, isScaled: true },
]

/** What bench/SOAK.md derives and explains. */
const bounds = { diskMb: { server: 40, client: 2 }, loopP99Ms: 50, failingS: 15 }

function isOld({ ageS }, hours) {
  return ageS >= Math.min(youngS, (hours * 3600) / 8)
}

/** The quarters of a run, by the time that the load lasted. */
function quarterOf(atS, lastS) {
  return Math.min(3, Math.floor((atS / lastS) * 4))
}

/** The values of a field in the second quarter and in the last one. */
function compared(lines, field, lastS) {
  return [1, 3].map((quarter) => {
    const mine = lines.filter(({ atS }) => quarterOf(atS, lastS) === quarter)
    return mine.map((line) => line[field]).filter((value) => value !== undefined)
  })
}

export function judge(lines) {
  const begin = lines.find(({ type }) => type === 'begin')
  const end = lines.find(({ type }) => type === 'end')
  const samples = lines.filter((line) => line.type === 'sample' && isOld(line, begin.hours))
  const machine = lines.filter(({ type }) => type === 'machine')
  const lastS = machine.at(-1).atS
  const names = [...new Set(samples.map(({ agent }) => agent))].sort()
  const violations = lines.filter(({ type }) => type === 'violation').length
  const [before, after] = compared(machine, 'syncMs', lastS).map(median)
  const slower = Math.max(1, after / before)
  return [
    ...growths.flatMap((growth) => {
      const ofAgent = (agent) => samples.filter((line) => line.agent === agent)
      return names.map((agent) => grown(growth, agent, compared(ofAgent(agent), growth.field, lastS), slower))
    }),
    ...names.flatMap((agent) => highest(agent, samples)),
    failing(lines),
    { what: 'violations', isOk: violations === 0, text: `${violations}` },
    { what: 'the run came to its end', isOk: end !== undefined, text: `${(lastS / 3600).toFixed(2)} h` },
  ]
}

function grown({ name, unit, share, more, isScaled = false }, agent, quarters, slower) {
  const what = `${agent}: ${name}`
  if (quarters.some(({ length }) => length < samplesLeast))
    return { what, isOk: true, text: 'too few samples to judge' }
  const [before, after] = quarters.map(median)
  const allowed = (before * (1 + share) + more) * (isScaled ? slower : 1)
  const text = `${before} ${unit} in the second quarter, ${after} in the last; allowed ${allowed.toFixed(1)}`
  return { what, isOk: after <= allowed, text: text.replaceAll('  ', ' ') }
}

function highest(agent, samples) {
  const mine = samples.filter((line) => line.agent === agent)
  const disk = Math.max(...mine.map(({ diskMb }) => diskMb))
  const diskMax = agent.startsWith('s') ? bounds.diskMb.server : bounds.diskMb.client
  const windows = mine.map(({ loopP99Ms }) => loopP99Ms).filter((value) => value !== undefined)
  const loop = windows.length === 0 ? 0 : quantile(windows, 0.99)
  return [
    { what: `${agent}: data directory`, isOk: disk <= diskMax, text: `at most ${disk} MB; allowed ${diskMax}` },
    {
      what: `${agent}: delay of the event loop`,
      isOk: loop <= bounds.loopP99Ms,
      text: `99 % of ${windows.length} windows have a p99 of at most ${loop} ms; allowed ${bounds.loopP99Ms}`,
    },
  ]
}

/** Whether the machine kept a server waiting for a core for much of the time in which an operation failed. */
function isStarved({ fromS, atS }, samples) {
  return samples.some((line) => {
    const isDuring = line.atS > fromS && line.atS < atS + sampledEachS
    return isDuring && line.agent.startsWith('s') && line.waitedPercent >= starvedPercent
  })
}

function failing(lines) {
  const samples = lines.filter(({ type }) => type === 'sample')
  const every = lines.filter(({ type }) => type === 'failing').toSorted((a, b) => b.tookS - a.tookS)
  const all = every.filter((line) => !isStarved(line, samples))
  const [worst] = all
  const what = 'operations outside announced restarts'
  const beside = every.length === all.length ? '' : `, ${every.length - all.length} more where a server had no core`
  if (worst === undefined) return { what, isOk: true, text: `none had to be repeated${beside}` }
  const { kind, agent, fromS, tookS, why } = worst
  const longest = `${kind} at ${agent} after ${fromS.toFixed(0)} s, failed for ${tookS.toFixed(1)} s (${why})`
  const text = `${all.length} repeated${beside}; the longest, ${longest}; allowed ${bounds.failingS}`
  return { what, isOk: tookS <= bounds.failingS, text }
}
