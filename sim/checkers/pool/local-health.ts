import { type Judge, law } from '../checker.ts'

type Excuse = 'pool disturbed' | 'lossy network' | 'short sleep'

/** Lifeguard, section 4.A: the score stays below 8. */
const scoreMax = 7

interface Moved {
  readonly before: number
  readonly due: number
  readonly is: number
  readonly isTold: boolean
}

/**
 * M6. An agent's local health stays in range. It moves as Lifeguard says (section 4.A): down by one with each answered
 * probe; up by one when the agent must refute a claim, has slept, or has no other to ask about a silent member; up by the
 * nacks that others owe it when a probe fails. Operators see each change, and the worse the score is, the longer a probe
 * lasts. And an agent that has been asleep, in an otherwise undisturbed pool,
 * accuses no member because of its sleep. The argument why it makes no accusation at all:
 * 1. A probe that was under way when it fell asleep is dropped without a verdict if its timer fires late by an interval
 *    or more. Its timer is due within (1 + h) intervals with local health h, so this applies to sleeps of (2 + h)
 *    intervals or more. Shorter sleeps, and one that follows another at once, are not judged.
 * 2. A probe begun after the agent woke meets members that run, on undisturbed links. Its ping is answered; or, if a
 *    datagram is lost by chance, one of three others' pings, or the one over a stream. Links that lose much or are slow
 *    by design are not judged.
 */
export class LocalHealth {
  readonly #judge: Judge<{ M6: Excuse }>

  constructor(judge: Judge<{ M6: Excuse }>) {
    this.#judge = judge
  }

  /**
   * An agent slept for long enough, in an otherwise undisturbed pool, and has been awake for a while: its actions since
   * then were judged.
   */
  woke(): void {
    this.#judge.judged('M6')
  }

  /** An accusation by an agent that slept is excused. */
  let(excuse: Excuse): void {
    this.#judge.excused('M6', excuse)
  }

  /** The score has changed. */
  scored(observer: string, score: number): void {
    this.#judge.judged('M6')
    if (Number.isInteger(score) && score >= 0 && score <= scoreMax) return
    this.#judge.report('M6', `the local health of ${observer} is ${score}, not from 0 to ${scoreMax}`)
  }

  /**
   * A step is over which may move the score, and should have made it `due`. `isTold`: if it has changed, the effects of
   * the step say so.
   */
  moved(observer: string, { before, due, is, isTold }: Moved): void {
    this.#judge.judged('M6')
    if (is !== due)
      this.#judge.report('M6', `the local health of ${observer} went from ${before} to ${is}, not to ${due}`)
    else if (!isTold) this.#judge.report('M6', `${observer} keeps from its operator that its local health is ${is} now`)
  }

  /** A stage of a probe begins, and its timer is set. */
  paced(observer: string, stage: string, isMs: number, dueMs: number): void {
    this.#judge.judged('M6')
    // Timers are set to whole milliseconds, from one on.
    if (Math.abs(isMs - Math.max(1, dueMs)) <= 1) return
    const [is, due] = [isMs, dueMs].map((ms) => ms.toFixed(0))
    this.#judge.report('M6', `${observer} gives a probe, ${stage}, ${is} ms: by its local health ${due} ms are due`)
  }

  /** The timer of suspicions fires so late that the observer must have slept. `isJudging`: it declares members dead. */
  overslept(observer: string, isJudging: boolean): void {
    this.#judge.judged('M6')
    if (isJudging)
      this.#judge.report('M6', `${observer} declares a member dead before it has read what came as it slept`)
  }

  /** Its own probe of a member that was up all the time has failed, and only this observer slept. */
  accused(observer: string, name: string, wokeMs: number): void {
    this.#judge.judged('M6')
    this.#judge.report(
      'M6',
      `${observer}, which woke ${wokeMs.toFixed(0)} ms ago, suspects ${name}, which was up all the time`,
    )
  }
}

export const localHealth = law(
  {
    M6: {
      text: 'local health: it stays in range, moves by answers, missing nacks and refutations alone and stretches probes, and an agent that was paused accuses no other because of its own pause',
      sources: ['Lifeguard, section 4.A'],
      evidence: ['members', 'probes'],
      judges: ['score, stage of a probe or wake', 'scores, stages of probes and wakes'],
      excuses: {
        'pool disturbed':
          'An accusation soon after waking, while something else disturbs the pool or has since before the sleep; until it is calm.',
        'lossy network':
          'Where links lose more than one packet in twenty or take over 250 ms, pings fail by design; while they do.',
        'short sleep':
          'A sleep may end before the probe under way is let go: shorter than two intervals and its health; that one.',
      },
    },
  },
  (judge) => new LocalHealth(judge),
)
