import seedrandom from 'seedrandom'
import type { Book } from './book.ts'
import { Draws, twoTo32 } from './draws.ts'
import { type FindHoles, Holes, type Identity, IdentityHash, type Part, wordOf } from './identity.ts'

/** That something happens stands beside the numbers that it draws. */
const eventNumber = -1

/**
 * Occurrences of one description are counted within a span of true time, and the span is a part of the identity: what
 * counts them is bounded, and a thing that comes again every minute does not meet the same fate each time.
 */
const spanUs = 5_000_000

/** From a time on the same run goes on with other chance: what is drawn later depends on this seed, too. */
export interface Fork {
  /** Virtual time, in milliseconds. */
  readonly atMs: number
  readonly seed: number
  /**
   * `world`: faults, steps and clients keep the chance that they had; what links, disks, clocks and agents draw is
   * other. Absent: everything is.
   */
  readonly of?: 'world' | undefined
}

/** First words of what the world and its agents draw: all else is decided by the page, be it a fault or a client. */
const worldWords: ReadonlySet<Part> = new Set(['link', 'disk', 'life', 'clock start', 'backlog', 'ties'])

/** Tells readers of a trace what was decided. */
type DecisionTeller = (identity: Identity, text: string, because: number) => number

/**
 * Every draw of chance of one run: `draw(seed, identity)`. What is drawn depends on the seed and on what is decided,
 * and on nothing that was drawn before: `docs/determinism.md` has the rule and the argument.
 */
export class Decisions {
  readonly #root: Identity
  readonly #nowUs: () => number
  readonly #hash = new IdentityHash()
  readonly #holes = new Holes()
  readonly #findHoles: FindHoles
  /** How often each description has occurred within the span that `#span` numbers. */
  readonly #occurred = new Map<number, number>()
  #span = 0
  /** Those to come, the next one first. */
  #forks: readonly Fork[]
  /** The one that decides now; undefined, as in most runs: the seed alone. */
  #fork: Fork | undefined
  #cause: Identity | undefined
  /** Identities of what the page decides; undefined: no fork tells them from others. */
  readonly #intents: WeakSet<Identity> | undefined
  /** Sees all that is decided; undefined, as in most runs: nobody does. */
  readonly book: Book | undefined
  readonly #teller: DecisionTeller | undefined

  /** `findHoles`: what of bytes is no part of an identity; by default nothing. */
  constructor(
    seed: string,
    nowUs: () => number,
    book?: Book,
    teller?: DecisionTeller,
    findHoles: FindHoles = () => {},
    forks: readonly Fork[] = [],
  ) {
    // Ended by a mark, for seedrandom repeats a short seed to fill its key: '1' and '11' would be one.
    const spread = seedrandom(`${seed}\n`)
    this.#root = { a: spread.int32(), b: spread.int32() }
    this.#nowUs = nowUs
    this.#findHoles = findHoles
    this.#forks = forks
    this.#intents = forks.some(({ of }) => of === 'world') ? new WeakSet() : undefined
    this.book = book
    this.#teller = teller
  }

