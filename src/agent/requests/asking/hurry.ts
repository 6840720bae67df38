import type { ModifyIndex } from '../../../model/log-position.ts'

/** An answer without news that comes sooner than this did not wait. */
const soonMs = 1_000
/** Pause after the second such answer in a row, doubled with each further one. */
const pauseMinMs = 1_000
const pauseMaxMs = 60_000

/**
 * Finds the pause between two blocking reads of one thing. A read that waits needs none, and one that brings news needs
 * none. A server that answers at once without news, such as with index 0, would otherwise be asked without end. One such
 * answer is usual: after a restore, or when the rights of the token have changed.
 */
export class Hurry {
  #pauseMs = 0
  #isRepeated = false

  /** `tookMs`: the time from the request, which waits for an index greater than `minIndex`, to its answer. */
  pauseAfter(minIndex: ModifyIndex, index: ModifyIndex, tookMs: number): number {
    if (index > minIndex || tookMs >= soonMs) {
      this.#pauseMs = 0
      this.#isRepeated = false
    } else if (this.#isRepeated) this.#pauseMs = Math.min(Math.max(pauseMinMs, this.#pauseMs * 2), pauseMaxMs)
    else this.#isRepeated = true
    return this.#pauseMs
  }
}
