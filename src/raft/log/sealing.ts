import type { Closable } from '../../env/async.ts'
import type { Env } from '../../env/env.ts'

/**
 * Signals, while the log is written to, at intervals that its watermark should follow, and once, when it has been idle
 * for long enough, that it should add an empty batch. It has at most one timer, which writes do not touch.
 */
export class Sealing {
  readonly #env: Pick<Env, 'timers' | 'clock'>
  readonly #afterMs: number
  readonly #due: (isIdle: boolean) => void
  #timer: Closable | undefined
  #wroteMs = 0
  #unsealed = false
  #closed = false

  constructor(env: Pick<Env, 'timers' | 'clock'>, afterMs: number, due: (isIdle: boolean) => void) {
    this.#env = env
    this.#afterMs = afterMs
    this.#due = due
  }

  /** The last batch is durable and nothing follows it. */
  get unsealed(): boolean {
    return this.#unsealed
  }

  /** A batch is durable. `empty`: it is itself a seal. */
  wrote(empty: boolean): void {
    this.#unsealed = !empty
    this.#wroteMs = this.#env.clock.monoMs()
    if (this.#unsealed && this.#timer === undefined) this.#arm(this.#afterMs)
  }

  close(): void {
    this.#closed = true
    this.#timer?.close()
    this.#timer = undefined
  }

  #arm(afterMs: number): void {
    if (this.#closed) return
    this.#timer = this.#env.timers.after(afterMs, () => {
      this.#timer = undefined
      if (!this.#unsealed) return
      const leftMs = this.#wroteMs + this.#afterMs - this.#env.clock.monoMs()
      if (leftMs > 0) this.#arm(leftMs)
      this.#due(leftMs <= 0)
    })
  }
}
