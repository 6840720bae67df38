import type { LogIndex, Term } from '../../model/log-position.ts'
import type { TimerName } from './events.ts'
import type { Outgoing, SnapshotChunk } from './messages.ts'
import type { Configuration, Entry, HardState, RequestRefusal, RoleName, ServerId, SnapshotMeta } from './types.ts'

/**
 * What the driver must do, in this order. The type enforces what must be durable before a message: votes and
 * acknowledgements of entries exist only in the `thenSend` of a `persist`. (`send` carries at most a success that
 * acknowledges no entry, which only confirms contact.)
 *
 * A `persist` without hard state, truncation and entries needs nothing of the disk: it only delays its messages until
 * earlier persists are durable, and is done at once if there are none. The driver need not report such a persist.
 */
export type RaftEffect =
  | {
      readonly kind: 'persist'
      /** Counts 1, 2, 3 …; persists finish in this order. */
      readonly sequence: number
      readonly hardState: HardState | undefined
      /** Cut the log from here on before appending the entries. */
      readonly truncateFrom: LogIndex | undefined
      readonly entries: readonly Entry[]
      /** Sent by the driver once this persist, and all before it, are durable, and only within the same boot. */
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
   * Replace the state machine and the whole log by the received snapshot, which is durable. The applied index becomes
   * `meta.index`.
   */
  | { readonly kind: 'install-snapshot'; readonly meta: SnapshotMeta }
  /** Keep the log from here on; older entries are covered by a durable snapshot. */
  | { readonly kind: 'compact'; readonly keepFrom: LogIndex }
  /** Write a received chunk to a separate file; answer with `chunk-stored`. */
  | { readonly kind: 'store-chunk'; readonly from: ServerId; readonly chunk: SnapshotChunk }
  /** Read a piece of the newest snapshot for a follower; answer with `chunk-read`. */
  | {
      readonly kind: 'read-chunk'
      readonly to: ServerId
      readonly meta: SnapshotMeta
      readonly offset: number
      readonly length: number
      /** The same piece was read before, and only an answer to it has not come. */
      readonly isRepeated: boolean
    }
  /**
   * The proposal or change is in the leader's log at this index; the entry that is applied there decides its outcome.
   */
  | { readonly kind: 'accepted'; readonly requestId: number; readonly index: LogIndex; readonly term: Term }
  | { readonly kind: 'refused'; readonly requestId: number; readonly refusal: RequestRefusal }
  /** A read may be answered once the state machine has applied `index`. */
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
  /** A line to log, and the metric that it counts for, if any. */
  | {
      readonly kind: 'note'
      readonly level: 'debug' | 'info' | 'warn'
      readonly counts?: string
      readonly text: string
      readonly fields: Readonly<Record<string, string | number | boolean>>
    }
