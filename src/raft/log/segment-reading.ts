import { err, ok, type Result } from '../../base/result.ts'
import { greater, type LogIndex } from '../../model/log-position.ts'
import { laterBatches, readBatch, recordsAt } from './batch.ts'
import { damagedAt, missingFiles, type RaftOpenFailure, unknownFormat } from './open-failure.ts'
import { ReplayedLog } from './replay.ts'
import type { SegmentBytes } from './segment-bytes.ts'
import { type LogFormat, readSegmentHeader, type SegmentHeader, segmentName } from './segment-file.ts'
import type { Mark } from './watermark.ts'

/** A segment as it was found. */
export interface FoundSegment {
  readonly segment: number
  readonly path: string
  /** Highest index of an entry in it; 0 without any. */
  maxIndex: LogIndex
}

/** Where the log continues. */
export interface LogTail {
  readonly salt: number
  readonly lastBatch: number
  readonly chain: number
  /** Offset of the next batch. */
  readonly end: number
  /** Number of bytes after it that remain of a torn batch. */
  readonly tornBytes: number
  /** Number of records that it had, if its header is complete. */
  readonly tornRecords: number | undefined
  /** Undefined for a growing file, which is no longer written to. */
  readonly allocatedBytes: number | undefined
  /** The last batch as it is in the file (none: no bytes). */
  readonly lastBatchBytes: Uint8Array
}

/** One segment being read, batch by batch, into the log of the previous ones. */
export class SegmentReading {
  readonly header: SegmentHeader
  readonly log: ReplayedLog
  readonly #found: FoundSegment
  readonly #bytes: SegmentBytes
  /** From here on there are only zeros in an allocated file, and nothing in one that grows. */
  readonly #contentEnd: number
  #lastBatch: number
  #chain: number
  #end: number
  #lastBatchAt: number
  #continued: { readonly endBefore: number; readonly batchBefore: number; readonly chainBefore: number } | undefined
  /** Set if a batch is incomplete and no later one follows. */
  #torn: RaftOpenFailure | undefined

  private constructor(found: FoundSegment, bytes: SegmentBytes, header: SegmentHeader, end: number, log: ReplayedLog) {
    this.#found = found
    this.#bytes = bytes
    this.header = header
    this.log = log
    this.#lastBatch = header.lastBatch
    this.#chain = header.chain
    this.#end = end
    this.#lastBatchAt = end
    this.#contentEnd = header.allocatedBytes === undefined ? bytes.sizeBytes : bytes.writtenBytes
  }

  /** `log`: the content of the previous segments; undefined for the first. */
  static begin(
    found: FoundSegment,
    bytes: SegmentBytes,
    format: LogFormat,
    log: ReplayedLog | undefined,
  ): Result<SegmentReading, RaftOpenFailure> {
    const read = bytes.read((part) => readSegmentHeader(part, format))
    if (!read.ok) {
      const { kind, what } = read.error
      return err(kind === 'format' ? unknownFormat(found.path, what) : damagedAt(found.path, 0, what))
    }
    const { header, end } = read.value
    if (header.segment !== found.segment) {
      return err(damagedAt(found.path, 0, `it holds segment ${header.segment}, but has the name of another one`))
    }
    return ok(new SegmentReading(found, bytes, header, end, log ?? new ReplayedLog(header)))
  }

  /** Offset of the first byte that was not read, complete or not. */
  get end(): number {
    return this.#end
  }

  get lastBatch(): number {
    return this.#lastBatch
  }

  /** Nothing was written into it, not even in part. */
  get isEmpty(): boolean {
    return this.#lastBatch === this.header.lastBatch && this.#end >= this.#contentEnd
  }

  /** It says that the log continues in the next segment. */
  get isContinued(): boolean {
    return this.#continued !== undefined
  }

  /** It went on without the next one, which was never used (recovery.ts, 5). */
  hasLeftOut(next: SegmentReading): boolean {
    return this.#continued === undefined && this.#end > next.header.endOfPrevious && next.isEmpty
  }

