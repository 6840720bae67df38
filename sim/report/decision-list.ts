import { crc32 } from '../../src/base/crc32.ts'
import type { Book, DecisionKind } from '../world/decisions/book.ts'
import type { Identity, Part } from '../world/decisions/identity.ts'

/** A decision that was not the default one. */
export interface Decided {
  readonly kind: DecisionKind
  /** Sixteen hexadecimal digits. */
  readonly identity: string
  /** Position of the number under its identity. */
  readonly n: number
  readonly value: number
  /** For a choice, the number of possibilities. */
  readonly among?: number
  /** A description of the decision, for readers. */
  readonly what: string
}

/** The part of a decision that a replay needs. */
export type MadeAgain = Pick<Decided, 'kind' | 'identity' | 'n' | 'value'>

/**
 * Minimum number of identities whose descriptions are kept; at most twice as many are. Those of links, lives and rules,
 * which contain others, stay because they are used repeatedly; those of packets are forgotten. A forgotten description
 * is missing only in texts.
 */
const textsKept = 50_000

/** Reports each decision that is not the default, when it is made: by another book, or by the seed alone. */
export class DecisionRecord implements Book {
  readonly #tell: (decided: Decided) => void
  readonly #decider: Book | undefined
  #texts = new Map<string, string>()
  #older = new Map<string, string>()

  constructor(tell: (decided: Decided) => void, decider?: Book) {
    this.#tell = tell
    this.#decider = decider
  }

  decide(kind: DecisionKind, identity: Identity, n: number, drawn: number, usual: number, among?: number): number {
    const value = this.#decider?.decide(kind, identity, n, drawn, usual, among) ?? drawn
    if (kind !== 'raw' && value === usual) return value
    const name = nameOf(identity)
    this.#tell({
      kind,
      identity: name,
      n,
      value,
      ...(among === undefined ? {} : { among }),
      what: this.#textOf(name),
    })
    return value
  }

  describe(identity: Identity, within: Identity | undefined, parts: readonly Part[]): void {
    const above = within === undefined ? '' : this.#textOf(nameOf(within))
    this.#keep(nameOf(identity), [above, ...parts.map(partText)].filter((text) => text !== '').join(' '))
  }

  #textOf(name: string): string {
    const text = this.#texts.get(name)
    if (text !== undefined) return text
    const older = this.#older.get(name)
    if (older !== undefined) this.#keep(name, older)
    return older ?? ''
  }

  #keep(name: string, text: string): void {
    if (this.#texts.size >= textsKept) {
      this.#older = this.#texts
      this.#texts = new Map()
    }
    this.#texts.set(name, text)
  }
}

/** Makes the decisions of a list; every other decision is the default. */
export class DecisionReplay implements Book {
  readonly #values: ReadonlyMap<string, number>
  readonly #made = new Set<string>()

  constructor(decided: Iterable<MadeAgain>) {
    this.#values = new Map([...decided].map((each) => [keyOf(each.kind, each.identity, each.n), each.value]))
  }

  /** Number of decisions in the list. */
  get listed(): number {
    return this.#values.size
  }

  /** Number of decisions of the list that have come up so far, in all runs of it. */
  get made(): number {
    return this.#made.size
  }

  /**
   * When a part of a list is run, a number may be requested as one of another kind: then it is not the number of the
   * list.
   */
  decide(kind: DecisionKind, identity: Identity, n: number, _value: number, usual: number): number {
    const key = keyOf(kind, nameOf(identity), n)
    const value = this.#values.get(key)
    if (value === undefined) return usual
    this.#made.add(key)
    return value
  }

  describe(): void {}
}

/**
 * Leaves every decision to the seed, except that some events do not happen: firings of rules, operations of clients.
 */
export class DecisionsWithout implements Book {
  readonly #names: ReadonlySet<string>

  constructor(names: Iterable<string>) {
    this.#names = new Set(names)
  }

  decide(kind: DecisionKind, identity: Identity, _n: number, value: number, usual: number): number {
    return kind === 'event' && this.#names.has(nameOf(identity)) ? usual : value
  }

  describe(): void {}
}

/** The name of an identity in lists. */
export function nameOf({ a, b }: Identity): string {
  return (a >>> 0).toString(16).padStart(8, '0') + (b >>> 0).toString(16).padStart(8, '0')
}

function keyOf(kind: DecisionKind, identity: string, n: number): string {
  return `${kind} ${identity} ${n}`
}

function partText(part: Part): string {
  return part instanceof Uint8Array ? `${part.length} B #${crc32(part).toString(16)}` : String(part)
}
