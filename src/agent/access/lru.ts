/** The weight of entries, and the maximum of their sum. */
export interface Weights<K, V> {
  readonly max: number
  /** Must return the same weight for an entry as long as the entry is cached. */
  of(value: V, key: K): number
}

/** A map with a bound on entries and on their weight: for a new entry the least recently used ones are dropped. */
export class Lru<K, V> {
  readonly #entries = new Map<K, V>()
  readonly #max: number
  readonly #weights: Weights<K, V>
  #weight = 0

  constructor(max: number, weights: Weights<K, V> = { max: Number.POSITIVE_INFINITY, of: () => 0 }) {
    this.#max = max
    this.#weights = weights
  }

  get size(): number {
    return this.#entries.size
  }

  get(key: K): V | undefined {
    const value = this.#entries.get(key)
    if (value === undefined) return undefined
    this.#entries.delete(key)
    this.#entries.set(key, value)
    return value
  }

  set(key: K, value: V): void {
    this.delete(key)
    const weight = this.#weights.of(value, key)
    for (const oldest of this.#entries.keys()) {
      if (this.#entries.size < this.#max && this.#weight + weight <= this.#weights.max) break
      this.delete(oldest)
    }
    this.#entries.set(key, value)
    this.#weight += weight
  }

  delete(key: K): void {
    const value = this.#entries.get(key)
    if (value === undefined) return
    this.#entries.delete(key)
    this.#weight -= this.#weights.of(value, key)
  }
}
