import type { LogIndex, Term } from '../../model/log-position.ts'
import type { ServerId, SnapshotMeta } from './types.ts'

interface Follower {
  readonly kind: 'follower'
  /** The leader of the present term, once it was heard. */
  readonly leader: ServerId | undefined
}

interface PreCandidate {
  readonly kind: 'pre-candidate'
  readonly granted: Set<ServerId>
}

interface Candidate {
  readonly kind: 'candidate'
  /** Holds the candidate itself only once its own vote is durable. */
  readonly granted: Set<ServerId>
}

export interface Leader {
  readonly kind: 'leader'
  /** The no-op of the own term. Once it is committed, so is all before it, and reads and changes may begin. */
  readonly ownFirstIndex: LogIndex
  /** Every other server of the configuration, in its order. */
  progress: Map<ServerId, Progress>
  /** Counts rounds; one begins with each heartbeat, and for reads. */
  round: number
  /** When each of the latest rounds began, at `round % roundsRemembered`. */
  readonly roundBeganMs: Float64Array
  /** The newest round that a quorum answered. */
  confirmedRound: number
  /** In order of the round that they wait for; with `earlyReads` at most `pendingReadsMax`. */
  reads: PendingRead[]
  /** Came before an entry of the own term was committed. */
  earlyReads: EarlyRead[]
  /**
   * A `TimeoutNow` was sent in this term: voters may have been told to forget this leader, so the lease is gone for
   * good.
   */
  leaseForfeited: boolean
  /** When the heartbeat timer is due. A leader whose event loop stalls sees it fire late. */
  tickDueMs: number
  /** Silence of followers counts from here: this leader took office, or runs again after a stall. */
  listeningSinceMs: number
  /** Scratch for quorum arithmetic: on indexes, and on times and rounds. */
  readonly heldTally: LogIndex[]
  readonly tally: number[]
}

interface PendingRead {
  readonly requestId: number
  readonly index: LogIndex
  readonly round: number
}

interface EarlyRead {
  readonly requestId: number
  readonly mode: 'quorum' | 'lease'
}

export type Role = Follower | PreCandidate | Candidate | Leader

/**
 * What a leader knows of one follower. `probe`: the point where the logs agree is a guess; one append at a time.
 * `replicate`: they agree up to `match`; appends are sent ahead of answers. `snapshot`: the entries that it needs are
 * no longer in the log.
 */
export interface Progress {
  readonly id: ServerId
  state: 'probe' | 'replicate' | 'snapshot'
  /** The log up to here is durable on the follower, and equal. */
  match: LogIndex
  /** Invariant: match < next. What is sent next; entries in (match, next) are under way. */
  next: LogIndex
  /** Appends under way in `replicate`, their last indexes rising; at most `appendsInFlightMax`. */
  inFlight: AppendInFlight[]
  /** The sum over all of them. */
  bytesInFlight: number
  /** A probe with entries is under way: nothing more until its answer, or the next heartbeat in its place. */
  probing: boolean
  /** An append that wants an answer was sent since the last heartbeat tick. */
  sentSinceTick: boolean
  /** The highest commit index that was sent to it. */
  commitTold: LogIndex
  /** The newest round that it answered. */
  round: number
  /** When it was last heard in this term. */
  heardMs: number
  transfer: SnapshotTransfer | undefined
}

interface AppendInFlight {
  readonly last: LogIndex
  /** Size of its payloads. */
  readonly bytes: number
}

interface SnapshotTransfer {
  readonly meta: SnapshotMeta
  /** 0 until the first piece is read. */
  sizeBytes: number
  offset: number
  /** `reading`: a `read-chunk` is unanswered. `sent`: the chunk at `offset` is. */
  phase: 'reading' | 'sent'
  ticksWaited: number
}

/** Under way from the request to its end, whatever role this server has in the meantime. */
export interface LeadershipTransfer {
  readonly requestId: number
  readonly to: ServerId
  readonly term: Term
  toldToStand: boolean
}
