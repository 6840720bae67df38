import { concatBytes, equalBytes, utf8 } from '../../src/base/bytes.ts'
import { crc32c } from '../../src/base/crc32c.ts'
import { done, ok } from '../../src/base/result.ts'
import { lengthWithoutZeros } from '../../src/base/trailing-zeros.ts'
import type { DiskFile } from '../../src/env/disk.ts'
import { logIndexOf, noIndex, termOf } from '../../src/model/log-position.ts'
import { encodeConfiguration } from '../../src/raft/core/configuration.ts'
import type { Entry } from '../../src/raft/core/types.ts'
import { encodeBatch } from '../../src/raft/log/batch.ts'
import { lossOf } from '../../src/raft/log/log-loss.ts'
import type { LogRecord } from '../../src/raft/log/record.ts'
import { SegmentBytes } from '../../src/raft/log/segment-bytes.ts'
import { encodeSegmentHeader, logFormats } from '../../src/raft/log/segment-file.ts'
import { SegmentReading } from '../../src/raft/log/segment-reading.ts'
import { readSnapshot, type SnapshotOrigin, writeSnapshot } from '../../src/raft/log/snapshot-file.ts'
import type { FuzzTarget } from '../tools/fuzz/target.ts'

const salt = 0x5a17_1234
const allocatedBytes = 16_384
const segmentHeader = {
  segment: 1,
  salt,
  lastBatch: 0,
  chain: salt,
  endOfPrevious: 0,
  hardState: { term: termOf(1), votedFor: 's1' },
  lastIndex: noIndex,
  allocatedBytes,
} as const
const headerBytes = encodeSegmentHeader(segmentHeader)

const configuration = { servers: [{ id: 's1', address: '10.0.0.1:8300', suffrage: 'voter' as const }] }
const voters = encodeConfiguration(configuration)

function entry(index: number, payload: Uint8Array, kind: Entry['kind'] = 'command'): LogRecord {
  return { kind: 'entry', entry: { index: logIndexOf(index), term: termOf(1), kind, payload } }
}

/** A segment with these batches, at its full size. */
function segment(...batches: readonly (readonly LogRecord[])[]): Uint8Array {
  const bytes = new Uint8Array(allocatedBytes)
  bytes.set(headerBytes)
  let place = { number: 1, offset: headerBytes.length, salt, chain: segmentHeader.chain as number }
  for (const records of batches) {
    const batch = encodeBatch(records, place)
    bytes.set(batch.bytes, place.offset)
    place = { ...place, number: place.number + 1, offset: place.offset + batch.bytes.length, chain: batch.chain }
  }
  return bytes
}

/** The bytes as records of one batch, each behind a byte with its length: with all sums as they must be. */
function summed(bytes: Uint8Array): Uint8Array {
  const bodies: Uint8Array[] = []
  for (let at = 0; at < bytes.length; ) {
    const length = Math.max(1, bytes[at] as number)
    bodies.push(bytes.subarray(at + 1, at + 1 + length))
    at += 1 + length
  }
  const head = new Uint8Array(32)
  const view = new DataView(head.buffer)
  view.setUint32(0, 0x5356_4342)
  view.setUint32(10, 1)
  view.setUint32(16, headerBytes.length)
  view.setUint32(
    20,
    bodies.reduce((sum, body) => sum + 8 + body.length, 0),
  )
  view.setUint32(24, bodies.length)
  view.setUint32(28, segmentHeader.chain)
  let chain = crc32c(head.subarray(8), salt)
  view.setUint32(4, chain)
  const parts: Uint8Array[] = [head]
  for (const body of bodies) {
    const numbers = new Uint8Array(8)
    const of = new DataView(numbers.buffer)
    of.setUint32(0, body.length)
    chain = crc32c(body, crc32c(numbers.subarray(0, 4), chain))
    of.setUint32(4, chain)
    parts.push(numbers, body)
  }
  return concatBytes([headerBytes, ...parts])
}

/** Reads a segment as the start of a server does, and looks through what is left where it is damaged. */
function readSegment(content: Uint8Array): void {
  const bytes = new SegmentBytes(content.subarray(0, lengthWithoutZeros(content)), content.length)
  const found = { segment: 1, path: '/raft/log/0000000001.log', maxIndex: noIndex }
  const begun = SegmentReading.begin(found, bytes, logFormats.segments, undefined)
  const reading = begun.ok ? begun.value : undefined
  const damage = reading?.readAll(undefined) ?? (reading?.finish(undefined).ok === false ? 'damage' : undefined)
  if (reading !== undefined && damage === undefined) return
  lossOf(reading?.log, undefined, [{ bytes, from: reading?.end ?? 0, number: undefined }], logFormats.segments)
}

