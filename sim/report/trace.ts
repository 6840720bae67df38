import { hex } from '../../src/base/bytes.ts'
import { type Caused, type CauseList, EventTeller } from './event-teller.ts'
import { lineText, type TraceKind } from './trace-kinds.ts'
import type { MeaningReader, RecordFields, ToldKind, TraceRecord } from './trace-record.ts'
import type { TextSink } from './trace-writer.ts'

/** Lines that share one hash: two traces are compared block by block, then line by line within one. */
const blockLines = 512
/** Of a payload or a text this much, from either end, is part of a line; beside it, always, its whole length. */
const edgeLength = 128
/** A line's fixed words and the length of its text; then the edges of that, with three bytes for a character. */
const lineWordsMax = 7 + (2 * edgeLength * 3) / 4
/** The buffer of a block begins with the hash of the block before. */
const chainWords = 8
const twoTo32 = 0x1_0000_0000

export interface TraceOptions {
  /** Takes each line as text, after the turn that made it. Whether anybody listens does not change the hash. */
  readonly onLine?: (line: string, number: number) => void
  /** Which lines to write out as text: `from` included, `to` not. All of them by default. */
  readonly window?: { readonly from: number; readonly to: number }
  /**
   * Takes each event with its causes, after the turn that made it. Whether anybody listens does not change the hash.
   */
  readonly onRecord?: (record: TraceRecord, nodes: readonly string[]) => void
  /** What the bytes of packets mean, for records; absent: they do not say. */
  readonly meaning?: MeaningReader
  /** Hears the keys with which packets are sealed. */
  readonly onSealed?: (key: Uint8Array) => void
  /** Where what is read goes to: the run waits between turns while it is full. */
  readonly sink?: Pick<TextSink, 'isFull' | 'settle'>
}

/** What remains of a trace: enough to tell whether, and in which block of lines, another one differs. */
export interface TraceDigest {
  readonly hash: string
  readonly lines: number
  /** The chained hash after each block of `blockLines` lines, the last of them after what there is of it. */
  readonly blocks: readonly string[]
}

/**
 * What happened in a run, one line each: kind, time, node, three integers, and a text or payload where there is one.
 * Lines are kept as words in a buffer and hashed by blocks, each together with the hash before it. Text is made only of
 * lines that somebody reads.
 */
export class Trace {
  readonly #sha256: (bytes: Uint8Array) => Uint8Array
  readonly #options: TraceOptions
  readonly #words = new Int32Array(chainWords + blockLines * lineWordsMax)
  readonly #bytes = new Uint8Array(this.#words.buffer)
  #at = chainWords
  #inBlock = 0
  #lines = 0
  #timeUs = 0
  #timeLow = 0
  #timeHigh = 0
  readonly #blocks: string[] = []
  #unread: { readonly line: string; readonly number: number }[] = []
  readonly #names: string[] = []
  /** The event that delivered the turn: what is done now is caused by it. 0: none. */
  cause = 0
  /** Number of the last event. Without a reader of events it counts lines alone. */
  last = 0
  #isFirst = false
  /** For readers of events; undefined: there are none, and no list of causes is kept. */
  readonly teller: EventTeller | undefined

  constructor(sha256: (bytes: Uint8Array) => Uint8Array, options: TraceOptions = {}) {
    this.#sha256 = sha256
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
    return this.#lines
  }

  /** Whether the next line is read by somebody. */
  get isRead(): boolean {
    return this.teller !== undefined || this.#isWritten
  }

