import { checker, type Judge } from '../checker.ts'
import type { Facts } from '../facts.ts'

/**
 * E4. An agent that accepts a heartbeat has the check that it is for. Refused heartbeats are not judged: heartbeats for
 * a check that exists nowhere are no facts, and the verdict of the run shows that.
 */
export class HeartbeatsTaken {
  readonly #judge: Judge<{ E4: 'restarted meanwhile' }>

  constructor(judge: Judge<{ E4: 'restarted meanwhile' }>) {
    this.#judge = judge
  }

  taken({ node, check, isRestarted, isHeld }: Facts['heartbeat taken']): void {
    if (isRestarted) return this.#judge.excused('E4', 'restarted meanwhile')
    this.#judge.judged('E4')
    if (!isHeld) this.#judge.report('E4', `${node} accepts a heartbeat for check ${check}, which it does not have`)
  }
}

export const heartbeatsTaken = checker({
  codes: {
    E4: {
      text: 'heartbeats: an agent takes a heartbeat only for a check that it holds',
      sources: ['docs/reference/agent.md#put-v1-agent-check-register'],
      evidence: ['requests', 'catalog'],
      judges: ['heartbeat', 'heartbeats'],
      excuses: {
        'restarted meanwhile':
          'A heartbeat that one process was sent and maybe the next one answered; that heartbeat alone.',
      },
    },
  },
  make: (judge) => new HeartbeatsTaken(judge),
  takes: { 'heartbeat taken': (it, heartbeat) => it.taken(heartbeat) },
})
