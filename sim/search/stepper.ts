import { itemAt } from '../../src/base/items.ts'
import type { NodeStates } from './node-states.ts'
import type { Protocol } from './protocol.ts'
import type { Vocabulary } from './vocabulary.ts'
import type { WordSet } from './word-set.ts'

export interface Saturated {
  /** Number of messages in the list. */
  readonly count: number
  readonly broken: { readonly place: number; readonly event: number; readonly law: string } | undefined
}

/** Which laws a step breaks, and which messages are sent without any change. */
export class Stepper<Node, Durable, Content, Seen> {
  readonly #protocol: Protocol<Node, Durable, Content, Seen>
  readonly #nodes: NodeStates<Node, Durable, Content, Seen>
  readonly #words: Vocabulary<Node, Durable, Content, Seen>

  constructor(
    protocol: Protocol<Node, Durable, Content, Seen>,
    nodes: NodeStates<Node, Durable, Content, Seen>,
    words: Vocabulary<Node, Durable, Content, Seen>,
  ) {
    this.#protocol = protocol
    this.#nodes = nodes
    this.#words = words
  }

  /** Adds a message to a set; returns the law that it breaks there. */
  say(word: number, said: WordSet): string | undefined {
    if (said.has(word)) return undefined
    said.add(word)
    for (const other of this.#words.against(word)) {
      if (!said.has(other)) continue
      const [claim, before] = [this.#words.word(word).claim, this.#words.word(other).claim]
      return `${claim?.law} (${claim?.about}: ${before?.says}, then ${claim?.says})`
    }
    return undefined
  }

  judged(nodes: readonly number[], place: number, before: number): string | undefined {
    const seen = nodes.map((node) => this.#nodes.seen(node))
    return this.#protocol.judge(seen, place, this.#nodes.seen(before))
  }

  /**
   * Adds to a set, and to the list of its messages, all that nodes send without changing themselves, and all that
   * follows; `told` is called for each step that added something.
   */
  saturate(
    nodes: readonly number[],
    said: WordSet,
    list: number[],
    before: number,
    told?: (place: number, event: number) => void,
  ): Saturated {
    let count = before
    const saying = (place: number, event: number): string | undefined => {
      const own = itemAt(nodes, place)
      const step = this.#nodes.step(own, event)
      if (step.to !== own || step.broken !== undefined) return undefined
      const countBefore = count
      let law: string | undefined
      for (const word of step.said) {
        if (said.has(word)) continue
        law ??= this.say(word, said)
        list[count++] = word
      }
      if (count > countBefore) told?.(place, event)
      return law
    }
    for (let place = 0; place < nodes.length; place++) {
      for (const event of this.#nodes.possible(itemAt(nodes, place))) {
        const law = saying(place, event)
        if (law !== undefined) return { count, broken: { place, event, law } }
      }
    }
    for (let at = 0; at < count; at++) {
      const place = this.#words.hearer(itemAt(list, at))
      const event = this.#nodes.hearing(itemAt(list, at))
      const law = place === undefined ? undefined : saying(place, event)
      if (place !== undefined && law !== undefined) return { count, broken: { place, event, law } }
    }
    return { count, broken: undefined }
  }
}
