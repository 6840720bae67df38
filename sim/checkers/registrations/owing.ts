import { type CheckedRun, checker } from '../checker.ts'
import type { Facts } from '../facts.ts'
import type { NetworkFacts } from '../pool/pool-weather.ts'

/** Clocks of agents differ from true time by at most this share. */
export const clockAllowance = 0.06
/** Timeout of an attempt at a server that does not answer any more. */
const attemptMs = 10_000
/** A failed sync is retried after a second and up to this much more (agent.md#sync-to-the-catalog). */
const retryMs = 16_000
/** Time for the sync itself, and for a look that comes late. */
const slackMs = 2_000
/** The longest interval of full comparisons in a small pool. */
const comparisonMs = 120_000

/**
 * Time limit in which an agent that reaches its leader must have synced its local state. The argument:
 * 1. A change is synced at once. A sync that is under way when contact begins may wait for an attempt at a server that
 *    does not answer any more, until the attempt times out; then it is retried at once.
 * 2. A sync that failed just before is retried after its pause.
 * 3. With contact, nothing fails: each sync sends everything that is due.
 */
const toldWithinUs = (attemptMs + retryMs * (1 + clockAllowance) + slackMs) * 1000

/**
 * A change requested from an agent that has synced everything (`Telling`) is synced before it is acknowledged. A change
 * that the agent finds by itself is synced within two one-way trips of a request. A request that repeats another is
 * answered while that one is synced.
 */
const atOnceMs = 500
const waysAtOnce = 4

/**
 * A difference that the agent does not know of, because it believes it has synced, is found by the next comparison:
 * within this time after a restore.
 */
const comparedWithinUs = (comparisonMs * (1 + clockAllowance) + slackMs) * 1000 + toldWithinUs

/** Since when the catalog has differed from what it must have. */
export class Owing {
  #otherwiseSinceUs: number | undefined
  #restoredUs = Number.NEGATIVE_INFINITY
  readonly #atOnceUs: number

  constructor({ rttMaxMs }: Pick<NetworkFacts, 'rttMaxMs'>) {
    this.#atOnceUs = (atOnceMs + waysAtOnce * rttMaxMs) * 1000
  }

  /** An older state replaced the catalog's. */
  restored(nowUs: number): void {
    this.#restoredUs = nowUs
  }

  isRestored(nowUs: number): boolean {
    return nowUs - this.#restoredUs <= comparedWithinUs
  }

  matches(): void {
    this.#otherwiseSinceUs = undefined
  }

  /**
   * By how much the change is overdue, in microseconds; undefined: it is not. `owedUs`: since when it is owed.
   * `contactUs`: since when the agent reaches a leader; undefined: it does not. `isAtOnce`: the agent had synced
   * everything before the request.
   */
  overdueUs(
    nowUs: number,
    { owedUs, contactUs, isAtOnce }: { owedUs: number; contactUs: number | undefined; isAtOnce: boolean },
  ): number | undefined {
    this.#otherwiseSinceUs ??= nowUs
    if (contactUs === undefined || this.isRestored(nowUs)) return undefined
    const sinceUs = isAtOnce ? owedUs : Math.max(owedUs, contactUs, this.#otherwiseSinceUs)
    const lateUs = nowUs - sinceUs - (isAtOnce ? this.#atOnceUs : toldWithinUs)
    return lateUs > 0 ? lateUs : undefined
  }
}

/**
 * Agents that sync with the catalog, and those that have synced everything since they are in contact. An agent that was
 * asked to leave sends nothing to the catalog any more, so that its removed node does not reappear
 * (agent.md#put-v1-agent-leave): until its next process it counts as out of contact here, although it still answers
 * requests. Once a service that was requested in contact, with unique content, is in the catalog, a sync has succeeded,
 * and a sync sends everything that is due. From then on nothing waits for a retry, and nothing fails while contact
 * lasts.
 */
export class Telling {
  readonly #contactSinceUs: CheckedRun['contactSinceUs']
  readonly #leaving = new Set<string>()
  /** By agent: which contact it was, and when everything was synced. */
  readonly #told = new Map<string, { readonly contactUs: number; readonly atUs: number }>()

  constructor({ contactSinceUs }: Pick<CheckedRun, 'contactSinceUs'>) {
    this.#contactSinceUs = contactSinceUs
  }

  asked(node: string, why: Facts['removal allowed']['why']): void {
    if (why === 'left') this.#leaving.add(node)
  }

  began(node: string): void {
    this.#leaving.delete(node)
  }

  /** Since when the agent can sync; undefined: it cannot. */
  contactSinceUs(node: string): number | undefined {
    return this.#leaving.has(node) ? undefined : this.#contactSinceUs(node)
  }

  told(node: string, contactUs: number, atUs: number): void {
    if (this.#told.get(node)?.contactUs !== contactUs) this.#told.set(node, { contactUs, atUs })
  }

  isAtOnce(node: string, contactUs: number | undefined, askedUs: number): boolean {
    const told = this.#told.get(node)
    return told !== undefined && told.contactUs === contactUs && told.atUs <= askedUs
  }
}

export const telling = checker({
  codes: {},
  make: (run) => new Telling(run),
  takes: {
    'removal allowed': (it, { node, why }) => it.asked(node, why),
    'process began': (it, { node }) => it.began(node),
  },
})
