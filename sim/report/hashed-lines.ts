import { hex } from '../../src/base/bytes.ts'
import type { TraceKind } from './trace-kinds.ts'

/** Number of lines that share one hash: two traces are compared block by block, then line by line within one. */
const blockLines = 512
/**
 * This many bytes or characters from either end of a payload or a text are part of a line; its whole length always is.
 */
const edgeLength = 128
/**
 * Maximum number of words of a line: fixed words, the length of its text, and the edges of the text, with three bytes
 * per character.
 */
const lineWordsMax = 7 + (2 * edgeLength * 3) / 4
/** The buffer of a block begins with the hash of the block before. */
const chainWords = 8
const twoTo32 = 0x1_0000_0000

/** The remainder of a trace: enough to tell whether another one differs, and in which block of lines. */
export interface TraceDigest {
  readonly hash: string
  readonly lines: number
  /** The chained hash after each block of `blockLines` lines; the last one covers an incomplete block. */
  readonly blocks: readonly string[]
}

/** The lines of a trace as words in a buffer, hashed by blocks, each together with the previous hash. */
export class HashedLines {
  readonly #sha256: (bytes: Uint8Array) => Uint8Array
  readonly #words = new Int32Array(chainWords + blockLines * lineWordsMax)
  readonly #bytes = new Uint8Array(this.#words.buffer)
  #at = chainWords
  #inBlock = 0
  #timeLow = 0
  #timeHigh = 0
  readonly #blocks: string[] = []
  /** Number of complete lines. */
  count = 0

  constructor(sha256: (bytes: Uint8Array) => Uint8Array) {
    this.#sha256 = sha256
  }

  /** The time of later lines, in microseconds. */
  setTime(timeUs: number): void {
    this.#timeLow = (timeUs % twoTo32) | 0
    this.#timeHigh = (timeUs / twoTo32) | 0
  }

  begin(kind: TraceKind, node: number, a: number, b: number, c: number): void {
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

  addPayload(payload: Uint8Array): void {
    const { length } = payload
    this.#words[this.#at++] = length
    if (length <= 2 * edgeLength) return this.#copy(payload)
    this.#copy(payload.subarray(0, edgeLength))
    this.#copy(payload.subarray(length - edgeLength))
  }

  addText(text: string): void {
    const { length } = text
    this.#words[this.#at++] = length
    if (length <= 2 * edgeLength) return this.#copyText(text, 0, length)
    this.#copyText(text, 0, edgeLength)
    this.#copyText(text, length - edgeLength, length)
  }

  end(): void {
    this.count++
    this.#inBlock++
    if (this.#inBlock < blockLines) return
    const chain = this.#hashed()
    this.#blocks.push(hex(chain))
    this.#bytes.set(chain)
    this.#at = chainWords
    this.#inBlock = 0
  }

  /** The digest of all lines so far; more may follow. */
  digest(): TraceDigest {
    const blocks = this.#inBlock === 0 ? [...this.#blocks] : [...this.#blocks, hex(this.#hashed())]
    return { hash: blocks.at(-1) ?? hex(this.#hashed()), lines: this.count, blocks }
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

  #hashed(): Uint8Array {
    return this.#sha256(this.#bytes.subarray(0, this.#at << 2))
  }
}

/**
 * The first block of lines in which two traces differ, for a second run with a window on them; undefined if they are
 * equal. Each block's hash includes the previous ones, so two traces agree up to some block and never after it, and a
 * binary search finds it.
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
