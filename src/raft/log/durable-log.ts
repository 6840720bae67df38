import type { DiskFailure } from '../../env/disk.ts'
import type { LogIndex, Term } from '../../model/log-position.ts'
import type { Entry, HardState } from '../core/types.ts'

/** Changes that become durable together, in this order: hard state, reset, truncation, entries. */
export interface LogChange {
  readonly hardState: HardState | undefined
  /** Drop every entry; the log continues after this one, which a durable snapshot covers. */
  readonly resetTo: { readonly index: LogIndex; readonly term: Term } | undefined
  /** Drop the entries from here on. */
  readonly truncateFrom: LogIndex | undefined
  readonly entries: readonly Entry[]
}

/** A change of only these parts, or of none. */
export function logChange(parts: Partial<LogChange>): LogChange {
  return { hardState: undefined, resetTo: undefined, truncateFrom: undefined, entries: [], ...parts }
}

/** Makes changes durable in the order in which they come. */
export interface DurableLog {
  /**
   * Queues a change; nothing happens before `flush`. `durable` is called once it is durable, after those of earlier
   * changes.
   */
  write(change: LogChange, durable: () => void): void
  /** Begins with the queued changes; if a write is under way, they go with the next batch. May call `durable`. */
  flush(): void
  /** Entries below `keepFrom` are no longer needed; they are removed at the next `flush`, or later. */
  compact(keepFrom: LogIndex): void
  /**
   * Number of bytes queued or under way, which grows when the disk stalls. The code that feeds the log stops at a limit
   * of its own.
   */
  readonly pendingBytes: number
  /** The disk has the log up to this entry; 0 if nothing is stored. */
  readonly durableIndex: LogIndex
  /** The disk has no space: queued changes wait, and are retried every second. */
  readonly isFull: boolean
  /** Writes queued changes, and closes; on a full disk it closes without writing. */
  close(): Promise<void>
}

/** Receives the log's events that concern no single change. */
export interface LogListener {
  /** Each `durable` of one batch has just been called. */
  batchDurable(): void
  /** The disk has no space for the queued changes; called once, until `room`. */
  full(failure: DiskFailure): void
  /** There is space again, and the waiting changes are durable. */
  room(): void
  /** No file descriptor is left for a new segment: the queued changes wait, and are retried every second. */
  delayed(failure: DiskFailure): void
  /** The disk does not remove segments that are not needed, which costs nothing but their room. */
  notRemoved(failure: DiskFailure): void
  /** The log has failed for good; called once. What was not reported durable must not be considered durable. */
  failed(failure: DiskFailure | Error): void
}

/** Approximate size of a change, for limits. */
export function changeBytes(change: LogChange): number {
  let bytes = 64
  for (const entry of change.entries) bytes += entryOverheadBytes + entry.payload.length
  return bytes
}

const entryOverheadBytes = 24
