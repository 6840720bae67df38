import { formatDuration } from '../../../src/base/duration.ts'
import type { GossipTiming } from '../../../src/gossip/pool.ts'
import { type Judge, law } from '../checker.ts'
import { reapedNotBeforeMs, reapedWithinMs, triedWithinMs } from './pool-bounds.ts'

/** A member that one observer holds failed or left. Times of true time, in microseconds. */
export interface Gone {
  readonly status: 'failed' | 'left'
  readonly goneSinceUs: number
  /** When the observer last tried to reach it, or began to hold it failed. */
  readonly triedUs: number
}

/** M5. Members that left are not contacted; failed members are tried again; both are forgotten when their time is over, not before. */
export class GoneMembers {
  readonly #judge: Judge<{ M5: never }>

  constructor(judge: Judge<{ M5: never }>) {
    this.#judge = judge
  }

  contacted(observer: string, name: string, how: string): void {
    this.#judge.report('M5', `${observer} contacts ${name}, which has left, by ${how}`)
  }

  reaped(observer: string, name: string, gone: Gone | undefined, timing: GossipTiming, nowUs: number): void {
    if (gone === undefined) {
      this.#judge.report('M5', `${observer} forgets ${name}, which it does not hold failed or left`)
      return
    }
    const spanMs = (nowUs - gone.goneSinceUs) / 1000
    if (spanMs >= reapedNotBeforeMs(timeoutOf(gone, timing))) return
    this.#judge.report(
      'M5',
      `${observer} forgets ${name}, ${gone.status} for only ${formatDuration(Math.floor(spanMs))}`,
    )
  }

  look(
    observer: string,
    name: string,
    gone: Gone,
    pool: { timing: GossipTiming; members: number },
    nowUs: number,
  ): void {
    const goneMs = (nowUs - gone.goneSinceUs) / 1000
    if (goneMs > reapedWithinMs(pool.timing, timeoutOf(gone, pool.timing))) {
      this.#judge.report(
        'M5',
        `${observer} still knows ${name}, ${gone.status} for ${formatDuration(Math.floor(goneMs))}`,
      )
    }
    const triedMs = (nowUs - gone.triedUs) / 1000
    if (gone.status === 'failed' && triedMs > triedWithinMs(pool.timing, pool.members)) {
      this.#judge.report('M5', `${observer} has not tried to reach ${name} for ${formatDuration(Math.floor(triedMs))}`)
    }
  }
}

function timeoutOf({ status }: Gone, { reconnectTimeoutMs, tombstoneTimeoutMs }: GossipTiming): number {
  return status === 'failed' ? reconnectTimeoutMs : tombstoneTimeoutMs
}

export const goneMembers = law(
  {
    M5: {
      text: 'the gone: who left is not contacted, who failed is tried again, and both are forgotten when their time is over',
      sources: ['docs/reference/configuration.md#fixed-gossip-values'],
      judges: ['gone member', 'gone members'],
    },
  },
  (judge) => new GoneMembers(judge),
)
