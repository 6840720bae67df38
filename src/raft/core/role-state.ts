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
  /** Includes the candidate itself only once its own vote is durable. */
  readonly granted: Set<ServerId>
}

export interface Leader {
  readonly kind: 'leader'
  /**
   * The no-op of the leader's own term. Once it is committed, so is everything before it, and reads and changes may
   * begin.
   */
  readonly ownFirstIndex: LogIndex
  /** Every other server of the configuration, in its order. */
  progress: Map<ServerId, Progress>
  /** Number of rounds; one begins with each heartbeat, and for reads. */
  round: number
  /** When each of the latest rounds began, at `round % roundsRemembered`. */
  readonly roundBeganMs: Float64Array
  /** The newest round that a quorum answered. */
  confirmedRound: number
  /** In order of the round that they wait for; at most `pendingReadsMax` together with `earlyReads`. */
  reads: PendingRead[]
  /** Reads that arrived before an entry of the leader's own term was committed. */
  earlyReads: EarlyRead[]
  /**
   * A `TimeoutNow` was sent in this term: voters may have been asked to end their loyalty to this leader, so the lease
   * is lost for good.
   */
  leaseForfeited: boolean
  /** When the heartbeat timer is due. A leader whose event loop stalls sees it fire late. */
  tickDueMs: number
  /** From when the silence of followers is counted: this leader was elected, or runs again after a stall. */
  listeningSinceMs: number
  /** Scratch arrays for quorum arithmetic: on indexes, and on times and rounds. */
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
 * A leader's state about one follower. `probe`: the index at which the logs agree is a guess; one append at a time.
 * `replicate`: they agree up to `match`; appends are sent ahead of answers. `snapshot`: the entries that it needs are
 * no longer in the log.
 */
export interface Progress {
  readonly id: ServerId
  state: 'probe' | 'replicate' | 'snapshot'
  /** The log up to here is durable on the follower, and equal. */
  match: LogIndex
  /** Invariant: match < next. The next entry to send; entries in (match, next) are under way. */
  next: LogIndex
  /** Appends under way in `replicate`, with ascending last indexes; at most `appendsInFlightMax`. */
  inFlight: AppendInFlight[]
  /** Their total size. */
  bytesInFlight: number
  /** A probe with entries is under way: nothing more is sent until its answer, or the next heartbeat in its place. */
  probing: boolean
  /** An append that wants an answer was sent since the last heartbeat tick. */
  sentSinceTick: boolean
  /** The highest commit index that was sent to it. */
  commitTold: LogIndex
  /** The newest round that it answered. */
  round: number
  /** Its first round: answers to earlier ones are of a former membership, after which its disk may have been emptied. */
  readonly sinceRound: number
  /** When it was last heard in this term. */
  heardMs: number
  transfer: SnapshotTransfer | undefined
  /** It is being brought up by the snapshot of this index, and then by the log after it. */
  broughtFrom: LogIndex | undefined
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
  /** When the chunk at `offset` was sent last. */
  sentMs: number
  ticksWaited: number
  /** The chunk is to be read like the first of a transfer: the follower was silent, or got a damaged snapshot. */
  isDoubted: boolean
}

/** Under way from the request to its end, whatever role this server has in the meantime. */
export interface LeadershipTransfer {
  readonly requestId: number
  readonly to: ServerId
  readonly term: Term
  toldToStand: boolean
}
