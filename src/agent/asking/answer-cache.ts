import type { Authorizer } from '../../access/authorizer.ts'
import { err, ok, type Result } from '../../base/result.ts'
import type { Env } from '../../env/env.ts'
import type { CallOptions, Freshness } from '../../features/contract/call.ts'
import type { Answer, CachedAnswer, ReadOptions } from '../../features/contract/reading.ts'
import type { QueryEndpoint } from '../../features/contract/server-context.ts'
import type { Failure } from '../../model/failure.ts'
import { blockingWaitMaxMs } from '../../model/limits.ts'
import { waitOf } from '../serving/request.ts'
import type { Calls } from './calls.ts'

/** Answers kept; for one more, the longest unasked goes. Each has one blocking read under way. */
const answersMax = 1_024
/** An answer that no caller has requested for this long is dropped. Reference: http-reads.md#background-refresh. */
const unaskedMaxMs = 72 * 3_600_000
/** Pause after a refresh that failed, doubled with each further one. */
const retryMinMs = 1_000
const retryMaxMs = 60_000

type Query = Pick<Calls, 'query' | 'tokenOf'>
/** What the token of a call may do, by this agent's own knowledge. */
type RightsOf = (call: CallOptions) => Promise<Result<Authorizer, Failure>>

/**
 * Answers that an agent keeps for callers who say `?cached`, and keeps fresh: each by a blocking read that is always under
 * way. What is kept is known by the whole question, tags included: the field's own cache once forgot them. Where access
 * control is on, an answer is given again only as long as its token has the rights that it was asked for with: whoever has
 * lost them must not have it from here while the servers would refuse it.
 */
export class AnswerCache {
  readonly #env: Env
  readonly #calls: Query
  readonly #rightsOf: RightsOf | undefined
  /** The longest unasked first. */
  readonly #kept = new Map<string, KeptAnswer>()

  /** `rightsOf` absent: access control is off. */
  constructor(env: Env, calls: Query, rightsOf?: RightsOf) {
    this.#env = env
    this.#calls = calls
    this.#rightsOf = rightsOf
  }

  get size(): number {
    return this.#kept.size
  }

  stop(): void {
    for (const kept of this.#kept.values()) kept.stop()
    this.#kept.clear()
  }

  /** From what is kept, where that is as fresh as the caller wants; else asked for, of any server, and kept. */
  async get<Args, Reply>(
    endpoint: QueryEndpoint<Args, Reply>,
    args: Args,
    read: ReadOptions,
    freshness: Freshness,
    options: CallOptions,
  ): Promise<Result<CachedAnswer<Reply>, Failure>> {
    const token = this.#calls.tokenOf(options)
    // What one token may see is not for the others.
    const key = JSON.stringify([endpoint.method, read.datacenter, args, token])
    const rights = await this.#rightsOf?.(options)
    if (rights?.ok === false) return rights
    const found = this.#kept.get(key)
    const known = found?.authorizer === rights?.value ? found : undefined
    if (
      known !== undefined &&
      !freshness.revalidate &&
      known.ageMs() <= (freshness.maxAgeMs ?? Number.POSITIVE_INFINITY)
    ) {
      this.#askedFor(key, known)
      if (known.answer.meta.index > read.minIndex) return given(known)
      await known.next(waitOf(read), options)
      // Its rights may be others than before it waited: then what is kept is not for it, and it asks anew.
      const later = await this.#rightsOf?.(options)
      if (later?.ok === false) return later
      if (later?.value === known.authorizer) return given(known)
      return this.get(endpoint, args, { ...read, minIndex: 0 }, freshness, options)
    }
    const asked = await this.#calls.query(endpoint, args, { ...read, consistency: 'stale', maxStaleMs: 0 }, options)
    if (!asked.ok) {
      if (isRefusal(asked.error)) {
        this.#drop(key)
        return asked
      }
      const bearable = known !== undefined && known.ageMs() <= (freshness.staleIfErrorMs ?? -1)
      return bearable ? ok(hit(known) as CachedAnswer<Reply>) : asked
    }
    const question = { endpoint: endpoint as QueryEndpoint, args, datacenter: read.datacenter, token }
    const kept = this.#keep(key, question, asked.value)
    kept.authorizer = rights?.value
    return ok({ answer: asked.value, hit: false, ageMs: 0 })
  }

  #keep(key: string, { endpoint, args, datacenter, token }: Question, answer: Answer<unknown>): KeptAnswer {
    const known = this.#kept.get(key)
    if (known !== undefined) {
      known.take(answer)
      this.#askedFor(key, known)
      return known
    }
    for (const [oldest, kept] of this.#kept) {
      if (this.#kept.size < answersMax) break
      kept.stop()
      this.#kept.delete(oldest)
    }
    const read = { consistency: 'stale' as const, minIndex: 1, waitMs: blockingWaitMaxMs, maxStaleMs: 0, datacenter }
    const refresh = (minIndex: number, options: CallOptions) =>
      this.#calls.query(endpoint, args, { ...read, minIndex }, { ...options, token })
    const kept = new KeptAnswer(this.#env, answer, refresh)
    this.#kept.set(key, kept)
    this.#env.detach(
      kept.keepFresh().then(() => {
        if (this.#kept.get(key) === kept) this.#kept.delete(key)
      }),
    )
    return kept
  }

  #drop(key: string): void {
    this.#kept.get(key)?.stop()
    this.#kept.delete(key)
  }

  #askedFor(key: string, kept: KeptAnswer): void {
    kept.lastAskedMs = this.#env.clock.monoMs()
    this.#kept.delete(key)
    this.#kept.set(key, kept)
  }
}

