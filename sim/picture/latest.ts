/** What a page does not show for want of room: so many of a kind, all of them before this time. */
export interface Forgotten {
  readonly count: number
  readonly beforeUs: number
}

/**
 * The latest steps of something over time. Where there are more than `most`, a quarter of them is forgotten, the oldest
 * first; but of what they say the last word for each key is kept, so that it is right from `forgotten.beforeUs` on.
 */
export class Latest<Step extends readonly [atUs: number, ...unknown[]]> {
  readonly #most: number
  readonly #keyOf: ((step: Step) => string) | undefined
  #steps: Step[] = []
  #count = 0
  #beforeUs = 0

  /** Without `keyOf` each step stands for itself alone, and nothing of those that are forgotten is kept. */
  constructor(most: number, keyOf?: (step: Step) => string) {
    this.#most = most
    this.#keyOf = keyOf
  }

  /** In the order of time. */
  get steps(): readonly Step[] {
    return this.#steps
  }

  get last(): Step | undefined {
    return this.#steps.at(-1)
  }

  get forgotten(): Forgotten {
    return { count: this.#count, beforeUs: this.#beforeUs }
  }

  push(step: Step): void {
    this.#steps.push(step)
    if (this.#steps.length > this.#most) this.#forget()
  }

  #forget(): void {
    const gone = this.#steps.slice(0, Math.ceil(this.#most / 4))
    const rest = this.#steps.slice(gone.length)
    const keyOf = this.#keyOf
    const words = keyOf === undefined ? [] : [...new Map(gone.map((step) => [keyOf(step), step])).values()]
    // Of ever more keys the oldest words go, too: what is kept is bounded in any case.
    const kept = words.toSorted((a, b) => a[0] - b[0]).slice(-Math.floor(gone.length / 2))
    this.#steps = [...kept, ...rest]
    this.#count += gone.length - kept.length
    this.#beforeUs = gone.at(-1)?.[0] ?? this.#beforeUs
  }
}
