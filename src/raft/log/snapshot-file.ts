import { concatBytes, equalBytes, utf8 } from '../../base/bytes.ts'
import { crc32c } from '../../base/crc32c.ts'
import { pack, unpack } from '../../base/msgpack.ts'
import { done, err, ok, type Result } from '../../base/result.ts'
import { isList } from '../../base/shape.ts'
import type { DiskFailure, DiskFile } from '../../env/disk.ts'
import { isLogIndex, isTerm, type LogIndex } from '../../model/log-position.ts'
import { decodeConfiguration, encodeConfiguration } from '../core/configuration.ts'
import type { SnapshotMeta } from '../core/types.ts'
import type { StateSnapshot } from '../raft.ts'
import { readIndex, readU48, viewOf, writeU48 } from './fields.ts'

/** Version of snapshot files. */
export const snapshotFileFormat = 1

/**
 * A snapshot file: magic, format (u32), length of the fields (u32), CRC-32C of those and the fields (u32), fields
 * (MessagePack array of index, term, configuration, index of the configuration); then chunks: length (u32), CRC-32C
 * (u32), bytes of the state; then a chunk of length 0 with the number of the state's bytes (u48), where the shared part
 * ends. Each checksum continues the previous one, so that no chunk can disappear or change places. Big-endian. Up to
 * here, equal states of equal logs give equal bytes on every server, and a leader sends these.
 *
 * The rest belongs to this server: the origin of the snapshot (u8: 1 taken, 2 received), and for one that it took, how
 * far its log was durable then (u48), and a checksum that continues (u32). Older files have no such part.
 */
const magic = utf8('svcsnap\n')
const fixedBytes = magic.length + 12
const fieldBytesMax = 1 << 20
const chunkHeaderBytes = 8
/** A longer piece of state is split. */
const chunkBytesMax = 1 << 16
const endBytes = chunkHeaderBytes + 6
const originBytes = 11

/**
 * A snapshot that this server took proves that its log reached `logIndex`: a log that ends before is incomplete. One
 * that it received proves nothing about the log, which is dropped only once the snapshot is durable.
 */
export type SnapshotOrigin = { readonly kind: 'taken'; readonly logIndex: LogIndex } | { readonly kind: 'received' }

/**
 * Writes the snapshot from the file's start on, one piece of state at a time, and syncs it. Returns its size without
 * its origin.
 */
export async function writeSnapshot(
  file: DiskFile,
  meta: SnapshotMeta,
  origin: SnapshotOrigin,
  state: StateSnapshot,
  goOn: () => boolean,
): Promise<Result<number, DiskFailure | 'stopped'>> {
  let next = headerOf(meta)
  let at = 0
  let stateBytes = 0
  for (let piece = state.next(); ; piece = state.next()) {
    const written = await file.write(at, next.bytes)
    if (!written.ok) return written
    if (!goOn()) return err('stopped')
    at += next.bytes.length
    if (piece === undefined) break
    stateBytes += piece.length
    next = chunksOf(piece, next.chain)
  }
  const end = endOf(stateBytes, next.chain)
  const written = await file.write(at, concatBytes([end.bytes, originOf(origin, end.chain)]))
  const synced = written.ok ? await file.sync() : written
  return synced.ok ? ok(at + end.bytes.length) : synced
}

/** Marks a snapshot as received, after it was received and read completely; syncs it. */
export async function markReceived(
  file: DiskFile,
  { sizeBytes, chain }: Pick<ReadSnapshot, 'sizeBytes' | 'chain'>,
): Promise<Result<undefined, DiskFailure>> {
  return file.writeSynced(sizeBytes, originOf({ kind: 'received' }, chain))
}

function originOf(origin: SnapshotOrigin, before: number): Uint8Array {
  const bytes = new Uint8Array(originBytes)
  const view = viewOf(bytes)
  bytes[0] = origin.kind === 'taken' ? 1 : 2
  writeU48(view, 1, origin.kind === 'taken' ? origin.logIndex : 0)
  view.setUint32(7, crc32c(bytes.subarray(0, 7), before))
  return bytes
}

