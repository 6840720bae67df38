import type { fullState } from '../../../src/gossip/core/answers.ts'
import type { createGossip } from '../../../src/gossip/core/state.ts'
import type { step } from '../../../src/gossip/core/step.ts'

/** The core that is searched: the agents' own, or one with a planted bug. */
export interface GossipUnderSearch {
  readonly createGossip: typeof createGossip
  readonly step: typeof step
  readonly fullState: typeof fullState
}

export interface GossipBounds {
  readonly members: number
  /** The greatest incarnation of any member: a step to a greater one is not taken. */
  readonly incarnations: number
  /** The greatest Lamport time of intents, likewise. */
  readonly times: number
  /** Members may leave. */
  readonly leaves: boolean
  /** At any moment any member may end and start anew, knowing only itself. */
  readonly restarts: boolean
  /** Members exchange full states, not only words. */
  readonly exchanges: boolean
}

export const smallPool: GossipBounds = {
  members: 3,
  incarnations: 2,
  times: 2,
  leaves: true,
  restarts: false,
  exchanges: false,
}
