import { type Judge, law } from '../checker.ts'

/** What an observer holds of a member: the status, and the Lamport time of the intent from which it follows. */
export interface Held {
  readonly status: string
  readonly statusTime: number
}

/**
 * M13. The newest intent counts (Lamport, 1978):
 * 1. The time of a member's status never falls. A living member counts as leaving, or no longer as leaving, and a failed
 *    one as left, only by an intent that is newer than what is known: an intent that comes late, or twice, changes
 *    nothing.
 * 2. An agent that stays, and is told that it leaves, or of an intent of its own that it has not made, answers with a
 *    newer one. Otherwise, others would consider it to be leaving for ever.
 * 3. The intents that an agent declares are newer than all that it has heard.
 */
export class StatusTimes {
  readonly #judge: Judge<{ M13: never }>

  constructor(judge: Judge<{ M13: never }>) {
    this.#judge = judge
  }

  /** `needsNewer`: this change of the status must be that of a newer intent. */
  changed(observer: string, name: string, before: Held, now: Held, needsNewer: boolean): void {
    this.#judge.judged('M13')
    const isNewer = now.statusTime > before.statusTime
    if (now.statusTime >= before.statusTime && (isNewer || !needsNewer)) return
    this.#judge.report(
      'M13',
      `${observer} knew ${name} as ${before.status} at time ${before.statusTime}, and now as ${now.status} at ${now.statusTime}`,
    )
  }

  /** An observer that stays has heard of an intent of its own at this time. */
  heardOfSelf(observer: string, kind: 'join' | 'leave', lamport: number, own: number): void {
    this.#judge.judged('M13')
    if (kind === 'leave' ? own > lamport : own >= lamport) return
    this.#judge.report('M13', `${observer} hears at time ${lamport} of its own intent to ${kind}, and stays at ${own}`)
  }

  /** An observer declares an intent. `latest`: the latest time of which it had heard before. */
  declared(observer: string, name: string, lamport: number, latest: number): void {
    this.#judge.judged('M13')
    if (lamport > latest) return
    this.#judge.report(
      'M13',
      `${observer} declares an intent of ${name} at time ${lamport}, after it has heard of ${latest}`,
    )
  }
}

export const statusTimes = law(
  {
    M13: {
      text: 'intents: only a newer intent changes whether a member leaves, an agent that stays outdoes the claim that it leaves, and its intents are newer than all it has heard',
      sources: ['docs/reference/agent.md#member-status', 'src/gossip/core/README.md, 3'],
      evidence: ['members'],
      judges: ['change or intent', 'changes and intents'],
    },
  },
  (judge) => new StatusTimes(judge),
)
