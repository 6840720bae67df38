import { concatBytes } from './bytes.ts'
import {
  distanceBase,
  distanceExtraBits,
  endOfBlock,
  fixedLiteralLengths,
  lengthBase,
  lengthExtraBits,
  windowBytes,
} from './deflate-codes.ts'
import { byteAt, itemAt, wordAt } from './items.ts'

const matchMin = 4
const matchMax = 258
const hashBits = 15
/** Bytes of one block; a piece that is longer becomes several. */
const blockBytes = 65_535

/** A code of the fixed table, its bits in the order in which they are sent. */
interface Codes {
  readonly code: Uint16Array
  readonly length: Uint8Array
}

const literals = fixedCodes(fixedLiteralLengths())
const lengthCodeOf = codesOf(lengthBase, matchMax + 1)
const distanceCodeOf = codesOf(distanceBase, windowBytes + 1)

/**
 * DEFLATE (RFC 1951), piece by piece: matches are looked for in the last 32 KiB by a table of one place for each hash,
 * and written in the fixed codes; what does not get smaller is stored. Pure and equal everywhere, which the platform's
 * is not.
 *
 * fflate 0.8.3 was tried: also equal on Node 20, 22 and 24, and a tenth smaller (0.59 instead of 0.66 of 20 MB of
 * keys), but it takes nearly twice the CPU time (41 instead of 75 MB/s at its quickest level) of a leader that goes on
 * serving while it sends a snapshot; and archives that are stored by now would no longer be those that the same state
 * gives. The reader (`inflate.ts`) stays own code anyhow.
 */
export class Deflater {
  readonly #heads = new Int32Array(1 << hashBits)
  /** The end of what came before, and the block under way behind it. */
  readonly #window = new Uint8Array(windowBytes + blockBytes)
  #before = 0
  /** Bytes of the stream that have left the window. */
  #gone = 0
  #out = new BitWriter()

  /** The compressed bytes that can be sent after this input. */
  push(bytes: Uint8Array): Uint8Array {
    for (let at = 0; at < bytes.length; at += blockBytes) this.#block(bytes.subarray(at, at + blockBytes))
    return this.#out.take()
  }

  /** The end of the stream. */
  end(): Uint8Array {
    this.#out.bits(1, 1)
    this.#out.bits(1, 2)
    this.#symbol(endOfBlock)
    this.#out.align()
    return this.#out.take()
  }

  #block(bytes: Uint8Array): void {
    const window = this.#window
    const from = this.#before
    window.set(bytes, from)
    const to = from + bytes.length
    const mark = this.#out.mark()
    this.#out.bits(0, 1)
    this.#out.bits(1, 2)
    this.#matches(from, to)
    this.#symbol(endOfBlock)
    if (this.#out.bytesSince(mark) > bytes.length + storedOverhead) {
      this.#out.back(mark)
      this.#stored(bytes)
    }
    const kept = Math.min(to, windowBytes)
    window.copyWithin(0, to - kept, to)
    this.#gone += to - kept
    this.#before = kept
  }

  #matches(from: number, to: number): void {
    const window = this.#window
    let at = from
    while (at < to) {
      const found = at + matchMin <= to ? this.#candidate(at) : -1
      const length = found < 0 ? 0 : matchLength(window, found, at, to)
      if (length < matchMin) {
        this.#symbol(byteAt(window, at))
        at++
        continue
      }
      this.#match(length, at - found)
      at += length
    }
  }

  /** Where the same four bytes occurred last, if that is near enough; also records the present position. */
  #candidate(at: number): number {
    const window = this.#window
    const four =
      byteAt(window, at) |
      (byteAt(window, at + 1) << 8) |
      (byteAt(window, at + 2) << 16) |
      (byteAt(window, at + 3) << 24)
    const hash = Math.imul(four, 0x9e3779b1) >>> (32 - hashBits)
    // Positions in the stream are stored plus one: 0 means none.
    const found = wordAt(this.#heads, hash) - 1 - this.#gone
    this.#heads[hash] = at + this.#gone + 1
    return found >= 0 && at - found <= windowBytes ? found : -1
  }

  #match(length: number, distance: number): void {
    const lengthCode = byteAt(lengthCodeOf, length)
    this.#symbol(257 + lengthCode)
    this.#out.bits(length - itemAt(lengthBase, lengthCode), itemAt(lengthExtraBits, lengthCode))
    const distanceCode = byteAt(distanceCodeOf, distance)
    this.#out.bits(reversed(distanceCode, 5), 5)
    this.#out.bits(distance - itemAt(distanceBase, distanceCode), itemAt(distanceExtraBits, distanceCode))
  }

  #symbol(symbol: number): void {
    this.#out.bits(wordAt(literals.code, symbol), byteAt(literals.length, symbol))
  }

  #stored(bytes: Uint8Array): void {
    this.#out.bits(0, 3)
    this.#out.align()
    const { length } = bytes
    this.#out.raw(new Uint8Array([length & 255, length >>> 8, ~length & 255, (~length >>> 8) & 255]))
    this.#out.raw(bytes)
  }
}

