import type { Result } from '../base/result.ts'
import type { AgentContext } from '../features/contract/agent-context.ts'
import type { WriteIdentity } from '../features/contract/server-context.ts'
import type { PoolObserver } from '../gossip/pool.ts'
import type { Failure } from '../model/failure.ts'
import type { Raft, RaftObserver } from '../raft/raft.ts'
import type { ReadTransaction } from '../store/types.ts'
import type { AgentConfig } from './settings/agent-config.ts'
import type { TlsMaterial } from './settings/tls-settings.ts'

/** Why an agent could not start; each becomes one line and exit code 1. `remedy` says what to do about it. */
export interface StartFailure {
  readonly kind: 'address-in-use' | 'data-directory' | 'damaged-log' | 'old-format' | 'configuration' | 'io'
  readonly message: string
  readonly remedy: string
  /** The key of the configuration that it is about, with dots, where it is about one. */
  readonly key?: string
}

/** What a query gives on the state that a server has at index `at`. */
export interface FoundResult {
  readonly at: number
  readonly index: number
  readonly value: unknown
}

/** A blocking read that waits on a server, for an index beyond `minIndex`. */
export interface ParkedRead {
  readonly method: string
  readonly args: unknown
  /** Whose rights count for what it finds; empty where all are the same. */
  readonly accessor: string
  readonly minIndex: number
  /** When it first looked at a state that had come as far as that; until then, when it looked last. */
  readonly found: FoundResult
  /** What it would find now: evaluated anew, with nothing that is kept. */
  now(): FoundResult
}

/** Sees what one agent does, for the simulator's invariants and triggers. Production runs without one. */
export interface AgentObserver {
  readonly raft?: RaftObserver
  readonly lan?: PoolObserver
  readonly wan?: PoolObserver
  /**
   * A command took effect on this server; `identity` names the forwarded write it came from. `tx` is the state right after, and
   * `index` the one that it has now; `entryIndex` is that of the log, which is behind it once a state of later ones was put
   * in place.
   */
  commandApplied?(
    index: number,
    kind: string,
    outcome: unknown,
    identity: WriteIdentity | undefined,
    tx: ReadTransaction,
    entryIndex: number,
  ): void
  /** A read is parked. What comes back is called when it has been woken, in the same turn; a read may park again. */
  readParked?(read: ParkedRead): () => void
}

export interface StartOptions {
  readonly observer?: AgentObserver
  /** Reads the configuration again; why it cannot be taken, in words for people. */
  readonly reread?: () => Promise<Result<AgentConfig, string>>
  /** Called with what was read again once the agent has taken it over. */
  readonly reloaded?: (config: AgentConfig, tls: TlsMaterial) => void
  /** What the files of `config.tls` hold; absent: they are read. */
  readonly tls?: TlsMaterial
}

/** The replicated state of a server, for the simulator. */
export interface SeenState {
  /** Equal on servers that have applied the same index. */
  digest(): { readonly index: number; readonly digest: string } | undefined
  /** As it is now. */
  read(): ReadTransaction
}

/** A running agent without its faces. */
export interface Agent extends AgentContext {
  /** Raft on a server; undefined on a client. */
  readonly raft: Raft | undefined
  /** Undefined on a client. */
  readonly state: SeenState | undefined
  /** Calls `use` once if the agent stops itself: a broken invariant, a failed disk. */
  onFatal(use: (failure: Failure | Error) => void): void
  /** Makes the agent stop itself: a face met a broken invariant. */
  raiseFatal(failure: Error): void
  /** Calls `use` once when the agent has left the pool because it was asked to, and now wants to end. */
  onLeft(use: () => void): void
  /** Ends everything: listeners, timers, disk work. What is pending is refused with `shutting-down`. */
  stop(): Promise<void>
}
