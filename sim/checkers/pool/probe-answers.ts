import type { GossipAddress } from '../../../src/gossip/core/messages.ts'
import { type Judge, law } from '../checker.ts'

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
 * 4. A member that was asked to ping another passes the answer on, if it comes within the probe timeout.
 */
export class ProbeAnswers {
  readonly #judge: Judge<{ M8: never }>

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
      text: 'answers: a probe succeeds only by an answer with its number, and members relay the answers that they receive, and no others',
      sources: ['SWIM, section 3.1', 'Lifeguard, section 4.A'],
      evidence: ['probes'],
      judges: ['probe or answer', 'probes and answers'],
    },
  },
  (judge) => new ProbeAnswers(judge),
)
