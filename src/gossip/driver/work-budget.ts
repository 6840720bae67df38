import type { Clock } from '../../env/clock.ts'

/** A budget of work per millisecond; unused budget accumulates up to `most`. It may go into debt. */
export class WorkBudget {
  readonly #clock: Clock
  readonly #most: number
  readonly #perMs: number
  #left: number
  #atMs: number

  constructor(clock: Clock, most: number, perMs: number) {
    this.#clock = clock
    this.#most = most
    this.#perMs = perMs
    this.#left = most
    this.#atMs = clock.monoMs()
  }

  /** The budget that remains; below zero if it is in debt. */
  get left(): number {
    const nowMs = this.#clock.monoMs()
    this.#left = Math.min(this.#most, this.#left + (nowMs - this.#atMs) * this.#perMs)
    this.#atMs = nowMs
    return this.#left
  }

  get isFull(): boolean {
    return this.left >= this.#most
  }

  take(work: number): void {
    this.#left = this.left - work
  }

  /** Milliseconds until the budget is above zero; 0 if it is. */
  get dueMs(): number {
    const { left } = this
    return left > 0 ? 0 : Math.ceil((1 - left) / this.#perMs)
  }
}
