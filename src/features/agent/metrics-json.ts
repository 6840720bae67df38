import { z } from 'zod'
import { type Aggregate, type Labels, type MetricsInterval, metricsIntervalMs } from '../../env/observe.ts'
import { listOf } from '../http/declared.ts'

const labelsShape = z.record(z.string(), z.string())

const aggregateShape = z.strictObject({
  Name: z.string(),
  Count: z.number(),
  Rate: z.number(),
  Sum: z.number(),
  Min: z.number(),
  Max: z.number(),
  Mean: z.number(),
  Stddev: z.number(),
  Labels: labelsShape,
})

export const metricsShape = z.strictObject({
  Timestamp: z.string(),
  Gauges: listOf(z.strictObject({ Name: z.string(), Value: z.number(), Labels: labelsShape })),
  Points: z.array(z.null()).max(0),
  Counters: listOf(aggregateShape),
  Samples: listOf(aggregateShape),
})

/**
 * The last complete interval, or the first one while it is running. Reference: telemetry.md#metrics-1,
 * telemetry.md#metrics-2.
 */
export function metricsJson(
  intervals: readonly MetricsInterval[],
  nowMs: number,
  prefix: string,
): z.infer<typeof metricsShape> {
  const fullName = (name: string): string => (prefix === '' ? name : `${prefix}.${name}`)
  const aggregates = (given: readonly Aggregate[]) =>
    given.map((aggregate) => aggregateJson(fullName(aggregate.name), aggregate))
  const shown = intervals.findLast(({ startMs }) => startMs + metricsIntervalMs <= nowMs) ?? intervals.at(-1)
  return {
    Timestamp: timestamp(shown?.startMs ?? nowMs),
    Gauges: (shown?.gauges ?? []).map(({ name, value, labels }) => ({
      Name: fullName(name),
      Value: finite(value),
      Labels: labelsJson(labels),
    })),
    Points: [],
    Counters: aggregates(shown?.counters ?? []),
    Samples: aggregates(shown?.samples ?? []),
  }
}

function aggregateJson(name: string, aggregate: Aggregate): z.infer<typeof aggregateShape> {
  const { count, sum, min, max } = aggregate
  return {
    Name: name,
    Count: count,
    Rate: finite(sum / (metricsIntervalMs / 1000)),
    Sum: finite(sum),
    Min: finite(min),
    Max: finite(max),
    Mean: count === 0 ? 0 : finite(sum / count),
    Stddev: finite(standardDeviation(aggregate)),
    Labels: labelsJson(aggregate.labels),
  }
}

/** Of several values of one label the last one is shown, as in the field. */
function labelsJson(labels: Labels | undefined): Record<string, string> {
  return Object.fromEntries(labels?.pairs ?? [])
}

/** The sample standard deviation, as in the field; 0 for fewer than two values. */
export function standardDeviation({ count, sum, sumOfSquares }: Aggregate): number {
  if (count < 2) return 0
  return Math.sqrt(Math.max(0, count * sumOfSquares - sum * sum) / (count * (count - 1)))
}

/** JSON can represent only finite numbers. */
function finite(value: number): number {
  return Number.isFinite(value) ? value : 0
}

const dayMs = 86_400_000

/** `2026-11-21 03:24:50 +0000 UTC`. */
export function timestamp(wallMs: number): string {
  const [year, month, day] = civilDate(Math.floor(wallMs / dayMs))
  const seconds = Math.floor((((wallMs % dayMs) + dayMs) % dayMs) / 1000)
  const time = [Math.floor(seconds / 3600), Math.floor(seconds / 60) % 60, seconds % 60]
  return `${[year, month, day].map(twoDigits).join('-')} ${time.map(twoDigits).join(':')} +0000 UTC`
}

/**
 * Year, month and day of a number of days since 1970-01-01. Source: Hinnant, chrono-compatible low-level date
 * algorithms.
 */
function civilDate(days: number): readonly [year: number, month: number, day: number] {
  const shifted = days + 719_468
  const era = Math.floor(shifted / 146_097)
  const ofEra = shifted - era * 146_097
  const yearOfEra = Math.floor(
    (ofEra - Math.floor(ofEra / 1460) + Math.floor(ofEra / 36_524) - Math.floor(ofEra / 146_096)) / 365,
  )
  const ofYear = ofEra - (365 * yearOfEra + Math.floor(yearOfEra / 4) - Math.floor(yearOfEra / 100))
  const shiftedMonth = Math.floor((5 * ofYear + 2) / 153)
  const month = shiftedMonth < 10 ? shiftedMonth + 3 : shiftedMonth - 9
  const day = ofYear - Math.floor((153 * shiftedMonth + 2) / 5) + 1
  return [yearOfEra + era * 400 + (month <= 2 ? 1 : 0), month, day]
}

function twoDigits(value: number): string {
  return String(value).padStart(2, '0')
}
