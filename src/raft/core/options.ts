/** Times of the protocol, in milliseconds. */
export interface RaftTiming {
  /** A follower that hears nothing for a random time in [this, 2 × this) stands for election, or sooner: `detection`. */
  readonly heartbeatTimeoutMs: number
  /** A candidate that neither wins nor loses in a random time in [this, 2 × this) stands again. */
  readonly electionTimeoutMs: number
  /** A leader that cannot reach a quorum for this long steps down; also the length of the lease for `default` reads. */
  readonly leaderLeaseMs: number
  /**
   * `adaptive`: a follower that hears its leader regularly waits for less than the heartbeat timeout, see `patience.ts`.
   * `fixed`, if absent.
   */
  readonly detection?: 'adaptive' | 'fixed'
  /** Most that two clocks' rates may differ, as a fraction (0.05: five in a hundred); shortens the lease. */
  readonly clockRateBound: number
  /**
   * The three below are for studies of the protocol as the paper describes it; agents leave them out. Width of the
   * range from which both timeouts above are drawn; as wide as the timeout itself if absent.
   */
  readonly timeoutSpreadMs?: number
  /** Time between two rounds of heartbeats; a tenth to a fifth of the heartbeat timeout if absent. */
  readonly heartbeatIntervalMs?: number
  /** `off`: a server stands at once, without asking first whether it could win (thesis 9.6). */
  readonly preVote?: 'on' | 'off'
}

/** Limits on what one server sends and queues. */
export interface RaftLimits {
  /** Maximum number of entries in one append request. */
  readonly appendEntriesMax: number
  /** Maximum number of payload bytes in one append request; a single larger entry is sent nevertheless. */
  readonly appendBytesMax: number
  /** Number of append requests under way to one follower at which the leader waits for an answer. */
  readonly appendsInFlightMax: number
  /**
   * Maximum number of payload bytes of those; the append that reaches it is the last. Less than what the transport may
   * queue for one server.
   */
  readonly appendBytesInFlightMax: number
  /** Number of entries proposed and not yet committed at which the leader refuses more. */
  readonly uncommittedEntriesMax: number
  /** Maximum number of payload bytes in one snapshot chunk. */
  readonly snapshotChunkBytes: number
  /** Maximum number of reads that wait for a quorum round. */
  readonly pendingReadsMax: number
  /**
   * Maximum number of persists under way that are tracked separately; beyond it the newest two count as one, which is
   * later, but never wrong.
   */
  readonly persistsMax: number
  /**
   * Maximum number of messages that wait for the disk; beyond it a server is silent, as if it were cut off, but still
   * hears its leader.
   */
  readonly heldMessagesMax: number
}
