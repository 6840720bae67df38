import { checker } from '../checker.ts'
import type { NetworkFacts } from '../pool/pool-weather.ts'

/** Clocks of agents differ from true time by at most this share. */
export const clockAllowance = 0.06
/** An attempt at a server that answers no more is given up after this. */
const attemptMs = 10_000
/** A failed sync is tried again after a second and up to this much more (agent.md#sync-to-the-catalog). */
const retryMs = 16_000
/** For the pass itself, and for a look that comes late. */
const slackMs = 2_000
/** The longest interval of full comparisons in a small pool. */
const comparisonMs = 120_000

/**
 * Time in which an agent that reaches its leader must have told what it holds. The argument:
 * 1. What changes is told at once. A pass that is under way when contact begins may wait for an attempt at a server
 *    that answered no more: until that is given up, and then it is tried at once.
 * 2. A pass that failed just before is tried again after its pause.
 * 3. With contact nothing fails: each pass tells everything that is due.
 */
const toldWithinUs = (attemptMs + retryMs * (1 + clockAllowance) + slackMs) * 1000

/**
 * What is asked for of an agent that has told everything (`Telling`) is told before it is acknowledged; what it finds
 * by itself is told in two ways of a request. A request that repeats another is answered while that one is told.
 */
const atOnceMs = 500
const waysAtOnce = 4

/**
 * What is not told because the agent believes it told is found by the next comparison: within this time after a
 * restore.
 */
const comparedWithinUs = (comparisonMs * (1 + clockAllowance) + slackMs) * 1000 + toldWithinUs

/** Since when the catalog has been otherwise than it must be. */
export class Owing {
  #otherwiseSinceUs: number | undefined
  #restoredUs = Number.NEGATIVE_INFINITY
  readonly #atOnceUs: number

  constructor({ rttMaxMs }: Pick<NetworkFacts, 'rttMaxMs'>) {
    this.#atOnceUs = (atOnceMs + waysAtOnce * rttMaxMs) * 1000
  }

  /** An older state took the place of the catalog's. */
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
   * By how much it is overdue, in microseconds; undefined: it is not. `owedUs`: since when it is owed. `contactUs`:
   * since when the agent reaches a leader; undefined: it does not. `isAtOnce`: it had told everything before it was
   * asked.
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
 * Agents that have told the catalog everything since they are in contact. A service that was asked for in contact, in
 * words that no other has, is in the catalog: so a pass has succeeded, and a pass tells all that is due. From then on
 * nothing waits for a retry, and as long as contact lasts nothing fails.
 */
export class Telling {
  /** By agent: which contact it was, and when it had told everything. */
  readonly #told = new Map<string, { readonly contactUs: number; readonly atUs: number }>()

  told(node: string, contactUs: number, atUs: number): void {
    if (this.#told.get(node)?.contactUs !== contactUs) this.#told.set(node, { contactUs, atUs })
  }

  isAtOnce(node: string, contactUs: number | undefined, askedUs: number): boolean {
    const told = this.#told.get(node)
    return told !== undefined && told.contactUs === contactUs && told.atUs <= askedUs
  }
}

export const telling = checker({ codes: {}, make: () => new Telling() })
