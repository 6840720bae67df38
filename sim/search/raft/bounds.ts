import type { bootstrapped } from '../../../src/raft/core/configuration.ts'
import type { createRaft } from '../../../src/raft/core/state.ts'
import type { step } from '../../../src/raft/core/step.ts'

/** The searched core: the agents' own, or one with a planted bug. */
export interface RaftUnderSearch {
  readonly bootstrapped: typeof bootstrapped
  readonly createRaft: typeof createRaft
  readonly step: typeof step
}

export interface RaftBounds {
  readonly servers: number
  /** Number of terms beyond that of the first configuration. */
  readonly terms: number
  /** Number of entries beyond the first configuration; a leader leaves room for one of each later term. */
  readonly entries: number
  /** Number of heartbeats of one leadership, beyond the round that begins with it. */
  readonly heartbeats: number
  /** Whether a server asks first whether it could win. */
  readonly preVote: boolean
  /** Whether a leader may step down because no server answers. */
  readonly stepDown: boolean
  /** Whether any server may at any moment lose its power, and start again from its disk. */
  readonly restarts: boolean
  /**
   * Number of a server's writes that may be under way while it continues; before a further one, it waits for the
   * oldest. 0: each is durable at once.
   */
  readonly slowWrites: number
  /** Number of entries in one append. */
  readonly batch: number
}

/** Loss, duplication, reordering and restarts in two terms: takes seconds. */
export const smallBounds: RaftBounds = {
  servers: 3,
  terms: 2,
  entries: 2,
  heartbeats: 0,
  preVote: false,
  stepDown: false,
  restarts: true,
  slowWrites: 0,
  batch: 3,
}
