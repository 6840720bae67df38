import { err, ok, type Result } from '../../base/result.ts'
import type { Closable } from '../../env/async.ts'
import type { Env } from '../../env/env.ts'
import type { IssuedLeaf } from '../../features/connect/model.ts'
import type { CallOptions } from '../../features/contract/call.ts'
import type { HeldLeaf } from '../../features/contract/mesh.ts'
import { type Failure, failureText } from '../../model/failure.ts'
import type { ModifyIndex } from '../../model/log-position.ts'
import { cacheName, isRefusal, type LeafRequest, type LeafSource } from './leaf-source.ts'
import { type DatedLeaf, drawRenewal, isSpent, lookAgainMs, type Now, renewalInMs, retryInMs } from './renewal.ts'
import { RootReplacement } from './root-replacement.ts'
import type { RootsWatch, Standing } from './roots-watch.ts'

/**
 * A leaf that no caller has requested for this long is no longer renewed. Reference: http-reads.md#background-refresh.
 */
const unaskedMaxMs = 72 * 3_600_000
/**
 * Minimum interval between new leaves for callers that request one each time, because each costs the servers a command.
 */
const anewMinMs = 1_000

export interface KeptLeafOptions {
  readonly env: Env
  readonly source: LeafSource
  readonly roots: Pick<RootsWatch, 'list' | 'standingOf'>
  readonly service: string
  readonly token: string
  /** An index that no leaf of this agent has had, also before its last start, and that is not below the given one. */
  readonly indexOf: (leaf: IssuedLeaf) => ModifyIndex
  /** The leaf was dropped. */
  readonly onEnd: () => void
}

/** The leaf of one service for one token, renewed for as long as callers ask for it. Each renewal has a new key. */
export class KeptLeaf {
  readonly #options: KeptLeafOptions
  readonly #waiting = new Set<() => void>()
  #held: (DatedLeaf & { readonly privateKeyPem: string; readonly index: ModifyIndex }) | undefined
  /** The request of a leaf that has not arrived yet: a retry uses the same key, unless the trust domain has changed. */
  #request: (LeafRequest & { readonly trustDomain: string }) | undefined
  #issuing: Promise<Result<undefined, Failure>> | undefined
  #timer: Closable | undefined
  readonly #replacement: RootReplacement
  #failures = 0
  #notBeforeMs = 0
  #refusal: Failure | undefined
  #stopped = false
  lastAskedMs: number

  constructor(options: KeptLeafOptions) {
    this.#options = options
    this.#replacement = new RootReplacement(options)
    this.lastAskedMs = options.env.clock.monoMs()
  }

  get held(): { readonly held: HeldLeaf; readonly index: ModifyIndex } | undefined {
    if (this.#held === undefined) return undefined
    const { leaf, privateKeyPem, index } = this.#held
    return { held: { leaf, privateKeyPem }, index }
  }

  get service(): string {
    return this.#options.service
  }

  /** Why the leaf was dropped; undefined: it was not, or the agent stops. */
  get refusal(): Failure | undefined {
    return this.#refusal
  }

  /** Whether a caller waits for it. */
  get busy(): boolean {
    return this.#issuing !== undefined || this.#waiting.size > 0
  }

  get spent(): boolean {
    return this.#held !== undefined && isSpent(this.#held, this.#now())
  }

  /** Whether another root signs now, or the same one in the name of another trust domain. */
  get outdated(): boolean {
    const standing = this.#standing
    return standing === 'outdated' || standing === 'lost'
  }

  /** Whether its root is no longer trusted. */
  get lost(): boolean {
    return this.#standing === 'lost'
  }

  get #standing(): Standing {
    return this.#held === undefined ? 'current' : this.#options.roots.standingOf(this.#held.leaf)
  }

  /** Whether a renewal failed too recently for another attempt: the present leaf is used. */
  get resting(): boolean {
    return this.#options.env.clock.monoMs() < this.#notBeforeMs
  }

