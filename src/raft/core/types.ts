/**
 * The words of the consensus core: its state machine takes one `RaftEvent` at a time and answers with `RaftEffect`s,
 * in order. It owns no promise, no timer, no clock and no randomness: the time is an argument of `step`, timers are
 * asked for by an effect that names a range, and the driver draws from it.
 *
 * Source: Ongaro, "Consensus: Bridging Theory and Practice" (2014), cited as "thesis"; "In Search of an Understandable
 * Consensus Algorithm" (2014), cited as "paper".
 */

import type { LogIndex, Term } from '../../model/log-position.ts'

/** Names a server for as long as it lives: its node ID. */
export type ServerId = string

export type Suffrage = 'voter' | 'nonvoter'

export interface Server {
  readonly id: ServerId
  /** `host:port` of the server's RPC listener. */
  readonly address: string
  readonly suffrage: Suffrage
}

/** Members of the consensus group, sorted by ID. A server uses the latest in its log, committed or not (thesis 4.1). */
export interface Configuration {
  readonly servers: readonly Server[]
}

export type EntryKind = 'command' | 'no-op' | 'configuration'

export interface Entry {
  readonly index: LogIndex
  readonly term: Term
  readonly kind: EntryKind
  /** A command as the state machine wrote it; an encoded `Configuration`; nothing for a no-op. Never changed. */
  readonly payload: Uint8Array
}

/** Term and vote are one record: made durable together or not at all (planted bug 2 is what happens otherwise). */
export interface HardState {
  readonly term: Term
  readonly votedFor: ServerId | undefined
}

/** The content of a snapshot: every entry up to `index` applied, and the configuration as of then. */
export interface SnapshotMeta {
  readonly index: LogIndex
  readonly term: Term
  readonly configuration: Configuration
  /** Index of the entry that brought `configuration`. */
  readonly configurationIndex: LogIndex
}

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
   * A pre-vote asks "would you vote for me?" in the term that the candidate would start (thesis 9.6); no server's term
   * changes.
   */
  readonly pre: boolean
  readonly term: Term
  readonly lastIndex: LogIndex
  readonly lastTerm: Term
  /** The leader asked for this election: voters forgo their stickiness (thesis 3.10). */
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
   * The leader's count of rounds, from 1; the answer brings it back, which is how read-index and lease learn of a
   * quorum. 0: a notice of the commit index, answered only by a refusal.
   */
  readonly round: number
}

