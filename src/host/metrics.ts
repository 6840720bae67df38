import { compareText } from '../base/bytes.ts'
import type { Clock } from '../env/clock.ts'
import {
  type Aggregate,
  type Gauge,
  type Labels,
  type Metrics,
  type MetricsInterval,
  metricsIntervalMs,
} from '../env/observe.ts'

export const intervalsKept = 6
/**
 * Maximum number of different series (a name with labels) in one interval; a further one is dropped and counted, so
 * that no caller can fill the memory with names.
 */
export const seriesMax = 4096

type Running = { -readonly [Key in keyof Aggregate]: Aggregate[Key] }

interface Interval {
  readonly startMs: number
  /** Each by the name and the labels. */
  readonly gauges: Map<string, Gauge>
  readonly counters: Map<string, Running>
  readonly samples: Map<string, Running>
  dropped: number
}

/** Aggregates in memory, by interval of the wall clock, as in the field's agents. */
export class HostMetrics implements Metrics {
  readonly #clock: Clock
  #intervals: Interval[] = []

  constructor(clock: Clock) {
    this.#clock = clock
  }

  count(name: string, by = 1, labels?: Labels): void {
    const nowMs = this.#clock.wallMs()
    const interval = this.#current(nowMs)
    aggregate(interval, interval.counters, { name, labels }, by, nowMs)
  }

  gauge(name: string, value: number, labels?: Labels): void {
    const interval = this.#current(this.#clock.wallMs())
    const key = keyOf(name, labels)
    if (hasRoom(interval, interval.gauges, key)) interval.gauges.set(key, { name, labels, value })
  }

  sample(name: string, value: number, labels?: Labels): void {
    const nowMs = this.#clock.wallMs()
    const interval = this.#current(nowMs)
    aggregate(interval, interval.samples, { name, labels }, value, nowMs)
  }

  snapshot(): readonly MetricsInterval[] {
    this.#current(this.#clock.wallMs())
    return this.#intervals.map(shown)
  }

  #current(nowMs: number): Interval {
    const startMs = Math.floor(nowMs / metricsIntervalMs) * metricsIntervalMs
    const last = this.#intervals.at(-1)
    if (last?.startMs === startMs) return last
    const fresh = { startMs, gauges: new Map(), counters: new Map(), samples: new Map(), dropped: 0 }
    // If the wall clock was set back, there must not be two intervals with one start, nor any from the future.
    const earlier = this.#intervals.filter(
      (each) => each.startMs < startMs && each.startMs > startMs - intervalsKept * metricsIntervalMs,
    )
    this.#intervals = [...earlier, fresh]
    return fresh
  }
}

function keyOf(name: string, labels: Labels | undefined): string {
  return labels === undefined ? name : name + labels.key
}

function hasRoom(interval: Interval, series: ReadonlyMap<string, unknown>, key: string): boolean {
  if (series.has(key) || series.size < seriesMax) return true
  interval.dropped++
  return false
}

function aggregate(
  interval: Interval,
  series: Map<string, Running>,
  { name, labels }: Pick<Aggregate, 'name' | 'labels'>,
  value: number,
  nowMs: number,
): void {
  const key = keyOf(name, labels)
  const running = series.get(key)
  if (running === undefined) {
    if (!hasRoom(interval, series, key)) return
    series.set(key, {
      name,
      labels,
      count: 1,
      sum: value,
      sumOfSquares: value * value,
      min: value,
      max: value,
      lastWallMs: nowMs,
    })
    return
  }
  running.count++
  running.sum += value
  running.sumOfSquares += value * value
  running.min = Math.min(running.min, value)
  running.max = Math.max(running.max, value)
  running.lastWallMs = nowMs
}

function shown(interval: Interval): MetricsInterval {
  return {
    startMs: interval.startMs,
    gauges: [...interval.gauges.values()].sort(bySeries),
    counters: [...interval.counters.values()].map((each) => ({ ...each })).sort(bySeries),
    samples: [...interval.samples.values()].map((each) => ({ ...each })).sort(bySeries),
    dropped: interval.dropped,
  }
}

function bySeries(a: Pick<Gauge, 'name' | 'labels'>, b: Pick<Gauge, 'name' | 'labels'>): number {
  return compareText(a.name, b.name) || compareText(a.labels?.key ?? '', b.labels?.key ?? '')
}
