import { invariant } from '../../base/invariant.ts'
import { done, ok, type Result } from '../../base/result.ts'
import type { Deferred } from '../../env/async.ts'
import type { DiskFailure } from '../../env/disk.ts'
import type { Env } from '../../env/env.ts'
import { greater, type LogIndex, noIndex } from '../../model/log-position.ts'
import type { DurableLog, LogChange, LogListener } from './durable-log.ts'
import { FullDisk } from './full-disk.ts'
import { openFiles } from './opening.ts'
import { type LogRecord, recordsOf } from './record.ts'
import type { RecoveredLog } from './recovery.ts'
import { Sealing } from './sealing.ts'
import { type LogFormat, logFormats } from './segment-file.ts'
import { SegmentWriter } from './segment-writer.ts'
import type { Watermark } from './watermark.ts'
import { WatermarkWriter } from './watermark-writer.ts'
import { recordsOfBatch, WriteQueue } from './write-queue.ts'

export interface SegmentedLogOptions {
  /**
   * Size of each segment from its start; one whose first batch needs more is larger. A batch that does not fit begins a
   * new one.
   */
  readonly segmentBytes: number
  /** Further changes wait for the next batch; a single larger one is written nevertheless. */
  readonly batchBytes: number
  /** The log is sealed (see recovery.ts, 6) when it has been idle for this long; its watermark follows as often (7). */
  readonly sealAfterMs: number
  /** The format of new segments: that of the existing ones. */
  readonly format: LogFormat
}

export const defaultLogOptions: SegmentedLogOptions = {
  segmentBytes: 4 << 20,
  batchBytes: 1 << 20,
  sealAfterMs: 1000,
  format: logFormats.segments,
}

/**
 * The log in segment files. Group commit: one batch is under way at a time, and changes that come meanwhile share the
 * next. recovery.ts has the argument why what was reported durable is found again.
 *
 * A failed write or sync ends the log: it is never retried, because the content of the disk is unknown then. Only a
 * write without space, or without a descriptor for a new segment, is retried (`full-disk.ts`): the batch stays at the
 * head of the queue, and so does its place in the file.
 */
export class SegmentedLog implements DurableLog {
  readonly #env: Pick<Env, 'deferred' | 'batches'>
  readonly #batchBytes: number
  readonly #listener: LogListener
  readonly #writer: SegmentWriter
  readonly #watermark: WatermarkWriter
  readonly #sealing: Sealing
  readonly #full: FullDisk
  readonly #queue = new WriteQueue()
  #keepFrom = noIndex
  #sealDue = false
  #working = false
  #state: 'open' | 'closing' | 'over' = 'open'
  #idle: Deferred<void> | undefined

