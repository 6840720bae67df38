import { invariant } from '../../base/invariant.ts'
import { lastOf } from '../../base/items.ts'
import { done, err, ok, type Result } from '../../base/result.ts'
import type { Deferred } from '../../env/async.ts'
import type { Disk, DiskFailure, DiskFile } from '../../env/disk.ts'
import type { Env } from '../../env/env.ts'
import { greater, indexBefore, type LogIndex, lesser, noIndex, noTerm } from '../../model/log-position.ts'
import type { HardState } from '../core/types.ts'
import { batchBytesOf, encodeBatch } from './batch.ts'
import { removeFiles } from './disk-steps.ts'
import type { DurableLog, LogChange, LogListener } from './durable-log.ts'
import { viewOf } from './fields.ts'
import { FullDisk } from './full-disk.ts'
import { continuedBytes, placeSegment } from './new-segment.ts'
import { type OpenFiles, openFiles } from './opening.ts'
import { type LogRecord, recordsOf } from './record.ts'
import type { RecoveredLog } from './recovery.ts'
import { Sealing } from './sealing.ts'
import { type LogFormat, logFormats, type SegmentHeader, segmentName } from './segment-file.ts'
import type { FoundSegment } from './segment-reading.ts'
import { createWatermark, type Mark, type Watermark } from './watermark.ts'
import { recordsOfBatch, WriteQueue } from './write-queue.ts'

export interface SegmentedLogOptions {
  /**
   * Size of each segment from its start; one whose first batch needs more is larger. A batch that does not fit begins a
   * new one.
   */
  readonly segmentBytes: number
  /** Changes beyond this wait for the next batch; a single larger one still goes. */
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

/** The segment that is written to. */
interface Active {
  readonly found: FoundSegment
  readonly file: DiskFile
  readonly salt: number
  readonly sizeBytes: number
  end: number
}

/**
 * The log in segment files. Group commit: one batch is under way at a time, and what comes meanwhile goes together in
 * the next. recovery.ts has the argument why what is reported durable is found again.
 *
 * A write or sync that fails ends the log: it is never tried again, for nobody knows what is on the disk then. Only a
 * write for which there is no room is (`full-disk.ts`): the batch stays at the head of the queue, and its place in the
 * file too.
 */
export class SegmentedLog implements DurableLog {
  readonly #disk: Disk
  readonly #env: Pick<Env, 'crypto' | 'deferred' | 'batches'>
  readonly #directory: string
  readonly #options: SegmentedLogOptions
  readonly #listener: LogListener
  readonly #sealing: Sealing
  readonly #watermark: Watermark
  readonly #full: FullDisk
  /** Oldest first; the active one is the last. */
  readonly #segments: FoundSegment[]
  #active: Active
  #lastBatch: number
  #chain: number
  /** As written: what the next segment's header repeats. */
  #hardState: HardState
  #lastIndex: LogIndex
  /** After the last batch that is durable. */
  #mark: Mark
  #markDue = false
  #isMarking = false
  readonly #queue = new WriteQueue()
  #keepFrom = noIndex
  #sealDue = false
  #working = false
  #state: 'open' | 'closing' | 'over' = 'open'
  #idle: Deferred<void> | undefined

  private constructor(
    env: Pick<Env, 'disk' | 'crypto' | 'deferred' | 'timers' | 'clock' | 'batches'>,
    directory: string,
    { tail, log, segments }: RecoveredLog,
    { file, watermark, mark }: OpenFiles,
    options: SegmentedLogOptions,
    listener: LogListener,
  ) {
    this.#env = env
    this.#disk = env.disk
    this.#directory = directory
    this.#options = options
    this.#listener = listener
    this.#segments = [...segments]
    const found = lastOf(this.#segments)
    // Into a file that grows nothing more is written, but the mark that the log goes on.
    this.#active = { found, file, salt: tail.salt, end: tail.end, sizeBytes: tail.allocatedBytes ?? 0 }
    this.#lastBatch = tail.lastBatch
    this.#chain = tail.chain
    this.#hardState = log.hardState
    this.#lastIndex = log.lastIndex
    this.#watermark = watermark
    this.#mark = mark
    this.#sealing = new Sealing(env, options.sealAfterMs, (isIdle) => {
      if (!isIdle) return void this.#advanceMark()
      this.#sealDue = true
      this.flush()
    })
    this.#full = new FullDisk(env, () => this.flush())
  }

