import type { Result } from '../base/result.ts'
import type { Closable } from '../env/async.ts'
import type { LogIndex, Term } from '../model/log-position.ts'
import type { RaftMessage } from './core/messages.ts'
import type { CoreStatus } from './core/status.ts'
import type { Configuration, ConfigurationChange, Entry, RequestRefusal, ServerId, SnapshotMeta } from './core/types.ts'

/** The replicated state machine. Every server applies the same entries in the same order. */
export interface StateMachine {
  /**
   * Applies one command at its index and returns its result, which the proposing server returns to its caller. Must not
   * fail: a command that cannot take effect has that as its result. Throws only to stop the agent (a command of an
   * unknown kind). Synchronous.
   */
  apply(entry: Entry): unknown
  /** Called after each batch of applied entries: time to wake watchers. */
  applied(last: LogIndex): void
  /** A frozen view of the present state, cheap to take (copy-on-write), to be written in slices. */
  snapshot(): StateSnapshot
  /** Replaces the whole state. `chunks` are those of a `StateSnapshot`, split anywhere. */
  restore(): StateRestore
}

export interface StateSnapshot {
  /**
   * The next piece of at most about 64 KiB; `undefined` after the last. Deterministic: equal states give equal bytes.
   */
  next(): Uint8Array | undefined
}

export interface StateRestore {
  /** A refusal is final: `finish` returns it, too. */
  write(bytes: Uint8Array): Result<undefined, string>
  /** Uses the new state, or says what is wrong with the bytes. */
  finish(): Result<undefined, string>
}

/** Carries messages between servers; may lose, repeat, delay or reorder them. */
export interface RaftTransport {
  /** Never blocks. A message that cannot be queued is dropped. */
  send(to: ServerId, address: string, message: RaftMessage): void
}

/** The core's status, and the driver's additions. A copy. */
export interface RaftStatus extends Omit<CoreStatus, 'leader'> {
  readonly leader: { readonly id: ServerId; readonly address: string } | undefined
  readonly appliedIndex: LogIndex
  /** Number of proposals under way. */
  readonly pendingProposals: number
  /**
   * The log has no disk space, and retries: nothing is acknowledged; a leader that finds no successor refuses writes.
   */
  readonly diskIsFull: boolean
}

/** One server's part in Raft, as the rest of the agent sees it. */
export interface Raft {
  /** Replicates a command. The value is what `StateMachine.apply` returned for it here. */
  propose(payload: Uint8Array): Promise<Result<{ readonly index: LogIndex; readonly value: unknown }, RequestRefusal>>
  /** A commit index confirmed by a quorum after this call began, once it is applied here: linearizable. Leader only. */
  readIndex(): Promise<Result<LogIndex, RequestRefusal>>
  /** As `readIndex`, but satisfied by the leader's lease when it holds, without a round. Leader only. */
  leaseRead(): Promise<Result<LogIndex, RequestRefusal>>
  /**
   * Whether a `leaseRead` begun now would be answered at once. Then the state applied here is the one that it would
   * wait for, and a caller that reads in this same turn need not ask.
   */
  leaseReadsNow(): boolean
  /**
   * Whether this server has, since its start, applied everything that was committed when it first heard a leader. Its
   * answers before that may be older than those before it was stopped.
   */
  hasCaughtUp(): boolean
  /** Resolves when it has; never if this server stops before. */
  untilCaughtUp(): Promise<void>
  /** Whether it leads, and its state lacks nothing that earlier leaders committed. */
  leadsSettled(): boolean
  /**
   * Milliseconds since this leader last received a reply of its term from that server; counts from when it began to
   * lead, or ran again after a stall, if that is later. Undefined: it does not lead, or does not replicate to that
   * server.
   */
  silenceMs(id: ServerId): number | undefined
  changeConfiguration(change: ConfigurationChange): Promise<Result<LogIndex, RequestRefusal>>
  transferLeadership(to?: ServerId): Promise<Result<undefined, RequestRefusal>>
  /** First configuration of a new cluster; only on a server without any log, term or snapshot. False if it has some. */
  bootstrap(configuration: Configuration): Promise<boolean>
  /** Whether this server has any Raft state (term, log or snapshot). */
  hasState(): boolean
  /** `from`: for a request, the sender's own Raft server ID; for an answer, its ID in the configuration. */
  receive(from: ServerId, message: RaftMessage): void
  /** The name of this server in the newest configuration known here: its node ID, its address, or undefined. */
  memberName(nodeId: string, address: string): ServerId | undefined
  /**
   * The connection with that server is closed, and dialling it again was refused: no process listens there. If it was
   * the leader, an election begins soon. Must not be called for a connection that only broke, or for a dial without an
   * answer (`core/leader-gone.ts`).
   */
  leaderUnreachable(id: ServerId): void
  status(): RaftStatus
  /**
   * Calls `use` after each change of role, term or leader; in a turn of its own or at the end of the one that changed
   * it.
   */
  onRoleChange(use: (status: RaftStatus) => void): Closable
  /** Ends timers and disk work; pending calls are refused with `leadership-lost`. */
  stop(): Promise<void>
}

/**
 * Observes Raft, for the simulator's invariants and for recorders. Production runs without one. Called synchronously at
 * the moment at which the event happens on this server; must not call back. `hardState`, `truncated`, `appended` and
 * `restored` report what became durable, in that order, each before any message to other servers relies on it. A leader
 * may commit an entry before its own copy is durable.
 */
export interface RaftObserver {
  hardState(term: Term, votedFor: ServerId | undefined): void
  becameLeader(term: Term, lastIndex: LogIndex): void
  /** A message has reached this server, before it is handled. `from` as for `Raft.receive`. */
  received(from: ServerId, message: RaftMessage): void
  /**
   * A message leaves this server. `to`: that server's ID in the configuration; `address`: where it is sent, empty if no
   * configuration has named that server here yet.
   */
  sent(to: ServerId, address: string, message: RaftMessage): void
  /** A read that needs a quorum, or the lease, was requested, and is not handled yet. */
  readAsked(requestId: number): void
  /** That read may be answered from the state of this server. */
  readConfirmed(requestId: number): void
  /** A request of this server's agent, a read or another, was refused. */
  refused(requestId: number, refusal: RequestRefusal): void
  /** A read may be answered at once, because this server leads and holds its lease. */
  readByLease(): void
  /** This server was asked to change the configuration, and has not handled that yet. */
  changeAsked(change: ConfigurationChange): void
  steppedDown(term: Term): void
  appended(entries: readonly Entry[]): void
  truncated(from: LogIndex): void
  committed(index: LogIndex, term: Term): void
  applied(entry: Entry): void
  /**
   * At start, or when a leader's snapshot and the end of the log that it replaces are durable; `applied` continues
   * after it.
   */
  restored(meta: SnapshotMeta): void
  /** The state that a boot found on its disk, before anything else. */
  recovered(
    hardState: { readonly term: Term; readonly votedFor: ServerId | undefined },
    snapshot: SnapshotMeta | undefined,
    entries: readonly Entry[],
  ): void
}
