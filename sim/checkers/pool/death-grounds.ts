import { formatDuration } from '../../../src/base/duration.ts'
import type { GossipTiming } from '../../../src/gossip/pool.ts'
import { type Judge, law } from '../checker.ts'

/** What has happened to one member, whatever others hold of it. */
interface Grounds {
  /** Its incarnations in which some member has waited in vain for its refutation. */
  readonly unrefuted: Set<number>
  /** Its greatest incarnation in which it has said that it is gone. */
  gone: number
  /** Lamport times of what was said of its leaving, by itself or by an operator. */
  readonly leaves: Set<number>
}

/** A suspicion that has ended in death. */
export interface Suspected {
  /** Members of the pool that it did not hold dead when the suspicion began. */
  readonly members: number
  /** Accusers that the observer has heard of. */
  readonly accusers: number
  /** By the observer's own clock. */
  readonly spanMs: number
  readonly timing: GossipTiming
}

/** Of a suspicion's longest time to its shortest (memberlist: `SuspicionMaxTimeoutMult`). */
const longestToShortest = 6
/** What the members' arithmetic may cut off: logarithms of 16 binary digits, and whole milliseconds. */
const cutOff = 0.999

/**
 * M10. Nobody is held dead for nothing, and nobody has left that has not said so. The argument:
 * 1. A death begins in one of two ways: a member suspects another one, of one incarnation, for the time that the
 *    settings give it to refute that (Lifeguard, section 4.B), and it does not; or the member says itself that it is
 *    gone.
 * 2. Every other member that holds it dead has that from one that does, with the incarnation: by word, or by an
 *    exchange of states in which both know of its leave. So each incarnation that is held dead has a beginning as in 1,
 *    before.
 * 3. A member has left for those that heard its last word, or know of its leave: the time of its status is then that of
 *    a word on leaving, its own or an operator's.
 */
export class DeathGrounds {
  readonly #judge: Judge<{ M10: never }>
  readonly #of = new Map<string, Grounds>()

  constructor(judge: Judge<{ M10: never }>) {
    this.#judge = judge
  }

  /** It says itself that it is gone. */
  saidGone(name: string, incarnation: number): void {
    const grounds = this.#grounds(name)
    grounds.gone = Math.max(grounds.gone, incarnation)
  }

  /** It says that it leaves, or an operator says so of it, at this Lamport time. */
  saidLeaves(name: string, lamport: number): void {
    this.#grounds(name).leaves.add(lamport)
  }

  /**
   * An observer has waited long enough, it says. `suspected` undefined: nobody has seen that it suspects the member.
   */
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

  /** An observer holds it dead by what it was told. */
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
    if (held.incarnation <= gone || leaves.has(held.statusTime)) return
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
 * The least time that a suspect has (SWIM, section 4.2; Lifeguard, section 4.B): the longest one where nobody confirms
 * the suspicion, less with each further accuser, the shortest one with as many as the settings ask for, or in a pool
 * too small for them.
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
      text: 'grounds: a member is considered dead after a full suspicion or by its own message, and as left only if a member said so',
      sources: ['SWIM, section 4.2', 'Lifeguard, section 4.B', 'docs/reference/agent.md#member-status'],
      evidence: ['members', 'probes'],
      judges: ['death or leave', 'deaths and leaves'],
    },
  },
  (judge) => new DeathGrounds(judge),
)