  /** Makes the first segment of a new log, which may go on from what another one held. */
  static async create(
    env: Pick<Env, 'disk' | 'crypto'>,
    directory: string,
    { format, segmentBytes }: Pick<SegmentedLogOptions, 'format' | 'segmentBytes'>,
    from: Pick<SegmentHeader, 'hardState' | 'lastIndex'> = {
      hardState: { term: noTerm, votedFor: undefined },
      lastIndex: noIndex,
    },
  ): Promise<Result<undefined, DiskFailure>> {
    const { hardState, lastIndex } = from
    const { term } = hardState
    const none = { batch: 0, chain: 0, segment: 1, end: 0, lastIndex, term, configurationIndex: noIndex }
    const marked = await createWatermark(env.disk, directory, none)
    if (!marked.ok) return marked
    const header = { segment: 1, salt: drawSalt(env), lastBatch: 0, chain: 0, endOfPrevious: 0, ...from }
    const placed = await placeSegment(env.disk, directory, header, { format, segmentBytes, batchBytes: 0 })
    return placed.ok ? done : placed
  }

  /**
   * Goes on with a log that was recovered. Three things may stand in the files that no sync ever vouched for, and are
   * made durable first, since what is read from them will be acted on:
   * 1. the names of the newest segment, by syncing the directory;
   * 2. the last batch, by writing its bytes again before the sync: after a sync that failed, the pages may pass for
   *    clean;
   * 3. the cut of a torn batch, by the same sync.
   * Then `first`, or an empty batch, seals all before it, and the watermark says so.
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
    const log = new SegmentedLog(env, directory, recovered, files.value, options, listener)
    const sealed = await log.#begin(first === undefined ? [] : recordsOf(first))
    if (sealed.ok) return ok(log)
    await log.#closeFiles()
    return sealed
  }

  async #begin(records: readonly LogRecord[]): Promise<Result<undefined, DiskFailure>> {
    const written = await this.#append(records)
    return written.ok ? this.#watermark.write(this.#mark) : written
  }

  /** The disk holds the log up to this entry. */
  get durableIndex(): LogIndex {
    return this.#lastIndex
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
    this.#sealDue = this.#sealing.unsealed
    this.#sealing.close()
    this.#full.close()
    if (this.#working || this.#hasWork()) {
      this.#idle = this.#env.deferred()
      this.flush()
      await this.#idle.promise
    }
    // Without room for the mark the seal alone vouches for the rest; the next start writes it.
    if (this.#state === 'closing') await this.#watermark.write(this.#mark)
    this.#state = 'over'
    await this.#closeFiles()
  }

  async #closeFiles(): Promise<void> {
    await this.#watermark.close()
    await this.#active.file.close()
  }

  /** Writes the watermark, beside the batches. One that has no room for it is tried again with the next that is due. */
  async #advanceMark(): Promise<void> {
    this.#markDue = true
    if (this.#isMarking) return
    this.#isMarking = true
    while (this.#markDue && this.#state === 'open') {
      this.#markDue = false
      const written = await this.#watermark.write(this.#mark)
      if (!written.ok && written.error.kind !== 'full') this.#fail(written.error)
    }
    this.#isMarking = false
  }

