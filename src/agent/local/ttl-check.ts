import type { Closable } from '../../env/async.ts'
import type { Env } from '../../env/env.ts'
import type { Outcome } from './probes/outcome.ts'

/** A check that an outside program keeps alive: it becomes critical when no report came within its TTL. */
export class TtlCheck implements Closable {
  readonly ttlMs: number
  readonly #env: Env
  readonly #expired: (outcome: Outcome) => void
  #lastOutput: string
  #timer: Closable

  /** `lastOutput` is that of an earlier process, or of the check that this one replaces. */
  constructor(env: Env, ttlMs: number, lastOutput: string, expired: (outcome: Outcome) => void) {
    this.#env = env
    this.ttlMs = ttlMs
    this.#lastOutput = lastOutput
    this.#expired = expired
    this.#timer = this.#wait()
  }

  /** The output of the last report, without what an expiry adds to it; empty if there was none. */
  get lastOutput(): string {
    return this.#lastOutput
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
