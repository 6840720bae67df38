import { textOf, utf8 } from '../../base/bytes.ts'
import { crc32cOf } from '../../base/crc32c.ts'
import { invariant } from '../../base/invariant.ts'
import { byteAt } from '../../base/items.ts'
import { err, ok, type Result } from '../../base/result.ts'
import type { LogIndex, Term } from '../../model/log-position.ts'
import type { Entry, EntryKind, HardState } from '../core/types.ts'
import type { LogChange } from './durable-log.ts'
import { readIndex, readTerm, u48Bytes, writeU48 } from './fields.ts'

/** One record of the log. Replaying all records in order gives the state. */
export type LogRecord =
  | { readonly kind: 'hard-state'; readonly hardState: HardState }
  | { readonly kind: 'reset'; readonly index: LogIndex; readonly term: Term }
  | { readonly kind: 'truncate'; readonly from: LogIndex }
  | { readonly kind: 'entry'; readonly entry: Entry }
  /** The log continues in the next segment, which exists. */
  | { readonly kind: 'continued' }

/**
 * Records on disk: length of what follows the checksum (u32), CRC-32C (u32), type (u8), fields, payload. Big-endian.
 */
const recordOverheadBytes = 8
const recordCode = { 'hard-state': 1, reset: 2, truncate: 3, entry: 4, continued: 5 } as const
const entryKinds: readonly EntryKind[] = ['command', 'no-op', 'configuration']
const entryFieldBytes = 1 + u48Bytes + u48Bytes + 1

/**
 * Maximum size of a payload; a larger one is refused before it is proposed, because one entry must fit a frame between
 * servers, with space around it.
 */
export const payloadBytesMax = 4 << 20
/** A record that claims to be longer is damaged. */
const recordBytesMax = payloadBytesMax + 1024

export function recordsOf(change: LogChange): LogRecord[] {
  const records: LogRecord[] = []
  if (change.hardState !== undefined) records.push({ kind: 'hard-state', hardState: change.hardState })
  if (change.resetTo !== undefined) records.push({ kind: 'reset', ...change.resetTo })
  if (change.truncateFrom !== undefined) records.push({ kind: 'truncate', from: change.truncateFrom })
  for (const entry of change.entries) records.push({ kind: 'entry', entry })
  return records
}

/** Size of the record on disk, including its length and checksum. */
export function recordBytes(record: LogRecord): number {
  return recordOverheadBytes + bodyBytes(record)
}

function bodyBytes(record: LogRecord): number {
  switch (record.kind) {
    case 'hard-state':
      return 1 + u48Bytes + 1 + utf8(record.hardState.votedFor ?? '').length
    case 'reset':
      return 1 + u48Bytes + u48Bytes
    case 'truncate':
      return 1 + u48Bytes
    case 'entry':
      return entryFieldBytes + record.entry.payload.length
    case 'continued':
      return 1
  }
}

/**
 * Writes the record at `at`, through a view of all the bytes, with a checksum that continues from `chain`; returns its
 * end and the new chain.
 */
export function writeRecord(
  record: LogRecord,
  bytes: Uint8Array,
  view: DataView,
  at: number,
  chain: number,
): { readonly end: number; readonly chain: number } {
  const length = bodyBytes(record)
  invariant(length <= recordBytesMax, 'a record of the log is bounded', { length })
  const body = at + recordOverheadBytes
  view.setUint32(at, length)
  writeBody(record, bytes, view, body)
  const crc = crc32cOf(bytes, body, body + length, crc32cOf(bytes, at, at + 4, chain))
  view.setUint32(at + 4, crc)
  return { end: body + length, chain: crc }
}

function writeBody(record: LogRecord, bytes: Uint8Array, view: DataView, body: number): void {
  bytes[body] = recordCode[record.kind]
  const fields = body + 1
  switch (record.kind) {
    case 'hard-state': {
      const { term, votedFor } = record.hardState
      writeU48(view, fields, term)
      bytes[fields + u48Bytes] = votedFor === undefined ? 0 : 1
      bytes.set(utf8(votedFor ?? ''), fields + u48Bytes + 1)
      return
    }
    case 'reset':
      writeU48(view, fields, record.index)
      writeU48(view, fields + u48Bytes, record.term)
      return
    case 'truncate':
      writeU48(view, fields, record.from)
      return
    case 'entry': {
      const { index, term, kind, payload } = record.entry
      writeU48(view, fields, index)
      writeU48(view, fields + u48Bytes, term)
      bytes[fields + 2 * u48Bytes] = entryKinds.indexOf(kind)
      bytes.set(payload, body + entryFieldBytes)
      return
    }
    case 'continued':
      return
    default:
      record satisfies never
  }
}

export interface ReadRecord {
  readonly record: LogRecord
  readonly end: number
  readonly chain: number
}

/**
 * Reads the record at `at`, through a view of all the bytes; it must end at or before `limit`. Payloads alias the
 * bytes. The error is one clause.
 */
export function readRecord(
  bytes: Uint8Array,
  view: DataView,
  at: number,
  limit: number,
  chain: number,
): Result<ReadRecord, string> {
  if (at + recordOverheadBytes > limit) return err('a record is cut short')
  const length = view.getUint32(at)
  const body = at + recordOverheadBytes
  if (length < 1 || length > recordBytesMax || body + length > limit) return err('the length of a record is impossible')
  const crc = crc32cOf(bytes, body, body + length, crc32cOf(bytes, at, at + 4, chain))
  if (crc !== view.getUint32(at + 4)) return err('the checksum of a record does not match')
  const record = readBody(bytes, view, body, length)
  return record === undefined ? err('a record has an unknown shape') : ok({ record, end: body + length, chain: crc })
}

function readBody(bytes: Uint8Array, view: DataView, body: number, length: number): LogRecord | undefined {
  const fields = body + 1
  const end = body + length
  switch (bytes[body]) {
    case recordCode['hard-state']: {
      if (length < 2 + u48Bytes) return undefined
      const votedFor = bytes[fields + u48Bytes] === 0 ? undefined : textOf(bytes.subarray(fields + u48Bytes + 1, end))
      return { kind: 'hard-state', hardState: { term: readTerm(view, fields), votedFor } }
    }
    case recordCode.reset:
      if (length !== 1 + 2 * u48Bytes) return undefined
      return { kind: 'reset', index: readIndex(view, fields), term: readTerm(view, fields + u48Bytes) }
    case recordCode.truncate:
      return length === 1 + u48Bytes ? { kind: 'truncate', from: readIndex(view, fields) } : undefined
    case recordCode.entry: {
      if (length < entryFieldBytes) return undefined
      const kind = entryKinds[byteAt(bytes, fields + 2 * u48Bytes)]
      if (kind === undefined) return undefined
      const payload = bytes.subarray(body + entryFieldBytes, end)
      const term = readTerm(view, fields + u48Bytes)
      return { kind: 'entry', entry: { index: readIndex(view, fields), term, kind, payload } }
    }
    case recordCode.continued:
      return length === 1 ? { kind: 'continued' } : undefined
    default:
      return undefined
  }
}
