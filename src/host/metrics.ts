import { compareText } from '../base/bytes.ts'
import type { Clock } from '../env/clock.ts'
import { type Aggregate, type Metrics, type MetricsInterval, metricsIntervalMs } from '../env/observe.ts'

export const intervalsKept = 6
/**
 * Maximum number of different names in one interval; a further one is dropped and counted, so that no caller can fill
 * the memory with names.
 */
export const namesMax = 4096

type Running = { -readonly [Key in keyof Aggregate]: Aggregate[Key] }

interface Interval {
  readonly startMs: number
  readonly gauges: Map<string, number>
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

  count(name: string, by = 1): void {
    const nowMs = this.#clock.wallMs()
    const interval = this.#current(nowMs)
    if (hasRoom(interval, interval.counters, name)) aggregate(interval.counters, name, by, nowMs)
  }

  gauge(name: string, value: number): void {
    const interval = this.#current(this.#clock.wallMs())
    if (hasRoom(interval, interval.gauges, name)) interval.gauges.set(name, value)
  }

  sample(name: string, value: number): void {
    const nowMs = this.#clock.wallMs()
    const interval = this.#current(nowMs)
    if (hasRoom(interval, interval.samples, name)) aggregate(interval.samples, name, value, nowMs)
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

function hasRoom(interval: Interval, named: ReadonlyMap<string, unknown>, name: string): boolean {
  if (named.has(name) || named.size < namesMax) return true
  interval.dropped++
  return false
}

function aggregate(named: Map<string, Running>, name: string, value: number, nowMs: number): void {
  const running = named.get(name)
  if (running === undefined) {
    named.set(name, {
      name,
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
  const byName = (a: { readonly name: string }, b: { readonly name: string }): number => compareText(a.name, b.name)
  return {
    startMs: interval.startMs,
    gauges: [...interval.gauges].map(([name, value]) => ({ name, value })).sort(byName),
    counters: [...interval.counters.values()].map((each) => ({ ...each })).sort(byName),
    samples: [...interval.samples.values()].map((each) => ({ ...each })).sort(byName),
    dropped: interval.dropped,
  }
}
