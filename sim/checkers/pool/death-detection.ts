import { formatDuration } from '../../../src/base/duration.ts'
import type { GossipTiming } from '../../../src/gossip/pool.ts'
import { type Judge, law } from '../checker.ts'
import { deadWithinMs, suspectedWithinMs } from './pool-bounds.ts'

/** A member that is down, from the view of a running observer. Times in microseconds. */
export interface Watched {
  readonly observer: string
  readonly name: string
  readonly state: 'alive' | 'suspect'
  /** Since when the member is down, the observer runs and receives no news of it, and nothing disturbs the pool. */
  readonly calmSinceUs: number
  /** Since when the observer considers it to be in this state. */
  readonly sinceUs: number
  readonly members: number
  /**
   * Trace events: the one since which it is down, and the one since which the observer considers it to be in this
   * state; absent: no trace is recorded.
   */
  readonly because?: readonly number[]
  /** The observer's worst local health since then. */
  readonly health: number
  readonly timing: GossipTiming
}

/**
 * M4. Every undisturbed agent suspects a dead member within two rounds of its own probes, and declares it dead when the
 * longest suspicion is over. Each agent does so by itself; claims by others only make it faster.
 */
export class DeathDetection {
  readonly #judge: Judge<{ M4: 'pool disturbed' | 'doubt of itself' }>

  constructor(judge: Judge<{ M4: 'pool disturbed' | 'doubt of itself' }>) {
    this.#judge = judge
  }

  /**
   * An observer has come to suspect a member that is down, or to consider it dead. `isCalm`: nothing has disturbed the
   * pool since the member went down.
   */
  noticed(isCalm: boolean, health: number): void {
    if (!isCalm) {
      this.#judge.excused('M4', 'pool disturbed')
      return
    }
    this.#judge.judged('M4')
    if (health > 0) this.#judge.excused('M4', 'doubt of itself')
  }

  look(nowUs: number, watched: Watched): void {
    const { observer, name, state, timing, members, health, because } = watched
    const isSuspect = state === 'suspect'
    const fromUs = isSuspect ? Math.max(watched.calmSinceUs, watched.sinceUs) : watched.calmSinceUs
    const boundMs = isSuspect ? deadWithinMs(timing, members) : suspectedWithinMs(timing, members, health)
    if (nowUs - fromUs <= boundMs * 1000) return
    this.#judge.judged('M4')
    const what = isSuspect ? 'still only suspects' : 'does not suspect'
    this.#judge.report(
      'M4',
      `${observer} ${what} ${name}, which is down, after ${formatDuration(Math.floor(boundMs))}`,
      because,
    )
  }
}

export const deathDetection = law(
  {
    M4: {
      text: 'detection: a dead member is suspected within two rounds of probes, and dead after the longest suspicion',
      sources: ['SWIM, section 4.3', 'Lifeguard, section 4'],
      evidence: ['members', 'probes'],
      judges: ['death noticed', 'deaths noticed'],
      excuses: {
        'pool disturbed':
          'While a link or a clock is disturbed, or a member sleeps, joins or leaves, the bound does not apply; it begins when the pool is calm.',
        'doubt of itself':
          'An observer whose local health score is above 0 has more time to suspect; until its score is 0 (Lifeguard, section 4.A).',
      },
    },
  },
  (judge) => new DeathDetection(judge),
)
