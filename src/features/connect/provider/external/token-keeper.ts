import type { Closable } from '../../../../env/async.ts'
import type { Env } from '../../../../env/env.ts'
import type { CallFailure } from './call-failure.ts'
import type { ManagerClient } from './manager-client.ts'

/** Pause before a failed renewal is retried, or half of the remaining lifetime if that is less. */
const retryMs = 60_000
/** Minimum pause, however short the token's lifetime is. */
const pauseMinMs = 1_000
/** Maximum pause: timers support no longer one. */
const pauseMaxMs = 7 * 86_400_000
const callMs = 10_000
/** Two answers about one end may differ by this, because they are in whole seconds. */
const roundedMs = 2_000
/** How long before its end a token that cannot be renewed is reported. */
const warnMs = 24 * 3_600_000

/**
 * Keeps the token alive: looks up its lifetime, and renews it at half of the remaining time. Each answer states the
 * lifetime, which may be shorter than requested. Recordings: token.
 */
export class TokenKeeper implements Closable {
  readonly #env: Env
  readonly #client: ManagerClient
  #timer: Closable | undefined
  #started = false
  #closed = false
  /** Monotonic time; undefined: it does not end, or its end is unknown. */
  #endsMs: number | undefined
  #madeForSeconds = 0
  #problem: string | undefined

  constructor(env: Env, client: ManagerClient) {
    this.#env = env
    this.#client = client
  }

  /** What an operator has to know about the token; undefined if nothing. */
  get problem(): string | undefined {
    return this.#problem
  }

  /** Further calls do nothing. */
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
    if (typeof ttl !== 'number') return this.#soon(() => this.#lookUp())
    this.#madeForSeconds = typeof made === 'number' ? made : 0
    this.#lives(ttl)
    if (renewable === true) await this.#renew()
    else this.#cannotRenew()
  }

  async #renew(): Promise<void> {
    const renewed = await this.#client.call('PUT', 'auth/token/renew-self', {}, this.#env.clock.monoMs() + callMs)
    if (this.#closed) return
    if (!renewed.ok && renewed.error.status === 400) return this.#cannotRenew()
    if (!renewed.ok) return this.#failed(renewed.error, () => this.#renew())
    const { lease_duration: seconds, renewable } = renewed.value.auth ?? {}
    if (typeof seconds !== 'number' || seconds <= 0) return this.#soon(() => this.#renew())
    const endedMs = this.#endsMs ?? 0
    this.#lives(seconds)
    if (renewable !== true) return this.#cannotRenew()
    // The lifetime may be capped, so that the token does not get the time that it was created for, and its end stays. Or
    // its period was shortened since, and each renewal puts the end off. Seconds may be rounded either way.
    const isPutOff = (this.#endsMs ?? 0) - endedMs > roundedMs
    if (seconds < this.#madeForSeconds - 1 && !isPutOff) return this.#cannotRenew(() => this.#renew())
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

  /**
   * A root token, or a token that was created as not renewable: if it ends, an operator is warned in time. `another`: it
   * may help to try that in the time that is left.
   */
  #cannotRenew(another?: () => Promise<void>): void {
    const leftMs = this.#leftMs()
    // An earlier rejection is over, and nothing else is wrong yet.
    if (leftMs === undefined || leftMs > warnMs) this.#problem = undefined
    if (leftMs === undefined) return
    if (leftMs > warnMs) return this.#again(leftMs - warnMs, () => this.#lookUp())
    this.#tell('the token for the secrets manager expires soon and cannot be renewed: configure another', '')
    if (another !== undefined) this.#again(leftMs / 2, another)
    else if (leftMs > 0) this.#again(leftMs, () => this.#lookUp())
  }

  #failed(failure: CallFailure, again: () => Promise<void>): void {
    if (failure.kind === 'refused') this.#tell('the secrets manager rejects the token', failure.message)
    this.#soon(again)
  }

  /** The last attempt has said nothing about the token. */
  #soon(again: () => Promise<void>): void {
    const leftMs = this.#leftMs() ?? 0
    this.#again(leftMs > 0 ? Math.min(retryMs, leftMs / 2) : retryMs, again)
  }

  #tell(problem: string, error: string): void {
    // Sampled: while a token is rejected, each request for a leaf opens the provider anew.
    const fields = error === '' ? {} : { error }
    if (this.#problem !== problem) this.#env.log.write('warn', 'connect', problem, fields, 'sampled')
    this.#problem = problem
  }

  #again(afterMs: number, act: () => Promise<void>): void {
    this.#timer?.close()
    if (this.#closed) return
    const pauseMs = Math.min(pauseMaxMs, Math.max(pauseMinMs, afterMs))
    this.#timer = this.#env.timers.after(pauseMs, () => this.#env.detach(act()))
  }
}
