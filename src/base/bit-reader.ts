import { byteAt, wordAt } from './items.ts'

/**
 * Own code, for fflate 0.8.3 was tried and does not hold what a reader of uploaded archives needs (20 MB, Node 20, in
 * MB/s of output: this file 51, fflate 75, zlib 446; equal bytes on Node 20, 22 and 24):
 *
 * 1. It inflates all that it is given at once: of 256 MiB of zeros, deflated, one push of 64 KiB gave a piece of 67 MB
 *    after 290 ms. With pushes small enough to bound that (256 bytes: 0.26 MB a piece) it copies its window each time:
 *    2 MB/s.
 * 2. It checks neither checksum nor length of a gzip member, and does not say where a DEFLATE stream ended, so that the
 *    caller cannot check them either.
 * 3. It has no bound on blocks or members without a byte.
 *
 * Node's zlib is for `src/host` alone: it works on threads, and its bytes change with its releases.
 */

/** What is wrong with compressed bytes, in a clause. Thrown only within these files. */
export class InflateFault extends Error {}
const codeBitsMax = 15

/** Symbols in order of code, and how many codes there are of each length (RFC 1951, 3.2.2). */
export interface Huffman {
  readonly counts: Uint16Array
  readonly symbols: Uint16Array
}

export function huffman(lengths: Uint8Array): Huffman {
  const counts = new Uint16Array(codeBitsMax + 1)
  for (const length of lengths) counts[length] = wordAt(counts, length) + 1
  let left = 1
  for (let length = 1; length <= codeBitsMax; length++) {
    left = (left << 1) - wordAt(counts, length)
    if (left < 0) throw new InflateFault('an over-subscribed set of Huffman codes')
  }
  const offsets = new Uint16Array(codeBitsMax + 2)
  for (let length = 1; length <= codeBitsMax; length++) {
    offsets[length + 1] = wordAt(offsets, length) + wordAt(counts, length)
  }
  const symbols = new Uint16Array(lengths.length)
  for (let symbol = 0; symbol < lengths.length; symbol++) {
    const length = byteAt(lengths, symbol)
    if (length > 0) {
      symbols[wordAt(offsets, length)] = symbol
      offsets[length] = wordAt(offsets, length) + 1
    }
  }
  return { counts, symbols }
}

export class BitReader {
  readonly #bytes: Uint8Array
  #at: number
  #held = 0
  #count = 0

  constructor(bytes: Uint8Array, at: number) {
    this.#bytes = bytes
    this.#at = at
  }

  bits(count: number): number {
    while (this.#count < count) {
      this.#held |= this.#next() << this.#count
      this.#count += 8
    }
    const value = this.#held & ((1 << count) - 1)
    this.#held >>>= count
    this.#count -= count
    return value
  }

  /** Bit by bit, which the canonical order of codes permits. */
  symbol({ counts, symbols }: Huffman): number {
    let code = 0
    let first = 0
    let index = 0
    for (let length = 1; length <= codeBitsMax; length++) {
      code |= this.bits(1)
      const count = wordAt(counts, length)
      if (code - count < first) return wordAt(symbols, index + (code - first))
      index += count
      first = (first + count) << 1
      code <<= 1
    }
    throw new InflateFault('an invalid code')
  }

  align(): void {
    this.#held = 0
    this.#count = 0
  }

  /** Only at a byte boundary. */
  byte(): number {
    return this.#next()
  }

  /** Position after the stream: the rest of its last byte is not part of what follows. */
  end(): number {
    return this.#at
  }

  #next(): number {
    const byte = this.#bytes[this.#at]
    if (byte === undefined) throw new InflateFault('unexpected end of the data')
    this.#at++
    return byte
  }
}
