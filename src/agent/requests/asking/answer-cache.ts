import type { Authorizer } from '../../../access/authorizer.ts'
import { err, ok, type Result } from '../../../base/result.ts'
import type { Env } from '../../../env/env.ts'
import type { CallOptions, Freshness } from '../../../features/contract/call.ts'
import type { QueryEndpoint } from '../../../features/contract/endpoint.ts'
import type { Answer, CachedAnswer, ReadOptions } from '../../../features/contract/reading.ts'
import type { Failure } from '../../../model/failure.ts'
import { blockingWaitMaxMs } from '../../../model/limits.ts'
import { type ModifyIndex, noChange } from '../../../model/log-position.ts'
import { waitOf } from '../request.ts'
import { SelectionsBudget } from '../serving/selections.ts'
import type { Calls } from './calls.ts'
import { type AnswerOwner, isRefusal, KeptAnswer } from './kept-answer.ts'

/** Beyond one of these, the answers that were not requested for the longest time are dropped. */
export interface AnswerBounds {
  /** Maximum number of cached answers. Each has one blocking read under way. */
  readonly answersMax: number
  /** Limit of the memory for answers, their keys and their encoded forms, as estimated by `memoryOf`. */
  readonly bytesMax: number
  /** Limit of that for what callers select of answers by filters. */
  readonly selectionBytesMax: number
}

const defaultBounds: AnswerBounds = { answersMax: 1_024, bytesMax: 64 << 20, selectionBytesMax: 16 << 20 }

/** Estimated bytes of a cached answer besides its value and its key: its blocking read, with timers and promises. */
const answerBytes = 2_048

type Query = Pick<Calls, 'query' | 'tokenOf'>
/** The rights of a call's token, as far as this agent knows them. */
type RightsOf = (call: CallOptions) => Promise<Result<Authorizer, Failure>>

/**
 * Caches answers for callers that pass `?cached`, and refreshes each by a blocking read that is always under way. The
 * cache key is the whole request, tags included: the field's own cache once ignored them. With access control on, a
 * cached answer is served only while its token keeps the rights that it was requested with, so that a caller whose
 * rights were revoked does not get from here what the servers would refuse.
 */
export class AnswerCache {
  readonly #env: Env
  readonly #calls: Query
  readonly #rightsOf: RightsOf | undefined
  /** In order of the last request, the oldest first. */
  readonly #kept = new Map<string, KeptAnswer>()
  readonly #bounds: AnswerBounds
  readonly #selections: SelectionsBudget
  readonly #owner: AnswerOwner
  #bytes = 0

  /** `rightsOf` absent: access control is off. */
  constructor(env: Env, calls: Query, rightsOf?: RightsOf, bounds: Partial<AnswerBounds> = {}) {
    this.#env = env
    this.#calls = calls
    this.#rightsOf = rightsOf
    this.#bounds = { ...defaultBounds, ...bounds }
    this.#selections = new SelectionsBudget(this.#bounds.selectionBytesMax)
    this.#owner = { selections: this.#selections, charge: (bytes, by) => this.#charge(bytes, by) }
  }

