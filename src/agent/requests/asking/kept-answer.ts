import type { Authorizer } from '../../../access/authorizer.ts'
import { memoryOf } from '../../../base/memory-estimate.ts'
import type { Result } from '../../../base/result.ts'
import type { Env } from '../../../env/env.ts'
import type { CallOptions } from '../../../features/contract/call.ts'
import type { Answer } from '../../../features/contract/reading.ts'
import type { Failure } from '../../../model/failure.ts'
import { type ModifyIndex, noChange } from '../../../model/log-position.ts'
import { membersOf } from '../serving/kept-result.ts'
import { KeptView } from '../serving/kept-view.ts'
import type { SelectionsBudget } from '../serving/selections.ts'
import { Hurry } from './hurry.ts'

/** An answer that no caller has requested for this long is dropped. Reference: http-reads.md#background-refresh. */
const unaskedMaxMs = 72 * 3_600_000
/** Pause after a failed refresh, doubled with each further failure. */
const retryMinMs = 1_000
const retryMaxMs = 60_000
/** Estimated bytes of each item in an answer that this agent made itself, whose rows its state holds anyway. */
const ownMemberBytes = 256

/** The token has no right to this answer, or has lost it: neither may it get the cached one. */
export function isRefusal({ kind }: Failure): boolean {
  return kind === 'permission-denied' || kind === 'token-not-found'
}

type Refresh = (minIndex: ModifyIndex, options: CallOptions) => Promise<Result<Answer<unknown>, Failure>>

/** The cache that holds the answer. */
export interface AnswerOwner {
  readonly selections: SelectionsBudget
  /** Counts memory of an answer, and may drop answers for it, this one as well. */
  charge(bytes: number, by: KeptAnswer): void
}

export class KeptAnswer {
  readonly #env: Env
  readonly #refresh: Refresh
  readonly #owner: AnswerOwner
  /** What ends each wait, with the index that its caller has. */
  readonly #waiting = new Map<() => void, ModifyIndex>()
  #stopped = false
  /** Ends the blocking read or the pause that is under way. */
  #interrupt: (() => void) | undefined
  /** The blocking read or the pause that is under way was ended to begin another read. */
  #isToAskAnew = false
  /** Since when the answer may have changed unnoticed; undefined while a blocking read is under way. */
  #inDoubtSinceMs: number | undefined
  /** When the answer was fetched. The blocking read that is under way may have begun before. */
  #fetchedMs: number
  readonly #hurry = new Hurry()
  /** Its encoded forms, if another agent has made it. */
  #view: KeptView | undefined
  /** Estimated memory of the value and its forms. */
  #heldBytes = 0
  answer: Answer<unknown>
  /** Its estimated memory as the cache has counted it. */
  bytes = 0
  lastAskedMs: number
  /** The rights of the token for which it was asked; undefined where access control is off. */
  readonly authorizer: Authorizer | undefined
  /** Why the answer was dropped. */
  refusal: Failure | undefined

  constructor(
    env: Env,
    answer: Answer<unknown>,
    refresh: Refresh,
    authorizer: Authorizer | undefined,
    owner: AnswerOwner,
  ) {
    this.authorizer = authorizer
    this.#env = env
    this.#owner = owner
    this.#refresh = refresh
    this.answer = answer
    this.#fetchedMs = env.clock.monoMs()
    this.lastAskedMs = this.#fetchedMs
  }

  ageMs(): number {
    return this.#inDoubtSinceMs === undefined ? 0 : this.#env.clock.monoMs() - this.#inDoubtSinceMs
  }

