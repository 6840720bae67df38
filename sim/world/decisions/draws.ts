import { invariant } from '../../../src/base/invariant.ts'
import type { RandomStream } from '../../../src/env/random.ts'
import type { Book } from './book.ts'
import { type Identity, IdentityHash, wordOf } from './identity.ts'

export const twoTo32 = 0x1_0000_0000

/** The random numbers of one decision: an additional or a missing draw shifts the numbers of no other decision. */
export class Draws implements RandomStream, Identity {
  readonly a: number
  readonly b: number
  readonly #book: Book | undefined
  /** The default place in a range. */
  readonly #usual: number
  #next = 0

  constructor({ a, b }: Identity, book?: Book, usual = 0.5) {
    this.a = a
    this.b = b
    this.#book = book
    this.#usual = usual
  }

  uint32(): number {
    const n = this.#next
    const word = this.#word()
    return this.#book === undefined ? word : this.#book.decide('raw', this, n, word, word)
  }

  below(bound: number): number {
    invariant(Number.isInteger(bound) && bound >= 1 && bound <= twoTo32, 'a bound from 1 to 2^32', { bound })
    // Numbers beyond the last whole multiple of the bound are drawn again: they would favour the small ones.
    const fair = twoTo32 - (twoTo32 % bound)
    const n = this.#next
    let drawn = this.#word()
    while (drawn >= fair) drawn = this.#word()
    const chosen = drawn % bound
    return this.#book === undefined
      ? chosen
      : Math.min(bound - 1, this.#book.decide('choice', this, n, chosen, 0, bound))
  }

  fraction(): number {
    const n = this.#next
    const drawn = this.#word() / twoTo32
    return this.#book === undefined ? drawn : this.#book.decide('range', this, n, drawn, this.#usual)
  }

  /** Whether an event of this probability happens. Probabilities 0 and 1 draw nothing. */
  chance(of: number): boolean {
    if (of <= 0) return false
    if (of >= 1) return true
    const n = this.#next
    const happens = this.#word() < of * twoTo32
    return this.#book === undefined ? happens : this.#book.decide('chance', this, n, happens ? 1 : 0, 0) !== 0
  }

  /** The place of a name among others: a further name does not change which of two comes first. */
  rank(name: string): number {
    return this.place(new IdentityHash().text(name).a)
  }

  /** The same for items with numbers of their own: the smallest place comes first. */
  place(n: number): number {
    const place = wordOf(this, n)
    return this.#book === undefined ? place : this.#book.decide('choice', this, n, place, 0)
  }

  /** Chooses one of these by its name; undefined: there is none. */
  oneOf<T>(items: readonly T[], nameOf: (item: T) => string): T | undefined {
    let first: T | undefined
    let least = Number.POSITIVE_INFINITY
    for (const item of items) {
      const rank = this.rank(nameOf(item))
      if (rank >= least) continue
      first = item
      least = rank
    }
    return first
  }

  /** The items in a random order. */
  inOrder<T>(items: readonly T[], nameOf: (item: T) => string): readonly T[] {
    const ranked = items.map((item) => ({ item, rank: this.rank(nameOf(item)) }))
    return ranked.sort((one, other) => one.rank - other.rank).map(({ item }) => item)
  }

  #word(): number {
    return wordOf(this, this.#next++)
  }
}