/** Undefined: the bytes are not an origin. */
function readOrigin(bytes: Uint8Array, before: number): SnapshotOrigin | undefined {
  const view = viewOf(bytes)
  if (bytes.length !== originBytes || view.getUint32(7) !== crc32c(bytes.subarray(0, 7), before)) return undefined
  if (bytes[0] === 2) return { kind: 'received' }
  return bytes[0] === 1 ? { kind: 'taken', logIndex: readIndex(view, 1) } : undefined
}

interface Summed {
  readonly bytes: Uint8Array
  readonly chain: number
}

function headerOf({ index, term, configuration, configurationIndex }: SnapshotMeta): Summed {
  const fields = pack([index, term, encodeConfiguration(configuration), configurationIndex])
  const head = new Uint8Array(12)
  const view = viewOf(head)
  view.setUint32(0, snapshotFileFormat)
  view.setUint32(4, fields.length)
  const chain = crc32c(fields, crc32c(head.subarray(0, 8)))
  view.setUint32(8, chain)
  return { bytes: concatBytes([magic, head, fields]), chain }
}

function chunksOf(piece: Uint8Array, before: number): Summed {
  const parts: Uint8Array[] = []
  let chain = before
  for (let at = 0; at < piece.length; at += chunkBytesMax) {
    const part = piece.subarray(at, at + chunkBytesMax)
    const head = new Uint8Array(chunkHeaderBytes)
    viewOf(head).setUint32(0, part.length)
    chain = crc32c(part, crc32c(head.subarray(0, 4), chain))
    viewOf(head).setUint32(4, chain)
    parts.push(head, part)
  }
  return { bytes: concatBytes(parts), chain }
}

function endOf(stateBytes: number, before: number): Summed {
  const bytes = new Uint8Array(endBytes)
  const view = viewOf(bytes)
  writeU48(view, chunkHeaderBytes, stateBytes)
  const chain = crc32c(bytes.subarray(chunkHeaderBytes), crc32c(bytes.subarray(0, 4), before))
  view.setUint32(4, chain)
  return { bytes, chain }
}

export interface BadSnapshot {
  /** `format`: complete, but of a version that this release does not read. `refused`: by the receiver of the pieces. */
  readonly kind: 'damaged' | 'format' | 'refused'
  readonly offset: number
  readonly what: string
}

export interface ReadSnapshot {
  readonly meta: SnapshotMeta
  /** Without the part that belongs to this server. */
  readonly sizeBytes: number
  /** Undefined: the file does not contain it. */
  readonly origin: SnapshotOrigin | undefined
  /** The last checksum of the part that a leader sends. */
  readonly chain: number
}

/** Reads the file from start to end, checks all of it, and passes each piece of state to `use`, which may refuse it. */
export async function readSnapshot(
  file: DiskFile,
  use: (piece: Uint8Array) => Result<undefined, string>,
): Promise<Result<ReadSnapshot, BadSnapshot | DiskFailure>> {
  const head = await file.read(0, fixedBytes + fieldBytesMax)
  if (!head.ok) return head
  const header = readHeader(head.value)
  if (!header.ok) return header
  let { at, chain } = header.value
  let stateBytes = 0
  for (;;) {
    const read = await file.read(at, chunkHeaderBytes + chunkBytesMax)
    if (!read.ok) return read
    const chunk = readChunk(read.value, at, chain)
    if (!chunk.ok) return chunk
    if (chunk.value.state === undefined) {
      const sizeBytes = at + endBytes
      const beyond = await file.read(sizeBytes, originBytes + 1)
      if (!beyond.ok) return beyond
      const origin = readOrigin(beyond.value, chunk.value.chain)
      const isEnd = chunk.value.total === stateBytes && (beyond.value.length === 0 || origin !== undefined)
      if (!isEnd) return damaged(at, 'the end is not where it should be')
      return ok({ meta: header.value.meta, sizeBytes, origin, chain: chunk.value.chain })
    }
    const used = use(chunk.value.state)
    if (!used.ok) return err({ kind: 'refused', offset: at, what: used.error })
    at += chunkHeaderBytes + chunk.value.state.length
    stateBytes += chunk.value.state.length
    chain = chunk.value.chain
  }
}

