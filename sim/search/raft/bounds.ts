import type { bootstrapped } from '../../../src/raft/core/configuration.ts'
import type { createRaft } from '../../../src/raft/core/state.ts'
import type { step } from '../../../src/raft/core/step.ts'

/** The core that is searched: the agents' own, or one with a planted bug. */
export interface RaftUnderSearch {
  readonly bootstrapped: typeof bootstrapped
  readonly createRaft: typeof createRaft
  readonly step: typeof step
}

export interface RaftBounds {
  readonly servers: number
  /** Terms beyond that of the first configuration. */
  readonly terms: number
  /** Entries beyond the first configuration; a leader leaves room for one of each term to come. */
  readonly entries: number
  /** Heartbeats of one leadership, beyond the round that begins with it. */
  readonly heartbeats: number
  /** A server asks first whether it could win. */
  readonly preVote: boolean
  /** A leader may step down because nobody answers. */
  readonly stepDown: boolean
  /** At any moment any server may lose its power, and start again from its disk. */
  readonly restarts: boolean
  /**
   * Writes of a server that are under way while it goes on; with one more it waits for the oldest. 0: each is done at
   * once.
   */
  readonly slowWrites: number
  /** Entries in one append. */
  readonly batch: number
}

/** Loss, duplication, reordering and restarts in two terms: seconds. */
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