const raftSegment: FuzzTarget = {
  name: 'raft-segment',
  about: 'segments of the Raft log, with their sums as they are and as they must be',
  lengthMax: allocatedBytes,
  run: (bytes) => {
    readSegment(bytes)
    readSegment(summed(bytes))
  },
  seeds: () => [
    segment([entry(1, voters, 'configuration')], [entry(2, utf8('a')), entry(3, utf8('b'))]).subarray(0, 700),
    segment(
      [{ kind: 'hard-state', hardState: { term: termOf(2), votedFor: 's2' } }, entry(1, utf8('x'))],
      [{ kind: 'truncate', from: logIndexOf(1) }, entry(1, utf8('y'))],
      [{ kind: 'reset', index: logIndexOf(9), term: termOf(2) }],
      [{ kind: 'continued' }],
    ),
    encodeSegmentHeader({ ...segmentHeader, allocatedBytes: undefined }),
    // As bodies of records: an entry, a vote, a truncation, a reset, the mark that the log goes on.
    Uint8Array.of(16, 4, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 1, 0, 97, 98),
    Uint8Array.of(
      10,
      1,
      0,
      0,
      0,
      0,
      0,
      3,
      1,
      115,
      50,
      7,
      3,
      0,
      0,
      0,
      0,
      0,
      1,
      13,
      2,
      0,
      0,
      0,
      0,
      0,
      9,
      0,
      0,
      0,
      0,
      0,
      1,
      1,
      5,
    ),
  ],
  // Records of one byte each are made here, some five objects for two bytes of input, before any is read.
  bounds: { bytes: (length) => (2 << 20) + 1_024 * length },
}

/** A file of these bytes, which can be read and written as far as snapshots need it. */
function fileOf(start: Uint8Array): DiskFile & { readonly bytes: () => Uint8Array } {
  let bytes = start
  const write = async (at: number, piece: Uint8Array) => {
    const whole = new Uint8Array(Math.max(bytes.length, at + piece.length))
    whole.set(bytes)
    whole.set(piece, at)
    bytes = whole
    return done
  }
  const file = {
    read: async (at: number, length: number) => ok(bytes.slice(at, at + length)),
    write,
    sync: async () => done,
    writeSynced: write,
    size: async () => ok(bytes.length),
    bytes: () => bytes,
  }
  return file as never
}

const meta = {
  index: logIndexOf(7),
  term: termOf(2),
  configuration,
  configurationIndex: logIndexOf(1),
}

async function snapshot(origin: SnapshotOrigin, ...pieces: readonly Uint8Array[]): Promise<Uint8Array> {
  const file = fileOf(new Uint8Array(0))
  const left = [...pieces]
  const state = { next: () => left.shift() }
  await writeSnapshot(file, meta, origin, state as never, () => true)
  return file.bytes()
}

const magicBytes = 8

/** The bytes as fields of the header and one piece of state, with all sums as they must be. */
function summedSnapshot(bytes: Uint8Array): Uint8Array {
  const length = Math.min(bytes.length, bytes[0] ?? 0)
  const fields = bytes.subarray(1, 1 + length)
  const state = bytes.subarray(1 + length)
  const u32 = (value: number): Uint8Array => Uint8Array.of(value >>> 24, value >>> 16, value >>> 8, value)
  const numbers = concatBytes([u32(1), u32(fields.length)])
  let chain = crc32c(fields, crc32c(numbers))
  const parts = [utf8('svcsnap\n'), numbers, u32(chain), fields]
  for (const body of state.length === 0 ? [] : [state]) {
    chain = crc32c(body, crc32c(u32(body.length), chain))
    parts.push(u32(body.length), u32(chain), body)
  }
  const total = concatBytes([Uint8Array.of(0, 0), u32(state.length)])
  parts.push(u32(0), u32(crc32c(total, crc32c(u32(0), chain))), total)
  return concatBytes(parts)
}

const raftSnapshot: FuzzTarget = {
  name: 'raft-snapshot',
  about: 'files of Raft snapshots, with their sums as they are and as they must be',
  lengthMax: 16_384,
  run: async (bytes) => {
    for (const file of [bytes, summedSnapshot(bytes)]) {
      const pieces: Uint8Array[] = []
      const read = await readSnapshot(fileOf(file), (piece) => {
        pieces.push(piece)
        return done
      })
      if (!read.ok) continue
      // What was read whole is written as it was: but for how MessagePack says numbers, so it is read again and
      // compared.
      const again = fileOf(new Uint8Array(0))
      const state = { next: () => pieces.shift() }
      const origin = read.value.origin ?? { kind: 'received' as const }
      const kept = concatBytes(pieces)
      const written = await writeSnapshot(again, read.value.meta, origin, state as never, () => true)
      if (!written.ok) throw new Error('a snapshot that was read cannot be written')
      const same: Uint8Array[] = []
      const reread = await readSnapshot(again, (piece) => {
        same.push(piece)
        return done
      })
      if (!reread.ok || !equalBytes(concatBytes(same), kept)) throw new Error('a snapshot is read as another')
    }
  },
  seeds: () => snapshots,
}

const snapshots = await Promise.all([
  snapshot({ kind: 'taken', logIndex: logIndexOf(9) }, utf8('the state')),
  snapshot({ kind: 'received' }, utf8('one piece'), utf8('another')),
  snapshot({ kind: 'received' }),
])
const whole = snapshots[0] as Uint8Array
const fieldsLength = new DataView(whole.buffer, whole.byteOffset).getUint32(magicBytes + 4)
snapshots.push(
  concatBytes([
    Uint8Array.of(fieldsLength),
    whole.subarray(magicBytes + 12, magicBytes + 12 + fieldsLength),
    utf8('state'),
  ]),
)

export const raftTargets: readonly FuzzTarget[] = [raftSegment, raftSnapshot]
