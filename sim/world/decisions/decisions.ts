import seedrandom from 'seedrandom'
import type { Book } from './book.ts'
import { Draws, twoTo32 } from './draws.ts'
import { type FindHoles, Holes, type Identity, IdentityHash, type Part, wordOf } from './identity.ts'

/** Purpose number of the decision whether something happens, apart from the numbers that it draws. */
const eventNumber = -1

/**
 * Occurrences of one description are counted within a span of true time, and the span is a part of the identity: what
 * counts them is bounded, and a thing that comes again every minute does not meet the same fate each time.
 */
const spanUs = 5_000_000

/** From a time on the run continues with other random numbers: later draws also depend on this seed. */
export interface Fork {
  /** Virtual time, in milliseconds. */
  readonly atMs: number
  readonly seed: number
  /**
   * `world`: faults, steps and clients keep their random numbers; those of links, disks, clocks and agents change.
   * Absent: all change.
   */
  readonly of?: 'world' | undefined
}

/** First words of the identities that the world and its agents draw; all others belong to the scenario page. */
const worldWords: ReadonlySet<Part> = new Set(['link', 'disk', 'life', 'clock start', 'backlog', 'ties'])

/** Reports decisions to readers of a trace. */
type DecisionTeller = (identity: Identity, text: string, because: number) => number

/**
 * All random decisions of one run: `draw(seed, identity)`. A result depends only on the seed and on what is decided,
 * and not on earlier draws: `docs/determinism.md` has the rule and the argument.
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
  /** Forks that are still to come, the next one first. */
  #forks: readonly Fork[]
  /** The fork in force; undefined, as in most runs: none, so the seed alone decides. */
  #fork: Fork | undefined
  #cause: Identity | undefined
  /** Identities of the page's decisions; undefined: no fork distinguishes them from others. */
  readonly #intents: WeakSet<Identity> | undefined
  /** Sees every decision; undefined in most runs. */
  readonly book: Book | undefined
  readonly #teller: DecisionTeller | undefined

  /** `findHoles`: the ranges of bytes that are not part of an identity; by default none. */
  constructor(
    seed: string,
    nowUs: () => number,
    book?: Book,
    teller?: DecisionTeller,
    findHoles: FindHoles = () => {},
    forks: readonly Fork[] = [],
  ) {
    // The end mark is needed because seedrandom repeats a short seed to fill its key: '1' and '11' would be equal.
    const spread = seedrandom(`${seed}\n`)
    this.#root = { a: spread.int32(), b: spread.int32() }
    this.#nowUs = nowUs
    this.#findHoles = findHoles
    this.#forks = forks
    this.#intents = forks.some(({ of }) => of === 'world') ? new WeakSet() : undefined
    this.book = book
    this.#teller = teller
  }

  /** The identity that these parts describe, to be kept and extended. */
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

  /** Numbers for the description in these parts: the same ones each time. */
  draws(...parts: readonly Part[]): Draws {
    return this.drawsWithin(this.#root, ...parts)
  }

  /**
   * As `draws`, for values that must differ between nodes even by default, such as election timeouts: if all of them
   * were in the middle of their range, no candidate would ever win. By default, a node then has one place in the range,
   * by its name alone.
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

  /** Numbers for the description in these parts within `identity`, different ones for each occurrence. */
  drawsOnce(identity: Identity, ...parts: readonly Part[]): Draws {
    const isIntent = this.#isIntent(identity, parts)
    return this.#drawsOf(this.occurrence(this.#of(identity, parts), isIntent), identity, parts)
  }

  /** As `drawsOnce`, for the run itself. */
  drawsNext(...parts: readonly Part[]): Draws {
    return this.drawsOnce(this.#root, ...parts)
  }

  /** Runs `act` within a decision: whatever begins in it, such as the life of a process, belongs to its identity. */
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

  /** Adds the content of bytes, without the numbers that only match an answer with its question. */
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

  /** Whether something happens at all: yes, unless a replayed list of decisions lacks it. */
  happens(identity: Identity): boolean {
    return this.book === undefined || this.book.decide('event', identity, eventNumber, 1, 0) !== 0
  }

  /**
   * For readers of the trace: reports that this was decided, and is a cause of the turn's later actions. `because`:
   * number of a further event that led to it. Returns the number of the event; 0: there is no reader.
   */
  tell(identity: Identity, text: () => string, because = 0): number {
    return this.#teller?.(identity, text(), because) ?? 0
  }

  /** After a fork every number changes, but kept identities stay the same and name the same things. */
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

  /** Whether the page makes this decision. The life of a process that the page starts belongs to the world. */
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
