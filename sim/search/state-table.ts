import { itemAt } from '../../src/base/items.ts'
import { Column, PairTable } from './columns.ts'
import type { WordSet } from './word-set.ts'

const none = -1

/** How a state was reached. */
export interface Origin {
  readonly parent: number
  readonly place: number
  readonly event: number
  /** The order in which the nodes were put then. */
  readonly order: number
}

/**
 * States of all nodes: the state of each, and the messages sent. A state with more messages can do everything that the
 * same nodes can do with fewer, and breaks each law that they break. So for the same nodes, only those sets of messages
 * are kept that no other contains.
 */
export class StateTable {
  readonly #tuples: readonly PairTable[]
  readonly #nodes: readonly Column[]
  readonly #begins = new Column()
  readonly #lengths = new Column()
  readonly #words = new Column()
  readonly #parents = new Column()
  readonly #places = new Column()
  readonly #events = new Column()
  readonly #orders = new Column()
  /** The next kept state of the same nodes. */
  readonly #nexts = new Column()
  readonly #firstOf = new Column()
  /** 1: covered by another state. */
  readonly #covered = new Column()

  constructor(nodes: number) {
    this.#tuples = Array.from({ length: nodes }, () => new PairTable())
    this.#nodes = Array.from({ length: nodes }, () => new Column())
  }

  get size(): number {
    return this.#begins.length
  }

  /** Number of different states of the nodes, regardless of messages. */
  get tuples(): number {
    return this.#firstOf.length
  }

  get bytes(): number {
    const columns = [this.#begins, this.#lengths, this.#words, this.#parents, this.#places, this.#events]
    const others = [this.#orders, this.#nexts, this.#firstOf, this.#covered, ...this.#nodes, ...this.#tuples]
    return [...columns, ...others].reduce((sum, { bytes }) => sum + bytes, 0)
  }

  node(state: number, place: number): number {
    return itemAt(this.#nodes, place).at(state)
  }

  origin(state: number): Origin | undefined {
    const parent = this.#parents.at(state)
    if (parent === none) return undefined
    const [place, event, order] = [this.#places.at(state), this.#events.at(state), this.#orders.at(state)]
    return { parent, place, event, order }
  }

  isCovered(state: number): boolean {
    return this.#covered.at(state) === 1
  }

  read(state: number, into: WordSet): void {
    into.read(this.#words, this.#begins.at(state), this.#lengths.at(state))
  }

  /** The number of these states of the nodes. */
  tupleOf(nodes: readonly number[]): number {
    let prefix = 0
    for (const [place, node] of nodes.entries()) {
      const table = itemAt(this.#tuples, place)
      let next = table.get(prefix, node)
      if (next === undefined) {
        next = table.size
        table.add(prefix, node, next)
        if (place === nodes.length - 1) this.#firstOf.push(none)
      }
      prefix = next
    }
    return prefix
  }

  /** Whether a state of these nodes, other than `but`, has all these messages. */
  covers(tuple: number, words: WordSet, but: number): boolean {
    for (let at = this.#firstOf.at(tuple); at !== none; at = this.#nexts.at(at)) {
      if (at !== but && words.isWithin(this.#words, this.#begins.at(at), this.#lengths.at(at))) return true
    }
    return false
  }

  /** Adds a state that no other covers, and removes those that it covers. */
  add(nodes: readonly number[], tuple: number, words: WordSet, origin: Origin | undefined): number {
    const state = this.size
    for (const [place, column] of this.#nodes.entries()) column.push(itemAt(nodes, place))
    this.#begins.push(this.#words.append(words.numbers, words.length))
    this.#lengths.push(words.length)
    this.#parents.push(origin?.parent ?? none)
    this.#places.push(origin?.place ?? 0)
    this.#events.push(origin?.event ?? 0)
    this.#orders.push(origin?.order ?? 0)
    this.#covered.push(0)
    this.#nexts.push(none)
    this.#drop(tuple, words, state)
    this.#nexts.set(state, this.#firstOf.at(tuple))
    this.#firstOf.set(tuple, state)
    return state
  }

  /** The state has more messages from now on. */
  widen(state: number, tuple: number, words: WordSet): void {
    this.#begins.set(state, this.#words.append(words.numbers, words.length))
    this.#lengths.set(state, words.length)
    this.#drop(tuple, words, state)
  }

  cover(state: number): void {
    this.#covered.set(state, 1)
  }

  #drop(tuple: number, words: WordSet, but: number): void {
    let before = none
    for (let at = this.#firstOf.at(tuple); at !== none; at = this.#nexts.at(at)) {
      if (at === but || !words.holds(this.#words, this.#begins.at(at), this.#lengths.at(at))) {
        before = at
        continue
      }
      this.#covered.set(at, 1)
      if (before === none) this.#firstOf.set(tuple, this.#nexts.at(at))
      else this.#nexts.set(before, this.#nexts.at(at))
    }
  }
}
