import { type Authorizer, unrestricted } from '../../access/authorizer.ts'
import { err, ok, type Result } from '../../base/result.ts'
import type { Closable } from '../../env/async.ts'
import type { Env } from '../../env/env.ts'
import { measured } from '../../features/contract/surroundings.ts'
import type { Failure } from '../../model/failure.ts'
import { type ModifyIndex, noChange } from '../../model/log-position.ts'
import type { DownPolicy } from '../settings/access-settings.ts'
import type { Authorizers } from './authorizers.ts'
import { type KeptToken, nothingKnown, sameOutcome } from './kept-token.ts'
import { KeptTokens } from './kept-tokens.ts'
import { refusedSecret, sameRights, type ToldRights } from './rights.ts'
import type { TokenResolver } from './running-access.ts'
import { ServerSearch } from './server-search.ts'
import { TokenFollowers } from './token-followers.ts'

/** How long "no such token" is cached: the token may have been created since. */
const unknownTtlMs = 1_000
/** Shortest time between a failed attempt and the next background attempt for the same token. */
const retryMs = 1_000
/** After a failed refresh, serve the expired entry for this long; later callers wait for a retry. */
const givenMs = 2_000
const patienceMs = 500
/**
 * How long the answer of servers that access control is off is kept.
 * Reference: access-control.md#agents-whose-servers-have-access-control-off.
 */
const disabledTtlMs = 120_000

export interface AskedTokensParts {
  readonly env: Env
  readonly authorizers: Authorizers
  readonly downPolicy: DownPolicy
  /** How long an answer is valid: the smaller of the limits for tokens and for policies. */
  readonly ttlMs: number
  /**
   * For this long after its start an agent keeps looking for a server that can answer, because it may not have found
   * one yet. Afterwards it concludes that no server can. 0 if absent.
   */
  readonly findingMs?: number
  /** Raft index of the state that answers rest on; absent on an agent without a replicated state. */
  stateIndex?(): ModifyIndex
  /** Asks a server that keeps tokens. `token-not-found`: there is none; any other failure: no server could answer. */
  ask(secret: string): Promise<Result<ToldRights, Failure>>
}

/**
 * Caches the rights of tokens that servers were asked for: on client agents, and on servers of secondary datacenters.
 *
 * A revoked token is refused once its cached answer has expired, as long as any server answers:
 * 1. An expired answer is used only after a failed refresh (or, with `async-cache`, while a refresh is under way).
 * 2. After a failure, refreshes continue in the background while requests arrive, at most one per second and token; the
 *    first success ends this. If no request arrived for a while, the next request waits for a refresh, which reachable
 *    servers answer before its timeout.
 * 3. The age of an answer starts when it was requested, plus the age that the answering server reported. A cached
 *    refusal never grants anything: when no server can answer it stays a refusal, unless the down policy is to allow.
 */
export class AskedTokens implements TokenResolver {
  readonly #parts: AskedTokensParts
  readonly #kept = new KeptTokens()
  readonly #asking = new Map<string, Promise<KeptToken>>()
  readonly #followers: TokenFollowers
  readonly #search: ServerSearch
  #hopes = 0
  #isOut = false
  #disabledUntilMs = Number.NEGATIVE_INFINITY

