import { checker, type Judge } from '../checker.ts'

/** A heartbeat that an agent has answered with success. */
export interface TakenHeartbeat {
  readonly node: string
  /** The ID of the check. */
  readonly check: string
  /** The agent's process was another one when it answered. */
  readonly isRestarted: boolean
  /** The agent held the check when it was asked, or when it had answered. */
  readonly isHeld: boolean
}

/**
 * E4. An agent that says it has taken a heartbeat holds the check that it is for. Nothing is judged of a heartbeat that an
 * agent refuses: heartbeats for a check that exists nowhere are no facts, and the verdict of the run shows that.
 */
export class HeartbeatsTaken {
  readonly #judge: Judge<{ E4: 'restarted meanwhile' }>

  constructor(judge: Judge<{ E4: 'restarted meanwhile' }>) {
    this.#judge = judge
  }

  taken({ node, check, isRestarted, isHeld }: TakenHeartbeat): void {
    if (isRestarted) return this.#judge.excused('E4', 'restarted meanwhile')
    this.#judge.judged('E4')
    if (!isHeld) this.#judge.report('E4', `${node} takes a heartbeat for check ${check}, which it does not hold`)
  }
}

export const heartbeatsTaken = checker({
  codes: {
    E4: {
      text: 'heartbeats: an agent takes a heartbeat only for a check that it holds',
      sources: ['docs/reference/agent.md#put-v1-agent-check-register'],
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
