import type { Query } from '../api/client.ts'
import type { Answer, Failure } from '../api/failure.ts'
import type { Slot } from './slots.ts'

/** What is known of one question to the API at a moment. */
export interface Known<T> {
  /** The last answer; undefined before the first, and after a refusal. */
  readonly value: T | undefined
  /** Why the last attempt has no answer. With a value, that value may be out of date. */
  readonly failure: Failure | undefined
  /** Grows with every answer, also with one that changes nothing. */
  readonly answers: number
}

export interface FollowOptions<T> {
  readonly query: Query
  /** `ended`: aborts the request, which waits in a connection that the page needs. */
  ask(query: Query, ended: AbortSignal | undefined): Promise<Answer<T>>
  show(known: Known<T>): void
  /** Resolves after that time, or when there is reason to ask at once. */
  pause(ms: number): Promise<void>
  isOver(): boolean
  /** Takes one of the connections that may wait; undefined: none is free, so the question is asked without waiting. */
  take(): Slot | undefined
  /** Between requests that do not block. */
  readonly everyMs?: number
}

/** Between two requests of one question, however soon an answer comes. */
const betweenMs = 500
/** After a failure that may pass, and between requests that do not block. */
const retryMs = 3_000
/** After a refusal, which only another token, or a change of its rights, takes back. */
const refusedMs = 30_000

/**
 * Repeats a question until it is over: by blocking queries where the answer has an index, else by asking again. A refusal
 * drops what was shown, because it was read with other rights.
 */
export async function follow<T>(options: FollowOptions<T>): Promise<void> {
  const { query, ask, show, pause, isOver, take, everyMs = retryMs } = options
  let index: string | undefined
  let last: T | undefined
  let lastText: string | undefined
  let answers = 0
  while (!isOver()) {
    const slot = index === undefined ? undefined : take()
    const answer = await ask(
      index === undefined || slot === undefined ? query : { ...query, index, wait: '60s' },
      slot?.ended,
    )
    slot?.giveBack()
    if (isOver()) return
    if (!answer.ok && slot?.ended.aborted === true) {
      // Nothing has failed, so it waits for the same index again.
      await pause(everyMs)
      continue
    }
    answers++
    if (!answer.ok) {
      const { failure } = answer
      const mayPass = failure.kind === 'unreachable' || failure.kind === 'no-leader' || failure.kind === 'absent'
      if (!mayPass || failure.kind === 'absent') [last, lastText] = [undefined, undefined]
      show({ value: last, failure, answers })
      index = undefined
      await pause(mayPass ? retryMs : refusedMs)
      continue
    }
    // Equal answers are not shown again, so that a selection or the focus in the page stays.
    const text = JSON.stringify(answer.value)
    if (text !== lastText) [last, lastText] = [answer.value, text]
    show({ value: last, failure: undefined, answers })
    const next = nextIndex(index, answer.index)
    const isPolled = answer.index === undefined || (index !== undefined && slot === undefined)
    await pause(isPolled ? everyMs : betweenMs)
    index = next
  }
}

/** Undefined if the index fell or is not one: the next question does not wait, because the index waited for may never come. */
function nextIndex(before: string | undefined, told: string | undefined): string | undefined {
  const next = Number(told ?? 0)
  return next > 0 && next >= Number(before ?? 0) ? String(next) : undefined
}
