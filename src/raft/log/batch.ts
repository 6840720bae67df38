import { crc32cOf } from '../../base/crc32c.ts'
import { err, ok, type Result } from '../../base/result.ts'
import { readU48, u48Bytes, viewOf, writeU48 } from './fields.ts'
import { type LogRecord, readRecord, recordBytes, writeRecord } from './record.ts'

/**
 * A batch is what one step of the disk makes durable. On disk it is a header of 32 bytes, then its records. The
 * header: mark (u32), CRC-32C of the rest of the header (u32), number (u48), own offset in the file (u48), length of
 * the records (u32), count of the records (u32), checksum of what precedes the batch (u32). The header's checksum
 * continues from the segment's salt, each record's from the previous one. So a header tells at which place of which
 * segment it was written, a record is valid only after the previous one, and bytes that a client chose never look like
 * either.
 */
const batchHeaderBytes = 32
const mark = 0x53564342
const numberAt = 8
const offsetAt = numberAt + u48Bytes
const lengthAt = offsetAt + u48Bytes
const countAt = lengthAt + 4
const beforeAt = countAt + 4

/** The place of a batch in the log. */
export interface BatchPlace {
  /** Batches are numbered 1, 2, 3 … over all segments. */
  readonly number: number
  readonly offset: number
  /** Drawn for the segment. */
  readonly salt: number
  /** Checksum of the last record or header before. */
  readonly chain: number
}

export interface EncodedBatch {
  readonly bytes: Uint8Array
  readonly chain: number
}

/** Size of a batch with these records. */
export function batchBytesOf(records: readonly LogRecord[]): number {
  let bytes = batchHeaderBytes
  for (const record of records) bytes += recordBytes(record)
  return bytes
}

export function encodeBatch(records: readonly LogRecord[], place: BatchPlace): EncodedBatch {
  const length = batchBytesOf(records) - batchHeaderBytes
  const bytes = new Uint8Array(batchHeaderBytes + length)
  const view = viewOf(bytes)
  view.setUint32(0, mark)
  writeU48(view, numberAt, place.number)
  writeU48(view, offsetAt, place.offset)
  view.setUint32(lengthAt, length)
  view.setUint32(countAt, records.length)
  view.setUint32(beforeAt, place.chain)
  let chain = headerChecksum(bytes, 0, place.salt)
  view.setUint32(4, chain)
  let at = batchHeaderBytes
  for (const record of records) {
    const written = writeRecord(record, bytes, view, at, chain)
    at = written.end
    chain = written.chain
  }
  return { bytes, chain }
}

function headerChecksum(bytes: Uint8Array, at: number, salt: number): number {
  return crc32cOf(bytes, at + numberAt, at + batchHeaderBytes, salt)
}

export interface ReadBatch {
  readonly records: readonly LogRecord[]
  readonly end: number
  readonly chain: number
}

export interface BadBatch {
  /** Offset of the first error. */
  readonly offset: number
  /** What is wrong, in one clause. */
  readonly what: string
}

/** The content of a batch's header. */
interface BatchHeader {
  readonly number: number
  /** Offset at which it was written. */
  readonly offset: number
  readonly length: number
  readonly count: number
  readonly before: number
  /** Its own checksum, from which those of the records continue. */
  readonly chain: number
}

/** Reads the batch at `place` in the bytes of a segment, which its entries keep in memory. */
export function readBatch(bytes: Uint8Array, place: BatchPlace): Result<ReadBatch, BadBatch> {
  const { offset } = place
  if (offset + batchHeaderBytes > bytes.length) return err({ offset, what: 'the header of a batch is cut short' })
  const header = headerAt(bytes, offset, place.salt)
  if (header?.offset !== offset || header.number !== place.number || header.before !== place.chain) {
    return err({ offset, what: 'the header of a batch does not match' })
  }
  return readRecords(bytes, offset, header)
}

function readRecords(bytes: Uint8Array, offset: number, header: BatchHeader): Result<ReadBatch, BadBatch> {
  const view = viewOf(bytes)
  const end = offset + batchHeaderBytes + header.length
  if (end > bytes.length) return err({ offset, what: 'a batch is cut short' })
  const records: LogRecord[] = []
  let at = offset + batchHeaderBytes
  let chain = header.chain
  while (at < end) {
    const read = readRecord(bytes, view, at, end, chain)
    if (!read.ok) return err({ offset: at, what: read.error })
    records.push(read.value.record)
    at = read.value.end
    chain = read.value.chain
  }
  if (records.length !== header.count) return err({ offset, what: 'a batch lacks records' })
  return ok({ records, end, chain })
}

/**
 * The records of a batch that stands alone, for readers that do not know its segment: the header is not checked, the
 * records' checksums are.
 */
export function readLoneBatch(bytes: Uint8Array): Result<readonly LogRecord[], BadBatch> {
  const view = viewOf(bytes)
  if (bytes.length < batchHeaderBytes || view.getUint32(0) !== mark) return err({ offset: 0, what: 'it is no batch' })
  const read = readRecords(bytes, 0, fieldsAt(view, 0))
  return read.ok ? ok(read.value.records) : read
}

/** The header at `at`, wherever it was written; `undefined` if there is no valid one. */
function headerAt(bytes: Uint8Array, at: number, salt: number): BatchHeader | undefined {
  if (at + batchHeaderBytes > bytes.length) return undefined
  const view = viewOf(bytes)
  if (view.getUint32(at) !== mark) return undefined
  return view.getUint32(at + 4) === headerChecksum(bytes, at, salt) ? fieldsAt(view, at) : undefined
}

function fieldsAt(view: DataView, at: number): BatchHeader {
  return {
    number: readU48(view, at + numberAt),
    offset: readU48(view, at + offsetAt),
    length: view.getUint32(at + lengthAt),
    count: view.getUint32(at + countAt),
    before: view.getUint32(at + beforeAt),
    chain: view.getUint32(at + 4),
  }
}

/** Number of records with which the batch at `offset` was written, if its header is complete. */
export function recordsAt(bytes: Uint8Array, offset: number, salt: number): number | undefined {
  const header = headerAt(bytes, offset, salt)
  return header?.offset === offset ? header.count : undefined
}

/** A batch that was found after an unreadable place. */
export interface LaterBatch {
  readonly offset: number
  /** Its readable records; none if it is not complete. */
  readonly records: readonly LogRecord[]
}

/**
 * Every batch from `from` on, at any offset, that cannot be the remains of a write torn at `place`: those with a later
 * number, and one of the same number at another place. (A header tells where it was written, so inserted or missing
 * bytes before it do not hide it.)
 */
export function* laterBatches(
  bytes: Uint8Array,
  from: number,
  place: Omit<BatchPlace, 'chain'>,
): Generator<LaterBatch> {
  const first = mark >>> 24
  for (let at = bytes.indexOf(first, from); at >= 0; at = bytes.indexOf(first, at + 1)) {
    const header = headerAt(bytes, at, place.salt)
    if (header === undefined || header.number < place.number) continue
    if (header.number === place.number && at === place.offset) continue
    const read = readRecords(bytes, at, header)
    yield { offset: at, records: read.ok ? read.value.records : [] }
    if (read.ok) at = read.value.end - 1
  }
}
