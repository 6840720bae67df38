import type { StartFailure } from '../../src/agent/boot/lifecycle.ts'
import type { LoggedCommand } from '../../src/agent/replication/command-codec.ts'
import type { AgentConfig } from '../../src/agent/settings/agent-config.ts'
import type { WriteIdentity } from '../../src/features/contract/command.ts'
import type { LogIndex, Term } from '../../src/model/log-position.ts'
import type { Release } from '../../src/model/release.ts'
import type { RaftMessage } from '../../src/raft/core/messages.ts'
import type { Configuration, Entry } from '../../src/raft/core/types.ts'
import type { ReadTransaction } from '../../src/store/types.ts'
import type { AccessState, ServerSeen, TokenState, Visit } from './access/access-facts.ts'
import type { LockFacts } from './clients/lock-facts.ts'
import type { StillAnswer, WaitingRead } from './clients/read-facts.ts'
import type {
  EventListing,
  EventLook,
  EventWait,
  FewRightsFire,
  FewRightsList,
  FiredEvent,
} from './events/event-facts.ts'
import type { IntentionChange, IntentionDecision } from './intentions/intention-facts.ts'
import type { KeyOperation, ListedKey } from './keys/key-history.ts'
import type { OwnAnswer } from './keys/own-words.ts'
import type { Recovery } from './keys/recovered-history.ts'
import type { MeshEvent } from './mesh/mesh-facts.ts'
import type { DiskLook } from './raft/disk-look.ts'
import type { ServerLog } from './raft/server-log.ts'
import type { TimelyAnswer, ToldName } from './reads/timely-facts.ts'
import type { SettledAnswer, SettledRequest } from './refusal-facts.ts'
import type { NodeRows, RegistrationChange } from './registrations/registration-facts.ts'

/** Events of one server that faults and steps can wait for. */
export type NodeTrigger =
  | 'leader elected'
  | 'leader stepped down'
  | 'vote given'
  | 'entry appended'
  | 'entry committed'
  | 'snapshot installed'
  | 'members changed'
  | MeshEvent

/** How one server measures time in consensus. */
export interface ServerTiming {
  /** Its own monotonic clock in milliseconds, as its process reads it now. */
  readonly monoMs: () => number
  readonly heartbeatTimeoutMs: number
  readonly leaderLeaseMs: number
  readonly detection: 'adaptive' | 'fixed'
}

/** Something that a process has open. */
export interface HeldThing {
  /** The path of a file, or the address of a peer. */
  readonly what: string
  /** Since when it could have been given back, in microseconds of true time. */
  readonly sinceUs: number
}

export interface Held {
  /** Open files, from their opening on. */
  readonly files: readonly HeldThing[]
  /** Connections that are still open, from the arrival of the peer's end on. */
  readonly ended: readonly HeldThing[]
  /** Addresses at which it listens. */
  readonly sockets: readonly string[]
}

interface OfNode {
  readonly node: string
}

/**
 * Every fact that is reported to the checkers of a run, by name. Times are true times, in microseconds since the run
 * began.
 */
export interface Facts extends ProcessFacts, LogFacts, StateFacts, ClientFacts {}

export type FactName = keyof Facts

/** A fact about one node. */
export type NodeFact = { [Name in FactName]: Facts[Name] extends OfNode ? Name : never }[FactName]