  constructor(parts: AskedTokensParts) {
    this.#parts = parts
    this.#search = new ServerSearch(parts.env, parts.findingMs ?? 0)
    this.#followers = new TokenFollowers({
      env: parts.env,
      outcomeOf: (secret) => this.#kept.get(secret)?.outcome,
      dueMs: (secret) => {
        const kept = this.#kept.get(secret)
        return kept === undefined ? 0 : Math.max(kept.untilMs, kept.failedMs + retryMs)
      },
      refresh: (secret) => this.#refresh(secret),
    })
  }

  /** Number of cached tokens. */
  get size(): number {
    return this.#kept.size
  }

  stop(): void {
    this.#followers.stop()
    this.#search.stop()
  }

  /** A server may have become reachable: the next caller waits for its answer. */
  hope(): void {
    this.#hopes++
    this.#search.hope()
  }

  now(secret: string): Result<Authorizer, Failure> | undefined {
    const refused = refusedSecret(secret)
    if (refused !== undefined) return refused
    if (this.#nowMs() < this.#disabledUntilMs) return off
    const kept = this.#kept.get(secret)
    if (kept === undefined) return undefined
    if (this.#nowMs() < kept.untilMs) {
      this.#parts.env.metrics.count('acl.token.cache_hit')
      return kept.outcome
    }
    const isOut = kept.failure !== undefined && kept.hopes === this.#hopes && this.#nowMs() < kept.failedMs + givenMs
    const isGiven = isOut || (this.#parts.downPolicy === 'async-cache' && kept.outcome.ok)
    if (!isGiven) return undefined
    if (this.#nowMs() >= kept.failedMs + retryMs) this.#parts.env.detach(this.#refresh(secret))
    return kept.outcome
  }

  async resolve(secret: string): Promise<Result<Authorizer, Failure>> {
    const { env } = this.#parts
    const now = this.now(secret)
    if (now !== undefined) return now
    env.metrics.count('acl.token.cache_miss')
    return measured({ env }, 'acl.ResolveToken', async () => {
      const refreshed = this.#refresh(secret)
      const before = this.#kept.get(secret)
      return before?.failure === undefined ? (await refreshed).outcome : this.#patiently(refreshed, before)
    })
  }

  /** The last refresh failed, and this one may fail slowly, too. */
  #patiently(refreshed: Promise<KeptToken>, before: KeptToken): Promise<Result<Authorizer, Failure>> {
    const { env } = this.#parts
    const deferred = env.deferred<Result<Authorizer, Failure>>()
    const timer = env.timers.after(patienceMs, () => deferred.resolve(before.outcome))
    env.detach(
      refreshed.then(({ outcome }) => {
        timer.close()
        deferred.resolve(outcome)
      }),
    )
    return deferred.promise
  }

  /** Serves other agents that ask this one. Fails if the token could not be resolved, whatever the down policy says. */
  async rights(secret: string): Promise<Result<ToldRights, Failure>> {
    const outcome = await this.resolve(secret)
    if (this.#nowMs() < this.#disabledUntilMs) return err({ kind: 'access-control-off' })
    const kept = this.#kept.get(secret)
    if (kept?.rights !== undefined) return ok({ rights: kept.rights, ageMs: this.#nowMs() - kept.asOfMs })
    return err(kept?.failure ?? (outcome.ok ? { kind: 'no-servers' } : outcome.error))
  }

  since(secret: string): ModifyIndex {
    return this.#kept.get(secret)?.since ?? noChange
  }

  onChange(secret: string, authorizer: Authorizer, use: () => void): Closable {
    return this.#followers.add(secret, authorizer, use)
  }

  #nowMs(): number {
    return this.#parts.env.clock.monoMs()
  }

  /** Shares one request among all callers that need the same token at the same time. */
  #refresh(secret: string): Promise<KeptToken> {
    const asking = this.#asking.get(secret)
    if (asking !== undefined) return asking
    const begun = this.#ask(secret)
    this.#asking.set(secret, begun)
    return begun
  }

  async #ask(secret: string): Promise<KeptToken> {
    let askedMs = this.#nowMs()
    let told = await this.#parts.ask(secret)
    while (!told.ok && this.#search.goesOn(told.error)) {
      await this.#search.pause()
      askedMs = this.#nowMs()
      told = await this.#parts.ask(secret)
    }
    if (isAnswer(told)) this.#isOut = false
    const before = this.#kept.get(secret)
    const kept = this.#taken(secret, told, askedMs)
    kept.since = sameOutcome(before?.outcome, kept.outcome)
      ? (before?.since ?? noChange)
      : (this.#parts.stateIndex?.() ?? noChange)
    this.#kept.set(secret, kept)
    this.#asking.delete(secret)
    this.#followers.check(secret)
    return kept
  }

  #taken(secret: string, told: Result<ToldRights, Failure>, askedMs: number): KeptToken {
    const before = this.#kept.get(secret)
    if (told.ok) return this.#good(before, told.value, askedMs)
    const failure = told.error
    if (failure.kind === 'access-control-off') {
      this.#disabledUntilMs = this.#nowMs() + disabledTtlMs
      return { ...nothingKnown, outcome: off, asOfMs: askedMs, untilMs: this.#disabledUntilMs }
    }
    const isTold = failure.kind === 'token-not-found'
    if (isTold) return { ...nothingKnown, outcome: told, asOfMs: askedMs, untilMs: this.#nowMs() + unknownTtlMs }
    return this.#down(before, failure)
  }

  #good(before: KeptToken | undefined, { rights, ageMs }: ToldRights, askedMs: number): KeptToken {
    const isSame = before?.rights !== undefined && sameRights(before.rights, rights)
    const outcome = isSame ? before.outcome : ok(this.#parts.authorizers.of(rights))
    const asOfMs = askedMs - ageMs
    // The answering server could not refresh its own cache: use the answer only briefly.
    const untilMs = Math.max(asOfMs + this.#parts.ttlMs, this.#nowMs() + Math.min(retryMs, this.#parts.ttlMs))
    return { ...nothingKnown, rights, outcome, asOfMs, untilMs }
  }

  #down(before: KeptToken | undefined, failure: Failure): KeptToken {
    const { env, downPolicy, authorizers } = this.#parts
    env.metrics.count('acl.unresolved')
    if (!this.#isOut) {
      env.log.write('warn', 'acl', 'no server can say what the token may do', { downPolicy, why: failure.kind })
    }
    this.#isOut = true
    const now = { failure, failedMs: this.#nowMs(), hopes: this.#hopes }
    const isKept = downPolicy === 'extend-cache' || downPolicy === 'async-cache'
    if (isKept && before !== undefined) return { ...before, ...now }
    const outcome = ok(authorizers.allOrNothing(downPolicy === 'allow' ? 'allow' : 'deny'))
    const isSame = before?.rights === undefined && before?.failure !== undefined && before.outcome.ok
    return { ...nothingKnown, outcome: isSame ? before.outcome : outcome, untilMs: 0, ...now }
  }
}

/** Whether a server has answered, be it that there is no such token or no access control. */
function isAnswer(told: Result<ToldRights, Failure>): boolean {
  return told.ok || told.error.kind === 'token-not-found' || told.error.kind === 'access-control-off'
}

const off: Result<Authorizer, Failure> = ok(unrestricted)
