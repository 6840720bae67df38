import { itemAt } from '../../src/base/items.ts'
import { PairTable } from './columns.ts'
import type { NodeEvent, Order, Protocol } from './protocol.ts'
import type { Vocabulary } from './vocabulary.ts'

interface NodeState<Durable, Seen> {
  readonly place: number
  /**
   * The state and the event from which it was first reached; undefined if the node begins here, or was started anew.
   */
  readonly parent: number | undefined
  readonly event: number
  readonly durable: Durable | undefined
  /** Events that the node can take by itself. */
  readonly possible: readonly number[]
  readonly seen: Seen
  /** By the number of the order; undefined until it is needed. */
  readonly inOrder: (number | undefined)[]
}

export interface NodeStep {
  readonly to: number
  /** Numbers of messages. */
  readonly said: readonly number[]
  readonly broken: string | undefined
}

/**
 * The states of single nodes, and the result of each event in them. A core takes a step only once in each of its own
 * states, in however many states of all nodes it occurs: everything else is numbers. A state is identified by how it
 * was reached, and is recreated by the same events, so the cores need neither copies nor clones.
 *
 * Numbers of events: those below the number of acts are acts, the others are received messages.
 */
export class NodeStates<Node, Durable, Content, Seen> {
  readonly #protocol: Protocol<Node, Durable, Content, Seen>
  readonly #orders: readonly Order[]
  readonly #words: Vocabulary<Node, Durable, Content, Seen>
  readonly #numbers = new Map<string, number>()
  readonly #states: NodeState<Durable, Seen>[] = []
  readonly #steps: NodeStep[] = []
  readonly #known = new PairTable()

  constructor(
    protocol: Protocol<Node, Durable, Content, Seen>,
    orders: readonly Order[],
    words: Vocabulary<Node, Durable, Content, Seen>,
  ) {
    this.#protocol = protocol
    this.#orders = orders
    this.#words = words
  }

  get size(): number {
    return this.#states.length
  }

  get steps(): number {
    return this.#steps.length
  }

  seen(state: number): Seen {
    return itemAt(this.#states, state).seen
  }

  possible(state: number): readonly number[] {
    return itemAt(this.#states, state).possible
  }

  begin(place: number): number {
    return this.#numberOf(this.#protocol.begin(place), { place, parent: undefined, event: 0, durable: undefined })
  }

  hearing(word: number): number {
    return this.#protocol.acts.length + word
  }

  /** The received message; undefined: the event is an act. */
  heardIn(event: number): number | undefined {
    const word = event - this.#protocol.acts.length
    return word < 0 ? undefined : word
  }

  step(state: number, event: number): NodeStep {
    const known = this.#known.get(state, event)
    if (known !== undefined) return itemAt(this.#steps, known)
    const step = this.#take(state, event)
    this.#known.add(state, event, this.#steps.length)
    this.#steps.push(step)
    return step
  }

  #take(state: number, event: number): NodeStep {
    const { place } = itemAt(this.#states, state)
    const node = this.#again(state)
    const { words, broken, beyond = false } = this.#protocol.take(node, this.#eventOf(event))
    if (beyond) return { to: state, said: [], broken: undefined }
    const said = [...new Set(words.map((word) => this.#words.numberOf(word)))]
    if (broken !== undefined) return { to: state, said, broken }
    const durable = this.#protocol.restartedFrom(node)
    const to = this.#numberOf(node, { place, parent: durable === undefined ? state : undefined, event, durable })
    return { to, said, broken }
  }

  #eventOf(event: number): NodeEvent<Content> {
    const heard = this.heardIn(event)
    return heard === undefined ? { act: event } : { hears: this.#words.word(heard) }
  }

  /** A node in this state. */
  #again(state: number): Node {
    const events: number[] = []
    let at = state
    let from = itemAt(this.#states, at)
    while (from.parent !== undefined) {
      events.push(from.event)
      at = from.parent
      from = itemAt(this.#states, at)
    }
    const { place, durable } = from
    const node = durable === undefined ? this.#protocol.begin(place) : this.#protocol.from(place, durable)
    for (const event of events.reverse()) this.#protocol.take(node, this.#eventOf(event))
    return node
  }

  #numberOf(node: Node, came: Pick<NodeState<Durable, Seen>, 'place' | 'parent' | 'event' | 'durable'>): number {
    const key = `${came.place} ${this.#protocol.fingerprint(node)}`
    const known = this.#numbers.get(key)
    if (known !== undefined) return known
    const number = this.#states.length
    this.#numbers.set(key, number)
    const seen = this.#protocol.seen(node)
    this.#states.push({ ...came, possible: this.#protocol.possible(node), seen, inOrder: [number] })
    return number
  }

  /** The state of another node when the nodes exchange places. */
  inOrder(state: number, order: number): number {
    const { inOrder, place, parent, event, durable } = itemAt(this.#states, state)
    const known = inOrder[order]
    if (known !== undefined) return known
    const places = itemAt(this.#orders, order)
    const to = itemAt(places, place)
    let changed: number
    if (parent !== undefined) changed = this.step(this.inOrder(parent, order), this.eventIn(event, order)).to
    else if (durable === undefined) changed = this.begin(to)
    else changed = this.#restarted(to, this.#protocol.durableIn(durable, places))
    inOrder[order] = changed
    return changed
  }

  #restarted(place: number, durable: Durable): number {
    return this.#numberOf(this.#protocol.from(place, durable), { place, parent: undefined, event: 0, durable })
  }

  /** The same event when the nodes exchange places. */
  eventIn(event: number, order: number): number {
    const heard = this.heardIn(event)
    if (heard === undefined) return this.#protocol.actIn(event, itemAt(this.#orders, order))
    return this.hearing(this.#words.inOrder(heard, order))
  }
}