/** Reported by the cluster about the processes on its machines. */
interface ProcessFacts {
  /** `id`: its Raft server ID. */
  readonly 'process began': OfNode & {
    readonly boot: number
    readonly id: string
    readonly timing?: ServerTiming | undefined
    /** A snapshot of its present state; undefined while it starts. */
    readonly snapshot?: (() => Uint8Array | undefined) | undefined
  }
  readonly 'settings read': { readonly config: AgentConfig }
  /** The process has ended, and nothing of it waits. */
  readonly 'process died': OfNode
  /** It stopped itself: its release does not know a command, or it panicked. */
  readonly 'process panicked': OfNode & { readonly release: Release; readonly violation: Error }
  readonly 'start failed': OfNode & { readonly message: string }
  /** It has stopped in order, by a signal: what it has open still. */
  readonly 'process stopped': OfNode & { readonly held: Pick<Held, 'files' | 'sockets'> }
  /** What is on the disk of a server is looked at. */
  readonly 'disk looked at': OfNode & { readonly look: DiskLook }
  /** The process is paused from now on. */
  readonly 'process paused': OfNode
  readonly 'process resumed': OfNode
  /** A program that is no agent of this run takes part in its pool, and sends whatever it likes. */
  readonly 'stranger came': OfNode
  /** It sends nothing more. */
  readonly 'stranger went': OfNode
  /** Another machine has the name of a lost one; promises of the old one do not bind it. */
  readonly 'machine replaced': OfNode
  /** Its removal from the catalog or from the Raft group was requested. `id`: its node ID. */
  readonly 'removal allowed': OfNode & { readonly id: string; readonly why: 'left' | 'replaced' | 'operator' }
  /** It did not start, and the scenario explains why. `isDamaged`: its files are corrupt. */
  readonly 'process did not start': OfNode & { readonly isDamaged: boolean; readonly kind: StartFailure['kind'] }
  /** It stopped itself, because its disk failed. */
  readonly 'process stopped by its disk': OfNode
  /** An operation of its disk failed, because a fault makes such operations fail. */
  readonly 'disk operation failed': OfNode & {
    readonly operation: 'sync' | 'read' | 'write' | 'open' | 'rename'
    readonly path: string
  }
  /** `what`: `topic: text` of a line of its log, or the name of a counter that it counts for the first time. */
  readonly 'process told': OfNode & { readonly what: string }
  /**
   * An event that faults may wait for. `isCut`: some link carries nothing. `hasReplacedVoter`: a machine that replaced
   * a lost one has a vote.
   */
  readonly 'event seen': OfNode & {
    readonly event: string
    readonly isCut: boolean
    readonly hasReplacedVoter: () => boolean
  }
  /**
   * The requested removal cannot happen any more: the agent runs, and in a pool that was calm for long enough all
   * members know so. Without an ID, its machine is another.
   */
  readonly 'removal over': OfNode & { readonly id: string | undefined }
  readonly 'turn ended': object
  /** After each turn. `isTroubled`: some link is cut or slow, or some clock is wrong. */
  readonly 'network looked at': { readonly isTroubled: () => boolean }
  /** Text of a log line or an answer. `where`: `log`, or the path of the request. */
  readonly 'text shown': OfNode & { readonly where: string; readonly text: () => string }
  /** An agent answered a request over HTTP. `where`: its target; `tookMs`: its duration by the agent's own clock. */
  readonly 'answer shown': OfNode & {
    readonly where: string
    readonly status: number
    readonly tookMs: number
    readonly text: () => string
  }
}

/** Reported by the observer of one server, about its consensus. */
interface LogFacts {
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
  /** The message leaves for another server. */
  readonly 'message sent': OfNode & { readonly message: RaftMessage }
  /** A read that a quorum or the lease must confirm. */
  readonly 'read asked': OfNode & { readonly requestId: number }
  /** `requestId` undefined: the read began at this moment, and the lease confirms it. */
  readonly 'read confirmed': OfNode & { readonly requestId: number | undefined }
  /** From now on no connection with this node can be made, or all can: existing ones may have broken. */
  readonly 'connections refused': OfNode & { readonly refuses: boolean }
  /** A leader has received a reply of its term. */
  readonly 'reply received': OfNode & { readonly from: string }
  /** A leader is asked to change the configuration. */
  readonly 'change asked': OfNode
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
  /** A leader has written another configuration. `before`: the voters of the previous one. */
  readonly 'members changed': OfNode & { readonly before: readonly string[]; readonly configuration: Configuration }
  /** An entry that no leader wrote: an operator forced a configuration. */
  readonly 'configuration forced': OfNode & { readonly entry: Entry }
  /** The scenario excuses that everything from this index on was lost. */
  readonly 'entries lost': { readonly from: LogIndex; readonly recovery: Recovery }
  readonly 'index committed': OfNode & { readonly index: LogIndex }
  /** A leader has written to its log that the new mode of access control begins. */
  readonly 'mode proposed': OfNode & { readonly servers: readonly ServerSeen[]; readonly places: readonly string[] }
}

/** Reported by the observer of one server about its replicated state, and by readers of that state. */
interface StateFacts {
  /** The server's state was replaced. */
  readonly 'state moved': OfNode
  readonly 'command carried out': OfNode & {
    readonly release: Release
    readonly kind: string
    readonly index: number
    readonly identity: WriteIdentity | undefined
  }
  /** The first server has applied a command. `tx`: the state right after. */
  readonly 'command took effect': OfNode & {
    readonly command: Pick<LoggedCommand, 'kind' | 'body' | 'identity'>
    readonly index: number
    readonly outcome: unknown
    readonly tx: ReadTransaction
  }
  /** The first server has replaced its state by another one. */
  readonly 'state replaced': OfNode & { readonly index: number; readonly tx: ReadTransaction }
  /** The catalog's rows of a node whose agent clients ask for changes. `isRestored`: by a snapshot. */
  readonly 'node listed': OfNode & { readonly rows: NodeRows; readonly isRestored: boolean }
  /** `value` undefined: the key was deleted. */
  readonly 'key changed': { readonly key: string; readonly index: number; readonly value: string | undefined }
  readonly 'locks changed': LockFacts
  readonly 'locks replaced': LockFacts
  /** The members of the node's own pool have changed. `servers`: as its gossip pools see them. */
  readonly 'servers seen': OfNode & { readonly servers: () => readonly ServerSeen[] }
  readonly 'mode recorded': OfNode & { readonly isNew: boolean }
  /** `by`: a batch of the migration, any other command, or a state that replaced the previous one. */
  readonly 'access changed': { readonly state: AccessState; readonly by: 'migration' | 'command' | 'restore' }
  /** One token only, because a scenario may make thousands. */
  readonly 'token written': { readonly atUs: number; readonly secret: string; readonly token: TokenState }
}