const storedOverhead = 5

interface Mark {
  readonly parts: number
  readonly filled: number
  readonly held: number
  readonly count: number
}

/** Bits in the order of DEFLATE: the least significant first. */
class BitWriter {
  #parts: Uint8Array<ArrayBuffer>[] = []
  #buffer = new Uint8Array(bufferBytes)
  #filled = 0
  #held = 0
  #count = 0

  bits(value: number, count: number): void {
    this.#held |= value << this.#count
    this.#count += count
    while (this.#count >= 8) {
      this.#byte(this.#held & 255)
      this.#held >>>= 8
      this.#count -= 8
    }
  }

  align(): void {
    if (this.#count > 0) this.bits(0, 8 - this.#count)
  }

  /** Only when aligned. */
  raw(bytes: Uint8Array): void {
    for (const byte of bytes) this.#byte(byte)
  }

  mark(): Mark {
    return { parts: this.#parts.length, filled: this.#filled, held: this.#held, count: this.#count }
  }

  bytesSince(mark: Mark): number {
    return (this.#parts.length - mark.parts) * bufferBytes + this.#filled - mark.filled
  }

  back(mark: Mark): void {
    if (this.#parts.length > mark.parts) this.#buffer = itemAt(this.#parts, mark.parts)
    this.#parts.length = mark.parts
    this.#filled = mark.filled
    this.#held = mark.held
    this.#count = mark.count
  }

  take(): Uint8Array {
    const out = concatBytes([...this.#parts, this.#buffer.subarray(0, this.#filled)])
    this.#parts = []
    this.#filled = 0
    return out
  }

  #byte(byte: number): void {
    if (this.#filled === bufferBytes) {
      this.#parts.push(this.#buffer)
      this.#buffer = new Uint8Array(bufferBytes)
      this.#filled = 0
    }
    this.#buffer[this.#filled++] = byte
  }
}

const bufferBytes = 32_768

function matchLength(window: Uint8Array, from: number, at: number, to: number): number {
  const max = Math.min(matchMax, to - at)
  let length = 0
  while (length < max && window[from + length] === window[at + length]) length++
  return length
}

function codesOf(bases: readonly number[], size: number): Uint8Array {
  const out = new Uint8Array(size)
  for (let code = 0; code < bases.length; code++) out.fill(code, bases[code])
  return out
}

function fixedCodes(lengths: Uint8Array): Codes {
  const code = new Uint16Array(lengths.length)
  let next = 0
  for (let length = 1; length <= 9; length++) {
    for (let symbol = 0; symbol < lengths.length; symbol++) {
      if (lengths[symbol] === length) code[symbol] = reversed(next++, length)
    }
    next <<= 1
  }
  return { code, length: lengths }
}

function reversed(value: number, bits: number): number {
  let out = 0
  for (let bit = 0; bit < bits; bit++) out |= ((value >>> bit) & 1) << (bits - 1 - bit)
  return out
}
