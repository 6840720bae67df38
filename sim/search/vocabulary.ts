import { itemAt } from '../../src/base/items.ts'
import type { Claim, Order, Protocol, Word } from './protocol.ts'

interface Entry<Content> {
  readonly word: Word<Content>
  readonly text: string
  /** Known messages about the same thing that do not agree. */
  readonly against: number[]
  /** By the number of the order; undefined until it is needed. */
  readonly inOrder: (number | undefined)[]
}

/** Every message that was sent in any state, with a number each. */
export class Vocabulary<Node, Durable, Content, Seen> {
  readonly #protocol: Protocol<Node, Durable, Content, Seen>
  readonly #orders: readonly Order[]
  readonly #numbers = new Map<string, number>()
  readonly #entries: Entry<Content>[] = []
  readonly #claims = new Map<string, number[]>()

  constructor(protocol: Protocol<Node, Durable, Content, Seen>, orders: readonly Order[]) {
    this.#protocol = protocol
    this.#orders = orders
  }

  get size(): number {
    return this.#entries.length
  }

  word(number: number): Word<Content> {
    return itemAt(this.#entries, number).word
  }

  text(number: number): string {
    return itemAt(this.#entries, number).text
  }

  /** The node that receives it. */
  hearer(number: number): number | undefined {
    return itemAt(this.#entries, number).word.to
  }

  against(number: number): readonly number[] {
    return itemAt(this.#entries, number).against
  }

  numberOf(word: Word<Content>): number {
    const { from, to, content, claim } = word
    const text = this.#protocol.textOf(content)
    const key = to === undefined ? `${claim?.about} ${claim?.says}` : `${from}>${to} ${text}`
    const known = this.#numbers.get(key)
    if (known !== undefined) return known
    const number = this.#entries.length
    this.#numbers.set(key, number)
    this.#entries.push({ word, text, against: [], inOrder: [number] })
    if (claim !== undefined) this.#compare(number, claim)
    return number
  }

  #compare(number: number, claim: Claim): void {
    const others = this.#claims.get(claim.about) ?? []
    for (const other of others) {
      if (itemAt(this.#entries, other).word.claim?.says === claim.says) continue
      itemAt(this.#entries, other).against.push(number)
      itemAt(this.#entries, number).against.push(other)
    }
    this.#claims.set(claim.about, [...others, number])
  }

  inOrder(number: number, order: number): number {
    const entry = itemAt(this.#entries, number)
    const known = entry.inOrder[order]
    if (known !== undefined) return known
    const places = itemAt(this.#orders, order)
    const { from, to, content, claim } = entry.word
    const changed = this.numberOf({
      from: itemAt(places, from),
      to: to === undefined ? undefined : itemAt(places, to),
      content: this.#protocol.contentIn(content, places),
      claim: claim === undefined ? undefined : this.#protocol.claimIn(claim, places),
    })
    entry.inOrder[order] = changed
    return changed
  }
}
