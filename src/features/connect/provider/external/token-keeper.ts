import type { Closable } from '../../../../env/async.ts'
import type { Env } from '../../../../env/env.ts'
import type { CallFailure } from './call-failure.ts'
import type { ManagerClient } from './manager-client.ts'

/** A renewal that failed is tried again after so long, or after half of what is left where that is less. */
const retryMs = 60_000
/** Never more often, however short a token lives. */
const pauseMinMs = 1_000
/** Timers reach no further; what lives longer is looked at again by then. */
const pauseMaxMs = 7 * 86_400_000
const callMs = 10_000
/** A token that nobody can renew is spoken of from this long before its end. */
const warnMs = 24 * 3_600_000

/**
 * Keeps the token alive: looks up how long it lives, and renews it at half of what is left each time. How long that is says
 * each answer, never what was asked for: a token may be capped. Recordings: token.
 */
export class TokenKeeper implements Closable {
  readonly #env: Env
  readonly #client: ManagerClient
  #timer: Closable | undefined
  #started = false
  #closed = false
  /** Monotonic clock; undefined: it does not end, or nobody knows. */
  #endsMs: number | undefined
  #madeForSeconds = 0
  #problem: string | undefined

  constructor(env: Env, client: ManagerClient) {
    this.#env = env
    this.#client = client
  }

  /** What an operator has to know of the token; undefined: nothing. */
  get problem(): string | undefined {
    return this.#problem
  }

  /** Once: further calls do nothing. */
  start(): void {
    if (this.#started || this.#closed) return
    this.#started = true
    this.#env.detach(this.#lookUp())
  }

  close(): void {
    this.#closed = true
    this.#timer?.close()
  }

  async #lookUp(): Promise<void> {
    const found = await this.#client.call('GET', 'auth/token/lookup-self', undefined, this.#env.clock.monoMs() + callMs)
    if (this.#closed) return
    if (!found.ok) return this.#failed(found.error, () => this.#lookUp())
    const { ttl, renewable, creation_ttl: made } = found.value.data ?? {}
    this.#madeForSeconds = typeof made === 'number' ? made : 0
    this.#lives(typeof ttl === 'number' ? ttl : 0)
    if (renewable === true) await this.#renew()
    else this.#cannotRenew()
  }

  async #renew(): Promise<void> {
    const renewed = await this.#client.call('PUT', 'auth/token/renew-self', {}, this.#env.clock.monoMs() + callMs)
    if (this.#closed) return
    if (!renewed.ok && renewed.error.status === 400) return this.#cannotRenew()
    if (!renewed.ok) return this.#failed(renewed.error, () => this.#renew())
    const { lease_duration: seconds, renewable } = renewed.value.auth ?? {}
    const granted = typeof seconds === 'number' ? seconds : 0
    this.#lives(granted)
    // Capped: it no longer gets the time that it was made for. Seconds are rounded either way.
    if (renewable !== true || granted < this.#madeForSeconds - 1) return this.#cannotRenew()
    this.#problem = undefined
    this.#again((this.#leftMs() ?? 0) / 2, () => this.#renew())
  }

  /** `seconds` 0: without end. */
  #lives(seconds: number): void {
    this.#endsMs = seconds > 0 ? this.#env.clock.monoMs() + seconds * 1000 : undefined
  }

  #leftMs(): number | undefined {
    return this.#endsMs === undefined ? undefined : Math.max(0, this.#endsMs - this.#env.clock.monoMs())
  }

  /** A root token, or one that was made so: nothing to renew, and where it ends, an operator is told in time. */
  #cannotRenew(): void {
    const leftMs = this.#leftMs()
    if (leftMs === undefined) return
    if (leftMs > warnMs) return this.#again(leftMs - warnMs, () => this.#lookUp())
    this.#tell('the token for the secrets manager ends soon and cannot be renewed: configure another', '')
    if (leftMs > 0) this.#again(leftMs, () => this.#lookUp())
  }

  #failed(failure: CallFailure, again: () => Promise<void>): void {
    if (failure.kind === 'refused') this.#tell('the secrets manager does not take the token', failure.message)
    const leftMs = this.#leftMs() ?? 0
    this.#again(leftMs > 0 ? Math.min(retryMs, leftMs / 2) : retryMs, again)
  }

  #tell(problem: string, error: string): void {
    if (this.#problem !== problem) this.#env.log.write('warn', 'connect', problem, error === '' ? {} : { error })
    this.#problem = problem
  }

  #again(afterMs: number, act: () => Promise<void>): void {
    this.#timer?.close()
    if (this.#closed) return
    const pauseMs = Math.min(pauseMaxMs, Math.max(pauseMinMs, afterMs))
    this.#timer = this.#env.timers.after(pauseMs, () => this.#env.detach(act()))
  }
}
