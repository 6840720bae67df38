import { formatDuration } from '../../../src/base/duration.ts'
import type { GossipTiming } from '../../../src/gossip/pool.ts'
import { type Judge, law } from '../checker.ts'
import { deadWithinMs, suspectedWithinMs } from './pool-bounds.ts'

/** A member that is down, as a running observer sees it. Times in microseconds. */
export interface Watched {
  readonly observer: string
  readonly name: string
  readonly state: 'alive' | 'suspect'
  /** Since when it is down, the observer runs and hears nothing new of it, and nothing disturbs the pool. */
  readonly calmSinceUs: number
  /** Since when it is in this state. */
  readonly sinceUs: number
  readonly members: number
  /** The observer's worst local health since then. */
  readonly health: number
  readonly timing: GossipTiming
}

/**
 * M4. Every agent that runs undisturbed suspects a dead member within two rounds of its own probes, and declares it dead when
 * the longest suspicion is over. Each agent does so by itself; what others say only makes it faster.
 */
export class DeathDetection {
  readonly #judge: Judge<{ M4: never }>

  constructor(judge: Judge<{ M4: never }>) {
    this.#judge = judge
  }

  look(nowUs: number, watched: Watched): void {
    const { observer, name, state, timing, members, health } = watched
    const isSuspect = state === 'suspect'
    const fromUs = isSuspect ? Math.max(watched.calmSinceUs, watched.sinceUs) : watched.calmSinceUs
    const boundMs = isSuspect ? deadWithinMs(timing, members) : suspectedWithinMs(timing, members, health)
    if (nowUs - fromUs <= boundMs * 1000) return
    const what = isSuspect ? 'still only suspects' : 'does not suspect'
    this.#judge.report('M4', `${observer} ${what} ${name}, which is down, after ${formatDuration(Math.floor(boundMs))}`)
  }
}

export const deathDetection = law(
  {
    M4: {
      text: 'detection: a dead member is suspected within two rounds of probes, and dead after the longest suspicion',
      sources: ['SWIM, section 4.3', 'Lifeguard, section 4'],
      judges: ['death noticed', 'deaths noticed'],
    },
  },
  (judge) => new DeathDetection(judge),
)
