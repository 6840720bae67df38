import type { Closable } from '../../env/async.ts'
import type { Labels } from '../../env/observe.ts'

/** Receives each value, by its full name. */
export interface MetricSink extends Closable {
  count(name: string, by: number, labels?: Labels): void
  gauge(name: string, value: number, labels?: Labels): void
  /** Usually in milliseconds. */
  sample(name: string, value: number, labels?: Labels): void
}

/** Sends lines, each with its line feed. */
export interface LineSender {
  send(line: string): void
  close(): void
}

interface LineFormat {
  /** Appended to each line, as labels are: `|#tag,label:value`. Undefined: labels are parts of the name. */
  readonly tags: readonly string[] | undefined
  /** Whether counts must be whole numbers. */
  readonly wholeCounts: boolean
  /** Part of a gauge's name that the receiver adds itself. */
  readonly leavesOut: string
}

export const plainLines: LineFormat = { tags: undefined, wholeCounts: false, leavesOut: '' }

/** Writes one line for each value. Source: statsd, metric types; statsite; DogStatsD, datagram format. */
export class StatsdLines implements MetricSink {
  readonly #sender: LineSender
  readonly #format: LineFormat
  readonly #tags: readonly string[]

  constructor(sender: LineSender, format: LineFormat) {
    this.#sender = sender
    this.#format = format
    this.#tags = (format.tags ?? []).map(tagText)
  }

  count(name: string, by: number, labels?: Labels): void {
    this.#tell(name, labels, this.#format.wholeCounts ? `${Math.trunc(by)}|c` : `${by.toFixed(6)}|c`, by)
  }

  gauge(name: string, value: number, labels?: Labels): void {
    const { leavesOut } = this.#format
    const own = leavesOut === '' ? name : name.split(`.${leavesOut}.`).join('.')
    this.#tell(own, labels, `${value.toFixed(6)}|g`, value)
  }

  sample(name: string, value: number, labels?: Labels): void {
    this.#tell(name, labels, `${value.toFixed(6)}|ms`, value)
  }

  close(): void {
    this.#sender.close()
  }

  #tell(name: string, labels: Labels | undefined, text: string, value: number): void {
    if (!Number.isFinite(value)) return
    const pairs = labels?.pairs ?? []
    const isTagged = this.#format.tags !== undefined
    const whole = isTagged ? name : [name, ...pairs.map(([, label]) => label)].join('.')
    const tags = isTagged ? [...this.#tags, ...pairs.map(([label, its]) => tagText(`${label}:${its}`))] : []
    this.#sender.send(`${nameText(whole)}:${text}${tags.length === 0 ? '' : `|#${tags.join(',')}`}\n`)
  }
}

/** Removes the separators of a line from a name. */
function nameText(name: string): string {
  return name.replace(/[\s:|@#]/g, '_')
}

function tagText(tag: string): string {
  return tag.replace(/[\s|,#]/g, '_')
}
