import type { Book } from '../decisions/book.ts'
import { type Identity, wordOf } from '../decisions/identity.ts'
import type { RangeUs } from '../time-range.ts'

/** What a link carries. */
export type Carried = (typeof carriedKinds)[keyof typeof carriedKinds]
export const carriedKinds = {
  datagram: 1,
  forged: 2,
  /** The first packet of a connection, and its answer. */
  knock: 3,
  answer: 4,
  /** The bytes of one write, before they are cut into segments. */
  piece: 5,
  segment: 6,
  /** A retransmitted segment, which tests whether anything arrives. */
  again: 7,
  reset: 8,
} as const

/** How a link treats what it carries: probabilities from 0 to 1, and times. */
export interface LinkFates {
  readonly latency: RangeUs
  readonly jitterUs: number
  readonly loss: number
  readonly duplicate: number
  readonly reorder: number
  readonly reorderBy: RangeUs
  readonly corrupt: number
  readonly replay: number
  readonly replayBy: RangeUs
}

/** Purposes of the draws for one passage, so that a higher loss does not change the delays. */
const purposes = {
  loss: 0,
  latency: 1,
  jitter: 2,
  reorder: 3,
  reorderBy: 4,
  corrupt: 5,
  bit: 6,
  duplicate: 7,
  replay: 8,
  replayBy: 9,
  split: 10,
  splitAt: 11,
  greeting: 12,
  greetingBack: 13,
} as const

/** Added to a purpose for the decisions about a copy. */
const purposesOfCopy = 16

const twoTo32 = 0x1_0000_0000
const cutChance = 1 / 32

/**
 * Quantiles of the exponential distribution of mean 1, in 1/1024: the expected order statistics of 256 draws, `1/256 +
 * 1/255 + …`. Made of divisions and additions alone, which are the same on every engine.
 */
const exponential: readonly number[] = exponentialTable()

/** One passage over a link, with its decisions. Asking twice gives the same answer. */
export class Passage {
  readonly a: number
  readonly b: number
  readonly #fates: LinkFates
  readonly #book: Book | undefined

  constructor({ a, b }: Identity, fates: LinkFates, book: Book | undefined) {
    this.a = a
    this.b = b
    this.#fates = fates
    this.#book = book
  }

  isLost(): boolean {
    return this.#happens(this.#fates.loss, purposes.loss)
  }

  /** `copy`: 0 for the first, 1 for a second one, 2 for one that arrives again much later. */
  delayUs(copy = 0): number {
    const { latency, jitterUs } = this.#fates
    const us = this.#range(latency, purposes.latency + copy * purposesOfCopy)
    if (jitterUs === 0) return us
    const quantile = exponential[Math.floor(this.#fraction(purposes.jitter + copy * purposesOfCopy) * 256)] as number
    return us + Math.floor((jitterUs * quantile) / 1024)
  }

  /** The delay of a datagram, which others may overtake. */
  datagramDelayUs(copy = 0): number {
    const us = this.delayUs(copy)
    const { reorder, reorderBy } = this.#fates
    const isHeld = this.#happens(reorder, purposes.reorder + copy * purposesOfCopy)
    return isHeld ? us + this.#range(reorderBy, purposes.reorderBy + copy * purposesOfCopy) : us
  }

  /** The further round trip of a TLS handshake. `back`: the passage in the other direction. */
  handshakeUs(back: Passage): number {
    return this.#range(this.#fates.latency, purposes.greeting) + back.#range(back.#fates.latency, purposes.greetingBack)
  }

  duplicates(): boolean {
    return this.#happens(this.#fates.duplicate, purposes.duplicate)
  }

  /** Delay until the same packet arrives once more; mostly undefined: never. */
  replayUs(): number | undefined {
    const { replay, replayBy } = this.#fates
    return this.#happens(replay, purposes.replay) ? this.#range(replayBy, purposes.replayBy) : undefined
  }

  /** The bytes as they arrive. */
  carried(bytes: Uint8Array, copy = 0): Uint8Array {
    const isSpoilt = bytes.length > 0 && this.#happens(this.#fates.corrupt, purposes.corrupt + copy * purposesOfCopy)
    if (!isSpoilt) return bytes
    const spoilt = bytes.slice()
    const bit = this.#below(bytes.length * 8, purposes.bit + copy * purposesOfCopy)
    spoilt[bit >> 3] = (spoilt[bit >> 3] as number) ^ (1 << (bit & 7))
    return spoilt
  }

  /** Where to split a piece of a stream, so that no code relies on piece boundaries; mostly nowhere. */
  splitAt(length: number): number {
    const isCut = length > 1 && this.#happens(cutChance, purposes.split)
    return isCut ? 1 + this.#below(length - 1, purposes.splitAt) : 0
  }

  #happens(chance: number, purpose: number): boolean {
    if (chance <= 0) return false
    const happens = chance >= 1 || wordOf(this, purpose) < chance * twoTo32
    return this.#book === undefined ? happens : this.#book.decide('chance', this, purpose, happens ? 1 : 0, 0) !== 0
  }

  #range({ least, spread }: RangeUs, purpose: number): number {
    return spread === 0 ? least : least + this.#below(spread + 1, purpose)
  }

  /** By multiplication: for a bound of a few million, no number is favoured by more than one in a thousand. */
  #below(bound: number, purpose: number): number {
    return Math.floor(this.#fraction(purpose) * bound)
  }

  #fraction(purpose: number): number {
    const drawn = wordOf(this, purpose) / twoTo32
    return this.#book === undefined ? drawn : this.#book.decide('range', this, purpose, drawn, 0.5)
  }
}

export function nameOfCarried(carried: Carried): string {
  return Object.entries(carriedKinds).find(([, number]) => number === carried)?.[0] ?? ''
}

function exponentialTable(): readonly number[] {
  const table: number[] = []
  let sum = 0
  for (let left = 256; left > 0; left--) {
    sum += 1 / left
    table.push(Math.round(sum * 1024))
  }
  return table
}
