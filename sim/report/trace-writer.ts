import type { TraceHeader, TraceRecord } from './trace-record.ts'

/** A reader of text that may be slower than the run that writes it. */
export interface TextSink {
  /** It cannot take more until `settle`. */
  readonly isFull: boolean
  write(text: string): void
  /** Waits until it has taken what was written. */
  settle(): Promise<void>
  /** Everything was written. Returns what went wrong, as the system names it; undefined: nothing. */
  end(): Promise<string | undefined>
}

/** Writes a trace as JSON lines. The header is written with the first event, when every machine has its name. */
export class TraceWriter {
  readonly #sink: Pick<TextSink, 'write'>
  readonly #header: (nodes: readonly string[]) => TraceHeader
  #begun = false

  constructor(sink: Pick<TextSink, 'write'>, header: (nodes: readonly string[]) => TraceHeader) {
    this.#sink = sink
    this.#header = header
  }

  write(record: TraceRecord, nodes: readonly string[]): void {
    if (!this.#begun) this.#sink.write(`${JSON.stringify(this.#header(nodes))}\n`)
    this.#begun = true
    this.#sink.write(`${JSON.stringify(record)}\n`)
  }
}
