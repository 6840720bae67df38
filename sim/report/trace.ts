import { EventTeller } from './event-teller.ts'
import { HashedLines, type TraceDigest } from './hashed-lines.ts'
import { lineText, type TraceKind } from './trace-kinds.ts'
import type { Caused, CauseList, MeaningReader, RecordFields, ToldKind, TraceRecord } from './trace-record.ts'
import type { TextSink } from './trace-writer.ts'

export interface TraceOptions {
  /**
   * Called with each line as text, after the turn that made it. The hash does not depend on whether there is a reader.
   */
  readonly onLine?: (line: string, number: number) => void
  /** The lines to write as text: from `from` on, before `to`. By default all. */
  readonly window?: { readonly from: number; readonly to: number }
  /**
   * Called with each event and its causes, after the turn that made it. The hash does not depend on whether there is a
   * reader.
   */
  readonly onRecord?: (record: TraceRecord, nodes: readonly string[]) => void
  /** Whether records report what has changed about their machine. */
  readonly tellsStates?: boolean
  /** Decodes the bytes of packets for records; absent: records have no meanings. */
  readonly meaning?: MeaningReader
  /** Called with the keys with which packets are sealed. */
  readonly onSealed?: (key: Uint8Array) => void
  /** The destination of the output: the run waits between turns while it is full. */
  readonly sink?: Pick<TextSink, 'isFull' | 'settle'>
}

/**
 * What happened in a run, one line each: kind, time, node, three integers, and possibly a text or payload. Text is made
 * only of lines that have a reader.
 */
export class Trace {
  readonly #options: TraceOptions
  readonly #lines: HashedLines
  #timeUs = 0
  #unread: { readonly line: string; readonly number: number }[] = []
  readonly #names: string[] = []
  /** The event that delivered the turn, which causes present actions. 0: none. */
  cause = 0
  /** Number of the last event. Without a reader of events, it counts only lines. */
  last = 0
  #isFirst = false
  /** For readers of events; undefined: there are none, and no list of causes is kept. */
  readonly teller: EventTeller | undefined

  constructor(sha256: (bytes: Uint8Array) => Uint8Array, options: TraceOptions = {}) {
    this.#lines = new HashedLines(sha256)
    this.#options = options
    const { onRecord, meaning } = options
    if (onRecord !== undefined)
      this.teller = new EventTeller(
        (record) => onRecord(record, this.#names.slice(1)),
        (number) => this.#nameOf(number),
        meaning,
      )
  }

  get lines(): number {
    return this.#lines.count
  }

  /** Whether the next line has a reader. */
  get isRead(): boolean {
    return this.teller !== undefined || this.#isWritten
  }

  get #isWritten(): boolean {
    const { onLine, window } = this.#options
    return onLine !== undefined && (window === undefined || (this.lines >= window.from && this.lines < window.to))
  }

  /** For decoders of packets that are sealed with the key. */
  sealedWith(key: Uint8Array): void {
    this.#options.onSealed?.(key)
  }

  /** Whether the reader must take what was written before more is written. */
  get isHeld(): boolean {
    return this.#options.sink?.isFull === true
  }

  /** Undefined: there is nothing to wait for. */
  settled(): Promise<void> | undefined {
    return this.isHeld ? this.#options.sink?.settle() : undefined
  }

  /** Sets the name that lines of text show for a number. */
  name(number: number, name: string): void {
    this.#names[number] = name
  }

  /** The time of later lines, in microseconds. */
  setTime(timeUs: number): void {
    this.#timeUs = timeUs
    this.#lines.setTime(timeUs)
  }

  /** A turn begins: its first line is the event with these causes, and causes the rest of the turn. */
  begin({ cause, causes }: Caused): void {
    this.cause = cause
    this.#isFirst = true
    this.teller?.begin(causes ?? [cause])
  }

  /**
   * Writes an event that the hash does not include, for readers only; without a reader it does nothing. `causes`
   * replaces those of the turn. Returns its number; 0: there is no reader.
   */
  tell<Kind extends ToldKind>(kind: Kind, node: number, fields: RecordFields<Kind>, causes?: CauseList): number {
    if (this.teller === undefined) return 0
    this.teller.tell(++this.last, this.#timeUs, kind, node, fields, causes)
    return this.last
  }

  /** The event to which present actions belong, for later references; 0: there is no reader of events. */
  get eventNow(): number {
    return this.teller === undefined ? 0 : this.cause
  }

  /**
   * The event to name for a fact that is true now: the turn's own, or the last one that it has reached; 0: there is no
   * reader of events.
   */
  get factNow(): number {
    return this.teller === undefined ? 0 : this.teller.fact
  }

  /** Later actions are caused by this event. */
  stand(event: number): void {
    if (event === 0) return
    this.cause = event
    this.#isFirst = false
    this.teller?.stand(event)
  }

  add(kind: TraceKind, node: number, a = 0, b = 0, c = 0): void {
    this.#lines.begin(kind, node, a, b, c)
    if (this.#options.onLine !== undefined && this.#isWritten) this.#write(kind, node, [a, b, c], undefined)
    this.#end()
    this.teller?.line(this.last, this.#timeUs, kind, node, [a, b, c], 0, '')
  }

  addBytes(kind: TraceKind, node: number, a: number, b: number, c: number, payload: Uint8Array): void {
    this.#lines.begin(kind, node, a, b, c)
    const { length } = payload
    this.#lines.addPayload(payload)
    if (this.#isWritten) this.#write(kind, node, [a, b, c], `${length} B`)
    this.#end()
    this.teller?.line(this.last, this.#timeUs, kind, node, [a, b, c], length, '')
  }

  addText(kind: TraceKind, node: number, a: number, b: number, c: number, text: string): void {
    this.#lines.begin(kind, node, a, b, c)
    this.#lines.addText(text)
    if (this.#isWritten) this.#write(kind, node, [a, b, c], text)
    this.#end()
    this.teller?.line(this.last, this.#timeUs, kind, node, [a, b, c], 0, text)
  }

  /** Text for readers only, at the place of the next line, which the hash does not include. */
  remark(node: number, text: string): void {
    if (this.#isWritten) this.#unread.push({ line: `${this.#lineHead(node)} # ${text}`, number: this.lines })
    this.tell('note', node, { text })
  }

  /** Passes on the lines written since. Called between turns, when a reader may use files. */
  flush(): void {
    this.teller?.flush()
    if (this.#unread.length === 0) return
    const unread = this.#unread
    this.#unread = []
    for (const { line, number } of unread) this.#options.onLine?.(line, number)
  }

  /** The digest of all lines so far; more may follow. */
  digest(): TraceDigest {
    this.flush()
    return this.#lines.digest()
  }

  #end(): void {
    this.#lines.end()
    this.last++
    if (!this.#isFirst) return
    this.#isFirst = false
    this.cause = this.last
  }

  #write(kind: TraceKind, node: number, values: readonly [number, number, number], text: string | undefined): void {
    const line = `${this.#lineHead(node)} ${lineText(kind, values, text, (number) => this.#nameOf(number))}`
    this.#unread.push({ line, number: this.lines })
  }

  #lineHead(node: number): string {
    return `${(this.#timeUs / 1_000_000).toFixed(6)} ${this.#nameOf(node)}`
  }

  #nameOf(number: number): string {
    return this.#names[number] ?? String(number)
  }
}
