/**
 * The identity of a decision: the words of its own description, and no counter of other decisions. So a decision keeps
 * its value when another one is removed, and an additional node, client or rule changes no draw of the others.
 */
export interface Identity {
  /** 64 bits, as two integers of 32. */
  readonly a: number
  readonly b: number
}

/**
 * Events of one lane keep their order whatever is drawn: a stream's bytes, a process's timers, the operations of a
 * file.
 */
export interface Lane {
  /** A part of the lane's identity. Together with the instant, it determines the lane's place among others. */
  readonly tie: number
}

/** The parts of an identity. Integers are exact up to 2^53; other numbers are cut to integers. */
export type Part = string | number | Uint8Array

const twoTo32 = 0x1_0000_0000
const textMark = 0x7e57
const bytesMark = 0xb17e5

/**
 * Ranges of bytes that are not part of an identity, in ascending order: numbers that only match an answer with its
 * question, and count other actions. One object serves many packets.
 */
export class Holes {
  count = 0
  readonly #places: number[] = []

  clear(): this {
    this.count = 0
    return this
  }

  add(start: number, end: number): void {
    this.#places[2 * this.count] = start
    this.#places[2 * this.count + 1] = end
    this.count++
  }

  startOf(hole: number): number {
    return this.#places[2 * hole] as number
  }

  endOf(hole: number): number {
    return this.#places[2 * hole + 1] as number
  }
}

/** Finds the holes in bytes that pass through a world; it knows the protocols of the agents. */
export type FindHoles = (bytes: Uint8Array, holes: Holes) => void

/**
 * A hash of 64 bits that takes parts one after the other. It spreads values and is not cryptographic: a multiplication
 * and a rotation for each word in two lanes that feed each other (the steps of MurmurHash3, A. Appleby), because
 * hashing a packet must cost less than handling it. One object serves many identities, so that no memory is allocated
 * per packet.
 */
export class IdentityHash implements Identity {
  a = 0
  b = 0

  /** Continues from an identity: its parts come before those that follow. */
  from(identity: Identity): this {
    this.a = identity.a
    this.b = identity.b
    return this
  }

  part(part: Part): this {
    if (typeof part === 'number') return this.integer(part)
    return typeof part === 'string' ? this.text(part) : this.bytes(part)
  }

  integer(value: number): this {
    this.#word(value | 0)
    if (value > 0x7fff_ffff || value < -0x8000_0000) this.#word(Math.trunc(value / twoTo32))
    return this
  }

  text(text: string): this {
    this.#word(text.length ^ textMark)
    let at = 0
    for (; at + 1 < text.length; at += 2) this.#word(text.charCodeAt(at) | (text.charCodeAt(at + 1) << 16))
    if (at < text.length) this.#word(text.charCodeAt(at))
    return this
  }

  bytes(bytes: Uint8Array): this {
    return this.#range(bytes, 0, bytes.length)
  }

  /** The bytes outside of the holes. */
  bytesAround(bytes: Uint8Array, holes: Holes): this {
    let at = 0
    for (let i = 0; i < holes.count; i++) {
      this.#range(bytes, at, holes.startOf(i))
      at = holes.endOf(i)
    }
    return this.#range(bytes, at, bytes.length)
  }

  #range(bytes: Uint8Array, start: number, end: number): this {
    let a = this.a ^ (end - start) ^ bytesMark
    let b = this.b
    let at = start
    // The body of #word twice, inlined, because packets spend most time here.
    for (; at + 7 < end; at += 8) {
      a = Math.imul(
        a ^
          ((bytes[at] as number) |
            ((bytes[at + 1] as number) << 8) |
            ((bytes[at + 2] as number) << 16) |
            ((bytes[at + 3] as number) << 24)),
        0x85eb_ca6b,
      )
      b = Math.imul(
        b ^
          ((bytes[at + 4] as number) |
            ((bytes[at + 5] as number) << 8) |
            ((bytes[at + 6] as number) << 16) |
            ((bytes[at + 7] as number) << 24)),
        0xc2b2_ae35,
      )
      a = (((a << 13) | (a >>> 19)) + b) | 0
      b = ((b << 15) | (b >>> 17)) ^ a
    }
    this.a = a
    this.b = b
    for (; at < end; at += 4) {
      let word = bytes[at] as number
      if (at + 1 < end) word |= (bytes[at + 1] as number) << 8
      if (at + 2 < end) word |= (bytes[at + 2] as number) << 16
      if (at + 3 < end) word |= (bytes[at + 3] as number) << 24
      this.#word(word)
    }
    return this
  }

  /** The identity of the parts so far. */
  get identity(): Identity {
    return { a: this.a, b: this.b }
  }

  #word(word: number): void {
    const a = Math.imul(this.a ^ word, 0x85eb_ca6b)
    const b = Math.imul(this.b ^ word, 0xc2b2_ae35)
    this.a = (((a << 13) | (a >>> 19)) + b) | 0
    this.b = ((b << 15) | (b >>> 17)) ^ this.a
  }
}

/** The number of a purpose under an identity, from 0 to 2^32 - 1: the last steps of MurmurHash3, once for each lane. */
export function wordOf({ a, b }: Identity, purpose: number): number {
  let word = a ^ Math.imul(purpose + 1, 0x9e37_79b1)
  word = Math.imul(word ^ (word >>> 16), 0x85eb_ca6b)
  word = Math.imul(word ^ (word >>> 13), 0xc2b2_ae35)
  word = (word ^ (word >>> 16)) + b
  word = Math.imul(word ^ (word >>> 15), 0x2c1b_3c6d)
  word = Math.imul(word ^ (word >>> 12), 0x297a_2d39)
  return (word ^ (word >>> 15)) >>> 0
}
