import { crc32cOf } from '../../base/crc32c.ts'
import { err, ok, type Result } from '../../base/result.ts'
import { readU48, u48Bytes, viewOf, writeU48 } from './fields.ts'
import { type LogRecord, readRecord, recordBytes, writeRecord } from './record.ts'

/**
 * A batch is what one write and one sync make durable. On disk a header of 32 bytes, then its records:
 * mark (u32), CRC-32C of the rest of the header (u32), number (u48), own offset in the file (u48), length of the records
 * (u32), count of the records (u32), checksum of what stands before the batch (u32). The header's checksum goes on from
 * the segment's salt, each record's from the one before it: a header or a record is valid in its own place only, and
 * bytes that a client chose never look like one.
 */
const batchHeaderBytes = 32
const mark = 0x53564342
const numberAt = 8
const offsetAt = numberAt + u48Bytes
const lengthAt = offsetAt + u48Bytes
const countAt = lengthAt + 4
const beforeAt = countAt + 4

/** Where in the log a batch stands. */
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

export function encodeBatch(records: readonly LogRecord[], place: BatchPlace): EncodedBatch {
  let length = 0
  for (const record of records) length += recordBytes(record)
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
  /** Offset of the first thing that is wrong. */
  readonly offset: number
  /** One clause. */
  readonly what: string
}

/** Reads the batch that stands at `place` in the bytes of a segment, which its entries keep alive. */
export function readBatch(bytes: Uint8Array, place: BatchPlace): Result<ReadBatch, BadBatch> {
  const { offset } = place
  if (offset + batchHeaderBytes > bytes.length) return err({ offset, what: 'the header of a batch is cut short' })
  const number = headerNumber(bytes, offset, place.salt)
  const view = viewOf(bytes)
  if (number !== place.number || view.getUint32(offset + beforeAt) !== place.chain) {
    return err({ offset, what: 'the header of a batch does not match' })
  }
  const end = offset + batchHeaderBytes + view.getUint32(offset + lengthAt)
  if (end > bytes.length) return err({ offset, what: 'a batch is cut short' })
  const records: LogRecord[] = []
  let at = offset + batchHeaderBytes
  let chain = view.getUint32(offset + 4)
  while (at < end) {
    const read = readRecord(bytes, view, at, end, chain)
    if (!read.ok) return err({ offset: at, what: read.error })
    records.push(read.value.record)
    at = read.value.end
    chain = read.value.chain
  }
  if (records.length !== view.getUint32(offset + countAt)) return err({ offset, what: 'a batch lacks records' })
  return ok({ records, end, chain })
}

/** Number of the batch whose header stands at `at`; `undefined` if no valid header stands there. */
function headerNumber(bytes: Uint8Array, at: number, salt: number): number | undefined {
  const view = viewOf(bytes)
  if (at + batchHeaderBytes > bytes.length || view.getUint32(at) !== mark) return undefined
  if (readU48(view, at + offsetAt) !== at || view.getUint32(at + 4) !== headerChecksum(bytes, at, salt))
    return undefined
  return readU48(view, at + numberAt)
}

/** Offset of the first header of a batch later than `number` from `from` on, at whatever place; `undefined`: there is none. */
export function findLaterBatch(bytes: Uint8Array, from: number, salt: number, number: number): number | undefined {
  const first = mark >>> 24
  for (let at = bytes.indexOf(first, from); at >= 0; at = bytes.indexOf(first, at + 1)) {
    const found = headerNumber(bytes, at, salt)
    if (found !== undefined && found > number) return at
  }
  return undefined
}