/** Accepts every piece, to check whether the file is complete. */
export function checkSnapshot(file: DiskFile): Promise<Result<ReadSnapshot, BadSnapshot | DiskFailure>> {
  return readSnapshot(file, () => done)
}

function damaged(offset: number, what: string): Result<never, BadSnapshot> {
  return err({ kind: 'damaged', offset, what })
}

function readHeader(
  bytes: Uint8Array,
): Result<{ readonly meta: SnapshotMeta; readonly at: number; readonly chain: number }, BadSnapshot> {
  if (bytes.length < fixedBytes || !equalBytes(bytes.subarray(0, magic.length), magic)) {
    return damaged(0, 'the file does not begin as a snapshot does')
  }
  const view = viewOf(bytes)
  const format = view.getUint32(magic.length)
  const length = view.getUint32(magic.length + 4)
  const chain = view.getUint32(magic.length + 8)
  const at = fixedBytes + length
  if (length > fieldBytesMax || at > bytes.length) return damaged(0, 'the header is cut short')
  const fields = bytes.subarray(fixedBytes, at)
  if (crc32c(fields, crc32c(bytes.subarray(magic.length, magic.length + 8))) !== chain) {
    return damaged(0, 'the checksum of the header does not match')
  }
  if (format !== snapshotFileFormat) {
    return err({ kind: 'format', offset: 0, what: `snapshot format ${format}: this release reads only 1` })
  }
  const meta = metaOf(fields)
  return meta === undefined ? damaged(0, 'the header has an unknown shape') : ok({ meta, at, chain })
}

function metaOf(fields: Uint8Array): SnapshotMeta | undefined {
  const unpacked = unpack(fields)
  if (!unpacked.ok || !isList(unpacked.value) || unpacked.value.length !== 4) return undefined
  const [index, term, encoded, configurationIndex] = unpacked.value
  const configuration = encoded instanceof Uint8Array ? decodeConfiguration(encoded) : undefined
  if (configuration?.ok !== true) return undefined
  if (!isLogIndex(index) || !isTerm(term) || !isLogIndex(configurationIndex)) return undefined
  return { index, term, configuration: configuration.value, configurationIndex }
}

/** `bytes` begin with the chunk at `at` of the file. Without `state` it is the end. */
function readChunk(
  bytes: Uint8Array,
  at: number,
  before: number,
): Result<{ readonly state: Uint8Array | undefined; readonly total: number; readonly chain: number }, BadSnapshot> {
  if (bytes.length < chunkHeaderBytes) return damaged(at, 'the file is cut short')
  const view = viewOf(bytes)
  const length = view.getUint32(0)
  const bodyLength = length === 0 ? endBytes - chunkHeaderBytes : length
  if (length > chunkBytesMax) return damaged(at, 'the length of a chunk is impossible')
  if (chunkHeaderBytes + bodyLength > bytes.length) return damaged(at, 'the file is cut short')
  const body = bytes.subarray(chunkHeaderBytes, chunkHeaderBytes + bodyLength)
  const chain = crc32c(body, crc32c(bytes.subarray(0, 4), before))
  if (chain !== view.getUint32(4)) return damaged(at, 'the checksum of a chunk does not match')
  if (length === 0) return ok({ state: undefined, total: readU48(view, chunkHeaderBytes), chain })
  return ok({ state: body, total: 0, chain })
}
