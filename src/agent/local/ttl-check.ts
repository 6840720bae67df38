import type { Closable } from '../../env/async.ts'
import type { Env } from '../../env/env.ts'
import type { Outcome } from './probes/outcome.ts'

/** A check that somebody else keeps alive: it is critical when nothing has been heard for its time to live. */
export class TtlCheck implements Closable {
  readonly ttlMs: number
  readonly #env: Env
  readonly #expired: (outcome: Outcome) => void
  #lastOutput: string
  #timer: Closable

  /** `lastOutput`: of before, when it is taken up again. */
  constructor(env: Env, ttlMs: number, lastOutput: string, expired: (outcome: Outcome) => void) {
    this.#env = env
    this.ttlMs = ttlMs
    this.#lastOutput = lastOutput
    this.#expired = expired
    this.#timer = this.#wait()
  }

  heard(output: string): void {
    this.#lastOutput = output
    this.#timer.close()
    this.#timer = this.#wait()
  }

  close(): void {
    this.#timer.close()
  }

  #wait(): Closable {
    return this.#env.timers.after(this.ttlMs, () => {
      const before = this.#lastOutput === '' ? '' : ` (last output before timeout follows): ${this.#lastOutput}`
      this.#expired({ status: 'critical', output: `TTL expired${before}` })
    })
  }
}
