import type { Column } from './columns.ts'

/** Maximum number of different messages; a search with more has bounds that are too wide. */
export const wordsMax = 8_192
const numbersMax = wordsMax / 32

/** A set of messages, one bit for each, which is rebuilt again and again. */
export class WordSet {
  readonly numbers = new Int32Array(numbersMax)
  /** Number of words in use; later ones are zeros. */
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

  /** Writes the messages into a list, and returns their number. */
  list(into: number[]): number {
    let count = 0
    for (let at = 0; at < this.length; at++) {
      for (let left = this.numbers[at] ?? 0; left !== 0; left &= left - 1) {
        into[count++] = (at << 5) + 31 - Math.clz32(left & -left)
      }
    }
    return count
  }

  /** Whether all of this set is in the set that begins at this position. */
  isWithin(column: Column, begin: number, length: number): boolean {
    for (let at = 0; at < this.length; at++) {
      const other = at < length ? column.at(begin + at) : 0
      if (((this.numbers[at] ?? 0) & ~other) !== 0) return false
    }
    return true
  }

  /** Whether the set that begins at this position is in this one. */
  holds(column: Column, begin: number, length: number): boolean {
    for (let at = 0; at < length; at++) {
      if ((column.at(begin + at) & ~(this.numbers[at] ?? 0)) !== 0) return false
    }
    return true
  }
}
