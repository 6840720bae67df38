import { compareText } from '../../base/bytes.ts'
import type { Clock } from '../../env/clock.ts'
import type { Labels } from '../../env/observe.ts'
import type { ProcessCondition } from '../../env/process.ts'
import type { MetricSink } from './statsd-lines.ts'

/** Maximum number of series, over all names and labels; further ones are dropped. */
const seriesMax = 4096
/** Minimum interval between searches for old series, so that values of ever new ones do not cost one each. */
const forgetEveryMs = 1_000
/** Quantiles of a summary cover the values of this many milliseconds, at most this many. */
const windowMs = 10_000
const windowMax = 512

const quantiles = [0.5, 0.9, 0.99] as const

type Kind = 'counter' | 'gauge' | 'summary'

interface Family {
  readonly kind: Kind
  /** By its labels as Prometheus writes them. */
  readonly series: Map<string, Series>
}

interface Series {
  /** As Prometheus writes them: `node="n1",op="set"`. Empty: none. */
  readonly labels: string
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
  readonly #families = new Map<string, Family>()
  readonly #texts = new WeakMap<Labels, string>()
  #size = 0
  #forgotMs = Number.NEGATIVE_INFINITY

  /** A series without a new value for `retentionMs` is dropped. */
  constructor(clock: Clock, retentionMs: number) {
    this.#clock = clock
    this.#retentionMs = retentionMs
  }

  count(name: string, by: number, labels?: Labels): void {
    const series = this.#touch(name, 'counter', labels)
    if (series !== undefined) series.value += by
  }

  gauge(name: string, value: number, labels?: Labels): void {
    const series = this.#touch(name, 'gauge', labels)
    if (series !== undefined) series.value = value
  }

  sample(name: string, value: number, labels?: Labels): void {
    const series = this.#touch(name, 'summary', labels)
    if (series === undefined) return
    series.value += value
    series.count++
    series.recent.push({ atMs: series.touchedMs, value })
    if (series.recent.length > windowMax) series.recent.shift()
  }

  close(): void {
    this.#families.clear()
    this.#size = 0
  }

  text(): string {
    const nowMs = this.#clock.monoMs()
    this.#forget(nowMs)
    const families = [...this.#families].sort(([a], [b]) => compareText(a, b))
    return families.map(([name, family]) => blockOf(name, family, nowMs)).join('')
  }

  /** Undefined: there are too many series, or the name belongs to another kind already. */
  #touch(name: string, kind: Kind, labels: Labels | undefined): Series | undefined {
    const exposed = exposedName(name)
    const nowMs = this.#clock.monoMs()
    const known = this.#families.get(exposed)
    if (known !== undefined && known.kind !== kind) return undefined
    const text = this.#textOf(labels)
    const series = known?.series.get(text) ?? this.#begin(exposed, kind, text, nowMs)
    if (series !== undefined) series.touchedMs = nowMs
    return series
  }

  /** Labels that differ may be written alike, and then are one series: Prometheus refuses a series that occurs twice. */
  #textOf(labels: Labels | undefined): string {
    if (labels === undefined) return ''
    const known = this.#texts.get(labels)
    if (known !== undefined) return known
    const text = labelsText(labels)
    this.#texts.set(labels, text)
    return text
  }

  #begin(exposed: string, kind: Kind, labels: string, nowMs: number): Series | undefined {
    if (this.#size >= seriesMax && nowMs - this.#forgotMs >= forgetEveryMs) this.#forget(nowMs)
    if (this.#size >= seriesMax) return undefined
    let family = this.#families.get(exposed)
    if (family === undefined) {
      family = { kind, series: new Map() }
      this.#families.set(exposed, family)
    }
    const series = { labels, value: 0, count: 0, touchedMs: nowMs, recent: [] }
    family.series.set(labels, series)
    this.#size++
    return series
  }

  #forget(nowMs: number): void {
    this.#forgotMs = nowMs
    for (const [name, { series }] of this.#families) {
      for (const [key, { touchedMs }] of series) {
        if (nowMs - touchedMs > this.#retentionMs && series.delete(key)) this.#size--
      }
      if (series.size === 0) this.#families.delete(name)
    }
  }
}

/** Consists of letters, digits, `_` and `:`, and does not begin with a digit. */
function exposedName(name: string): string {
  const letters = name.replace(/[^A-Za-z0-9_:]/g, '_')
  return /^\d/.test(letters) ? `_${letters}` : letters
}

/** One value for each name: of a label that occurs more than once, the last one. In the order of names, as in the field. */
function labelsText({ pairs }: Labels): string {
  return [...new Map(pairs)]
    .sort(([a], [b]) => compareText(a, b))
    .map(([name, value]) => `${exposedName(name)}="${escaped(value)}"`)
    .join(',')
}

/** Source: Prometheus, text exposition format 0.0.4. */
function escaped(value: string): string {
  return value.replace(/[\\"\n]/g, (found) => (found === '\n' ? '\\n' : `\\${found}`))
}

function blockOf(name: string, { kind, series }: Family, nowMs: number): string {
  const ordered = [...series].sort(([a], [b]) => compareText(a, b)).map(([, each]) => each)
  const lines = ordered.map((each) => (kind === 'summary' ? summaryOf(name, each, nowMs) : lineOf(name, each)))
  return `# HELP ${name} ${name}\n# TYPE ${name} ${kind}\n${lines.join('')}`
}

function lineOf(name: string, { labels, value }: Series): string {
  return `${name}${labels === '' ? '' : `{${labels}}`} ${numberText(value)}\n`
}

function summaryOf(name: string, series: Series, nowMs: number): string {
  const { labels } = series
  const values = series.recent
    .filter(({ atMs }) => nowMs - atMs <= windowMs)
    .map(({ value }) => value)
    .sort((a, b) => a - b)
  const before = labels === '' ? '' : `${labels},`
  const ranks = quantiles.map((each) => `${name}{${before}quantile="${each}"} ${numberText(rank(values, each))}\n`)
  const sum = lineOf(`${name}_sum`, series)
  return `${ranks.join('')}${sum}${lineOf(`${name}_count`, { ...series, value: series.count })}`
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
