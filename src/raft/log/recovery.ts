import { err, ok, type Result } from '../../base/result.ts'
import type { Disk } from '../../env/disk.ts'
import type { LogIndex } from '../core/types.ts'
import { findLaterBatch, readBatch } from './batch.ts'
import { damagedAt, diskTrouble, missingFiles, type RaftOpenFailure, unknownFormat } from './open-failure.ts'
import { ReplayedLog } from './replay.ts'
import {
  type LogFormat,
  logFormats,
  readSegmentHeader,
  type SegmentHeader,
  segmentName,
  segmentOfName,
} from './segment-file.ts'

/** A segment as it was found. */
export interface FoundSegment {
  readonly segment: number
  readonly path: string
  /** Highest index of an entry in it; 0 without any. */
  maxIndex: LogIndex
}

export interface RecoveredLog {
  readonly log: ReplayedLog
  /** Oldest first, without a gap; at least one. */
  readonly segments: readonly FoundSegment[]
  readonly tail: LogTail
  /** Files that nothing needs: begun and not finished, or removed and come back. */
  readonly leftovers: readonly string[]
}

/** Where the log goes on. */
export interface LogTail {
  readonly salt: number
  readonly lastBatch: number
  readonly chain: number
  /** Where the next batch stands. Bytes beyond are a torn batch. */
  readonly end: number
  readonly sizeBytes: number
  /** The last batch as it stands in the file (none: no bytes). */
  readonly lastBatchBytes: Uint8Array
}

/**
 * Reads the log without changing anything. What can be told about bytes that are not as they were written:
 * 1. A batch is written only when the one before it is synced, and answered for only when it is synced itself. So at any
 *    crash at most the last batch was not durable, and of that one any byte may be lost, torn or kept, in any order.
 * 2. A segment gets its name by a rename after its header was synced, and its first batch after that name was synced. So a
 *    header that is not whole is damage; a file without that name was never in use.
 * 3. A segment's header says with which batch, checksum and length the one before ended. It was written when all of that
 *    was durable. So within that length whatever is wrong is damage, and what lies beyond was never answered for but for
 *    the mark that the log goes on, which is there only to tell a lost last segment from none (5).
 * 4. In the last segment, where a batch is wrong: if a header of a later batch is found anywhere behind, that one was
 *    written after the wrong one had been synced (1), so this is damage. A header is bound to its place, its number and
 *    the segment's salt, so neither a client's bytes nor a copied header look like one.
 * 5. Where the last segment ends with the mark that the log goes on, its successor existed: it is missing.
 * 6. What remains: the last batch of all is wrong, and nothing follows. It was torn before it was synced, or it was synced
 *    and has rotted since; no reader can tell. It is cut. So that this loses nothing that was answered for, the log does not
 *    stay in that state: when it falls idle, when it is closed and when it is opened, it adds an empty batch (a seal), after
 *    which 4 holds for all before. What can be lost silently is thus one batch that rots within a second of its sync, just
 *    then the power fails: Raft bears that in a minority of servers.
 */
export async function recoverLog(
  disk: Disk,
  directory: string,
  format: LogFormat = logFormats.segments,
): Promise<Result<RecoveredLog | undefined, RaftOpenFailure>> {
  const names = await disk.list(directory)
  if (!names.ok && names.error.kind === 'not-found') return ok(undefined)
  if (!names.ok) return err(diskTrouble(names.error))
  const numbers = names.value.flatMap((name) => segmentOfName(name) ?? []).sort((a, b) => a - b)
  const first = numbers.findLast((number, i) => numbers[i - 1] !== number - 1)
  const asides = names.value.filter((name) => name.endsWith('.tmp'))
  if (first === undefined) return ok(undefined)
  const run = numbers.filter((number) => number >= first)
  const before = numbers.filter((number) => number < first).map(segmentName)
  const segments = run.map((segment) => ({ segment, path: `${directory}/${segmentName(segment)}`, maxIndex: 0 }))
  const read = await readSegments(disk, segments, format)
  if (!read.ok) return read
  const leftovers = [...asides, ...before].map((name) => `${directory}/${name}`)
  return ok({ ...read.value, segments, leftovers })
}

async function readSegments(
  disk: Disk,
  segments: FoundSegment[],
  format: LogFormat,
): Promise<Result<Pick<RecoveredLog, 'log' | 'tail'>, RaftOpenFailure>> {
  let reading: SegmentReading | undefined
  for (const found of segments) {
    const bytes = await readWhole(disk, found.path)
    if (!bytes.ok) return bytes
    const next: Result<SegmentReading, RaftOpenFailure> = SegmentReading.begin(found, bytes.value, format, reading?.log)
    if (!next.ok) return next
    const torn = reading?.endAt(next.value.header)
    if (torn !== undefined) return err(torn)
    const damage = next.value.readAll()
    if (damage !== undefined) return err(damage)
    reading = next.value
  }
  return (reading as SegmentReading).finish()
}