  /** Number of cached answers, and their estimated memory. */
  get size(): { readonly answers: number; readonly bytes: number; readonly selectionBytes: number } {
    return { answers: this.#kept.size, bytes: this.#bytes, selectionBytes: this.#selections.bytes }
  }

  stop(): void {
    for (const key of [...this.#kept.keys()]) this.#drop(key)
  }

  /**
   * Returns the cached answer if it is as fresh as the caller demands; otherwise asks any server and caches the answer.
   */
  async get<Args, Reply>(
    endpoint: QueryEndpoint<Args, Reply>,
    args: Args,
    read: ReadOptions,
    freshness: Freshness,
    options: CallOptions,
  ): Promise<Result<CachedAnswer<Reply>, Failure>> {
    // An answer that every caller may read is one answer for all, also for a caller with an unknown token.
    const isOpen = endpoint.access.kind === 'open'
    const token = isOpen ? '' : this.#calls.tokenOf(options)
    // An answer filtered for one token must not reach another.
    const key = JSON.stringify([endpoint.method, read.datacenter, args, token])
    const rightsOf = isOpen ? undefined : this.#rightsOf
    const rights = await rightsOf?.(options)
    if (rights?.ok === false) return rights
    const found = this.#kept.get(key)
    const known = found?.authorizer === rights?.value ? found : undefined
    if (
      known !== undefined &&
      !freshness.revalidate &&
      known.ageMs() <= (freshness.maxAgeMs ?? Number.POSITIVE_INFINITY)
    ) {
      this.#askedFor(key, known)
      if (read.minIndex === noChange || known.answer.meta.index > read.minIndex) return given(known)
      await known.next(read.minIndex, waitOf(read), options)
      // The rights may have changed while the caller waited: then the cached answer is not for it, and it asks anew.
      const later = await rightsOf?.(options)
      if (later?.ok === false) return later
      if (later?.value === known.authorizer) return given(known)
      return this.get(endpoint, args, { ...read, minIndex: noChange }, freshness, options)
    }
    const asked = await this.#calls.query(endpoint, args, { ...read, consistency: 'stale', maxStaleMs: 0 }, options)
    if (!asked.ok) {
      if (isRefusal(asked.error)) {
        this.#drop(key)
        return asked
      }
      const bearable = known !== undefined && known.ageMs() <= (freshness.staleIfErrorMs ?? -1)
      if (!bearable) return asked
      // While this caller asked in vain, the token may have lost its rights, which another read learned.
      const later = await rightsOf?.(options)
      if (later?.ok === false) return later
      return later?.value === known.authorizer ? given(known) : asked
    }
    const question = { endpoint: endpoint as QueryEndpoint, args, datacenter: read.datacenter, token }
    this.#keep(key, question, asked.value, rights?.value)
    return ok({ answer: asked.value, hit: false, ageMs: 0 })
  }

  #keep(
    key: string,
    { endpoint, args, datacenter, token }: Question,
    answer: Answer<unknown>,
    authorizer: Authorizer | undefined,
  ): void {
    const known = this.#kept.get(key)
    if (known !== undefined && known.authorizer === authorizer) {
      // In this order, because an answer that is too large is dropped.
      this.#askedFor(key, known)
      known.offer(answer)
      return
    }
    // What is kept was given for other rights: even where it is newer, it must not stay.
    this.#drop(key)
    for (const oldest of this.#kept.keys()) {
      if (this.#kept.size < this.#bounds.answersMax) break
      this.#drop(oldest)
    }
    const read = { consistency: 'stale' as const, minIndex: 1, waitMs: blockingWaitMaxMs, maxStaleMs: 0, datacenter }
    const refresh = (minIndex: ModifyIndex, options: CallOptions) =>
      this.#calls.query(endpoint, args, { ...read, minIndex }, { ...options, token })
    const kept = new KeptAnswer(this.#env, answer, refresh, authorizer, this.#owner)
    this.#kept.set(key, kept)
    this.#charge(answerBytes + key.length * 2, kept)
    kept.enter()
    this.#env.detach(
      kept.keepFresh().then(() => {
        if (this.#kept.get(key) === kept) this.#drop(key)
      }),
    )
  }

  /** For an answer that alone is too large, no other is dropped. */
  #charge(bytes: number, by: KeptAnswer): void {
    by.bytes += bytes
    this.#bytes += bytes
    const { bytesMax } = this.#bounds
    for (const [key, kept] of this.#kept) {
      if (this.#bytes <= bytesMax) return
      if (kept === by || by.bytes <= bytesMax) this.#drop(key)
    }
  }

  #drop(key: string): void {
    const kept = this.#kept.get(key)
    if (kept === undefined) return
    this.#kept.delete(key)
    kept.stop()
    this.#bytes -= kept.bytes
    kept.bytes = 0
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

function given<Reply>(kept: KeptAnswer): Result<CachedAnswer<Reply>, Failure> {
  return kept.refusal === undefined ? ok(hit(kept) as CachedAnswer<Reply>) : err(kept.refusal)
}

function hit(kept: KeptAnswer): CachedAnswer<unknown> {
  return { answer: kept.answer, hit: true, ageMs: kept.ageMs() }
}
