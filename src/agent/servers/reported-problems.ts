/** At most this many topics are remembered; then all are forgotten, and may be reported once more. */
export interface ReportBound {
  readonly max: number
}

/** Which problem was last reported about what, so that a problem that stays is reported once. */
export class ReportedProblems {
  readonly #max: number
  readonly #whyOf = new Map<string, string>()

  constructor({ max }: ReportBound) {
    this.#max = max
  }

  /** Whether the topic has another problem than at the last call: the caller reports it. */
  isNew(topic: string, why: string): boolean {
    if (this.#whyOf.get(topic) === why) return false
    if (this.#whyOf.size >= this.#max) this.#whyOf.clear()
    this.#whyOf.set(topic, why)
    return true
  }

  /** The topic has no problem any more: the next one is new, even if it is the same. */
  isOver(topic: string): void {
    this.#whyOf.delete(topic)
  }
}
