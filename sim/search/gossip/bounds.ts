import type { fullState } from '../../../src/gossip/core/answers.ts'
import type { createGossip } from '../../../src/gossip/core/state.ts'
import type { step } from '../../../src/gossip/core/step.ts'

/** The searched core: the agents' own, or one with a planted bug. */
export interface GossipUnderSearch {
  readonly createGossip: typeof createGossip
  readonly step: typeof step
  readonly fullState: typeof fullState
}

export interface GossipBounds {
  readonly members: number
  /** The greatest incarnation of any member: a step to a greater one is not taken. */
  readonly incarnations: number
  /** The greatest Lamport time of intents, with the same effect. */
  readonly times: number
  /** Whether members may leave. */
  readonly leaves: boolean
  /** Whether any member may at any moment end and start anew, knowing only itself. */
  readonly restarts: boolean
  /** Whether members exchange full states, besides messages. */
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
