import type { LogIndex, Term } from '../../src/model/log-position.ts'
import type { RaftMessage } from '../../src/raft/core/messages.ts'
import type { Configuration, Entry, RequestRefusal } from '../../src/raft/core/types.ts'
import type { ServerSeen } from './access/access-facts.ts'
import type { Recovery } from './keys/recovered-history.ts'
import type { OfNode } from './process-facts.ts'
import type { ServerLog } from './raft/server-log.ts'

/** Reported by the observer of one server, about its consensus. */
export interface LogFacts {
  readonly 'term found': OfNode & { readonly term: Term; readonly votedFor: string | undefined }
  readonly 'term written': OfNode & {
    readonly term: Term
    readonly votedFor: string | undefined
    /** It has voted for itself. */
    readonly stands: boolean
  }
  /** A boot found its log ending after `index`, although more was durable. */
  readonly 'log lost': OfNode & { readonly index: LogIndex; readonly durable: LogIndex }
  readonly 'leader began': OfNode & { readonly term: Term; readonly log: ServerLog; readonly atUs: number }
  /** `crashed`: it was the leader when its process died. */
  readonly 'leader ended': OfNode & { readonly crashed: boolean }
  /** Reported before the message is handled. `from`: the Raft server ID of its sender. */
  readonly 'message received': OfNode & { readonly from: string; readonly message: RaftMessage }
  /** The message leaves for another server, `to` by its Raft server ID. */
  readonly 'message sent': OfNode & { readonly to: string; readonly address: string; readonly message: RaftMessage }
  /** A read that a quorum or the lease must confirm. */
  readonly 'read asked': OfNode & { readonly requestId: number }
  /** A read, a proposal or another request of the agent to its consensus. */
  readonly 'request refused': OfNode & { readonly requestId: number; readonly kind: RequestRefusal['kind'] }
  /** `requestId` undefined: the read began at this moment, and the lease confirms it. */
  readonly 'read confirmed': OfNode & { readonly requestId: number | undefined }
  /** From now on no connection with this node can be made, or all can: existing ones may have broken. */
  readonly 'connections refused': OfNode & { readonly refuses: boolean }
  /** A leader has received a reply of its term. */
  readonly 'reply received': OfNode & { readonly from: string }
  /** A leader is asked to change the configuration. */
  readonly 'change asked': OfNode
  /** A server answers an order to transfer its leadership. `to`: the node that the order named, if any. */
  readonly 'transfer answered': OfNode & {
    readonly to: string | undefined
    /** Its term when it was asked. */
    readonly term: Term
    /** Why it failed, in words; undefined: it succeeded. */
    readonly failure: string | undefined
  }
  /** A leader decides to remove a server. `status`: that server's status in the leader's pool. */
  readonly 'removal decided': OfNode & { readonly id: string; readonly status: string | undefined }
  /** `lastIndex`: where the log ended before. */
  readonly 'log cut': OfNode & { readonly from: LogIndex; readonly lastIndex: LogIndex }
  readonly 'log written': OfNode & { readonly from: LogIndex; readonly lastIndex: LogIndex }
  /**
   * `hash`: that of this server's log up to and including the entry; undefined: the beginning of the log is unknown.
   */
  readonly 'entry written': OfNode & {
    readonly index: LogIndex
    readonly term: Term
    readonly hash: number | undefined
  }
  readonly 'gap written': OfNode & { readonly index: LogIndex; readonly lastIndex: LogIndex }
  /** After a boot or a snapshot, the entries of the log are reported anew. `configuration` is the snapshot's. */
  readonly 'log reset': OfNode & { readonly index: LogIndex; readonly configuration: Configuration | undefined }
  /** A server has written a configuration to its log. A leader that was paused may lead no more by then. */
  readonly 'configuration written': OfNode & { readonly index: LogIndex; readonly configuration: Configuration }
  /** The change that a leader was asked for last is in its log: an earlier one may be written after that request. */
  readonly 'change written': OfNode
  /** A leader has written another configuration. `before`: the voters of the previous one. */
  readonly 'members changed': OfNode & { readonly before: readonly string[]; readonly configuration: Configuration }
  /** An entry that no leader wrote: an operator forced a configuration. */
  readonly 'configuration forced': OfNode & { readonly entry: Entry }
  /** The scenario excuses that everything from this index on was lost. */
  readonly 'entries lost': { readonly from: LogIndex; readonly recovery: Recovery }
  /** `term`: that of the server when it learned of it. */
  readonly 'index committed': OfNode & { readonly index: LogIndex; readonly term: Term }
  /** A leader has written to its log that the new mode of access control begins. */
  readonly 'mode proposed': OfNode & { readonly servers: readonly ServerSeen[]; readonly places: readonly string[] }
}
