import { compareText } from '../../base/bytes.ts'
import type { Clock } from '../../env/clock.ts'
import type { ProcessCondition } from '../../env/process.ts'
import type { MetricSink } from './metric-sink.ts'

/** Different names; a further one is dropped. */
const seriesMax = 4096
/** Quantiles of a summary are taken over the values of this time in milliseconds, at most over this many. */
const windowMs = 10_000
const windowMax = 512

const quantiles = [0.5, 0.9, 0.99] as const

type Kind = 'counter' | 'gauge' | 'summary'

interface Series {
  readonly kind: Kind
  /** Of a counter or summary the sum of all, of a gauge the last. */
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

  /** A series that nothing was added to for `retentionMs` is forgotten. */
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

  /** Undefined: there are too many, or the name is that of something else already. */
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

/** Letters, digits, `_` and `:`, a digit not first. */
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

/** Of none, not a number. */
function rank(sorted: readonly number[], quantile: number): number {
  return sorted[Math.min(sorted.length - 1, Math.ceil(quantile * sorted.length) - 1)] ?? Number.NaN
}

function numberText(value: number): string {
  if (value === Number.POSITIVE_INFINITY) return '+Inf'
  return value === Number.NEGATIVE_INFINITY ? '-Inf' : String(value)
}

/** The process itself, under the names that every program has. Source: Prometheus, client libraries, process metrics. */
export function processText({ cpuSeconds, residentBytes, startSeconds }: ProcessCondition): string {
  const metric = (name: string, kind: Kind, value: number): string =>
    `# HELP ${name} ${name}\n# TYPE ${name} ${kind}\n${name} ${numberText(value)}\n`
  return (
    metric('process_cpu_seconds_total', 'counter', cpuSeconds) +
    metric('process_resident_memory_bytes', 'gauge', residentBytes) +
    metric('process_start_time_seconds', 'gauge', startSeconds)
  )
}
