import type { Result } from '../base/result.ts'
import type { AgentContext } from '../features/contract/agent-context.ts'
import type { WriteIdentity } from '../features/contract/server-context.ts'
import type { PoolObserver } from '../gossip/pool.ts'
import type { Raft, RaftObserver } from '../raft/raft.ts'
import type { ReadTransaction } from '../store/types.ts'
import type { ForcedEnd } from './once-signal.ts'
import type { AgentConfig } from './settings/agent-config.ts'
import type { TlsMaterial } from './settings/tls-settings.ts'

/**
 * Why an agent could not start. Each failure is printed as one line and ends the process with exit code 1. `remedy`
 * says what to do about it.
 */
export interface StartFailure {
  readonly kind: 'address-in-use' | 'data-directory' | 'damaged-log' | 'old-format' | 'configuration' | 'io'
  readonly message: string
  readonly remedy: string
  /** The key of the configuration at fault, with dots, if there is one. */
  readonly key?: string
}

/** The result of a query on the state that a server has at index `at`. */
export interface FoundResult {
  readonly at: number
  readonly index: number
  readonly value: unknown
}

/** A blocking read that waits on a server for an index greater than `minIndex`. */
export interface ParkedRead {
  readonly method: string
  readonly args: unknown
  /** Accessor of the token whose rights filter the result; empty if the result is the same for all tokens. */
  readonly accessor: string
  readonly minIndex: number
  /** The result of the first evaluation at an index beyond `minIndex`; until then, of the latest evaluation. */
  readonly found: FoundResult
  /** Evaluates the query now, without any cache. */
  now(): FoundResult
}

/** Observes one agent, for the simulator's invariants and triggers. Production runs without an observer. */
export interface AgentObserver {
  readonly raft?: RaftObserver
  readonly lan?: PoolObserver
  readonly wan?: PoolObserver
  /**
   * A command was applied on this server; `identity` names the forwarded write that it came from. `tx` reads the state
   * right after it, and `index` is the index of that state. `entryIndex` is the index of the log entry; it is lower
   * than `index` after a snapshot of later entries was installed.
   */
  commandApplied?(
    index: number,
    kind: string,
    outcome: unknown,
    identity: WriteIdentity | undefined,
    tx: ReadTransaction,
    entryIndex: number,
  ): void
  /**
   * A read was parked. The returned callback is called when the read is woken, in the same turn; a read may park again.
   */
  readParked?(read: ParkedRead): () => void
}

export interface StartOptions {
  readonly observer?: AgentObserver
  /** Reads the configuration again; the error says in words for people why the configuration is not accepted. */
  readonly reread?: () => Promise<Result<AgentConfig, string>>
  /** Called after the agent has applied a reloaded configuration. */
  readonly reloaded?: (config: AgentConfig, tls: TlsMaterial) => void
  /** Contents of the files that `config.tls` names; absent: the agent reads them. */
  readonly tls?: TlsMaterial
}

/** The replicated state of a server, for the simulator. */
export interface SeenState {
  /** Equal on servers that have applied the same index. */
  digest(): { readonly index: number; readonly digest: string } | undefined
  /** Reads the state as of now. */
  read(): ReadTransaction
}

/** A running agent without its HTTP, DNS and command-line interfaces. */
export interface Agent extends AgentContext {
  /** Raft on a server; undefined on a client. */
  readonly raft: Raft | undefined
  /** Undefined on a client. */
  readonly state: SeenState | undefined
  /** Calls `use` once if the agent stops itself, because of a broken invariant, a failed disk, or what its surroundings force on it. */
  onFatal(use: (failure: ForcedEnd | Error) => void): void
  /** Makes the agent stop itself, because one of its interfaces met a broken invariant. */
  raiseFatal(failure: Error): void
  /** Calls `use` once when the agent has left the pool on request, and wants to end. */
  onLeft(use: () => void): void
  /** Closes listeners, timers and disk work. Pending requests fail with `shutting-down`. */
  stop(): Promise<void>
}
