/** Times of the protocol, in milliseconds. */
export interface RaftTiming {
  /** A follower that hears nothing for a random time in [this, 2 × this) stands for election. */
  readonly heartbeatTimeoutMs: number
  /** A candidate that neither wins nor loses in a random time in [this, 2 × this) stands again. */
  readonly electionTimeoutMs: number
  /** A leader that cannot reach a quorum for this long steps down; also the reach of the lease for `default` reads. */
  readonly leaderLeaseMs: number
  /** Most that two clocks' rates may differ, as a fraction (0.05: five in a hundred); shortens the lease. */
  readonly clockRateBound: number
  /**
   * The three below are for studies of the protocol as the paper has it; agents leave them out. Width of the range that
   * both timeouts above are drawn from; as wide as the timeout itself if absent.
   */
  readonly timeoutSpreadMs?: number
  /** Time between two rounds of heartbeats; a tenth to a fifth of the heartbeat timeout if absent. */
  readonly heartbeatIntervalMs?: number
  /** `off`: a server stands at once, without asking first whether it could win (thesis 9.6). */
  readonly preVote?: 'on' | 'off'
}

/** Limits on what one server sends and queues. */
export interface RaftLimits {
  /** Entries in one append request. */
  readonly appendEntriesMax: number
  /** Payload bytes in one append request; a single larger entry still goes. */
  readonly appendBytesMax: number
  /** Append requests under way to one follower before the leader waits for an answer. */
  readonly appendsInFlightMax: number
  /**
   * Payload bytes of those; the append that reaches it is the last. Less than what the transport may queue for one
   * server.
   */
  readonly appendBytesInFlightMax: number
  /** Entries proposed and not yet committed before the leader refuses more. */
  readonly uncommittedEntriesMax: number
  /** Payload bytes in one snapshot chunk. */
  readonly snapshotChunkBytes: number
  /** Reads waiting for a quorum round. */
  readonly pendingReadsMax: number
}
