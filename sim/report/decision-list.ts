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

/** Writes down what is decided in a run, where it is not the default. It is decided by another book, or by the seed alone. */
export class DecisionRecord implements Book {
  readonly #decider: Book | undefined
  readonly #decided = new Map<string, Decided>()
  readonly #texts = new Map<string, string>()

  constructor(decider?: Book) {
    this.#decider = decider
  }

  get decided(): readonly Decided[] {
    return [...this.#decided.values()]
  }

  decide(kind: DecisionKind, identity: Identity, n: number, drawn: number, usual: number, among?: number): number {
    const value = this.#decider?.decide(kind, identity, n, drawn, usual, among) ?? drawn
    if (kind !== 'raw' && value === usual) return value
    const name = nameOf(identity)
    this.#decided.set(`${name} ${n}`, {
      kind,
      identity: name,
      n,
      value,
      ...(among === undefined ? {} : { among }),
      what: this.#texts.get(name) ?? '',
    })
    return value
  }

  describe(identity: Identity, within: Identity | undefined, parts: readonly Part[]): void {
    const above = within === undefined ? '' : (this.#texts.get(nameOf(within)) ?? '')
    this.#texts.set(nameOf(identity), [above, ...parts.map(partText)].filter((text) => text !== '').join(' '))
  }
}

/** Makes the decisions of a list, and every other one as the default has it. */
export class DecisionReplay implements Book {
  readonly #values: ReadonlyMap<string, number>

  constructor(decided: readonly Pick<Decided, 'identity' | 'n' | 'value'>[]) {
    this.#values = new Map(decided.map(({ identity, n, value }) => [`${identity} ${n}`, value]))
  }

  decide(_kind: DecisionKind, identity: Identity, n: number, _value: number, usual: number): number {
    return this.#values.get(`${nameOf(identity)} ${n}`) ?? usual
  }

  describe(): void {}
}

/** As lists have it. */
export function nameOf({ a, b }: Identity): string {
  return (a >>> 0).toString(16).padStart(8, '0') + (b >>> 0).toString(16).padStart(8, '0')
}

function partText(part: Part): string {
  return part instanceof Uint8Array ? `${part.length} B #${crc32(part).toString(16)}` : String(part)
}
