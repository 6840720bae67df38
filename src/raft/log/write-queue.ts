import { changeBytes, type LogChange } from './durable-log.ts'
import { type LogRecord, recordsOf } from './record.ts'

/** A change of the log that waits for its write and sync. */
interface Queued {
  readonly change: LogChange
  readonly bytes: number
  readonly durable: () => void
}

/** Changes that become durable together. */
export type QueuedBatch = readonly Queued[]

/**
 * Batches that wait to be written, in order of arrival. Limited by the code that feeds the log, which checks `bytes`.
 */
export class WriteQueue {
  #waiting: Queued[] = []
  #bytes = 0

  /** Size of everything that is not durable yet, including the write under way. */
  get bytes(): number {
    return this.#bytes
  }

  get isEmpty(): boolean {
    return this.#waiting.length === 0
  }

  add(change: LogChange, durable: () => void): void {
    const bytes = changeBytes(change)
    this.#bytes += bytes
    this.#waiting.push({ change, bytes, durable })
  }

  /** The oldest batch of at most this many bytes; a single larger change is taken as well. */
  take(bytesMax: number): QueuedBatch {
    if (this.#waiting.length === 1) {
      const only = this.#waiting
      this.#waiting = []
      return only
    }
    let count = 0
    let bytes = 0
    for (const queued of this.#waiting) {
      bytes += queued.bytes
      if (count > 0 && bytes > bytesMax) break
      count++
    }
    return this.#waiting.splice(0, count)
  }

  /** The batch could not be written yet. */
  putBack(batch: QueuedBatch): void {
    this.#waiting = [...batch, ...this.#waiting]
  }

  /** The batch is durable: notifies its waiting callers. */
  durable(batch: QueuedBatch): void {
    for (const { bytes, durable } of batch) {
      this.#bytes -= bytes
      durable()
    }
  }

  clear(): void {
    this.#waiting = []
  }
}

export function recordsOfBatch(batch: QueuedBatch): readonly LogRecord[] {
  const [first] = batch
  if (batch.length === 1 && first !== undefined) return recordsOf(first.change)
  return batch.flatMap(({ change }) => recordsOf(change))
}
