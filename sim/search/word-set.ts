import type { Column } from './columns.ts'

/** Words of which sets are made; a search that meets more of them has bounds that are too wide. */
export const wordsMax = 8_192
const numbersMax = wordsMax / 32

/** A set of words, one bit for each, that is made anew again and again. */
export class WordSet {
  readonly numbers = new Int32Array(numbersMax)
  /** Numbers from here on are zeros. */
  length = 0

  clear(): void {
    this.numbers.fill(0, 0, this.length)
    this.length = 0
  }

  take(other: WordSet): void {
    this.clear()
    this.numbers.set(other.numbers.subarray(0, other.length))
    this.length = other.length
  }

  read(column: Column, begin: number, length: number): void {
    this.clear()
    for (let at = 0; at < length; at++) this.numbers[at] = column.at(begin + at)
    this.length = length
  }

  has(word: number): boolean {
    return (((this.numbers[word >>> 5] ?? 0) >>> (word & 31)) & 1) === 1
  }

  add(word: number): void {
    const at = word >>> 5
    this.numbers[at] = (this.numbers[at] ?? 0) | (1 << (word & 31))
    if (at >= this.length) this.length = at + 1
  }

  /** Puts the words into a list, and returns how many there are. */
  list(into: number[]): number {
    let count = 0
    for (let at = 0; at < this.length; at++) {
      for (let left = this.numbers[at] ?? 0; left !== 0; left &= left - 1) {
        into[count++] = (at << 5) + 31 - Math.clz32(left & -left)
      }
    }
    return count
  }

  /** Whether all of this is in the set that begins there. */
  isWithin(column: Column, begin: number, length: number): boolean {
    for (let at = 0; at < this.length; at++) {
      const other = at < length ? column.at(begin + at) : 0
      if (((this.numbers[at] ?? 0) & ~other) !== 0) return false
    }
    return true
  }

  /** Whether the set that begins there is in this one. */
  holds(column: Column, begin: number, length: number): boolean {
    for (let at = 0; at < length; at++) {
      if ((column.at(begin + at) & ~(this.numbers[at] ?? 0)) !== 0) return false
    }
    return true
  }
}
