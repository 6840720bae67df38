import type { GossipAddress } from '../../../src/gossip/core/messages.ts'
import { type Judge, law } from '../checker.ts'

/** SWIM's k; memberlist: `IndirectChecks`. */
const indirectProbes = 3
/** Numbers of first pings that are nearer than this are not drawn at random. */
const startsApart = 16
/** A nack is due after this part of the probe timeout, and comes too late after the other. */
const nackAfter = 0.8
const nackUntil = 0.9
/** Times of a process are fractions of milliseconds, and sums of them are rounded. */
const roundingMs = 0.01

interface Silence {
  readonly afterMs: number | undefined
  readonly timeoutMs: number
}

/** A finished probe. */
export interface EndedProbe {
  readonly observer: string
  readonly name: string
  readonly sequence: number
  /** How an answer with its sequence number arrived, if one did. */
  readonly heard: 'by packet' | 'over a stream' | undefined
  /** Whether the observer counts the member as reached. */
  readonly isReached: boolean
}

/**
 * M8. A member that counts as reached has answered, and reports about answers are true:
 * 1. A probe succeeds only by an answer that carries its sequence number, which the ping of this very probe had. An
 *    answer to an earlier one, however late, or to one on behalf of another member, says nothing about the present one.
 * 2. An answer by packet with its number makes it succeed.
 * 3. A member acknowledges a ping that it has just received under its own name, or relays an answer to the prober that
 *    asked for it. It reports silence only to a prober that asked for such reports.
 * 4. A member that was asked to ping another passes the answer on, if it comes within the probe timeout. If none comes,
 *    it says so while the prober still waits: after four fifths of the probe timeout, not before. About a member that
 *    has left, which is not pinged, it says so at once.
 * 5. When a ping is not answered, three other members are asked, or all that there are.
 * 6. Each process numbers its pings from a random start, so that a late answer from an earlier life matches no ping of
 *    this one. Two starts of 32 bits are at most 16 apart with a chance of 2^-27.
 */
export class ProbeAnswers {
  readonly #judge: Judge<{ M8: never }>
  /** By member, the number of its first ping. */
  readonly #starts = new Map<string, number>()

  constructor(judge: Judge<{ M8: never }>) {
    this.#judge = judge
  }

  ended({ observer, name, sequence, heard, isReached }: EndedProbe): void {
    this.#judge.judged('M8')
    if (isReached && heard === undefined) {
      this.#judge.report(
        'M8',
        `${observer} counts ping ${sequence} to ${name} as answered, but received no answer with that number`,
      )
    } else if (!isReached && heard === 'by packet') {
      this.#judge.report(
        'M8',
        `${observer} counts ping ${sequence} to ${name} as unanswered, although the answer arrived`,
      )
    }
  }

  /** A process of this member sends its first ping, with this number. */
  began(observer: string, sequence: number): void {
    const before = this.#starts.get(observer)
    this.#starts.set(observer, sequence)
    if (before === undefined) return
    this.#judge.judged('M8')
    if (Math.abs(sequence - before) <= startsApart)
      this.#judge.report('M8', `${observer} numbers its pings from ${sequence}, as in its earlier life from ${before}`)
  }

  /** The observer has asked some of those members that could be asked to ping another. */
  asked(observer: string, name: string, asked: number, there: number): void {
    this.#judge.judged('M8')
    const due = Math.min(indirectProbes, there)
    if (asked !== due)
      this.#judge.report('M8', `${observer} asks ${asked} members to ping ${name}, although ${due} are due`)
  }

  /**
   * The observer was asked to ping another member for a prober that wants to know of silence, and there was no answer
   * until now. `afterMs`: when it says so by its own clock, counted from the request; undefined: not in time.
   */
  silent(observer: string, asker: GossipAddress, sequence: number, after: Silence): void {
    this.#judge.judged('M8')
    const { afterMs, timeoutMs } = after
    if (afterMs !== undefined && afterMs >= nackAfter * timeoutMs - roundingMs && afterMs <= nackUntil * timeoutMs)
      return
    const when = afterMs === undefined ? 'not at all' : `after ${afterMs.toFixed(1)} ms`
    const due = `${nackAfter * timeoutMs} ms`
    this.#judge.report(
      'M8',
      `${observer} tells ${asker.host} ${when} that ping ${sequence} is unanswered, not after ${due}`,
    )
  }

  /**
   * The observer was asked to ping a member that it considers left, for a prober that wants to know of silence. `isTold`:
   * it says at once that there is no answer.
   */
  turnedDown(observer: string, asker: GossipAddress, sequence: number, isTold: boolean): void {
    this.#judge.judged('M8')
    if (isTold) return
    this.#judge.report('M8', `${observer} keeps from ${asker.host} that ping ${sequence} is for a member that has left`)
  }

  /** A member that the observer was asked to ping has answered within the timeout; `isTold`: it tells the asker. */
  relayed(observer: string, asker: GossipAddress, sequence: number, isTold: boolean): void {
    this.#judge.judged('M8')
    if (isTold) return
    this.#judge.report('M8', `${observer} keeps from ${asker.host} that ping ${sequence} has been answered`)
  }

  /** The member reports that a ping was answered, or was not. */
  said(observer: string, kind: 'ack' | 'nack', sequence: number, to: GossipAddress, isTrue: boolean): void {
    this.#judge.judged('M8')
    if (isTrue) return
    const what = kind === 'ack' ? 'has been answered' : 'has not been answered'
    this.#judge.report('M8', `${observer} tells ${to.host} that ping ${sequence} ${what}, which it cannot know`)
  }
}

export const probeAnswers = law(
  {
    M8: {
      text: 'answers: a probe succeeds only by an answer with its number, three members are asked about a silent one, and they relay the answers that they receive, and no others, or in time that none came',
      sources: ['SWIM, section 3.1', 'Lifeguard, section 4.A'],
      evidence: ['probes'],
      judges: ['probe or answer', 'probes and answers'],
    },
  },
  (judge) => new ProbeAnswers(judge),
)
