import type { Closable } from '../../env/async.ts'

/** Receives each value, by its full name. */
export interface MetricSink extends Closable {
  count(name: string, by: number): void
  gauge(name: string, value: number): void
  /** Usually in milliseconds. */
  sample(name: string, value: number): void
}

/** Sends lines, each with its line feed. */
export interface LineSender {
  send(line: string): void
  close(): void
}

interface LineFormat {
  /** Appended to each line: `|#tag,tag`. */
  readonly tags: readonly string[]
  /** Whether counts must be whole numbers. */
  readonly wholeCounts: boolean
  /** Part of a gauge's name that the receiver adds itself. */
  readonly leavesOut: string
}

export const plainLines: LineFormat = { tags: [], wholeCounts: false, leavesOut: '' }

/** Writes one line for each value. Source: statsd, metric types; statsite; DogStatsD, datagram format. */
export class StatsdLines implements MetricSink {
  readonly #sender: LineSender
  readonly #format: LineFormat
  readonly #end: string

  constructor(sender: LineSender, format: LineFormat) {
    this.#sender = sender
    this.#format = format
    this.#end = format.tags.length === 0 ? '\n' : `|#${format.tags.map(tagText).join(',')}\n`
  }

  count(name: string, by: number): void {
    this.#tell(name, this.#format.wholeCounts ? String(Math.trunc(by)) : by.toFixed(6), 'c', by)
  }

  gauge(name: string, value: number): void {
    const { leavesOut } = this.#format
    const own = leavesOut === '' ? name : name.split(`.${leavesOut}.`).join('.')
    this.#tell(own, value.toFixed(6), 'g', value)
  }

  sample(name: string, value: number): void {
    this.#tell(name, value.toFixed(6), 'ms', value)
  }

  close(): void {
    this.#sender.close()
  }

  #tell(name: string, text: string, type: 'c' | 'g' | 'ms', value: number): void {
    if (Number.isFinite(value)) this.#sender.send(`${nameText(name)}:${text}|${type}${this.#end}`)
  }
}

/** Removes the separators of a line from a name. */
function nameText(name: string): string {
  return name.replace(/[\s:|@#]/g, '_')
}

function tagText(tag: string): string {
  return tag.replace(/[\s|,#]/g, '_')
}
