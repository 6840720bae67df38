/**
 * A binary heap: the least item, by the order given, comes out first. Items that compare equal have no promised order.
 */
export class Heap<T extends NonNullable<unknown>> {
  readonly #items: T[] = []
  readonly #before: (a: T, b: T) => boolean

  constructor(before: (a: T, b: T) => boolean) {
    this.#before = before
  }

  get size(): number {
    return this.#items.length
  }

  peek(): T | undefined {
    return this.#items[0]
  }

  push(item: T): void {
    const items = this.#items
    let at = items.length
    items.push(item)
    while (at > 0) {
      const parent = (at - 1) >> 1
      const above = items[parent]
      if (above === undefined || !this.#before(item, above)) break
      items[at] = above
      at = parent
    }
    items[at] = item
  }

  pop(): T | undefined {
    const items = this.#items
    const top = items[0]
    const last = items.pop()
    if (last === undefined || items.length === 0) return top
    const half = items.length >> 1
    let at = 0
    while (at < half) {
      const child = this.#earlierChild(at)
      const below = items[child]
      if (below === undefined || !this.#before(below, last)) break
      items[at] = below
      at = child
    }
    items[at] = last
    return top
  }

  #earlierChild(at: number): number {
    const left = 2 * at + 1
    if (left + 1 >= this.#items.length) return left
    const [first, second] = [this.#items[left], this.#items[left + 1]]
    return first !== undefined && second !== undefined && this.#before(second, first) ? left + 1 : left
  }
}
