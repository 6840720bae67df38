/** Values by name, for the life of the tab: few, and small together. The oldest make room for a new one. */
export class Bounded<T> {
  readonly #kept = new Map<string, { readonly value: T; readonly length: number }>()
  readonly #entriesMax: number
  readonly #lengthMax: number
  #length = 0

  /** `lengthMax`: of all values, as characters of JSON. */
  constructor(entriesMax: number, lengthMax: number) {
    this.#entriesMax = entriesMax
    this.#lengthMax = lengthMax
  }

  get(name: string): T | undefined {
    return this.#kept.get(name)?.value
  }

  /** `content`: what of it counts for its length. A value that is too long alone is not kept. */
  set(name: string, value: T, content: unknown = value): void {
    this.delete(name)
    const { length } = JSON.stringify(content)
    if (length > this.#lengthMax) return
    this.#kept.set(name, { value, length })
    this.#length += length
    for (const oldest of this.#kept.keys()) {
      if (this.#kept.size <= this.#entriesMax && this.#length <= this.#lengthMax) return
      this.delete(oldest)
    }
  }

  delete(name: string): void {
    this.#length -= this.#kept.get(name)?.length ?? 0
    this.#kept.delete(name)
  }
}
