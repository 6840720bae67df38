import { regexpSize } from '../../base/regexp-size.ts'
import type { Clock } from '../../env/clock.ts'

/** Size of expressions that may be compiled at once, and per second: some 30 ms of work. */
const sizeMost = 5_000
const sizePerMs = sizeMost / 1_000

/**
 * A budget for compiling the filters of user events, which anyone in the pool may send, as many as the network carries.
 * The filters of queries have the same budget (`gossip/core/queries.ts`).
 */
export class FilterWork {
  readonly #clock: Pick<Clock, 'monoMs'>
  #left = sizeMost
  #atMs: number

  constructor(clock: Pick<Clock, 'monoMs'>) {
    this.#clock = clock
    this.#atMs = clock.monoMs()
  }

  /** Whether there is something left of the budget, of which the expression then takes its part. */
  mayCompile(expression: string): boolean {
    const nowMs = this.#clock.monoMs()
    this.#left = Math.min(sizeMost, this.#left + (nowMs - this.#atMs) * sizePerMs)
    this.#atMs = nowMs
    if (this.#left <= 0) return false
    this.#left -= Math.min(sizeMost, regexpSize(expression))
    return true
  }
}
