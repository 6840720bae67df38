import { compareText } from '../../base/bytes.ts'
import type { Clock } from '../../env/clock.ts'
import type { ProcessCondition } from '../../env/process.ts'
import type { MetricSink } from './statsd-lines.ts'

/** Maximum number of names; further ones are dropped. */
const seriesMax = 4096
/** Quantiles of a summary cover the values of this many milliseconds, at most this many. */
const windowMs = 10_000
const windowMax = 512

const quantiles = [0.5, 0.9, 0.99] as const

type Kind = 'counter' | 'gauge' | 'summary'

interface Series {
  readonly kind: Kind
  /** The sum of a counter or summary, the last value of a gauge. */
  value: number
  count: number
  touchedMs: number
  readonly recent: { readonly atMs: number; readonly value: number }[]
}

/**
 * Metrics in the form in which Prometheus scrapes them. Source: Prometheus, text exposition format 0.0.4.
 * Reference: telemetry.md#metrics-5.
 */
export class Exposition implements MetricSink {
  readonly #clock: Clock
  readonly #retentionMs: number
  /** By the name as Prometheus writes it. */
  readonly #series = new Map<string, Series>()

  /** A series without a new value for `retentionMs` is dropped. */
  constructor(clock: Clock, retentionMs: number) {
    this.#clock = clock
    this.#retentionMs = retentionMs
  }

  count(name: string, by: number): void {
    const series = this.#touch(name, 'counter')
    if (series !== undefined) series.value += by
  }

  gauge(name: string, value: number): void {
    const series = this.#touch(name, 'gauge')
    if (series !== undefined) series.value = value
  }

  sample(name: string, value: number): void {
    const series = this.#touch(name, 'summary')
    if (series === undefined) return
    series.value += value
    series.count++
    series.recent.push({ atMs: series.touchedMs, value })
    if (series.recent.length > windowMax) series.recent.shift()
  }

  close(): void {
    this.#series.clear()
  }

  text(): string {
    const nowMs = this.#clock.monoMs()
    this.#forget(nowMs)
    const names = [...this.#series.keys()].sort(compareText)
    return names.map((name) => blockOf(name, this.#series.get(name), nowMs)).join('')
  }

  /** Undefined: there are too many series, or the name belongs to another kind already. */
  #touch(name: string, kind: Kind): Series | undefined {
    const key = exposedName(name)
    const nowMs = this.#clock.monoMs()
    let series = this.#series.get(key)
    if (series === undefined) {
      if (this.#series.size >= seriesMax) this.#forget(nowMs)
      if (this.#series.size >= seriesMax) return undefined
      series = { kind, value: 0, count: 0, touchedMs: nowMs, recent: [] }
      this.#series.set(key, series)
    }
    if (series.kind !== kind) return undefined
    series.touchedMs = nowMs
    return series
  }

  #forget(nowMs: number): void {
    for (const [key, { touchedMs }] of this.#series) if (nowMs - touchedMs > this.#retentionMs) this.#series.delete(key)
  }
}

/** Consists of letters, digits, `_` and `:`, and does not begin with a digit. */
function exposedName(name: string): string {
  const letters = name.replace(/[^A-Za-z0-9_:]/g, '_')
  return /^\d/.test(letters) ? `_${letters}` : letters
}

function blockOf(name: string, series: Series | undefined, nowMs: number): string {
  if (series === undefined) return ''
  const head = `# HELP ${name} ${name}\n# TYPE ${name} ${series.kind}\n`
  if (series.kind !== 'summary') return `${head}${name} ${numberText(series.value)}\n`
  const values = series.recent
    .filter(({ atMs }) => nowMs - atMs <= windowMs)
    .map(({ value }) => value)
    .sort((a, b) => a - b)
  const lines = quantiles.map((quantile) => `${name}{quantile="${quantile}"} ${numberText(rank(values, quantile))}\n`)
  return `${head}${lines.join('')}${name}_sum ${numberText(series.value)}\n${name}_count ${series.count}\n`
}

/** Not a number if there are no values. */
function rank(sorted: readonly number[], quantile: number): number {
  return sorted[Math.min(sorted.length - 1, Math.ceil(quantile * sorted.length) - 1)] ?? Number.NaN
}

function numberText(value: number): string {
  if (value === Number.POSITIVE_INFINITY) return '+Inf'
  return value === Number.NEGATIVE_INFINITY ? '-Inf' : String(value)
}

/** Metrics of the process itself, under standard names. Source: Prometheus, client libraries, process metrics. */
export function processText({ cpuSeconds, residentBytes, startSeconds }: ProcessCondition): string {
  const metric = (name: string, kind: Kind, value: number): string =>
    `# HELP ${name} ${name}\n# TYPE ${name} ${kind}\n${name} ${numberText(value)}\n`
  return (
    metric('process_cpu_seconds_total', 'counter', cpuSeconds) +
    metric('process_resident_memory_bytes', 'gauge', residentBytes) +
    metric('process_start_time_seconds', 'gauge', startSeconds)
  )
}
