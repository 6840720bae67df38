import type { MetricSums } from './metric-sums.ts'

interface Family {
  readonly kind: string
  readonly series: Set<string>
}

/** What Prometheus reads in a text, or why it cannot read it. Source: Prometheus, text exposition format 0.0.4. */
export type Exposed = { readonly sums: MetricSums } | { readonly problem: string }

const typeLine = /^# TYPE ([A-Za-z_:][\w:]*) (counter|gauge|summary)$/
const helpLine = /^# HELP ([A-Za-z_:][\w:]*) .*$/
const seriesLine =
  /^([A-Za-z_:][\w:]*)(\{[A-Za-z_]\w*="(?:[^"\\\n]|\\[\\"n])*"(?:,[A-Za-z_]\w*="(?:[^"\\\n]|\\[\\"n])*")*\})? (\S+)$/
const number = /^(?:-?\d+(?:\.\d+)?(?:e[+-]?\d+)?|NaN|[+-]Inf)$/

/** Reads a text line by line; each metric has its type before its series, once. */
export function exposed(text: string): Exposed {
  const reading = new Reading()
  if (text !== '' && !text.endsWith('\n')) return { problem: 'its last line has no end' }
  for (const line of text.split('\n').slice(0, -1)) {
    const problem = reading.take(line)
    if (problem !== undefined) return { problem: `${JSON.stringify(line)} ${problem}` }
  }
  return { sums: reading }
}

class Reading implements MetricSums {
  readonly counts = new Map<string, number>()
  readonly samples = new Map<string, number>()
  readonly #families = new Map<string, Family>()
  #last = ''

  /** Returns what is wrong with the line. */
  take(line: string): string | undefined {
    if (helpLine.test(line)) return undefined
    const [, name, kind = ''] = typeLine.exec(line) ?? []
    if (name === undefined) return this.#series(line)
    if (this.#families.has(name)) return 'gives its metric a type for the second time'
    this.#families.set(name, { kind, series: new Set() })
    this.#last = name
    return undefined
  }

  #series(line: string): string | undefined {
    const [, name, labels = '', text = ''] = seriesLine.exec(line) ?? []
    if (name === undefined) return 'is no series'
    if (!number.test(text)) return 'has no number'
    const family = this.#families.get(this.#last)
    const part = name.slice(this.#last.length)
    const parts = family?.kind === 'summary' ? ['', '_sum', '_count'] : ['']
    if (family === undefined || !name.startsWith(this.#last) || !parts.includes(part))
      return 'has another name than its type'
    const series = `${part}${labels}`
    if (family.series.has(series)) return 'is there twice'
    family.series.add(series)
    this.#add(family.kind, part, Number(text))
    return undefined
  }

  #add(kind: string, part: string, value: number): void {
    const sums = kind === 'counter' ? this.counts : part === '_count' ? this.samples : undefined
    sums?.set(this.#last, (sums.get(this.#last) ?? 0) + value)
  }
}