  /** The identity of what these parts describe, to keep and to go on from. */
  identity(...parts: readonly Part[]): Identity {
    return this.within(this.#root, ...parts)
  }

  /** The identity of something within another. */
  within(identity: Identity, ...parts: readonly Part[]): Identity {
    const { identity: made } = this.#of(identity, parts)
    if (this.#isIntent(identity, parts)) this.#intents?.add(made)
    this.book?.describe(made, identity, parts)
    return made
  }

  /** Numbers for what these parts describe: the same ones each time. */
  draws(...parts: readonly Part[]): Draws {
    return this.drawsWithin(this.#root, ...parts)
  }

  /**
   * The same for what must differ between nodes even where nobody decides, as election timeouts must: if all of them
   * were in the middle of their range, nobody would ever win. Then a node has one place in the range, by its name
   * alone.
   */
  drawsApart(node: string, ...parts: readonly Part[]): Draws {
    const hash = this.#forked(this.#of(this.#root, [node, ...parts]))
    const usual = this.book === undefined ? 0.5 : wordOf(new IdentityHash().text(node), 0) / twoTo32
    const draws = new Draws(hash, this.book, usual)
    this.book?.describe(draws, undefined, [node, ...parts])
    return draws
  }

  /** Numbers for something within another: the same ones each time. */
  drawsWithin(identity: Identity, ...parts: readonly Part[]): Draws {
    const isIntent = this.#isIntent(identity, parts)
    return this.#drawsOf(this.#forked(this.#of(identity, parts), isIntent), identity, parts)
  }

  /** Numbers for what these parts describe within `identity`, other ones for each time that it occurs. */
  drawsOnce(identity: Identity, ...parts: readonly Part[]): Draws {
    const isIntent = this.#isIntent(identity, parts)
    return this.#drawsOf(this.occurrence(this.#of(identity, parts), isIntent), identity, parts)
  }

  /** The same, of the run itself. */
  drawsNext(...parts: readonly Part[]): Draws {
    return this.drawsOnce(this.#root, ...parts)
  }

  /** The decision that is being carried out: what begins in `act`, such as the life of a process, comes from it. */
  because<T>(cause: Identity, act: () => T): T {
    const before = this.#cause
    this.#cause = cause
    try {
      return act()
    } finally {
      this.#cause = before
    }
  }

  get cause(): Identity | undefined {
    return this.#cause
  }

  /** Adds what bytes say, without the numbers that only match an answer with its question. */
  content(hash: IdentityHash, bytes: Uint8Array): IdentityHash {
    const holes = this.#holes.clear()
    this.#findHoles(bytes, holes)
    return hash.bytesAround(bytes, holes)
  }

  /** Adds to a description which occurrence of it this is. */
  occurrence(hash: IdentityHash, isIntent = false): IdentityHash {
    const span = Math.floor(this.#nowUs() / spanUs)
    if (span !== this.#span) {
      this.#span = span
      this.#occurred.clear()
    }
    // Half of the identity is enough to count by: two descriptions that share it count together, once in 2^32 pairs.
    const { a } = hash
    const times = this.#occurred.get(a) ?? 0
    this.#occurred.set(a, times + 1)
    return this.#forked(hash.integer(span).integer(times), isIntent)
  }

  /** Whether something happens at all: it does, unless a list of decisions is run that does not have it. */
  happens(identity: Identity): boolean {
    return this.book === undefined || this.book.decide('event', identity, eventNumber, 1, 0) !== 0
  }

  /**
   * For readers of the trace: this was decided, and what the turn does from here on comes from it. `because`: number of
   * an event that led to it, beside the turn. The number of the event; 0: nobody reads.
   */
  tell(identity: Identity, text: () => string, because = 0): number {
    return this.#teller?.(identity, text(), because) ?? 0
  }

  /**
   * Behind a fork every number is another one; identities that are kept stay what they are, and name the same things.
   */
  #forked(hash: IdentityHash, isIntent = false): IdentityHash {
    let next = this.#forks[0]
    while (next !== undefined && this.#nowUs() >= next.atMs * 1000) {
      this.#fork = next
      this.#forks = this.#forks.slice(1)
      next = this.#forks[0]
    }
    if (this.#fork === undefined || (isIntent && this.#fork.of === 'world')) return hash
    return hash.text('fork').integer(this.#fork.seed)
  }

  /** Whether the page decides what these parts within another describe. A life that it begins is the world's. */
  #isIntent(within: Identity, [word]: readonly Part[]): boolean {
    if (this.#intents === undefined || word === undefined || worldWords.has(word)) return false
    return within === this.#root || this.#intents.has(within)
  }

  #drawsOf(hash: IdentityHash, within: Identity, parts: readonly Part[]): Draws {
    const draws = new Draws(hash, this.book)
    this.book?.describe(draws, within, parts)
    return draws
  }

  #of(identity: Identity, parts: readonly Part[]): IdentityHash {
    const hash = this.#hash.from(identity)
    for (const part of parts) {
      if (part instanceof Uint8Array) this.content(hash, part)
      else hash.part(part)
    }
    return hash
  }
}
