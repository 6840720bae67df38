import { lastOf } from '../../base/items.ts'
import { done, ok, type Result } from '../../base/result.ts'
import type { DiskFailure, DiskFile } from '../../env/disk.ts'
import type { Env } from '../../env/env.ts'
import { type LogIndex, noIndex } from '../../model/log-position.ts'
import { batchBytesOf, encodeBatch } from './batch.ts'
import { removeUnneeded } from './disk-steps.ts'
import { endAfter, highestIndex, type LogEnd } from './log-end.ts'
import { continuedBytes, drawSalt, placeSegment, type SegmentSize } from './new-segment.ts'
import type { OpenFiles } from './opening.ts'
import type { LogRecord } from './record.ts'
import type { RecoveredLog } from './recovery.ts'
import { segmentName } from './segment-file.ts'
import type { FoundSegment } from './segment-reading.ts'
import type { Mark } from './watermark.ts'

/** The segment that is written to. */
interface Active {
  readonly found: FoundSegment
  readonly file: DiskFile
  readonly salt: number
  readonly sizeBytes: number
  end: number
}

/**
 * The segment files of a log that is written to. A batch is written after the last one, or into a new segment if it
 * does not fit, in one step of the disk; segments whose entries are no longer needed are removed. The caller makes
 * one call at a time. After a failure other than a full disk or a lack of descriptors, the content of the disk is
 * unknown, and the writer must not be used again.
 */
export class SegmentWriter {
  readonly #env: Pick<Env, 'disk' | 'crypto'>
  readonly #directory: string
  readonly #size: Pick<SegmentSize, 'format' | 'segmentBytes'>
  /** Oldest first; the active one is the last. */
  readonly #segments: FoundSegment[]
  /** Paths of segments that are not needed, and that the disk did not remove. */
  #refused: readonly string[] = []
  #active: Active
  #lastBatch: number
  #chain: number
  #end: LogEnd
  #mark: Mark

  constructor(
    env: Pick<Env, 'disk' | 'crypto'>,
    directory: string,
    size: Pick<SegmentSize, 'format' | 'segmentBytes'>,
    { tail, log, segments }: RecoveredLog,
    { file, mark }: Pick<OpenFiles, 'file' | 'mark'>,
  ) {
    this.#env = env
    this.#directory = directory
    this.#size = size
    this.#segments = [...segments]
    const found = lastOf(this.#segments)
    // A growing file is not written to any more, except for the mark that the log continues.
    this.#active = { found, file, salt: tail.salt, end: tail.end, sizeBytes: tail.allocatedBytes ?? 0 }
    this.#lastBatch = tail.lastBatch
    this.#chain = tail.chain
    const { hardState, lastIndex } = log
    this.#end = { hardState, lastIndex, configurationIndex: mark.configurationIndex }
    this.#mark = mark
  }

  /** The mark after the last durable batch. */
  get mark(): Mark {
    return this.#mark
  }

  /** Makes the records durable, as one batch. */
  async append(records: readonly LogRecord[]): Promise<Result<undefined, DiskFailure>> {
    const bytes = batchBytesOf(records)
    const { end, sizeBytes } = this.#active
    const room = end + bytes + continuedBytes > sizeBytes ? await this.#beginSegment(bytes) : done
    const written = room.ok ? await this.#writeBatch(records) : room
    if (!written.ok) return written
    this.#end = endAfter(this.#end, records)
    const { found, end: endNow } = this.#active
    found.maxIndex = highestIndex(records, found.maxIndex)
    const { hardState, lastIndex, configurationIndex } = this.#end
    this.#mark = {
      batch: this.#lastBatch,
      chain: this.#chain,
      segment: found.segment,
      end: endNow,
      lastIndex,
      term: hardState.term,
      configurationIndex,
    }
    return done
  }

  /** Number of the oldest segments that have only entries below this index. */
  removableBelow(keepFrom: LogIndex): number {
    if (this.#segments.length === 1) return 0
    const last = this.#segments.length - 1
    const kept = this.#segments.findIndex(({ maxIndex }, i) => i === last || maxIndex >= keepFrom)
    return Math.max(0, kept)
  }

  /**
   * Removes these segments. One that the disk does not remove, or may bring back after a crash, costs only its room, and
   * is tried again with the next ones; the value says why.
   */
  async removeBelow(keepFrom: LogIndex): Promise<Result<DiskFailure | undefined, DiskFailure>> {
    const removed = this.#segments.splice(0, this.removableBelow(keepFrom))
    const paths = [...this.#refused, ...removed.map(({ path }) => path)]
    const removal = await removeUnneeded(this.#env.disk, this.#directory, paths)
    if (!removal.ok && removal.error.kind === 'no-descriptor') {
      this.#refused = paths
      return ok(removal.error)
    }
    if (!removal.ok) return removal
    const { gone, refused } = removal.value
    this.#refused = paths.filter((path) => !gone.includes(path))
    return ok(refused)
  }

  close(): Promise<void> {
    return this.#active.file.close()
  }

  /** One step of the disk: what lies before it is durable. An attempt that found no room has left bytes behind that. */
  async #writeBatch(records: readonly LogRecord[]): Promise<Result<undefined, DiskFailure>> {
    const active = this.#active
    const number = this.#lastBatch + 1
    const { bytes, chain } = encodeBatch(records, {
      number,
      offset: active.end,
      salt: active.salt,
      chain: this.#chain,
    })
    const synced = await active.file.writeThrough(active.end, bytes)
    if (!synced.ok) return synced
    active.end += bytes.length
    this.#lastBatch = number
    this.#chain = chain
    return done
  }

  /** The new segment is durable before the old one states that the log continues in it (recovery.ts, 3 and 5). */
  async #beginSegment(batchBytes: number): Promise<Result<undefined, DiskFailure>> {
    const { disk } = this.#env
    const old = this.#active
    const segment = old.found.segment + 1
    const header = {
      segment,
      salt: drawSalt(this.#env),
      lastBatch: this.#lastBatch,
      chain: this.#chain,
      endOfPrevious: old.end,
      hardState: this.#end.hardState,
      lastIndex: this.#end.lastIndex,
    }
    const { format, segmentBytes } = this.#size
    const placed = await placeSegment(disk, this.#directory, header, { format, segmentBytes, batchBytes })
    if (!placed.ok) return placed
    const path = `${this.#directory}/${segmentName(segment)}`
    // It is opened before the old segment states that the log continues in it: after that there is no way back.
    const file = await disk.open(path, 'create')
    if (!file.ok) return file
    const continued = await this.#writeBatch([{ kind: 'continued' }])
    if (!continued.ok) {
      await file.value.close()
      return continued
    }
    await old.file.close()
    const found: FoundSegment = { segment, path, maxIndex: noIndex }
    this.#segments.push(found)
    const { end, allocatedBytes } = placed.value
    this.#active = { found, file: file.value, salt: header.salt, end, sizeBytes: allocatedBytes }
    this.#lastBatch = header.lastBatch
    this.#chain = header.chain
    return done
  }
}
