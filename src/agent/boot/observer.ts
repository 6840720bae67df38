import type { WriteIdentity } from '../../features/contract/command.ts'
import type { PoolObserver } from '../../gossip/pool.ts'
import type { RaftObserver } from '../../raft/raft.ts'
import type { ReadTransaction } from '../../store/types.ts'

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
   * right after it, in this turn and until the next command alone, and `index` is the index of that state. `entryIndex`
   * is the index of the log entry; it is lower than `index` after a snapshot of later entries was installed.
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
   * A read was parked. The returned callback is called when the read learns of a change, in the turn of the change, and when
   * it ends; a read may park again.
   */
  readParked?(read: ParkedRead): () => void
}

/** The replicated state of a server, for the simulator. */
export interface SeenState {
  /** Equal on servers that have applied the same index. */
  digest(): { readonly index: number; readonly digest: string } | undefined
  /** Reads the state as of now. */
  read(): ReadTransaction
  /** The pieces of a snapshot of the state as of now. Servers of one release with equal states have equal bytes. */
  snapshot(): { next(): Uint8Array | undefined }
}