async function readWhole(disk: Disk, path: string): Promise<Result<Uint8Array, RaftOpenFailure>> {
  const file = await disk.open(path, 'read')
  if (!file.ok) return err(diskTrouble(file.error))
  const size = await file.value.size()
  const bytes = size.ok ? await file.value.read(0, size.value) : size
  await file.value.close()
  return bytes.ok ? bytes : err(diskTrouble(bytes.error))
}

/** One segment being read, batch by batch, into the log that those before it made. */
class SegmentReading {
  readonly header: SegmentHeader
  readonly log: ReplayedLog
  readonly #found: FoundSegment
  readonly #bytes: Uint8Array
  #lastBatch: number
  #chain: number
  #end: number
  #lastBatchAt: number
  #continued: { readonly endBefore: number; readonly batchBefore: number; readonly chainBefore: number } | undefined
  /** Set where a batch is not whole and no later one follows. */
  #torn: RaftOpenFailure | undefined

  private constructor(found: FoundSegment, bytes: Uint8Array, header: SegmentHeader, end: number, log: ReplayedLog) {
    this.#found = found
    this.#bytes = bytes
    this.header = header
    this.log = log
    this.#lastBatch = header.lastBatch
    this.#chain = header.chain
    this.#end = end
    this.#lastBatchAt = end
  }

  /** `log`: what the segments before said; undefined for the first. */
  static begin(
    found: FoundSegment,
    bytes: Uint8Array,
    format: LogFormat,
    log: ReplayedLog | undefined,
  ): Result<SegmentReading, RaftOpenFailure> {
    const read = readSegmentHeader(bytes, format)
    if (!read.ok) {
      const { kind, what } = read.error
      return err(kind === 'format' ? unknownFormat(found.path, what) : damagedAt(found.path, 0, what))
    }
    const { header, end } = read.value
    if (header.segment !== found.segment) {
      return err(damagedAt(found.path, 0, `it is segment ${header.segment} under the name of another`))
    }
    return ok(new SegmentReading(found, bytes, header, end, log ?? new ReplayedLog(header)))
  }

  /** Reads until the end, or to a batch that may be torn. */
  readAll(): RaftOpenFailure | undefined {
    const { path } = this.#found
    while (this.#end < this.#bytes.length) {
      const place = { number: this.#lastBatch + 1, offset: this.#end, salt: this.header.salt, chain: this.#chain }
      const read = readBatch(this.#bytes, place)
      if (!read.ok) {
        const damage = damagedAt(path, read.error.offset, read.error.what)
        if (findLaterBatch(this.#bytes, this.#end, this.header.salt, place.number) !== undefined) return damage
        this.#torn = damage
        return undefined
      }
      for (const record of read.value.records) {
        if (record.kind === 'continued') {
          this.#continued = { endBefore: this.#end, batchBefore: this.#lastBatch, chainBefore: this.#chain }
        }
        if (record.kind === 'entry') this.#found.maxIndex = Math.max(this.#found.maxIndex, record.entry.index)
        const wrong = this.log.take(record)
        if (wrong !== undefined) return damagedAt(path, this.#end, wrong)
      }
      this.#lastBatchAt = this.#end
      this.#lastBatch = place.number
      this.#end = read.value.end
      this.#chain = read.value.chain
    }
    return undefined
  }

  /** Whether this segment ends where the header of the next says that it does. */
  endAt(next: SegmentHeader): RaftOpenFailure | undefined {
    const { path } = this.#found
    if (this.#end < next.endOfPrevious) return this.#torn ?? damagedAt(path, this.#end, 'the segment is cut short')
    // The mark that the log goes on was written after that header.
    const { endBefore, batchBefore, chainBefore } = this.#continued ?? {
      endBefore: this.#end,
      batchBefore: this.#lastBatch,
      chainBefore: this.#chain,
    }
    const follows = endBefore === next.endOfPrevious && batchBefore === next.lastBatch && chainBefore === next.chain
    return follows ? undefined : damagedAt(path, next.endOfPrevious, 'the next segment does not follow this one')
  }

  /** This is the last segment. */
  finish(): Result<Pick<RecoveredLog, 'log' | 'tail'>, RaftOpenFailure> {
    if (this.#continued !== undefined) {
      const missing = segmentName(this.header.segment + 1)
      return err(missingFiles(this.#found.path, `the log goes on in ${missing}, which is missing`))
    }
    const tail: LogTail = {
      salt: this.header.salt,
      lastBatch: this.#lastBatch,
      chain: this.#chain,
      end: this.#end,
      sizeBytes: this.#bytes.length,
      lastBatchBytes: this.#bytes.slice(this.#lastBatchAt, this.#end),
    }
    return ok({ log: this.log, tail })
  }
}
