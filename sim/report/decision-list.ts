import { crc32 } from '../../src/base/crc32.ts'
import type { Book, DecisionKind } from '../world/decisions/book.ts'
import type { Identity, Part } from '../world/decisions/identity.ts'

/** A decision that was not the default one. */
export interface Decided {
  readonly kind: DecisionKind
  /** Sixteen hexadecimal digits. */
  readonly identity: string
  /** Which number of the identity it is. */
  readonly n: number
  readonly value: number
  /** Of a choice: from how many. */
  readonly among?: number
  /** What is decided, for readers. */
  readonly what: string
}

/** What a replay needs of it. */
export type MadeAgain = Pick<Decided, 'kind' | 'identity' | 'n' | 'value'>

/**
 * Descriptions are kept for as many identities at least, and for twice as many at most: those of links, lives and
 * rules, which others are within, stay for they are asked for again and again, those of packets go. What is forgotten
 * is missing in texts alone.
 */
const textsKept = 50_000

/**
 * Tells what is decided in a run, where it is not the default, as it is decided: by another book, or by the seed alone.
 */
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

/** Makes the decisions of a list, and every other one as the default has it. */
export class DecisionReplay implements Book {
  readonly #values: ReadonlyMap<string, number>
  readonly #made = new Set<string>()

  constructor(decided: Iterable<MadeAgain>) {
    this.#values = new Map([...decided].map((each) => [keyOf(each.kind, each.identity, each.n), each.value]))
  }

  /** How many decisions the list has. */
  get listed(): number {
    return this.#values.size
  }

  /** How many of them have come up so far, in all runs of it. */
  get made(): number {
    return this.#made.size
  }

  /**
   * Where a part of a list is run, a number may be asked for as one of another kind: then it is not the one of the
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

/** Lets everything happen as the seed has it, but for some events: firings of rules, operations of clients. */
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

/** As lists have it. */
export function nameOf({ a, b }: Identity): string {
  return (a >>> 0).toString(16).padStart(8, '0') + (b >>> 0).toString(16).padStart(8, '0')
}

function keyOf(kind: DecisionKind, identity: string, n: number): string {
  return `${kind} ${identity} ${n}`
}

function partText(part: Part): string {
  return part instanceof Uint8Array ? `${part.length} B #${crc32(part).toString(16)}` : String(part)
}