export interface AppendResponse {
  readonly kind: 'append-response'
  readonly term: Term
  readonly success: boolean
  /**
   * Success: the last entry that this request verified (`previousIndex + entries`), never the follower's own last
   * index. A success of 0 acknowledges no entry: the follower has heard the leader, and its disk is still at work.
   * Refusal: the follower's hint where the logs may still agree (end of its log, or before the conflicting term).
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

export type ConfigurationChange =
  | { readonly kind: 'add-nonvoter'; readonly id: ServerId; readonly address: string }
  | { readonly kind: 'add-voter'; readonly id: ServerId; readonly address: string }
  | { readonly kind: 'demote'; readonly id: ServerId }
  | { readonly kind: 'remove'; readonly id: ServerId }

/**
 * `election`: stand, or stand again. `heartbeat`: send a round. `quorum`: has a quorum been heard within the lease?
 * `transfer`: give up on a transfer.
 */
export type TimerName = 'election' | 'heartbeat' | 'quorum' | 'transfer'

export type RaftEvent =
  | { readonly kind: 'started' }
  | { readonly kind: 'timer-fired'; readonly timer: TimerName }
  | { readonly kind: 'message-received'; readonly from: ServerId; readonly message: RaftMessage }
  /** The `persist` effect with this number, and all before it, are durable. */
  | { readonly kind: 'persisted'; readonly sequence: number }
  /** Commands to be replicated; `requestId` comes back in the effects that tell their fate. */
  | { readonly kind: 'proposed'; readonly requests: readonly ProposalRequest[] }
  | { readonly kind: 'change-requested'; readonly requestId: number; readonly change: ConfigurationChange }
  /**
   * `quorum`: confirmed by a round begun after the request (thesis 6.4). `lease`: served within the lease if it holds.
   */
  | { readonly kind: 'read-requested'; readonly requestId: number; readonly mode: 'quorum' | 'lease' }
  | { readonly kind: 'transfer-requested'; readonly requestId: number; readonly to: ServerId | undefined }
  /**
   * This server's own connection with that server is closed, and dialling it again was refused: no process is there.
   * Not for a connection that only broke, nor for a dial that was not answered. What it ends is in `leader-gone.ts`.
   */
  | { readonly kind: 'leader-gone'; readonly leader: ServerId }
  /** The state machine has applied everything up to `index`, and a snapshot of that is durable: the log may be cut. */
  | {
      readonly kind: 'snapshot-taken'
      readonly meta: SnapshotMeta
      readonly sizeBytes: number
      readonly keepFrom: LogIndex
    }
  /**
   * Answer to `store-chunk`: what is on this disk of the snapshot now. `complete` only when all of it is durable and
   * its checksum holds.
   */
  | {
      readonly kind: 'chunk-stored'
      readonly from: ServerId
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

export type RequestRefusal =
  | { readonly kind: 'not-leader'; readonly leader: ServerId | undefined }
  | { readonly kind: 'overloaded' }
  /** The leader's disk has no room. `accepted`: the entry waits in its log, and may be committed when there is some. */
  | { readonly kind: 'disk-full'; readonly accepted: boolean }
  /**
   * A change while the last one is not committed, or before an entry of the own term is (thesis 4.1 and its erratum).
   */
  | { readonly kind: 'change-in-progress' }
  | { readonly kind: 'unknown-server'; readonly id: ServerId }
  | { readonly kind: 'invalid-change'; readonly message: string }
  /** Leadership was lost while the request was under way: its entry may or may not be committed. */
  | { readonly kind: 'leadership-lost' }
  | { readonly kind: 'transfer-failed'; readonly message: string }

/**
 * What the driver must do, in this order. What must be durable before it may be said is carried by the type: votes and
 * acknowledgements of entries exist only in the `thenSend` of a `persist`. (`send` carries at most "heard": a success
 * that acknowledges no entry.)
 *
 * A `persist` without hard state, truncation and entries asks nothing of the disk: it only holds its messages back
 * until those before it are durable, and is done at once when there are none. The driver may leave such a one untold.
 */
export type RaftEffect =
  | {
      readonly kind: 'persist'
      /** Counts 1, 2, 3 …; persists finish in this order. */
      readonly sequence: number
      readonly hardState: HardState | undefined
      /** Cut the log from here on before the entries are appended. */
      readonly truncateFrom: LogIndex | undefined
      readonly entries: readonly Entry[]
      /** Sent by the driver once this persist, and all before it, are durable, and only in the boot that asked. */
      readonly thenSend: readonly Outgoing[]
    }
  | { readonly kind: 'send'; readonly outgoing: Outgoing }
  /**
   * Fire once after a time drawn from [minMs, maxMs), or after `minMs` if they are equal; replaces the timer of that
   * name.
   */
  | { readonly kind: 'set-timer'; readonly timer: TimerName; readonly minMs: number; readonly maxMs: number }
  | { readonly kind: 'clear-timer'; readonly timer: TimerName }
  /** Newly committed entries, in order, each once per boot. */
  | { readonly kind: 'apply'; readonly entries: readonly Entry[] }
  /**
   * Replace the state machine and the whole log by the received snapshot, which is durable. Applied goes to
   * `meta.index`.
   */
  | { readonly kind: 'install-snapshot'; readonly meta: SnapshotMeta }
  /** Keep the log from here on; older entries are covered by a durable snapshot. */
  | { readonly kind: 'compact'; readonly keepFrom: LogIndex }
  /** Write a received chunk aside; answer with `chunk-stored`. */
  | { readonly kind: 'store-chunk'; readonly from: ServerId; readonly chunk: SnapshotChunk }
  /** Read a piece of the newest snapshot for a follower; answer with `chunk-read`. */
  | {
      readonly kind: 'read-chunk'
      readonly to: ServerId
      readonly meta: SnapshotMeta
      readonly offset: number
      readonly length: number
    }
  /**
   * The proposal or change is in the leader's log at this index; the entry that is applied there decides its outcome.
   */
  | { readonly kind: 'accepted'; readonly requestId: number; readonly index: LogIndex; readonly term: Term }
  | { readonly kind: 'refused'; readonly requestId: number; readonly refusal: RequestRefusal }
  /** A read may be answered from a state machine that has applied `index` or more. */
  | { readonly kind: 'read-ready'; readonly requestId: number; readonly index: LogIndex }
  | { readonly kind: 'transferred'; readonly requestId: number }
  /** Role, term or known leader changed; reported once per change. */
  | {
      readonly kind: 'role-changed'
      readonly role: RoleName
      readonly term: Term
      readonly leader: ServerId | undefined
    }
  | {
      readonly kind: 'configuration-changed'
      readonly configuration: Configuration
      readonly index: LogIndex
      readonly committed: boolean
    }
  /** A line for the log, and what it counts as in the metrics, if as anything. */
  | {
      readonly kind: 'note'
      readonly level: 'debug' | 'info' | 'warn'
      readonly counts?: string
      readonly text: string
      readonly fields: Readonly<Record<string, string | number | boolean>>
    }

export type RoleName = 'follower' | 'pre-candidate' | 'candidate' | 'leader'

/** The state on disk when the server started. */
export interface Recovered {
  readonly hardState: HardState
  readonly snapshot: SnapshotMeta | undefined
  readonly snapshotSizeBytes: number
  /** In order, without gaps; the first follows the snapshot or lies within it. */
  readonly entries: readonly Entry[]
}