  private constructor(
    env: Pick<Env, 'deferred' | 'timers' | 'clock' | 'batches'>,
    writer: SegmentWriter,
    watermark: Watermark,
    { batchBytes, sealAfterMs }: SegmentedLogOptions,
    listener: LogListener,
  ) {
    this.#env = env
    this.#batchBytes = batchBytes
    this.#listener = listener
    this.#writer = writer
    this.#watermark = new WatermarkWriter(
      watermark,
      () => writer.mark,
      (failure) => this.#fail(failure),
    )
    this.#sealing = new Sealing(env, sealAfterMs, (isIdle) => {
      if (!isIdle) return void this.#watermark.advance()
      this.#sealDue = true
      this.flush()
    })
    this.#full = new FullDisk(env, listener, () => this.flush())
  }

  /**
   * Continues a recovered log. Three things in the files may never have been covered by a sync. They are made durable
   * first, because what is read from them will be acted on:
   * 1. the names of the newest segment, by syncing the directory;
   * 2. the last batch, by writing its bytes again before the sync, because after a failed sync the pages may count as
   *    clean;
   * 3. the cut of a torn batch, by the same sync.
   * Then `first`, or an empty batch, seals everything before it, and the watermark records that.
   */
  static async open(
    env: Pick<Env, 'disk' | 'crypto' | 'deferred' | 'timers' | 'clock' | 'batches'>,
    directory: string,
    recovered: RecoveredLog,
    first: LogChange | undefined,
    options: SegmentedLogOptions,
    listener: LogListener,
  ): Promise<Result<SegmentedLog, DiskFailure>> {
    const files = await openFiles(env.disk, directory, recovered)
    if (!files.ok) return files
    const writer = new SegmentWriter(env, directory, options, recovered, files.value)
    const log = new SegmentedLog(env, writer, files.value.watermark, options, listener)
    log.#tellRefused(files.value.refused)
    const sealed = await log.#begin(first === undefined ? [] : recordsOf(first))
    if (sealed.ok) return ok(log)
    log.#over()
    await log.#closeFiles()
    return sealed
  }

  async #begin(records: readonly LogRecord[]): Promise<Result<undefined, DiskFailure>> {
    const written = await this.#writer.append(records)
    if (!written.ok) return written
    this.#sealing.wrote(records.length === 0)
    return this.#watermark.writeNow()
  }

  /** The disk has the log up to this entry. */
  get durableIndex(): LogIndex {
    return this.#writer.mark.lastIndex
  }

  get pendingBytes(): number {
    return this.#queue.bytes
  }

  get isFull(): boolean {
    return this.#full.isFull
  }

  write(change: LogChange, durable: () => void): void {
    invariant(this.#state !== 'closing', 'a log that is being closed takes no change')
    if (this.#state === 'over') return
    this.#queue.add(change, durable)
    this.#env.batches?.waits(change)
  }

  flush(): void {
    if (this.#working || this.#state === 'over' || this.#full.waits || !this.#hasWork()) return
    this.#working = true
    void this.#work()
  }

  compact(keepFrom: LogIndex): void {
    this.#keepFrom = greater(this.#keepFrom, keepFrom)
  }

  async close(): Promise<void> {
    if (this.#state !== 'open') return
    this.#state = 'closing'
    this.#sealing.close()
    this.#watermark.stop()
    this.#full.close()
    await this.#allWritten()
    // Asked only now: a batch that was under way is sealed like any other.
    if (this.#state === 'closing') {
      this.#sealDue = this.#sealing.unsealed
      await this.#allWritten()
    }
    // Without space for the mark, the seal alone vouches for the rest; the next start writes it.
    if (this.#state === 'closing') await this.#watermark.writeNow()
    this.#state = 'over'
    await this.#closeFiles()
  }

  /** While it closes. */
  async #allWritten(): Promise<void> {
    if (!this.#working && !this.#hasWork()) return
    this.#idle = this.#env.deferred()
    this.flush()
    await this.#idle.promise
  }

  async #closeFiles(): Promise<void> {
    await this.#watermark.close()
    await this.#writer.close()
  }

  #hasWork(): boolean {
    return !this.#queue.isEmpty || this.#sealDue || this.#writer.removableBelow(this.#keepFrom) > 0
  }

  async #work(): Promise<void> {
    try {
      while (this.#state !== 'over' && !this.#full.waits && this.#hasWork()) {
        const worked = await this.#workOnce()
        if (worked.ok) continue
        if (this.#state !== 'open' || !this.#full.postpones(worked.error)) this.#fail(worked.error)
      }
    } catch (cause) {
      this.#fail(cause instanceof Error ? cause : new Error(String(cause)))
    }
    this.#working = false
    this.#idle?.resolve()
  }

  async #workOnce(): Promise<Result<undefined, DiskFailure>> {
    if (this.#writer.removableBelow(this.#keepFrom) > 0) return this.#removeOld()
    const batch = this.#queue.take(this.#batchBytes)
    const sealDue = this.#sealDue
    this.#sealDue = false
    this.#env.batches?.together(batch.map(({ change }) => change))
    const records = recordsOfBatch(batch)
    const written = await this.#writer.append(records)
    if (!written.ok) {
      this.#queue.putBack(batch)
      this.#sealDue ||= sealDue
      return written
    }
    this.#sealing.wrote(records.length === 0)
    this.#queue.durable(batch)
    if (this.#full.passed()) this.#listener.room()
    if (batch.length > 0) this.#listener.batchDurable()
    else if (sealDue) void this.#watermark.advance()
    return done
  }

  async #removeOld(): Promise<Result<undefined, DiskFailure>> {
    const removed = await this.#writer.removeBelow(this.#keepFrom)
    if (!removed.ok) return removed
    this.#tellRefused(removed.value)
    return done
  }

  #tellRefused(refused: DiskFailure | undefined): void {
    if (refused !== undefined) this.#listener.notRemoved(refused)
  }

  #fail(failure: DiskFailure | Error): void {
    if (this.#state === 'over') return
    this.#over()
    this.#listener.failed(failure)
  }

  /** Nothing is written from now on, and no timer fires. */
  #over(): void {
    this.#state = 'over'
    this.#queue.clear()
    this.#sealing.close()
    this.#watermark.stop()
    this.#full.close()
  }
}
