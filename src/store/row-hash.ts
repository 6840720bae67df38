import { SpelledBytes } from '../base/bytes.ts'
import { byteAt } from '../base/items.ts'
import { isRecord } from '../base/shape.ts'

/** Tags before a value, so that values of different types differ. */
const tags = { nothing: 1, no: 2, yes: 3, integer: 4, other: 5, text: 6, bytes: 7, list: 8, members: 9 } as const

const highBasis = 0x9e3779b9
const lowBasis = 0x41c6ce57
/** Integers up to this value, 2^53, are decoded from MessagePack as numbers, larger ones as bigints. */
const numberUpTo = 0x20_0000_0000_0000n

/**
 * Hashes a row in two lanes of 32 bits, without encoding it. The hash depends only on the row's value: not on the order
 * in which members were built, nor on whether an integer is a number or a bigint, nor on whether the row was in a
 * snapshot. Not cryptographic: it compares states of one program.
 */
export class RowHasher {
  #high = highBasis
  #low = lowBasis

  add(value: unknown): void {
    switch (typeof value) {
      case 'string':
        return this.#text(value)
      case 'number':
        return this.#number(value)
      case 'bigint':
        if (value >= -numberUpTo && value <= numberUpTo) return this.#number(Number(value))
        this.#word(tags.integer)
        return this.#text(value.toString())
      case 'boolean':
        return this.#word(value ? tags.yes : tags.no)
      case 'object':
        return this.#object(value)
      default:
        return this.#word(tags.nothing)
    }
  }

  finished(): { readonly high: number; readonly low: number } {
    return { high: finished(this.#high ^ (this.#low >>> 7)), low: finished(this.#low ^ (this.#high >>> 11)) }
  }

  #object(value: unknown): void {
    if (value === null) this.#word(tags.nothing)
    else if (value instanceof Uint8Array) this.#bytes(value)
    else if (value instanceof SpelledBytes) this.#letters(tags.bytes, value.spelling)
    else if (Array.isArray(value)) {
      this.#word(tags.list)
      this.#word(value.length)
      for (const item of value) this.add(item)
    } else if (isRecord(value)) this.#members(value)
  }

  /** Members in any order: each is hashed by itself, and the hashes are added. An undefined one counts as absent. */
  #members(value: Readonly<Record<string, unknown>>): void {
    const [high, low] = [this.#high, this.#low]
    let [highSum, lowSum] = [0, 0]
    for (const name of Object.keys(value)) {
      const member = value[name]
      if (member === undefined) continue
      this.#high = highBasis
      this.#low = lowBasis
      this.#text(name)
      this.add(member)
      highSum = (highSum + finished(this.#high)) | 0
      lowSum = (lowSum + finished(this.#low)) | 0
    }
    this.#high = high
    this.#low = low
    this.#word(tags.members)
    this.#word(highSum)
    this.#word(lowSum)
  }

  /** Long values are hashed in one lane of their own, which is mixed into both. */
  #text(text: string): void {
    this.#letters(tags.text, text)
  }

  #letters(tag: number, text: string): void {
    let hash = lowBasis
    for (let i = 0; i < text.length; i++) hash = Math.imul(hash ^ text.charCodeAt(i), 0x01000193)
    this.#word(tag)
    this.#word(text.length)
    this.#word(hash)
  }

  #bytes(bytes: Uint8Array): void {
    let hash = lowBasis
    for (let i = 0; i < bytes.length; i++) hash = Math.imul(hash ^ byteAt(bytes, i), 0x01000193)
    this.#word(tags.bytes)
    this.#word(bytes.length)
    this.#word(hash)
  }

  #number(value: number): void {
    if (!Number.isInteger(value)) {
      this.#word(tags.other)
      return this.#text(String(value))
    }
    this.#word(tags.integer)
    this.#word(value | 0)
    this.#word(Math.floor(value / 0x1_0000_0000) | 0)
  }

  #word(word: number): void {
    this.#high = Math.imul(this.#high ^ word, 0x9e3779b1)
    const low = Math.imul(this.#low ^ word, 0x5f356495)
    this.#low = (low << 13) | (low >>> 19)
  }
}

/** Source: MurmurHash3, finalizer of the 32-bit variant. */
function finished(hash: number): number {
  let h = hash ^ (hash >>> 16)
  h = Math.imul(h, 0x85ebca6b)
  h ^= h >>> 13
  h = Math.imul(h, 0xc2b2ae35)
  return (h ^ (h >>> 16)) >>> 0
}
