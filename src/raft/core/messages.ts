import type { LogIndex, Term } from '../../model/log-position.ts'
import type { Entry, ServerId, SnapshotMeta } from './types.ts'

/**
 * The round of a notice, and of a refusal of what an earlier term's leader sent. The refusal carries the present term,
 * which that leader may lead meanwhile; it counts rounds anew there, and must not take the old number for one of them.
 */
export const noRound = 0

/** Messages between servers. */
export type RaftMessage =
  | VoteRequest
  | VoteResponse
  | AppendRequest
  | AppendResponse
  | SnapshotChunk
  | SnapshotResponse
  | TimeoutNow

export interface VoteRequest {
  readonly kind: 'vote-request'
  /**
   * A pre-vote asks whether the voter would grant its vote in the term that the candidate would start (thesis 9.6); no
   * server's term changes.
   */
  readonly pre: boolean
  readonly term: Term
  readonly lastIndex: LogIndex
  readonly lastTerm: Term
  /** The leader asked for this election: voters ignore their loyalty (thesis 3.10). */
  readonly transfer: boolean
}

export interface VoteResponse {
  readonly kind: 'vote-response'
  readonly pre: boolean
  /** The voter's term; for a granted pre-vote, the term asked about. */
  readonly term: Term
  readonly granted: boolean
}

export interface AppendRequest {
  readonly kind: 'append-request'
  readonly term: Term
  readonly previousIndex: LogIndex
  readonly previousTerm: Term
  readonly entries: readonly Entry[]
  readonly commit: LogIndex
  /**
   * The leader's count of rounds, from 1; the answer returns it, by which read-index and lease learn of a quorum. 0: a
   * notice of the commit index, answered only by a refusal.
   */
  readonly round: number
}

export interface AppendResponse {
  readonly kind: 'append-response'
  readonly term: Term
  readonly success: boolean
  /**
   * Success: the last entry that this request verified (`previousIndex + entries`), never the follower's own last
   * index. A success of 0 acknowledges no entry: the follower has heard the leader, and its disk still writes. Refusal:
   * the follower's hint where the logs may still agree (end of its log, or before the conflicting term).
   */
  readonly index: LogIndex
  /** Refusal: the term of the follower's entry at `index`, 0 if unknown (paper 5.3, end). */
  readonly hintTerm: Term
  readonly round: number
}

export interface SnapshotChunk {
  readonly kind: 'snapshot-chunk'
  readonly term: Term
  readonly meta: SnapshotMeta
  readonly sizeBytes: number
  readonly offset: number
  readonly bytes: Uint8Array
  readonly round: number
}

export interface SnapshotResponse {
  readonly kind: 'snapshot-response'
  readonly term: Term
  readonly index: LogIndex
  /** Offset of the next chunk that the follower wants; `sizeBytes` of the snapshot once it is installed. */
  readonly nextOffset: number
  readonly installed: boolean
  readonly round: number
}

/** Leadership transfer: stand for election now (thesis 3.10). */
export interface TimeoutNow {
  readonly kind: 'timeout-now'
  readonly term: Term
}

export interface Outgoing {
  readonly to: ServerId
  readonly message: RaftMessage
}
