import type { LogIndex, Term } from '../../model/log-position.ts'
import type { RaftMessage } from './messages.ts'
import type { ConfigurationChange, ServerId, SnapshotMeta } from './types.ts'

/**
 * `election`: stand for election, perhaps again. `heartbeat`: send a round. `quorum`: check whether a quorum was heard
 * within the lease. `transfer`: give up a transfer.
 */
export type TimerName = 'election' | 'heartbeat' | 'quorum' | 'transfer'

/** The events of a server, which the core handles one at a time. */
export type RaftEvent =
  | { readonly kind: 'started' }
  | { readonly kind: 'timer-fired'; readonly timer: TimerName }
  | { readonly kind: 'message-received'; readonly from: ServerId; readonly message: RaftMessage }
  /** The `persist` effect with this number, and all before it, are durable. */
  | { readonly kind: 'persisted'; readonly sequence: number }
  /** Commands to be replicated; the effects that decide their outcome carry `requestId`. */
  | { readonly kind: 'proposed'; readonly requests: readonly ProposalRequest[] }
  | { readonly kind: 'change-requested'; readonly requestId: number; readonly change: ConfigurationChange }
  /**
   * `quorum`: confirmed by a round begun after the request (thesis 6.4). `lease`: served within the lease if it holds.
   */
  | { readonly kind: 'read-requested'; readonly requestId: number; readonly mode: 'quorum' | 'lease' }
  | { readonly kind: 'transfer-requested'; readonly requestId: number; readonly to: ServerId | undefined }
  /**
   * This server's own connection with that server is closed, and dialling it again was refused: no process listens
   * there. Not for a connection that only broke, nor for a dial without an answer. `leader-gone.ts` has the
   * consequences.
   */
  | { readonly kind: 'leader-gone'; readonly leader: ServerId }
  /** The state machine has applied everything up to `index`, and a snapshot of that is durable: the log may be cut. */
  | {
      readonly kind: 'snapshot-taken'
      readonly meta: SnapshotMeta
      readonly sizeBytes: number
      readonly keepFrom: LogIndex
      /** For a follower that a snapshot brings up, the log may be kept from here on; absent: from `keepFrom`. */
      readonly mayKeepFrom?: LogIndex
    }
  /**
   * Answer to `store-chunk`: how much of the snapshot is on this disk. `complete` only when all of it is durable and
   * its checksum is right. `term` and `round`: those of the chunk, which may be long past when the disk is slow.
   */
  | {
      readonly kind: 'chunk-stored'
      readonly from: ServerId
      readonly term: Term
      readonly meta: SnapshotMeta
      readonly nextOffset: number
      readonly complete: boolean
      readonly round: number
    }
  /** Answer to `read-chunk`. `undefined`: that snapshot is gone (a newer one replaced it). */
  | {
      readonly kind: 'chunk-read'
      readonly to: ServerId
      readonly meta: SnapshotMeta
      readonly offset: number
      readonly bytes: Uint8Array | undefined
      readonly sizeBytes: number
    }

export interface ProposalRequest {
  readonly requestId: number
  readonly payload: Uint8Array
}
