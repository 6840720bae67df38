import type { Env } from '../../../env/env.ts'
import type { ModifyIndex } from '../../../model/log-position.ts'

/**
 * Number of waiting reads that one batch of commands wakes in its own turn. They delay the answer to the writer by less
 * than a millisecond, and need no turn of their own.
 */
export const wokenAtOnceMax = 16

/** Number of waiting reads in the first slice, and the maximum in any. */
const firstSlice = 16
export const wokenInSliceMax = 64

/** A slice has half of the reads of the one before if that took longer, with its round of the loop; see `wokenInSliceMax`. */
const roundMsMax = 4

export interface WakesParts {
  readonly env: Pick<Env, 'timers' | 'clock'>
  /** Distinguishes batches of commands: the index of the last applied command. */
  readonly batch: () => ModifyIndex
}

/**
 * Wakes waiting reads in the order in which they learned of a change: the first few at once, all others in slices, each in
 * a turn of its own. So the writer of a change that many reads wait for is answered before they are evaluated, and the
 * agent serves other requests between two slices. Slices double while a round of the loop with one of them is short, and
 * are halved when it is long. In the simulator, where no time passes within a turn, they double up to the maximum.
 */
export class Wakes {
  readonly #parts: WakesParts
  /** Bounded by the number of requests that this server has open. */
  #queue: (() => void)[] = []
  #next = 0
  #batch: ModifyIndex | undefined
  #wokenOfBatch = 0
  #slice = firstSlice
  /** When the last slice began; undefined before the first. */
  #begunMs: number | undefined

  constructor(parts: WakesParts) {
    this.#parts = parts
  }

  /** `wake` does nothing if its read has ended before it is called. */
  add(wake: () => void): void {
    if (this.#queue.length === 0) {
      if (this.#wakesAtOnce()) return wake()
      this.#slice = firstSlice
      this.#begunMs = undefined
      this.#schedule()
    }
    this.#queue.push(wake)
  }

  #wakesAtOnce(): boolean {
    const batch = this.#parts.batch()
    if (batch !== this.#batch) {
      this.#batch = batch
      this.#wokenOfBatch = 0
    }
    return ++this.#wokenOfBatch <= wokenAtOnceMax
  }

  #schedule(): void {
    this.#parts.env.timers.after(0, () => this.#wakeSlice())
  }

  #wakeSlice(): void {
    this.#fitSlice()
    const end = Math.min(this.#next + this.#slice, this.#queue.length)
    while (this.#next < end) this.#queue[this.#next++]?.()
    if (this.#next < this.#queue.length) return this.#schedule()
    this.#queue = []
    this.#next = 0
  }

  /** Woken reads are evaluated and answered after the callback of their slice, but before that of the next one. */
  #fitSlice(): void {
    const nowMs = this.#parts.env.clock.monoMs()
    const roundMs = this.#begunMs === undefined ? roundMsMax : nowMs - this.#begunMs
    if (roundMs > roundMsMax) this.#slice = Math.max(1, this.#slice >> 1)
    else if (roundMs < roundMsMax / 2) this.#slice = Math.min(wokenInSliceMax, this.#slice * 2)
    this.#begunMs = nowMs
  }
}