  /**
   * Takes the answer to a caller that did not accept the kept one. An earlier one is of a server that is behind, or of a
   * restored state; the index does not tell which. The blocking read that is under way waits for an index beyond that of
   * the later answer, and would leave the earlier one here until the next change: so it begins anew from the earlier
   * one, and a server that was behind answers it as soon as it has caught up.
   */
  offer(answer: Answer<unknown>): void {
    const isEarlier = answer.meta.index < this.answer.meta.index
    if (this.#inDoubtSinceMs !== undefined) this.#inDoubtSinceMs = this.#env.clock.monoMs()
    this.#take(answer, (minIndex) => answer.meta.index > minIndex)
    if (!isEarlier) return
    this.#isToAskAnew = true
    this.#interrupt?.()
  }

  /** Counts the answer with its forms. The cache calls it once, as soon as it can find this answer to drop it. */
  enter(): void {
    this.#hold(this.answer)
  }

  /**
   * The forms of an answer that another agent made are kept in the bounds of the cache: those that came with it live
   * only while it is being sent, and grow with each filter that a caller names.
   */
  #hold(answer: Answer<unknown>): void {
    this.#view?.forget()
    this.#view = undefined
    this.answer = answer
    let bytes = membersOf(answer.value) * ownMemberBytes
    if (answer.standing === undefined) {
      const { value, meta } = answer
      const view = new KeptView(value, (more) => this.#chargeForms(more, view), this.#owner.selections)
      this.#view = view
      this.answer = { value, meta, forms: view }
      bytes = memoryOf(value)
    }
    const more = bytes - this.#heldBytes
    this.#heldBytes = bytes
    this.#owner.charge(more, this)
  }

  #chargeForms(bytes: number, view: KeptView): boolean {
    if (this.#view !== view) return false
    this.#heldBytes += bytes
    this.#owner.charge(bytes, this)
    return this.#view === view
  }

  /** `isFor`: whether a caller that has the answer of this index, and waits for a later one, is answered now. */
  #take(answer: Answer<unknown>, isFor: (minIndex: ModifyIndex) => boolean): void {
    this.#fetchedMs = this.#env.clock.monoMs()
    this.#hold(answer)
    for (const [wake, minIndex] of [...this.#waiting]) if (isFor(minIndex)) wake()
  }

  /** Waits until an answer of a later index is kept, or one of a lower index after a restore; for at most `waitMs`. */
  next(minIndex: ModifyIndex, waitMs: number, options: CallOptions): Promise<void> {
    const deferred = this.#env.deferred<void>()
    const end = (): void => {
      timer.close()
      this.#waiting.delete(end)
      deferred.resolve()
    }
    const timer = this.#env.timers.after(waitMs, end)
    this.#waiting.set(end, minIndex)
    options.onAbort?.(end)
    return deferred.promise
  }

  stop(): void {
    this.#stopped = true
    this.#view?.forget()
    this.#view = undefined
    this.#interrupt?.()
    for (const wake of [...this.#waiting.keys()]) wake()
  }

  /**
   * Runs until it is stopped, no caller has asked for the answer for a long time, or the token has lost the right to
   * it.
   */
  async keepFresh(): Promise<void> {
    let retryMs = retryMinMs
    let hasFailed = false
    while (!this.#stopped && this.#env.clock.monoMs() - this.lastAskedMs < unaskedMaxMs) {
      this.#isToAskAnew = false
      // Servers that were away may come back with lower indexes, or with this answer: a read that waited for a later
      // index would leave an answer in doubt here until the next change.
      const minIndex = hasFailed ? noChange : this.answer.meta.index
      const askedMs = this.#env.clock.monoMs()
      const next = await this.#refresh(minIndex, {
        onAbort: (use) => {
          this.#interrupt = use
          if (this.#stopped || this.#isToAskAnew) use()
        },
      })
      if (this.#stopped) return
      if (!next.ok && isRefusal(next.error)) {
        this.refusal = next.error
        this.stop()
        return
      }
      hasFailed = !next.ok && !this.#isToAskAnew
      if (next.ok) {
        this.#inDoubtSinceMs = undefined
        retryMs = retryMinMs
        // The index falls after a restore: accept it as it is. A caller may have a later index of another agent.
        const { index } = next.value.meta
        const hasFallen = index < this.answer.meta.index
        this.#take(next.value, (waitsFor) => hasFallen || index > waitsFor)
        const pauseMs = this.#hurry.pauseAfter(minIndex, index, this.#env.clock.monoMs() - askedMs)
        if (pauseMs > 0 && !this.#isToAskAnew) await this.#pauseInDoubt(pauseMs)
        continue
      }
      if (this.#isToAskAnew) continue
      await this.#pauseInDoubt(retryMs)
      retryMs = Math.min(retryMs * 2, retryMaxMs)
    }
  }

  /** Meanwhile no read is under way that would notice a change. */
  #pauseInDoubt(pauseMs: number): Promise<void> {
    this.#inDoubtSinceMs ??= this.#fetchedMs
    const deferred = this.#env.deferred<void>()
    const timer = this.#env.timers.after(pauseMs, () => deferred.resolve())
    this.#interrupt = () => {
      timer.close()
      deferred.resolve()
    }
    return deferred.promise
  }
}