  /** Reads to the end, or to a batch that may be torn. */
  readAll(mark: Mark | undefined): RaftOpenFailure | undefined {
    const { path, segment } = this.#found
    while (this.#end < this.#contentEnd) {
      const place = { number: this.#lastBatch + 1, offset: this.#end, salt: this.header.salt, chain: this.#chain }
      const read = this.#bytes.read((part) => readBatch(part, place))
      if (!read.ok) {
        const damage = damagedAt(path, read.error.offset, read.error.what)
        if (laterBatches(this.#bytes.whole(), this.#end, place).next().done !== true) return damage
        this.#torn = damage
        break
      }
      for (const record of read.value.records) {
        if (record.kind === 'continued') {
          this.#continued = { endBefore: this.#end, batchBefore: this.#lastBatch, chainBefore: this.#chain }
        }
        if (record.kind === 'entry') this.#found.maxIndex = greater(this.#found.maxIndex, record.entry.index)
        const wrong = this.log.take(record)
        if (wrong !== undefined) return damagedAt(path, this.#end, wrong)
      }
      this.#lastBatchAt = this.#end
      this.#lastBatch = place.number
      this.#end = read.value.end
      this.#chain = read.value.chain
      if (mark?.segment === segment && mark.batch === place.number && mark.chain !== this.#chain) {
        return damagedAt(
          path,
          this.#lastBatchAt,
          'this batch is not the one that was durable when the watermark was written',
        )
      }
    }
    return this.#sizeFault()
  }

  /** An allocated file has its size from before it got its name (recovery.ts, 2). */
  #sizeFault(): RaftOpenFailure | undefined {
    const { sizeBytes } = this.#bytes
    const made = this.header.allocatedBytes ?? sizeBytes
    if (sizeBytes === made) return undefined
    const what = sizeBytes < made ? 'its end is missing' : 'bytes were added'
    return damagedAt(
      this.#found.path,
      Math.min(sizeBytes, made),
      `${what}: it has ${sizeBytes} bytes, and was made with ${made}`,
    )
  }

  /** Checks that this segment ends where the header of the next says. */
  endAt(next: SegmentHeader): RaftOpenFailure | undefined {
    const { path } = this.#found
    if (this.#end < next.endOfPrevious) return this.#torn ?? damagedAt(path, this.#end, 'the segment is cut short')
    // The mark that the log continues was written after that header.
    const { endBefore, batchBefore, chainBefore } = this.#continued ?? {
      endBefore: this.#end,
      batchBefore: this.#lastBatch,
      chainBefore: this.#chain,
    }
    const follows = endBefore === next.endOfPrevious && batchBefore === next.lastBatch && chainBefore === next.chain
    return follows ? undefined : damagedAt(path, next.endOfPrevious, 'the next segment does not follow this one')
  }

  /** This is the last segment. */
  finish(mark: Mark | undefined): Result<LogTail, RaftOpenFailure> {
    const { path } = this.#found
    if (this.#continued !== undefined) {
      const missing = segmentName(this.header.segment + 1)
      return err(missingFiles(path, `the log goes on in ${missing}, which is missing`))
    }
    if (mark !== undefined && this.#lastBatch < mark.batch) {
      const what = `it ends with batch ${this.#lastBatch}, and ${mark.batch} batches were known to be durable`
      return err(this.#torn ?? damagedAt(path, this.#end, what))
    }
    const tornBytes = Math.max(0, this.#contentEnd - this.#end)
    return ok({
      salt: this.header.salt,
      lastBatch: this.#lastBatch,
      chain: this.#chain,
      end: this.#end,
      tornBytes,
      tornRecords: tornBytes === 0 ? undefined : recordsAt(this.#bytes.whole(), this.#end, this.header.salt),
      allocatedBytes: this.header.allocatedBytes,
      lastBatchBytes: this.#bytes.slice(this.#lastBatchAt, this.#end),
    })
  }
}