  get #isWritten(): boolean {
    const { onLine, window } = this.#options
    return onLine !== undefined && (window === undefined || (this.#lines >= window.from && this.#lines < window.to))
  }

  /** For decoders of what is sealed with it. */
  sealedWith(key: Uint8Array): void {
    this.#options.onSealed?.(key)
  }

  /** Whether what was written so far must be taken before more is. */
  get isHeld(): boolean {
    return this.#options.sink?.isFull === true
  }

  /** Undefined: there is nothing to wait for. */
  settled(): Promise<void> | undefined {
    return this.isHeld ? this.#options.sink?.settle() : undefined
  }

  /** Gives a number the name that lines of text show. */
  name(number: number, name: string): void {
    this.#names[number] = name
  }

  /** The time that lines carry from here on, in microseconds. */
  setTime(timeUs: number): void {
    this.#timeUs = timeUs
    this.#timeLow = (timeUs % twoTo32) | 0
    this.#timeHigh = (timeUs / twoTo32) | 0
  }

  /** A turn begins: its first line is the event that these causes led to, and causes the rest of the turn. */
  begin({ cause, causes }: Caused): void {
    this.cause = cause
    this.#isFirst = true
    this.teller?.begin(causes ?? [cause])
  }

  /**
   * An event that the hash does not know, for readers alone; nothing where there are none. `causes`: in place of those
   * of the turn. Its number; 0: nobody reads.
   */
  tell<Kind extends ToldKind>(kind: Kind, node: number, fields: RecordFields<Kind>, causes?: CauseList): number {
    if (this.teller === undefined) return 0
    this.teller.tell(++this.last, this.#timeUs, kind, node, fields, causes)
    return this.last
  }

  /** The event that what happens now belongs to, for those that refer to it later; 0: nobody reads events. */
  get eventNow(): number {
    return this.teller === undefined ? 0 : this.cause
  }

  /**
   * The event to name for what is true now: the turn's own, or the last one that it has come to; 0: nobody reads
   * events.
   */
  get factNow(): number {
    return this.teller === undefined ? 0 : this.teller.fact
  }

  /** What is done from here on is caused by this event. */
  stand(event: number): void {
    if (event === 0) return
    this.cause = event
    this.#isFirst = false
    this.teller?.stand(event)
  }

  add(kind: TraceKind, node: number, a = 0, b = 0, c = 0): void {
    this.#fixed(kind, node, a, b, c)
    if (this.#options.onLine !== undefined && this.#isWritten) this.#write(kind, node, [a, b, c], undefined)
    this.#end()
    this.teller?.line(this.last, this.#timeUs, kind, node, [a, b, c], 0, '')
  }

  addBytes(kind: TraceKind, node: number, a: number, b: number, c: number, payload: Uint8Array): void {
    this.#fixed(kind, node, a, b, c)
    const { length } = payload
    this.#words[this.#at++] = length
    if (length <= 2 * edgeLength) this.#copy(payload)
    else {
      this.#copy(payload.subarray(0, edgeLength))
      this.#copy(payload.subarray(length - edgeLength))
    }
    if (this.#isWritten) this.#write(kind, node, [a, b, c], `${length} B`)
    this.#end()
    this.teller?.line(this.last, this.#timeUs, kind, node, [a, b, c], length, '')
  }

  addText(kind: TraceKind, node: number, a: number, b: number, c: number, text: string): void {
    this.#fixed(kind, node, a, b, c)
    const { length } = text
    this.#words[this.#at++] = length
    if (length <= 2 * edgeLength) this.#copyText(text, 0, length)
    else {
      this.#copyText(text, 0, edgeLength)
      this.#copyText(text, length - edgeLength, length)
    }
    if (this.#isWritten) this.#write(kind, node, [a, b, c], text)
    this.#end()
    this.teller?.line(this.last, this.#timeUs, kind, node, [a, b, c], 0, text)
  }

  /** Text for readers alone, at the place of the next line, which the hash does not know. */
  remark(node: number, text: string): void {
    if (this.#isWritten) this.#unread.push({ line: `${this.#lineHead(node)} # ${text}`, number: this.#lines })
    this.tell('note', node, { text })
  }

  /** Hands out the lines written since. Called between turns, where a reader may use files. */
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
    const blocks = this.#inBlock === 0 ? [...this.#blocks] : [...this.#blocks, hex(this.#hashed())]
    return { hash: blocks.at(-1) ?? hex(this.#hashed()), lines: this.#lines, blocks }
  }

  #fixed(kind: TraceKind, node: number, a: number, b: number, c: number): void {
    const words = this.#words
    let at = this.#at
    words[at++] = kind | (node << 8)
    words[at++] = this.#timeLow
    words[at++] = this.#timeHigh
    words[at++] = a
    words[at++] = b
    words[at++] = c
    this.#at = at
  }

  #copy(bytes: Uint8Array): void {
    const words = (bytes.length + 3) >> 2
    // The last word may be filled in part only; what an earlier block left in it must not be hashed.
    if (words > 0) this.#words[this.#at + words - 1] = 0
    this.#bytes.set(bytes, this.#at << 2)
    this.#at += words
  }

  /** One byte for an ASCII character, three for another. */
  #copyText(text: string, from: number, to: number): void {
    const bytes = this.#bytes
    let at = this.#at << 2
    for (let i = from; i < to; i++) {
      const unit = text.charCodeAt(i)
      if (unit < 0x80) bytes[at++] = unit
      else {
        bytes[at++] = 0xff
        bytes[at++] = unit >> 8
        bytes[at++] = unit & 255
      }
    }
    while ((at & 3) !== 0) bytes[at++] = 0
    this.#at = at >> 2
  }

  #end(): void {
    this.#lines++
    this.last++
    if (this.#isFirst) {
      this.#isFirst = false
      this.cause = this.last
    }
    this.#inBlock++
    if (this.#inBlock < blockLines) return
    const chain = this.#hashed()
    this.#blocks.push(hex(chain))
    this.#bytes.set(chain)
    this.#at = chainWords
    this.#inBlock = 0
  }

  #hashed(): Uint8Array {
    return this.#sha256(this.#bytes.subarray(0, this.#at << 2))
  }

  #write(kind: TraceKind, node: number, values: readonly [number, number, number], text: string | undefined): void {
    const line = `${this.#lineHead(node)} ${lineText(kind, values, text, (number) => this.#nameOf(number))}`
    this.#unread.push({ line, number: this.#lines })
  }

  #lineHead(node: number): string {
    return `${(this.#timeUs / 1_000_000).toFixed(6)} ${this.#nameOf(node)}`
  }

  #nameOf(number: number): string {
    return this.#names[number] ?? String(number)
  }
}

/**
 * The lines among which two traces differ first, for a second look with a window on them; undefined when they are
 * equal. Each block's hash contains those before it: two traces agree up to a block and nowhere after, so it is found
 * by halving.
 */
export function differingLines(
  a: TraceDigest,
  b: TraceDigest,
): { readonly from: number; readonly to: number } | undefined {
  if (a.hash === b.hash && a.lines === b.lines) return undefined
  let low = 0
  let high = Math.min(a.blocks.length, b.blocks.length)
  while (low < high) {
    const middle = (low + high) >> 1
    if (a.blocks[middle] === b.blocks[middle]) low = middle + 1
    else high = middle
  }
  return { from: low * blockLines, to: (low + 1) * blockLines }
}