  #hasWork(): boolean {
    return !this.#queue.isEmpty || this.#sealDue || this.#removable() > 0
  }

  async #work(): Promise<void> {
    try {
      while (this.#state !== 'over' && !this.#full.waits && this.#hasWork()) {
        const worked = await this.#workOnce()
        if (worked.ok) continue
        if (worked.error.kind !== 'full' || this.#state !== 'open') this.#fail(worked.error)
        else if (this.#full.met()) this.#listener.full(worked.error)
      }
    } catch (cause) {
      this.#fail(cause instanceof Error ? cause : new Error(String(cause)))
    }
    this.#working = false
    this.#idle?.resolve()
  }

  async #workOnce(): Promise<Result<undefined, DiskFailure>> {
    if (this.#removable() > 0) return this.#removeSegments()
    const batch = this.#queue.take(this.#options.batchBytes)
    const sealDue = this.#sealDue
    this.#sealDue = false
    this.#env.batches?.together(batch.map(({ change }) => change))
    const written = await this.#append(recordsOfBatch(batch))
    if (!written.ok) {
      this.#queue.putBack(batch)
      this.#sealDue ||= sealDue
      return written
    }
    this.#queue.durable(batch)
    if (this.#full.passed()) this.#listener.room()
    if (batch.length > 0) this.#listener.batchDurable()
    else if (sealDue) void this.#advanceMark()
    return done
  }

  /** Writes a batch where it fits: behind the last one, or in a new segment. */
  async #append(records: readonly LogRecord[]): Promise<Result<undefined, DiskFailure>> {
    const bytes = batchBytesOf(records)
    const { end, sizeBytes } = this.#active
    const room = end + bytes + continuedBytes > sizeBytes ? await this.#beginSegment(bytes) : done
    const written = room.ok ? await this.#writeBatch(records) : room
    if (!written.ok) return written
    for (const record of records) this.#note(record)
    const { found, end: endNow } = this.#active
    this.#mark = {
      batch: this.#lastBatch,
      chain: this.#chain,
      segment: found.segment,
      end: endNow,
      lastIndex: this.#lastIndex,
      term: this.#hardState.term,
      configurationIndex: this.#mark.configurationIndex,
    }
    this.#sealing.wrote(records.length === 0)
    return done
  }

  /** One write, one sync. */
  async #writeBatch(records: readonly LogRecord[]): Promise<Result<undefined, DiskFailure>> {
    const active = this.#active
    const number = this.#lastBatch + 1
    const { bytes, chain } = encodeBatch(records, {
      number,
      offset: active.end,
      salt: active.salt,
      chain: this.#chain,
    })
    const synced = await active.file.writeSynced(active.end, bytes)
    if (!synced.ok) return synced
    active.end += bytes.length
    this.#lastBatch = number
    this.#chain = chain
    return done
  }

  #note(record: LogRecord): void {
    if (record.kind === 'hard-state') this.#hardState = record.hardState
    else if (record.kind === 'reset') {
      this.#lastIndex = record.index
      this.#mark = { ...this.#mark, configurationIndex: noIndex }
    } else if (record.kind === 'truncate') this.#lastIndex = lesser(this.#lastIndex, indexBefore(record.from))
    else if (record.kind === 'entry') {
      this.#lastIndex = record.entry.index
      if (record.entry.kind === 'configuration') this.#mark = { ...this.#mark, configurationIndex: this.#lastIndex }
      this.#active.found.maxIndex = greater(this.#active.found.maxIndex, record.entry.index)
    }
  }

  /** The new segment is there for good before the old one says that the log goes on in it (recovery.ts, 3 and 5). */
  async #beginSegment(batchBytes: number): Promise<Result<undefined, DiskFailure>> {
    const old = this.#active
    const segment = old.found.segment + 1
    const header = {
      segment,
      salt: drawSalt(this.#env),
      lastBatch: this.#lastBatch,
      chain: this.#chain,
      endOfPrevious: old.end,
      hardState: this.#hardState,
      lastIndex: this.#lastIndex,
    }
    const { format, segmentBytes } = this.#options
    const placed = await placeSegment(this.#disk, this.#directory, header, { format, segmentBytes, batchBytes })
    const continued = placed.ok ? await this.#writeBatch([{ kind: 'continued' }]) : placed
    if (!placed.ok || !continued.ok) return continued
    const path = `${this.#directory}/${segmentName(segment)}`
    const file = await this.#disk.open(path, 'create')
    // The old segment states that the log continues in this one: from here on there is no way back, whatever the
    // reason.
    if (!file.ok) return err({ ...file.error, kind: 'io' })
    await old.file.close()
    const found: FoundSegment = { segment, path, maxIndex: noIndex }
    this.#segments.push(found)
    const { end, allocatedBytes } = placed.value
    this.#active = { found, file: file.value, salt: header.salt, end, sizeBytes: allocatedBytes }
    this.#lastBatch = header.lastBatch
    this.#chain = header.chain
    return done
  }

  /** How many of the oldest segments hold only entries that are no longer needed. */
  #removable(): number {
    if (this.#segments.length === 1) return 0
    const last = this.#segments.length - 1
    const kept = this.#segments.findIndex(({ maxIndex }, i) => i === last || maxIndex >= this.#keepFrom)
    return Math.max(0, kept)
  }

  async #removeSegments(): Promise<Result<undefined, DiskFailure>> {
    const removed = this.#segments.splice(0, this.#removable())
    return removeFiles(
      this.#disk,
      this.#directory,
      removed.map(({ path }) => path),
    )
  }

  #fail(failure: DiskFailure | Error): void {
    if (this.#state === 'over') return
    this.#state = 'over'
    this.#queue.clear()
    this.#sealing.close()
    this.#full.close()
    this.#listener.failed(failure)
  }
}

function drawSalt(env: Pick<Env, 'crypto'>): number {
  return viewOf(env.crypto.randomBytes(4, 'log salt')).getUint32(0)
}
