import { textOf } from '../../base/bytes.ts'
import type { Json } from '../../base/json.ts'
import { writeJson } from '../../base/json.ts'
import { parseJsonInput, plainOf } from '../../base/json-input.ts'
import { err, ok, type Result } from '../../base/result.ts'
import type { Closable } from '../../env/async.ts'
import type { Env } from '../../env/env.ts'
import { parseUint } from '../http/read-options.ts'
import type { WatchPlan } from './model.ts'

/** An answer of the HTTP API. */
export interface WatchAnswer {
  readonly status: number
  /** From the index header. */
  readonly index: string | undefined
  /** From the header with the content hash. */
  readonly hash?: string | undefined
  readonly body: Uint8Array
}

/** Sends one request of a watch. The error is one line. */
export type WatchAsk = (
  query: WatchPlan['query'],
  onAbort: (use: () => void) => void,
) => Promise<Result<WatchAnswer, string>>

export interface WatchOptions {
  readonly plan: WatchPlan
  readonly ask: WatchAsk
  /** The longest wait of one request, as text with a unit. */
  readonly wait: string
  /** Called with the first answer and after each change, one call at a time. */
  handle(change: WatchChange): Promise<void>
  /** A request has failed, and will be sent again. */
  failed(why: string): void
}

export interface WatchChange {
  /** 0 if there is none. */
  readonly index: bigint
  /** Empty if there is none. */
  readonly hash: string
  readonly value: Json
}

/** After the n-th failure in a row the pause is n times n times this, at most `failurePauseMaxMs`. */
const failurePauseMs = 5_000
const failurePauseMaxMs = 180_000
/** Pause after a request that did not wait: an agent that answers at once must not be asked without a pause. */
const hurryPauseMs = 1_000

/** Parses one answer. */
export function readAnswer(plan: WatchPlan, answer: WatchAnswer): Result<WatchChange, string> {
  const { status, body } = answer
  const absent = status === 404 && plan.mayBeAbsent
  if (status !== 200 && !absent) return err(`Unexpected response code: ${status}${reasonOf(body)}`)
  // Not bounded as a request is: an answer has as many entries as there are.
  const read = absent ? ok(null) : parseJsonInput(body)
  if (!read.ok) return err('the answer is not JSON')
  const index = parseUint(answer.index ?? '')
  const whole = plainOf(read.value) as Json
  const value = plan.shows === 'first' && Array.isArray(whole) ? (whole[0] ?? null) : whole
  return ok({ index: index.ok ? index.value : 0n, hash: answer.hash ?? '', value: value as Json })
}

/** Maximum number of bytes shown of an unexpected answer. */
const reasonBytesMax = 512

function reasonOf(body: Uint8Array): string {
  const reason = textOf(body.subarray(0, reasonBytesMax)).trim().replace(/\s+/g, ' ')
  return reason === '' ? '' : ` (${reason})`
}

/**
 * Repeats a blocking request, and reports each change. If the index falls (an older state was restored, or another
 * release counts differently), it starts again without an index, so that no change is missed; the answer is then
 * reported only if it differs from the last reported one. So it does after a failed request: what answers the next one
 * may have begun anew meanwhile, and would not answer until its index is the old one.
 */
export class Watching implements Closable {
  readonly #env: Env
  readonly #options: WatchOptions
  #index = 0n
  #hash = ''
  /** The last reported answer. */
  #told: string | undefined
  /** The last reported event. */
  #lastEvent: string | undefined
  #failures = 0
  #closed = false
  #wake: (() => void) | undefined
  #abort: (() => void) | undefined

  constructor(env: Env, options: WatchOptions) {
    this.#env = env
    this.#options = options
    env.detach(this.#run())
  }

  close(): void {
    this.#closed = true
    this.#abort?.()
    this.#wake?.()
  }

  async #run(): Promise<void> {
    while (!this.#closed) {
      const pauseMs = await this.#askOnce()
      if (pauseMs > 0 && !this.#closed) await this.#pause(pauseMs)
    }
  }

  /** Returns the pause before the next request. */
  async #askOnce(): Promise<number> {
    const { plan, ask } = this.#options
    const answer = await ask([...plan.query, ...this.#waiting()], (use) => {
      this.#abort = use
    })
    this.#abort = undefined
    if (this.#closed) return 0
    const read = answer.ok ? readAnswer(plan, answer.value) : answer
    if (!read.ok) {
      this.#failures++
      this.#index = 0n
      this.#options.failed(read.error)
      return Math.min(failurePauseMs * this.#failures * this.#failures, failurePauseMaxMs)
    }
    this.#failures = 0
    return plan.waitsBy === 'hash' ? this.#takeByHash(read.value) : this.#takeByIndex(read.value)
  }

  /** Parameters for an answer that is not known yet. */
  #waiting(): WatchPlan['query'] {
    const { plan, wait } = this.#options
    const known = plan.waitsBy === 'hash' ? this.#hash : String(this.#index || '')
    return known === '' ? [] : [[plan.waitsBy, known] as const, ['wait', wait] as const]
  }

  async #takeByHash(change: WatchChange): Promise<number> {
    this.#hash = change.hash
    await this.#tell(change)
    return change.hash === '' ? hurryPauseMs : 0
  }

  async #takeByIndex(change: WatchChange): Promise<number> {
    const { plan } = this.#options
    const { index } = change
    // The wait is over without a change.
    if (index === this.#index && index !== 0n) return 0
    const fell = plan.shows !== 'news' && index < this.#index
    this.#index = fell ? 0n : index
    await this.#tell(change)
    // Without an index the next request cannot wait.
    return fell || index === 0n ? hurryPauseMs : 0
  }

  async #tell(change: WatchChange): Promise<void> {
    const value = this.#options.plan.shows === 'news' ? this.#news(change.value) : change.value
    const text = writeJson(value, false)
    if (text === this.#told) return
    this.#told = text
    if (this.#options.plan.shows === 'news' && text === '[]') return
    await this.#options.handle({ ...change, value })
  }

  /** The events after the last reported one; all of them if that one is no longer in the list. */
  #news(value: Json): Json {
    const events = Array.isArray(value) ? (value as readonly Json[]) : []
    const at = events.findLastIndex((event) => idOf(event) === this.#lastEvent)
    const last = events.at(-1)
    if (last !== undefined) this.#lastEvent = idOf(last)
    return this.#told === undefined ? events : events.slice(at + 1)
  }

  async #pause(ms: number): Promise<void> {
    const deferred = this.#env.deferred<void>()
    const timer = this.#env.timers.after(ms, () => deferred.resolve())
    this.#wake = () => deferred.resolve()
    await deferred.promise
    timer.close()
    this.#wake = undefined
  }
}

function idOf(event: Json): string | undefined {
  if (typeof event !== 'object' || event === null || Array.isArray(event)) return undefined
  const { ID } = event as { readonly ID?: Json }
  return typeof ID === 'string' ? ID : undefined
}
