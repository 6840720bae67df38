import type { Aggregate, Labels, MetricsInterval } from '../../env/observe.ts'
import { standardDeviation, timestamp } from './metrics-json.ts'

/** Callers choose values of labels: none may write lines of its own, or control a terminal. */
const unprintable = /[\s\p{Cc}\p{Cf}]/gu

/** The metrics of all intervals that are kept, a line each, for an operator. Reference: telemetry.md#metrics-8. */
export function metricsText(intervals: readonly MetricsInterval[], prefix: string): string {
  const before = prefix === '' ? '' : `${prefix}.`
  const series = (name: string, labels: Labels | undefined): string =>
    [`${before}${name}`, ...(labels?.pairs ?? []).map(([, value]) => value.replace(unprintable, '_'))].join('.')
  const lines = intervals.flatMap(({ startMs, gauges, counters, samples }) => {
    const at = `[${timestamp(startMs)}]`
    const summed = (kind: 'C' | 'S', of: readonly Aggregate[]): readonly string[] =>
      of.map((each) => `${at}[${kind}] '${series(each.name, each.labels)}': ${aggregateText(each)}`)
    return [
      ...gauges.map(({ name, labels, value }) => `${at}[G] '${series(name, labels)}': ${value.toFixed(3)}`),
      ...summed('C', counters),
      ...summed('S', samples),
    ]
  })
  return lines.map((line) => `${line}\n`).join('')
}

/** Equal values are shown by their count and sum alone, as in the field. */
function aggregateText(aggregate: Aggregate): string {
  const { count, sum, min, max, lastWallMs } = aggregate
  const deviation = standardDeviation(aggregate)
  const spread = [min, sum / count, max, deviation].map((value) => value.toFixed(3))
  const [least, mean, most, around] = spread
  const between = deviation === 0 ? '' : `Min: ${least} Mean: ${mean} Max: ${most} Stddev: ${around} `
  return `Count: ${count} ${between}Sum: ${sum.toFixed(3)} LastUpdated: ${timestamp(lastWallMs)}`
}
