import seedrandom from 'seedrandom'
import { concatBytes, utf8 } from '../../src/base/bytes.ts'
import { invariant } from '../../src/base/invariant.ts'
import type { RandomStream } from '../../src/env/random.ts'

const twoTo32 = 0x1_0000_0000

/**
 * The streams of one study, by name. Each trial has one stream, because nothing is ever removed from a trial
 * (docs/determinism.md). seedrandom spreads the seed into a root key, and a stream starts from SHA-256(root key, name),
 * so that streams are independent and a new one shifts no other.
 */
export class RandomStreams {
  readonly #root: Uint8Array
  readonly #sha256: (bytes: Uint8Array) => Uint8Array
  readonly #streams = new Map<string, RandomStream>()

  constructor(seed: string, sha256: (bytes: Uint8Array) => Uint8Array) {
    // The line feed marks the end of the seed, because seedrandom repeats a short seed to fill its key: '1' and '11'
    // would give the same key.
    const spread = seedrandom(`${seed}\n`)
    this.#root = new Uint8Array(32)
    for (let at = 0; at < 32; at++) this.#root[at] = spread.int32() & 255
    this.#sha256 = sha256
  }

  /** The same name returns the same stream, which continues where it was. */
  stream(name: string): RandomStream {
    let stream = this.#streams.get(name)
    if (stream === undefined) {
      stream = this.fresh(name)
      this.#streams.set(name, stream)
    }
    return stream
  }

  /** The stream of that name from its beginning. The stream is not stored here. */
  fresh(name: string): RandomStream {
    const digest = this.#sha256(concatBytes([this.#root, utf8(name)]))
    const word = (at: number): number =>
      ((digest[at] as number) << 24) |
      ((digest[at + 1] as number) << 16) |
      ((digest[at + 2] as number) << 8) |
      (digest[at + 3] as number)
    return new Sfc32(word(0), word(4), word(8), word(12))
  }
}

/**
 * sfc32 of PractRand (C. Doty-Humphrey): 128 bits of state, of which 32 are a counter, with only additions and shifts.
 */
class Sfc32 implements RandomStream {
  #a: number
  #b: number
  #c: number
  #counter: number

  constructor(a: number, b: number, c: number, counter: number) {
    this.#a = a
    this.#b = b
    this.#c = c
    this.#counter = counter
    for (let round = 0; round < 12; round++) this.uint32()
  }

  uint32(): number {
    const drawn = (((this.#a + this.#b) | 0) + this.#counter) | 0
    this.#counter = (this.#counter + 1) | 0
    this.#a = this.#b ^ (this.#b >>> 9)
    this.#b = (this.#c + (this.#c << 3)) | 0
    this.#c = (((this.#c << 21) | (this.#c >>> 11)) + drawn) | 0
    return drawn >>> 0
  }

  below(bound: number): number {
    invariant(Number.isInteger(bound) && bound >= 1 && bound <= twoTo32, 'a bound from 1 to 2^32', { bound })
    // A number beyond the last whole multiple of the bound is drawn again, because it would favour the small results.
    const fair = twoTo32 - (twoTo32 % bound)
    for (;;) {
      const drawn = this.uint32()
      if (drawn < fair) return drawn % bound
    }
  }

  fraction(): number {
    return this.uint32() / twoTo32
  }
}