interface Question {
  readonly endpoint: QueryEndpoint
  readonly args: unknown
  readonly datacenter: string
  readonly token: string
}

/** The token may not have this (any more): what is kept for it is not for it either. */
function isRefusal({ kind }: Failure): boolean {
  return kind === 'permission-denied' || kind === 'token-not-found'
}

function given<Reply>(kept: KeptAnswer): Result<CachedAnswer<Reply>, Failure> {
  return kept.refusal === undefined ? ok(hit(kept) as CachedAnswer<Reply>) : err(kept.refusal)
}

function hit(kept: KeptAnswer): CachedAnswer<unknown> {
  return { answer: kept.answer, hit: true, ageMs: kept.ageMs() }
}

type Refresh = (minIndex: number, options: CallOptions) => Promise<Result<Answer<unknown>, Failure>>

class KeptAnswer {
  readonly #env: Env
  readonly #refresh: Refresh
  readonly #waiting = new Set<() => void>()
  #stopped = false
  /** Ends the blocking read, or the pause, that is under way. */
  #interrupt: (() => void) | undefined
  /** Since when the answer may have been another without our knowing; undefined while a blocking read is under way. */
  #inDoubtSinceMs: number | undefined
  answer: Answer<unknown>
  lastAskedMs: number
  /** What its token might do when it was asked for last; undefined where access control is off. */
  authorizer: Authorizer | undefined
  /** Why it is kept no longer. */
  refusal: Failure | undefined

  constructor(env: Env, answer: Answer<unknown>, refresh: Refresh) {
    this.#env = env
    this.#refresh = refresh
    this.answer = answer
    this.lastAskedMs = env.clock.monoMs()
  }

  ageMs(): number {
    return this.#inDoubtSinceMs === undefined ? 0 : this.#env.clock.monoMs() - this.#inDoubtSinceMs
  }

  take(answer: Answer<unknown>): void {
    this.answer = answer
    if (this.#inDoubtSinceMs !== undefined) this.#inDoubtSinceMs = this.#env.clock.monoMs()
    for (const wake of [...this.#waiting]) wake()
  }

  /** Until there is another answer, for at most this long. */
  next(waitMs: number, options: CallOptions): Promise<void> {
    const deferred = this.#env.deferred<void>()
    const end = (): void => {
      timer.close()
      this.#waiting.delete(end)
      deferred.resolve()
    }
    const timer = this.#env.timers.after(waitMs, end)
    this.#waiting.add(end)
    options.onAbort?.(end)
    return deferred.promise
  }

  stop(): void {
    this.#stopped = true
    this.#interrupt?.()
    for (const wake of [...this.#waiting]) wake()
  }

  /** Until it is stopped, nobody has asked for it for long, or its token may not have it any more. */
  async keepFresh(): Promise<void> {
    let retryMs = retryMinMs
    while (!this.#stopped && this.#env.clock.monoMs() - this.lastAskedMs < unaskedMaxMs) {
      const since = this.#env.clock.monoMs()
      const next = await this.#refresh(this.answer.meta.index, {
        onAbort: (use) => {
          this.#interrupt = use
          if (this.#stopped) use()
        },
      })
      if (this.#stopped) return
      if (!next.ok && isRefusal(next.error)) {
        this.refusal = next.error
        this.stop()
        return
      }
      if (next.ok) {
        this.#inDoubtSinceMs = undefined
        retryMs = retryMinMs
        // Lower after a restore: it is taken as it is.
        this.take(next.value)
        continue
      }
      this.#inDoubtSinceMs ??= since
      await this.#pause(retryMs)
      retryMs = Math.min(retryMs * 2, retryMaxMs)
    }
  }

  #pause(pauseMs: number): Promise<void> {
    const deferred = this.#env.deferred<void>()
    const timer = this.#env.timers.after(pauseMs, () => deferred.resolve())
    this.#interrupt = () => {
      timer.close()
      deferred.resolve()
    }
    return deferred.promise
  }
}
