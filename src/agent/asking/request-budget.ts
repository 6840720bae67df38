import type { Env } from '../../env/env.ts'
import type { RequestLimits } from '../settings/agent-config.ts'

/**
 * How many requests a client agent may send to servers: `perSecond` on average, `burst` at once (a token bucket).
 * Without a rate there is no limit. Reference: http-conventions.md#rate-limit.
 */
export class RequestBudget {
  readonly #env: Env
  #limits: RequestLimits
  #tokens: number
  #sinceMs: number

  constructor(env: Env, limits: RequestLimits) {
    this.#env = env
    this.#limits = limits
    this.#tokens = limits.burst
    this.#sinceMs = env.clock.monoMs()
  }

  /** New limits apply at once; a reload never refills the burst of a caller that has spent it. */
  setLimits(limits: RequestLimits): void {
    this.#refill()
    this.#limits = limits
    this.#tokens = Math.min(this.#tokens, limits.burst)
  }

  /** Whether one more request may be sent now; if so, counts it. */
  spend(): boolean {
    this.#env.metrics.count('client.rpc')
    if (this.#limits.perSecond === undefined) return true
    this.#refill()
    if (this.#tokens < 1) {
      this.#env.metrics.count('client.rpc.exceeded')
      return false
    }
    this.#tokens -= 1
    return true
  }

  #refill(): void {
    const nowMs = this.#env.clock.monoMs()
    const gained = ((nowMs - this.#sinceMs) / 1000) * (this.#limits.perSecond ?? 0)
    this.#tokens = Math.min(this.#limits.burst, this.#tokens + gained)
    this.#sinceMs = nowMs
  }
}
