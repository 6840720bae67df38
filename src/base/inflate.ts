import { BitReader, type Huffman, huffman, InflateFault } from './bit-reader.ts'
import { emptyBytes } from './bytes.ts'
import {
  distanceBase,
  distanceExtraBits,
  endOfBlock,
  fixedLiteralLengths,
  lengthBase,
  lengthExtraBits,
  windowBytes,
} from './deflate-codes.ts'
import { byteAt, itemAt } from './items.ts'

const pieceBytes = 65_536

/** Number of further empty blocks that are allowed: they produce no output while they are read. */
interface EmptyBlocks {
  left: number
}

/** After this many empty blocks an empty piece is returned, so that the caller can yield to other work. */
const emptyBlocksAtOnce = 128

/**
 * Reads a DEFLATE stream from `from` on; gives its bytes in pieces of at most 64 KiB, some of which may be empty, and
 * at last where it ended.
 */
export function* inflated(bytes: Uint8Array, from: number, empty: EmptyBlocks): Generator<Uint8Array, number> {
  const input = new BitReader(bytes, from)
  const out = new Output()
  for (let last = false; !last; ) {
    last = input.bits(1) === 1
    const kind = input.bits(2)
    const { written } = out
    if (kind === 0) yield* stored(input, out)
    else if (kind === 1) yield* coded(input, out, fixedLiterals, fixedDistances)
    else if (kind === 2) {
      const { literals, distances } = dynamicCodes(input)
      yield* coded(input, out, literals, distances)
    } else throw new InflateFault('a block of the reserved type 3')
    if (out.written !== written) continue
    if (--empty.left < 0) throw new InflateFault('too many empty blocks')
    if (empty.left % emptyBlocksAtOnce === 0) yield emptyBytes
  }
  yield* out.rest()
  return input.end()
}

/** Length of codes in the order in which they are sent. Source: RFC 1951, 3.2.7. */
const codeLengthOrder = [16, 17, 18, 0, 8, 7, 9, 6, 10, 5, 11, 4, 12, 3, 13, 2, 14, 1, 15]

const fixedLiterals = huffman(fixedLiteralLengths())
const fixedDistances = huffman(new Uint8Array(30).fill(5))

function* stored(input: BitReader, out: Output): Generator<Uint8Array, void> {
  input.align()
  const length = input.byte() | (input.byte() << 8)
  const check = input.byte() | (input.byte() << 8)
  if ((length ^ 0xffff) !== check) throw new InflateFault('a stored block whose length does not match its complement')
  for (let left = length; left > 0; left--) {
    out.put(input.byte())
    if (out.isFull) yield out.take()
  }
}

function* coded(input: BitReader, out: Output, literals: Huffman, distances: Huffman): Generator<Uint8Array, void> {
  for (;;) {
    const symbol = input.symbol(literals)
    if (symbol < endOfBlock) out.put(symbol)
    else if (symbol === endOfBlock) return
    else {
      const length = measured(input, symbol - 257, lengthBase, lengthExtraBits)
      const distance = measured(input, input.symbol(distances), distanceBase, distanceExtraBits)
      out.copy(length, distance)
    }
    if (out.isFull) yield out.take()
  }
}

function measured(input: BitReader, code: number, bases: readonly number[], extra: readonly number[]): number {
  const base = bases[code]
  if (base === undefined) throw new InflateFault('an invalid code')
  return base + input.bits(itemAt(extra, code))
}

function dynamicCodes(input: BitReader): { readonly literals: Huffman; readonly distances: Huffman } {
  const literals = input.bits(5) + 257
  const distances = input.bits(5) + 1
  const given = input.bits(4) + 4
  const codeLengths = new Uint8Array(19)
  for (let at = 0; at < given; at++) codeLengths[itemAt(codeLengthOrder, at)] = input.bits(3)
  const lengths = readLengths(input, huffman(codeLengths), literals + distances)
  return { literals: huffman(lengths.subarray(0, literals)), distances: huffman(lengths.subarray(literals)) }
}

function readLengths(input: BitReader, code: Huffman, count: number): Uint8Array {
  const lengths = new Uint8Array(count)
  for (let at = 0; at < count; ) {
    const symbol = input.symbol(code)
    if (symbol < 16) {
      lengths[at++] = symbol
      continue
    }
    if (symbol === 16 && at === 0) throw new InflateFault('a repeat code without a previous code length')
    const repeated = symbol === 16 ? byteAt(lengths, at - 1) : 0
    const times = symbol === 16 ? 3 + input.bits(2) : symbol === 17 ? 3 + input.bits(3) : 11 + input.bits(7)
    if (at + times > count) throw new InflateFault('more code lengths than codes')
    lengths.fill(repeated, at, at + times)
    at += times
  }
  return lengths
}

/** A ring of the last bytes, given out in pieces. */
class Output {
  readonly #buffer = new Uint8Array(windowBytes + pieceBytes + 512)
  #from = 0
  #to = 0
  /** Number of bytes that have left the buffer. */
  #gone = 0

  put(byte: number): void {
    this.#buffer[this.#to++] = byte
  }

  copy(length: number, distance: number): void {
    if (distance > this.#to) throw new InflateFault('a match that starts before the beginning of the data')
    const buffer = this.#buffer
    for (let left = length; left > 0; left--) {
      buffer[this.#to] = byteAt(buffer, this.#to - distance)
      this.#to++
    }
  }

  /** All that came so far. */
  get written(): number {
    return this.#gone + this.#to
  }

  get isFull(): boolean {
    return this.#to - this.#from >= pieceBytes
  }

  /** The output since the last piece; the window is kept. */
  take(): Uint8Array {
    const piece = this.#buffer.slice(this.#from, this.#to)
    const kept = Math.min(this.#to, windowBytes)
    this.#buffer.copyWithin(0, this.#to - kept, this.#to)
    this.#gone += this.#to - kept
    this.#from = kept
    this.#to = kept
    return piece
  }

  *rest(): Generator<Uint8Array, void> {
    if (this.#to > this.#from) yield this.take()
  }
}
