import { itemAt } from '../../src/base/items.ts'
import { NodeStates } from './node-states.ts'
import { ordersOf, undoneThen } from './orders.ts'
import type { Order, Protocol } from './protocol.ts'
import { type Move, Replay, type Told } from './replay.ts'
import { type Origin, StateTable } from './state-table.ts'
import { Stepper } from './stepper.ts'
import { Vocabulary } from './vocabulary.ts'
import { WordSet, wordsMax } from './word-set.ts'

export interface SearchLimits {
  /** Maximum number of states that are remembered; beyond it, the search ends incomplete. */
  readonly statesMax: number
  /** Whether states that differ only by the names of the nodes are one. */
  readonly symmetry: boolean
}

export interface SearchResult {
  /** `exhausted`: there are no more states. `full`: there are more, beyond `statesMax`. */
  readonly end: 'exhausted' | 'full' | 'broken'
  /** Number of states with different sets of messages, none of which contains another. */
  readonly states: number
  /** Number of states of all nodes, regardless of messages. */
  readonly tuples: number
  /** Number of steps to the state that is farthest from the first one, as it was found. */
  readonly depth: number
  readonly transitions: number
  readonly nodeStates: number
  readonly nodeSteps: number
  readonly words: number
  /** Size of the tables that grow with the states. */
  readonly bytes: number
  readonly law: string | undefined
  /** The path to the broken law, one line per step. */
  readonly steps: readonly string[]
}

interface BrokenStep {
  readonly state: number
  readonly place: number
  readonly event: number
  readonly law: string
}

/**
 * Every state that the nodes can reach: each may take each of its events next, and receive each message that was ever
 * sent to it.
 *
 * Why not all of them need to be visited:
 * 1. A message that was sent stays available, and no node must receive it. So whatever can happen in a state can also
 *    happen with the same nodes and more messages, and breaks the same laws (claims are messages, too).
 * 2. Hence a state is skipped if a known one has the same nodes and at least its messages; and messages that a node
 *    sends without changing itself are sent at once.
 * 3. Nodes are alike: a state and the same one with other names are one.
 * States with the most messages go first, because they cover the most others.
 */
export class Search<Node, Durable, Content, Seen> {
  readonly #protocol: Protocol<Node, Durable, Content, Seen>
  readonly #statesMax: number
  readonly #orders: readonly Order[]
  readonly #words: Vocabulary<Node, Durable, Content, Seen>
  readonly #nodes: NodeStates<Node, Durable, Content, Seen>
  readonly #states: StateTable
  readonly #stepper: Stepper<Node, Durable, Content, Seen>
  /** The inverse orders. */
  readonly #backs: readonly Order[]
  /** Waiting states, by the number of their messages. */
  readonly #waiting: number[][] = []
  readonly #depths: number[] = []
  #transitions = 0
  /** The messages of the state whose steps are tried, and of the state that a step leads to. */
  readonly #said = new WordSet()
  readonly #next = new WordSet()
  readonly #renamed = new WordSet()
  readonly #list: number[] = []
  readonly #renamedList: number[] = []

  constructor(protocol: Protocol<Node, Durable, Content, Seen>, { statesMax, symmetry }: SearchLimits) {
    const orders = ordersOf(protocol.names.length)
    this.#protocol = protocol
    this.#statesMax = statesMax
    this.#orders = symmetry ? orders : orders.slice(0, 1)
    this.#words = new Vocabulary(protocol, this.#orders)
    this.#nodes = new NodeStates(protocol, this.#orders, this.#words)
    this.#states = new StateTable(protocol.names.length)
    this.#stepper = new Stepper(protocol, this.#nodes, this.#words)
    this.#backs = this.#orders.map((order) => undoneThen(order, itemAt(orders, 0)))
  }

