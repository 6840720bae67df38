import type { Closable } from '../../env/async.ts'
import type { Env } from '../../env/env.ts'

/** Interval between retries on a full disk. */
const retryMs = 1000

/**
 * The disk had no space for the last batch. This differs from other failures: a write without space was not synced and
 * never acknowledged, and its partial bytes are cut off or overwritten. (A *sync* that finds no space is another
 * matter: it is a failed sync, which `DiskFile` reports.)
 */
export class FullDisk {
  readonly #env: Pick<Env, 'timers'>
  readonly #tryAgain: () => void
  #full = false
  #timer: Closable | undefined

  constructor(env: Pick<Env, 'timers'>, tryAgain: () => void) {
    this.#env = env
    this.#tryAgain = tryAgain
  }

  get isFull(): boolean {
    return this.#full
  }

  /** Whether it is too early for another attempt. */
  get waits(): boolean {
    return this.#timer !== undefined
  }

  /** A write found no space. Returns whether this is new. */
  met(): boolean {
    const isNew = !this.#full
    this.#full = true
    this.#timer = this.#env.timers.after(retryMs, () => {
      this.#timer = undefined
      this.#tryAgain()
    })
    return isNew
  }

  /** A write found space. Returns whether this is new. */
  passed(): boolean {
    const isNew = this.#full
    this.#full = false
    return isNew
  }

  close(): void {
    this.#timer?.close()
    this.#timer = undefined
  }
}