/** Reported by the clients of the workload. */
interface ClientFacts {
  /** A client asks an agent to change its services or checks. The outcome is filled in later. */
  readonly 'registration began': { readonly change: RegistrationChange }
  readonly 'registration ended': { readonly change: RegistrationChange }
  /** Its outcome is filled in later. */
  readonly 'operation began': { readonly operation: KeyOperation }
  /** Its outcome is final: it was answered, or its client waits no longer. */
  readonly 'operation ended': { readonly operation: KeyOperation }
  /** It certainly did not happen, and its client was told that. */
  readonly 'operation withdrawn': { readonly operation: KeyOperation }
  readonly 'write acknowledged': { readonly operation: KeyOperation }
  /** A client was told that a transaction, which was to write this value, had no effect. */
  readonly 'write refused': { readonly value: string; readonly what: string }
  /** An answer had all existing keys among these names. */
  readonly 'keys listed': {
    readonly asked: readonly string[]
    readonly found: readonly ListedKey[]
    readonly where: string
  }
  readonly 'own answer': OwnAnswer
  /** A client learnt an index by a blocking read. */
  readonly 'reader answered': {
    readonly read: WaitingRead
    readonly index: number
    /** The result differs from that of the index that was waited for. */
    readonly isChanged: boolean
  }
  readonly 'still answered': StillAnswer
  readonly 'watcher follows': { readonly watcher: string; readonly prefix: string }
  readonly 'watcher answered': { readonly watcher: string; readonly rows: readonly ListedKey[] }
  /** A client was told that it holds the key, with this fencing number. */
  readonly 'lock answered': { readonly key: string; readonly session: string; readonly fence: number }
  /** A client called for a renewal at one time, and the answer at another time confirmed the session. */
  readonly 'session renewed': { readonly id: string; readonly calledUs: number; readonly answeredUs: number }
  /** A renewal without an answer may have taken effect up to now. */
  readonly 'renewal attempted': { readonly id: string; readonly untilUs: number }
  readonly 'visit made': Visit
  readonly 'intention answered': IntentionChange
  readonly 'intention decided': IntentionDecision
  /** From now on, answers about the service are reported. */
  readonly 'service followed': { readonly service: string }
  readonly 'service told': TimelyAnswer
  readonly 'settled request began': SettledRequest
  readonly 'settled request answered': SettledAnswer
  readonly 'name told': ToldName
  /** Its ID is filled in when the agent has answered. */
  readonly 'event asked for': { readonly event: FiredEvent; readonly boot: number }
  readonly 'event looked for': EventLook
  readonly 'event wait began': EventWait
  /** The request has no answer, or none that can be judged. */
  readonly 'event wait given up': EventWait
  readonly 'events listed': EventListing
  readonly 'event asked for with few rights': FewRightsFire
  readonly 'event answered with few rights': FewRightsFire
  readonly 'events shown to few rights': FewRightsList
  /**
   * A request with a unique mark began. The replicated state has the mark once the request has taken effect, and not
   * otherwise.
   */
  readonly 'visit began': { readonly mark: string; readonly tookEffect: () => void }
  /** Such a request was answered with success. `what`: `write to a`; `calledIn`: the event in which it was sent. */
  readonly 'visit acknowledged': {
    readonly mark: string
    readonly what: string
    readonly agent: string
    readonly calledIn: number
  }
  /** An agent has answered a heartbeat with success. `isHeld`: it had the check at the request or at the answer. */
  readonly 'heartbeat taken': OfNode & {
    /** The ID of the check. */
    readonly check: string
    /** The agent's process restarted before it answered. */
    readonly isRestarted: boolean
    readonly isHeld: boolean
  }
  /** An agent answered a step of the scenario. `line`: method and target, as written in the step. */
  readonly 'request answered': OfNode & { readonly line: string; readonly status: number }
}