  run(): SearchResult {
    const first = this.#protocol.names.map((_, place) => this.#nodes.begin(place))
    this.#wait(this.#states.add(first, this.#states.tupleOf(first), this.#said, undefined), 0, 0)
    for (let state = this.#pop(); state !== undefined; state = this.#pop()) {
      const broken = this.#expand(state)
      if (broken !== undefined) return this.#result('broken', broken)
      if (this.#states.size > this.#statesMax || this.#words.size > wordsMax / 2) return this.#result('full')
    }
    return this.#result('exhausted')
  }

  #wait(state: number, words: number, depth: number): void {
    while (this.#waiting.length <= words) this.#waiting.push([])
    itemAt(this.#waiting, words).push(state)
    this.#depths[state] = depth
  }

  #pop(): number | undefined {
    for (let last = this.#waiting.at(-1); last !== undefined; last = this.#waiting.at(-1)) {
      const state = last.pop()
      if (state === undefined) this.#waiting.pop()
      else if (!this.#states.isCovered(state)) return state
    }
    return undefined
  }

  /** Takes every possible step; returns the one that breaks a law. */
  #expand(state: number): BrokenStep | undefined {
    const nodes = this.#protocol.names.map((_, place) => this.#states.node(state, place))
    this.#states.read(state, this.#said)
    const before = this.#said.list(this.#list)
    const { count, broken } = this.#stepper.saturate(nodes, this.#said, this.#list, before)
    if (broken !== undefined) return { ...broken, state }
    if (count > before) {
      const tuple = this.#states.tupleOf(nodes)
      if (this.#states.covers(tuple, this.#said, state)) {
        this.#states.cover(state)
        return undefined
      }
      this.#states.widen(state, tuple, this.#said)
    }
    return this.#branch(state, nodes, count)
  }

  #branch(state: number, nodes: number[], count: number): BrokenStep | undefined {
    for (const [place, own] of nodes.entries()) {
      for (const act of this.#nodes.possible(own)) {
        const law = this.#try(state, nodes, place, act)
        if (law !== undefined) return { state, place, event: act, law }
      }
    }
    for (let at = 0; at < count; at++) {
      const word = itemAt(this.#list, at)
      const place = this.#words.hearer(word)
      if (place === undefined) continue
      const event = this.#nodes.hearing(word)
      const law = this.#try(state, nodes, place, event)
      if (law !== undefined) return { state, place, event, law }
    }
    return undefined
  }

  /** Returns the law that this step breaks. */
  #try(state: number, nodes: number[], place: number, event: number): string | undefined {
    const own = itemAt(nodes, place)
    const step = this.#nodes.step(own, event)
    this.#transitions++
    if (step.broken !== undefined) return step.broken
    if (step.to === own) return undefined
    this.#next.take(this.#said)
    for (const word of step.said) {
      const law = this.#stepper.say(word, this.#next)
      if (law !== undefined) return law
    }
    nodes[place] = step.to
    const law = this.#visit(nodes, { parent: state, place, event }, own)
    nodes[place] = own
    return law
  }

  /** Adds a state, unless a known one covers it. */
  #visit(nodes: readonly number[], from: Omit<Origin, 'order'>, before: number): string | undefined {
    const order = this.#leastOrder(nodes)
    const named = nodes.slice()
    for (const [place, node] of nodes.entries()) {
      named[itemAt(itemAt(this.#orders, order), place)] = this.#nodes.inOrder(node, order)
    }
    const words = order === 0 ? this.#next : this.#inOrder(order)
    const tuple = this.#states.tupleOf(named)
    if (this.#states.covers(tuple, words, -1)) return undefined
    const state = this.#states.add(named, tuple, words, { ...from, order })
    this.#wait(state, words.list(this.#renamedList), (this.#depths[from.parent] ?? 0) + 1)
    return this.#stepper.judged(nodes, from.place, before)
  }

  /** The order in which the numbers of the nodes are least. */
  #leastOrder(nodes: readonly number[]): number {
    let least = 0
    for (let order = 1; order < this.#orders.length; order++) {
      if (this.#isLess(nodes, order, least)) least = order
    }
    return least
  }

  #isLess(nodes: readonly number[], order: number, than: number): boolean {
    const [one, other] = [itemAt(this.#backs, order), itemAt(this.#backs, than)]
    for (let place = 0; place < nodes.length; place++) {
      const own = this.#nodes.inOrder(itemAt(nodes, itemAt(one, place)), order)
      const its = this.#nodes.inOrder(itemAt(nodes, itemAt(other, place)), than)
      if (own !== its) return own < its
    }
    return false
  }

  #inOrder(order: number): WordSet {
    const count = this.#next.list(this.#renamedList)
    this.#renamed.clear()
    for (let at = 0; at < count; at++) this.#renamed.add(this.#words.inOrder(itemAt(this.#renamedList, at), order))
    return this.#renamed
  }

  #result(end: SearchResult['end'], broken?: BrokenStep): SearchResult {
    const told = broken === undefined ? undefined : this.#told(broken)
    return {
      end,
      states: this.#states.size,
      tuples: this.#states.tuples,
      depth: this.#depths.reduce((most, depth) => Math.max(most, depth), 0),
      transitions: this.#transitions,
      nodeStates: this.#nodes.size,
      nodeSteps: this.#nodes.steps,
      words: this.#words.size,
      bytes: this.#states.bytes,
      law: told?.law,
      steps: told?.lines ?? [],
    }
  }

  /** The path to the broken law, with the original names of the nodes. */
  #told({ state, place, event }: BrokenStep): Told {
    const origins: Origin[] = []
    for (let at = this.#states.origin(state); at !== undefined; at = this.#states.origin(at.parent)) origins.push(at)
    const way: Move[] = []
    const replay = new Replay(this.#protocol, this.#nodes, this.#words, this.#stepper)
    let names = itemAt(this.#orders, 0)
    for (const origin of [...origins.reverse(), { place, event, order: 0 }]) {
      const order = this.#orders.findIndex((known) => known.every((to, at) => to === names[at]))
      way.push({ place: itemAt(names, origin.place), event: this.#nodes.eventIn(origin.event, order) })
      names = undoneThen(itemAt(this.#orders, origin.order), names)
    }
    return replay.told(replay.shortest(replay.saturated(way)))
  }
}
