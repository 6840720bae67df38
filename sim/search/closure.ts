import { itemAt } from '../../src/base/items.ts'
import { NodeStates } from './node-states.ts'
import { ordersOf } from './orders.ts'
import type { Protocol } from './protocol.ts'
import { Vocabulary } from './vocabulary.ts'

export interface ClosureResult {
  /**
   * `broken`: a law of one node is broken, perhaps by messages that no one run has together, which only a search can
   * show.
   */
  readonly end: 'exhausted' | 'full' | 'broken'
  readonly nodeStates: number
  readonly nodeSteps: number
  readonly words: number
  /** Number of steps to the state of a node that is farthest from its first one. */
  readonly depth: number
  readonly law: string | undefined
}

/**
 * Every state that one node can reach if it may receive any message that any node could ever send, in any of its own
 * states. That allows more than can happen, because messages of different runs meet here. So a law of one node that no
 * state breaks holds in every run. The states are those of single nodes, not of all together.
 */
export class Closure<Node, Durable, Content, Seen> {
  readonly #words: Vocabulary<Node, Durable, Content, Seen>
  readonly #nodes: NodeStates<Node, Durable, Content, Seen>
  readonly #statesMax: number
  /** For each node, its states in the order in which they were found, and the messages that it may receive. */
  readonly #states: number[][]
  readonly #heard: number[][]
  readonly #known = new Set<number>()
  readonly #said = new Set<number>()
  readonly #depths: number[] = []
  #law: string | undefined

  constructor(protocol: Protocol<Node, Durable, Content, Seen>, { statesMax }: { readonly statesMax: number }) {
    const orders = ordersOf(protocol.names.length).slice(0, 1)
    this.#words = new Vocabulary(protocol, orders)
    this.#nodes = new NodeStates(protocol, orders, this.#words)
    this.#statesMax = statesMax
    this.#states = protocol.names.map(() => [])
    this.#heard = protocol.names.map(() => [])
    for (const place of this.#states.keys()) this.#found(place, this.#nodes.begin(place), 0)
  }

  run(): ClosureResult {
    // The progress of each node: all of its states before `states` have received all messages before `heard`.
    const done = this.#states.map(() => ({ states: 0, heard: 0 }))
    for (let isNew = true; isNew && this.#law === undefined && this.#known.size <= this.#statesMax; ) {
      isNew = false
      for (const [place, before] of done.entries()) {
        const states = itemAt(this.#states, place).length
        const words = itemAt(this.#heard, place).length
        if (states === before.states && words === before.heard) continue
        isNew = true
        this.#pass(place, before, states, words)
        before.states = states
        before.heard = words
      }
    }
    const { size, steps } = this.#nodes
    const end = this.#law !== undefined ? 'broken' : this.#known.size > this.#statesMax ? 'full' : 'exhausted'
    const depth = this.#depths.reduce((most, own) => Math.max(most, own), 0)
    return { end, nodeStates: size, nodeSteps: steps, words: this.#words.size, depth, law: this.#law }
  }

  #pass(place: number, before: { states: number; heard: number }, states: number, words: number): void {
    for (let at = 0; at < states && this.#law === undefined; at++) {
      const state = itemAt(itemAt(this.#states, place), at)
      const isNew = at >= before.states
      if (isNew) for (const act of this.#nodes.possible(state)) this.#step(place, state, act)
      for (let word = isNew ? 0 : before.heard; word < words; word++) {
        this.#step(place, state, this.#nodes.hearing(itemAt(itemAt(this.#heard, place), word)))
      }
    }
  }

  #step(place: number, state: number, event: number): void {
    const { to, said, broken } = this.#nodes.step(state, event)
    this.#law ??= broken
    this.#found(place, to, (this.#depths[state] ?? 0) + 1)
    for (const word of said) {
      if (this.#said.has(word)) continue
      this.#said.add(word)
      const hearer = this.#words.hearer(word)
      if (hearer !== undefined) itemAt(this.#heard, hearer).push(word)
    }
  }

  #found(place: number, state: number, depth: number): void {
    if (this.#known.has(state)) return
    this.#known.add(state)
    this.#depths[state] = depth
    itemAt(this.#states, place).push(state)
  }
}
