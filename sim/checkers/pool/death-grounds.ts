import { formatDuration } from '../../../src/base/duration.ts'
import type { GossipTiming } from '../../../src/gossip/pool.ts'
import { type Judge, law } from '../checker.ts'

/** What has happened to one member, whatever others consider it to be. */
interface Grounds {
  /** Its incarnations in which some member has waited in vain for a refutation. */
  readonly unrefuted: Set<number>
  /** Its greatest incarnation in which it has itself announced its death. */
  gone: number
  /** Lamport times of its leave intents, sent by itself or by an operator. */
  readonly leaves: Set<number>
}

/** A suspicion that ended in death. */
export interface Suspected {
  /** Number of members that the observer did not consider dead when the suspicion began. */
  readonly members: number
  /** Number of accusers that the observer heard. */
  readonly accusers: number
  /** By the observer's own clock. */
  readonly spanMs: number
  readonly timing: GossipTiming
}

/** Ratio of a suspicion's longest time to its shortest (memberlist: `SuspicionMaxTimeoutMult`). */
const longestToShortest = 6
/** How much the members' arithmetic may cut off: logarithms of 16 binary digits, and whole milliseconds. */
const cutOff = 0.999

/**
 * M10. No member is considered dead without grounds, and none counts as left that has not announced it. The argument:
 * 1. A death begins in one of two ways. Either a member suspects another one, at one incarnation, for the time that the
 *    settings give for a refutation (Lifeguard, section 4.B), and no refutation comes; or the member announces its own
 *    death.
 * 2. Every other member that considers it dead learned that, with the incarnation, from a member that does: by a
 *    message, or by an exchange of states in which both know of its leave. So each incarnation that is considered dead
 *    has an earlier beginning as in 1.
 * 3. A packet accuses only a member that its sender considers suspect or dead: it sends an accusation because it has
 *    one of its own or has received one, and forgets it when it learns that the member is alive.
 * 4. A member has left in the view of those that received its last message, or know of its leave: the time of its
 *    status is then that of a leave intent, its own or an operator's. A member that a hostile one has invented is left
 *    out: the hostile one also says that it leaves.
 */
export class DeathGrounds {
  readonly #judge: Judge<{ M10: never }>
  readonly #of = new Map<string, Grounds>()
  /** Names under which an agent has run. */
  readonly #agents = new Set<string>()

  constructor(judge: Judge<{ M10: never }>) {
    this.#judge = judge
  }

  /** An agent has this name. */
  runs(name: string): void {
    this.#agents.add(name)
  }

  /** The member announces its own death. */
  saidGone(name: string, incarnation: number): void {
    const grounds = this.#grounds(name)
    grounds.gone = Math.max(grounds.gone, incarnation)
  }

  /** The member, or an operator on its behalf, announces that it leaves, at this Lamport time. */
  saidLeaves(name: string, lamport: number): void {
    this.#grounds(name).leaves.add(lamport)
  }

  /** A packet of the observer accuses a member, which it considers to be in this state. */
  accuses(observer: string, name: string, state: 'alive' | 'suspect' | 'dead'): void {
    this.#judge.judged('M10')
    if (state === 'alive') this.#judge.report('M10', `${observer} accuses ${name}, which it considers alive`)
  }

  /** An observer declares that it has waited long enough. `suspected` undefined: no suspicion by it was observed. */
  ended(observer: string, name: string, incarnation: number, suspected: Suspected | undefined): void {
    this.#judge.judged('M10')
    this.#grounds(name).unrefuted.add(incarnation)
    if (suspected === undefined) {
      this.#judge.report(
        'M10',
        `${observer} considers ${name} dead at incarnation ${incarnation}, but has not suspected it`,
      )
      return
    }
    const leastMs = leastSuspicionMs(suspected)
    if (suspected.spanMs >= leastMs) return
    const [was, least] = [suspected.spanMs, leastMs].map((spanMs) => formatDuration(Math.floor(spanMs)))
    this.#judge.report(
      'M10',
      `${observer} considers ${name} dead after suspecting it for ${was}, with ${suspected.accusers} accusers: at least ${least} are due`,
    )
  }

  /** An observer considers the member dead because of a message. */
  heldDead(observer: string, name: string, incarnation: number, event = 0): void {
    this.#judge.judged('M10')
    const { gone, unrefuted } = this.#grounds(name)
    if (incarnation <= gone || unrefuted.has(incarnation)) return
    this.#judge.report(
      'M10',
      `${observer} considers ${name} dead at incarnation ${incarnation}, although no member has suspected it to the end`,
      [event],
    )
  }

  heldLeft(observer: string, name: string, held: { readonly incarnation: number; readonly statusTime: number }): void {
    this.#judge.judged('M10')
    const { gone, leaves } = this.#grounds(name)
    if (!this.#agents.has(name) || held.incarnation <= gone || leaves.has(held.statusTime)) return
    this.#judge.report(
      'M10',
      `${observer} considers ${name} as left, at incarnation ${held.incarnation} and time ${held.statusTime}, although no member has said so`,
    )
  }

  #grounds(name: string): Grounds {
    const known = this.#of.get(name) ?? { unrefuted: new Set(), gone: -1, leaves: new Set() }
    this.#of.set(name, known)
    return known
  }
}

/**
 * The least time that a suspect has (SWIM, section 4.2; Lifeguard, section 4.B). It is the longest one if no other
 * member confirms the suspicion, less with each further accuser, and the shortest one with as many accusers as the
 * settings ask for, or in a pool too small for that many.
 */
function leastSuspicionMs({ members, accusers, timing }: Suspected): number {
  const { suspicionMult, probeIntervalMs } = timing
  const shortestMs = suspicionMult * Math.max(1, Math.log10(Math.max(1, members))) * probeIntervalMs * cutOff
  const wanted = suspicionMult - 2
  const confirmed = Math.max(0, accusers - 1)
  if (members - 2 < wanted || wanted < 1 || confirmed >= wanted) return shortestMs
  const part = Math.log(confirmed + 1) / Math.log(wanted + 1)
  return Math.max(shortestMs, shortestMs * (longestToShortest - part * (longestToShortest - 1)) * cutOff - 1)
}

export const deathGrounds = law(
  {
    M10: {
      text: 'grounds: a member is considered dead after a full suspicion or by its own message, and as left only if a member said so; a packet accuses only a member that its sender suspects',
      sources: ['SWIM, section 4.2', 'Lifeguard, section 4.B', 'docs/reference/agent.md#member-status'],
      evidence: ['members', 'probes'],
      judges: ['death, leave or accusation', 'deaths, leaves and accusations'],
    },
  },
  (judge) => new DeathGrounds(judge),
)