  /** Whether it is so recent that another one would be no newer for the caller. */
  get justIssued(): boolean {
    if (this.#held === undefined) return false
    return this.#options.env.clock.monoMs() - this.#held.issuedMonoMs < anewMinMs
  }

  /** Requests a new leaf with a new key. Callers that arrive meanwhile share this request. */
  async issue(): Promise<Result<undefined, Failure>> {
    this.#issuing ??= this.#issue()
    return this.#issuing
  }

  /** Waits for the next leaf, at most this long. */
  next(waitMs: number, options: CallOptions): Promise<void> {
    const { env } = this.#options
    const deferred = env.deferred<void>()
    const end = (): void => {
      timer.close()
      this.#waiting.delete(end)
      this.lastAskedMs = env.clock.monoMs()
      deferred.resolve()
    }
    const timer = env.timers.after(waitMs, end)
    this.#waiting.add(end)
    options.onAbort?.(end)
    return deferred.promise
  }

  /** The roots have changed. */
  rootsChanged(): void {
    this.#lookAgain()
  }

  /** `why` is the failure for waiting callers. */
  stop(why?: Failure): void {
    this.#stopped = true
    this.#refusal ??= why
    this.#timer?.close()
    this.#held = undefined
    this.#request = undefined
    this.#wakeAll()
  }

  async #issue(): Promise<Result<undefined, Failure>> {
    const issued = await this.#ask()
    this.#issuing = undefined
    if (this.#stopped) return err(this.#refusal ?? { kind: 'shutting-down' })
    const { metrics } = this.#options.env
    metrics.count(`${cacheName}.${issued.ok ? 'fetch_success' : 'fetch_error'}`)
    if (issued.ok) {
      this.#take(issued.value)
      return ok(undefined)
    }
    if (isRefusal(issued.error)) {
      this.#end(issued.error)
      return issued
    }
    if (this.#held !== undefined) this.#putOff(issued.error)
    return issued
  }

  async #ask(): Promise<Result<IssuedLeaf, Failure>> {
    const { source, roots, service, token } = this.#options
    const list = await roots.list()
    if (!list.ok) return list
    const { trustDomain } = list.value
    if (trustDomain === '') return err({ kind: 'refused', message: 'the mesh has no certificate authority yet' })
    if (this.#request?.trustDomain !== trustDomain) {
      this.#request = { ...(await source.request(service, trustDomain)), trustDomain }
    }
    return source.sign(this.#request.requestPem, token)
  }

  #take(leaf: IssuedLeaf): void {
    const { env, indexOf, service } = this.#options
    const { privateKeyPem = '' } = this.#request ?? {}
    this.#request = undefined
    this.#replacement.replaced(leaf.rootId, this.#held?.leaf.rootId)
    const renewAt = drawRenewal(env.random.draws('mesh.renewal', service, leaf.rootId))
    this.#held = { leaf, privateKeyPem, index: indexOf(leaf), issuedMonoMs: env.clock.monoMs(), renewAt }
    this.#failures = 0
    this.#notBeforeMs = 0
    this.#wakeAll()
    this.#lookAgain()
  }

  /** Servers refuse or are unreachable: the present leaf is served for as long as it is valid. */
  #putOff(why: Failure): void {
    const { env, service } = this.#options
    this.#failures += 1
    const pauseMs = retryInMs(env.random.draws('mesh.retry', service, this.#failures), this.#failures)
    this.#notBeforeMs = env.clock.monoMs() + pauseMs
    if (this.#failures === 1) {
      const expiresInS = Math.floor(((this.#held?.leaf.notAfterMs ?? 0) - env.clock.wallMs()) / 1000)
      env.log.write('warn', 'connect', 'a leaf certificate could not be renewed: the agent tries again', {
        service,
        why: failureText(why),
        expiresInS,
      })
    }
    this.#lookAgain()
  }

  /** Decides what to do next, and when. */
  #lookAgain(): void {
    if (this.#stopped || this.#held === undefined || this.#issuing !== undefined) return
    const { env } = this.#options
    this.#timer?.close()
    const inMs = Math.min(this.#dueInMs(this.#held), lookAgainMs)
    this.#timer = env.timers.after(Math.max(0, inMs), () => this.#due())
  }

  #due(): void {
    const held = this.#held
    if (held === undefined || this.#issuing !== undefined) return
    if (this.#dueInMs(held) > 0) return this.#lookAgain()
    const { env } = this.#options
    if (this.#waiting.size === 0 && env.clock.monoMs() - this.lastAskedMs >= unaskedMaxMs) return this.#end()
    env.detach(this.issue())
  }

  #dueInMs(held: DatedLeaf): number {
    const now = this.#now()
    const dueMs = Math.min(renewalInMs(held, now), this.#replacement.inMs(held, now))
    return Math.max(dueMs, this.#notBeforeMs - now.monoMs)
  }

  #end(why?: Failure): void {
    this.stop(why)
    this.#options.onEnd()
  }

  #wakeAll(): void {
    for (const wake of [...this.#waiting]) wake()
  }

  #now(): Now {
    const { clock } = this.#options.env
    return { monoMs: clock.monoMs(), wallMs: clock.wallMs() }
  }
}
