import { itemAt } from '../../src/base/items.ts'
import type { NodeStates } from './node-states.ts'
import type { Protocol } from './protocol.ts'
import type { Stepper } from './stepper.ts'
import type { Vocabulary } from './vocabulary.ts'
import { WordSet } from './word-set.ts'

export interface Move {
  readonly place: number
  readonly event: number
}

export interface Told {
  readonly lines: readonly string[]
  /** The law that the last step breaks. */
  readonly law: string | undefined
}

/** Shortens and prints paths from the first state. */
export class Replay<Node, Durable, Content, Seen> {
  readonly #protocol: Protocol<Node, Durable, Content, Seen>
  readonly #nodes: NodeStates<Node, Durable, Content, Seen>
  readonly #words: Vocabulary<Node, Durable, Content, Seen>
  readonly #stepper: Stepper<Node, Durable, Content, Seen>

  constructor(
    protocol: Protocol<Node, Durable, Content, Seen>,
    nodes: NodeStates<Node, Durable, Content, Seen>,
    words: Vocabulary<Node, Durable, Content, Seen>,
    stepper: Stepper<Node, Durable, Content, Seen>,
  ) {
    this.#protocol = protocol
    this.#nodes = nodes
    this.#words = words
    this.#stepper = stepper
  }

  /** The path with the messages that the search lets nodes send between its steps. */
  saturated(way: readonly Move[]): readonly Move[] {
    const whole: Move[] = []
    const nodes = this.#first()
    const said = new WordSet()
    const list: number[] = []
    for (const move of way) {
      this.#stepper.saturate(nodes, said, list, said.list(list), (place, event) => whole.push({ place, event }))
      whole.push(move)
      this.#take(nodes, said, move)
    }
    return whole
  }

  /** The path without steps that are not needed to break a law. */
  shortest(way: readonly Move[]): readonly Move[] {
    let kept = this.#upToBroken(way) ?? way
    for (let at = kept.length - 1; at >= 0; at--) {
      const without = this.#upToBroken([...kept.slice(0, at), ...kept.slice(at + 1)])
      if (without === undefined) continue
      kept = without
      at = Math.min(at, kept.length)
    }
    return kept
  }

  told(way: readonly Move[]): Told {
    const nodes = this.#first()
    const said = new WordSet()
    let law: string | undefined
    const lines = way.map((move, at) => {
      const line = `${at + 1}. ${this.#line(move, itemAt(nodes, move.place))}`
      law = this.#take(nodes, said, move)
      return line
    })
    return { lines, law }
  }

  /** Undefined: this path breaks no law, or is impossible. */
  #upToBroken(way: readonly Move[]): readonly Move[] | undefined {
    const nodes = this.#first()
    const said = new WordSet()
    for (const [at, move] of way.entries()) {
      const law = this.#take(nodes, said, move)
      if (law === impossible) return undefined
      if (law !== undefined) return way.slice(0, at + 1)
    }
    return undefined
  }

  #first(): number[] {
    return this.#protocol.names.map((_, place) => this.#nodes.begin(place))
  }

  #take(nodes: number[], said: WordSet, { place, event }: Move): string | undefined {
    const own = itemAt(nodes, place)
    const heard = this.#nodes.heardIn(event)
    const can = heard === undefined ? this.#nodes.possible(own).includes(event) : said.has(heard)
    if (!can) return impossible
    const step = this.#nodes.step(own, event)
    if (step.broken !== undefined) return step.broken
    let law: string | undefined
    for (const word of step.said) law ??= this.#stepper.say(word, said)
    nodes[place] = step.to
    return law ?? this.#stepper.judged(nodes, place, own)
  }

  #line({ place, event }: Move, state: number): string {
    const { names, acts } = this.#protocol
    const step = this.#nodes.step(state, event)
    const heard = this.#nodes.heardIn(event)
    const what =
      heard === undefined
        ? itemAt(acts, event)
        : `hears from ${itemAt(names, this.#words.word(heard).from)}: ${this.#words.text(heard)}`
    const said = step.said.flatMap((word) => {
      const to = this.#words.hearer(word)
      return to === undefined ? [] : [`to ${itemAt(names, to)}: ${this.#words.text(word)}`]
    })
    const now = this.#protocol.tell(this.#nodes.seen(step.to))
    return `${itemAt(names, place)} ${what}; it is ${now}${said.length === 0 ? '' : `; says ${said.join('; ')}`}`
  }
}

const impossible = 'this step cannot be taken here'
