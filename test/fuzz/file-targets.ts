import { features } from '../../src/agent/assembly/features.ts'
import { frameOf, readFrames } from '../../src/agent/local/journal-frames.ts'
import { keptChanges, keptCheck, keptService, keptState } from '../../src/agent/local/kept-schema.ts'
import { membersOf } from '../../src/agent/pool/member-snapshot.ts'
import { InflateFault } from '../../src/base/bit-reader.ts'
import { concatBytes, textOf, utf8 } from '../../src/base/bytes.ts'
import { crc32c } from '../../src/base/crc32c.ts'
import { GzipWriter, gunzipped } from '../../src/base/gzip.ts'
import { firstValueBytes, pack } from '../../src/base/msgpack.ts'
import { TarFault, tarEnd, tarHeader, tarPadding, tarParts } from '../../src/base/tar.ts'
import { ArchiveReader, ArchiveWriter } from '../../src/features/snapshot/archive.ts'
import { metaFrom } from '../../src/features/snapshot/model.ts'
import { hostCrypto } from '../../src/host/crypto.ts'
import { readPeers } from '../../src/raft/opening/peers-json.ts'
import { SnapshotReader } from '../../src/store/restore.ts'
import type { TableDefinition } from '../../src/store/types.ts'
import type { FuzzTarget } from '../tools/fuzz/target.ts'

/** Number of pieces of 64 KiB that are read: the reader yields between two. */
const piecesMax = 16

function taken<T>(pieces: Generator<T, unknown>, use: (piece: T) => void = () => undefined): void {
  let left = piecesMax
  for (const piece of pieces) {
    use(piece)
    if (left-- === 0) return
  }
}

function gzip(...pieces: readonly Uint8Array[]): Uint8Array {
  const writer = new GzipWriter()
  return Uint8Array.from([...pieces.flatMap((piece) => [...writer.push(piece)]), ...writer.end()])
}

const gzipTarget: FuzzTarget = {
  name: 'gzip',
  about: 'gzip and DEFLATE',
  lengthMax: 16_384,
  run: (bytes) => {
    try {
      taken(gunzipped(bytes))
    } catch (cause) {
      if (!(cause instanceof InflateFault)) throw cause
    }
  },
  seeds: () => [gzip(utf8('abc')), gzip(new Uint8Array(100_000)), gzip(utf8(words)), gzip(utf8('a')).subarray(0, 12)],
  // Each byte of what comes out is a step or two, and there may be a thousand times as much of it as came in.
  bounds: { steps: (length) => 8_000_000 + 400 * length, cpuMs: () => 60, bytes: () => 16 << 20 },
}

const words = Array.from({ length: 400 }, (_, n) => `word ${(n * 7_919) % 1_000} of many\n`).join('')

const tar: FuzzTarget = {
  name: 'tar',
  about: 'tar archives, in pieces',
  lengthMax: 16_384,
  run: (bytes) => {
    const pieces = [bytes.subarray(0, 100), bytes.subarray(100, 700), bytes.subarray(700)]
    try {
      for (const _part of tarParts(pieces)) {
        // Each is bounded by what came in.
      }
    } catch (cause) {
      if (!(cause instanceof TarFault)) throw cause
    }
  },
  seeds: () => [
    Uint8Array.from([...tarHeader('meta.json', 5, 1), ...utf8('hello'), ...tarPadding(5), ...tarEnd]),
    Uint8Array.from([...tarHeader('a', 0, 1), ...tarHeader('b', 600, 1), ...new Uint8Array(1_024), ...tarEnd]),
  ],
}

function archive(): Uint8Array {
  const writer = new ArchiveWriter(hostCrypto)
  writer.state(utf8('the state'))
  const told = { id: '1-2', index: 2, term: 1, version: 1, servers: [], configurationIndex: 1 }
  return Uint8Array.from(writer.finish(told as never, 1_700_000_000).flatMap((part) => [...part]))
}

const archives: FuzzTarget = {
  name: 'archive',
  about: 'snapshots that are restored: gzip, tar, sums and facts',
  lengthMax: 16_384,
  run: (bytes) => {
    metaFrom(bytes)
    const reader = new ArchiveReader(hostCrypto, bytes)
    for (let steps = 0; steps < piecesMax; steps++) if (reader.step() !== undefined) return
  },
  seeds: () => [archive(), utf8('{"Version":1,"ID":"1-2","Index":2,"Term":1,"Size":9}')],
  bounds: { steps: (length) => 8_000_000 + 400 * length, cpuMs: () => 60, bytes: () => 16 << 20 },
}

const tables = new Map(
  features
    .flatMap(({ tables: own = [] }) => own as readonly TableDefinition<never>[])
    .map((table) => [table.name, table]),
)

function readSnapshot(bytes: Uint8Array): void {
  const reader = new SnapshotReader(tables as never, false)
  for (let at = 0; at < bytes.length; at += 900) if (!reader.write(bytes.subarray(at, at + 900)).ok) return
  reader.finish()
}

function u32(value: number): Uint8Array {
  return Uint8Array.of(value >>> 24, value >>> 16, value >>> 8, value)
}

const storeSnapshot: FuzzTarget = {
  name: 'store-snapshot',
  about: 'the replicated state, as snapshots carry it',
  lengthMax: 2_048,
  run: (bytes) => {
    readSnapshot(bytes)
    // And as values of records one behind the other, with lengths and checksum as they must be.
    const records: Uint8Array[] = []
    for (let at = 0; at < bytes.length; ) {
      const length = firstValueBytes(bytes.subarray(at)) ?? bytes.length - at
      records.push(u32(length), bytes.subarray(at, at + length))
      at += length
    }
    const whole = concatBytes(records)
    readSnapshot(concatBytes([whole, u32(crc32c(whole))]))
  },
  seeds: () => [
    concatBytes([
      pack({ format: 1, index: 5, tables: [{ name: 'kv', rows: 1, lastChange: 5 }] }),
      pack({ key: 'a', value: utf8('v'), flags: 0, lockIndex: 0, session: '', createIndex: 5, modifyIndex: 5 }),
    ]),
    pack({ format: 1, index: 5, tables: [] }),
    pack({ format: 1, index: 5, tables: [...tables.keys()].map((name) => ({ name, rows: 0, lastChange: 1 })) }),
  ],
  bounds: { steps: (length) => 40_000 + 800 * length },
}

const journal: FuzzTarget = {
  name: 'journal',
  about: 'journals and files in which an agent keeps its registrations',
  lengthMax: 16_384,
  run: (bytes) => {
    readFrames(bytes)
    const whole = readFrames(frameOf(1, bytes))
    for (const { text } of whole.frames) {
      let value: unknown
      try {
        value = JSON.parse(textOf(text))
      } catch (cause) {
        if (!(cause instanceof SyntaxError)) throw cause
      }
      for (const shape of [keptState, keptChanges, keptService, keptCheck]) shape.safeParse(value)
    }
  },
  seeds: () => [
    frameOf(1, utf8('{"version":1,"changes":[]}')),
    Uint8Array.from([...frameOf(1, utf8('a')), ...frameOf(2, utf8('b')), ...utf8('torn')]),
    utf8('{"version":1,"changes":[{"withoutService":"web"}]}'),
    utf8('{"version":1,"state":{"services":[],"checks":[]}}'),
  ],
  bounds: { steps: (length) => 60_000 + 400 * length },
}

const peersFile: FuzzTarget = {
  name: 'peers-json',
  about: 'the configuration that an operator wants after an outage',
  lengthMax: 16_384,
  run: (bytes) => {
    readPeers('peers.json', bytes, { id: 'a', protocol: 3 } as never)
    readPeers('peers.json', bytes, { id: '10.0.0.1:8300', protocol: 2 } as never)
  },
  seeds: () => [
    utf8('[{"id":"a","address":"10.0.0.1:8300","non_voter":false},{"id":"b","address":"10.0.0.2:8300"}]'),
    utf8('["10.0.0.1:8300","10.0.0.2:8300"]'),
  ],
}

const memberSnapshot: FuzzTarget = {
  name: 'member-snapshot',
  about: 'the file in which an agent keeps who was in its pool',
  lengthMax: 16_384,
  run: (bytes) => {
    const text = textOf(bytes)
    for (const rejoin of [false, true]) {
      for (const { name, at } of membersOf(text, rejoin)) {
        if (name === '' || at.host === '' || !(at.port >= 0 && at.port <= 65_535))
          throw new Error('a member without an address')
      }
    }
  },
  seeds: () => [
    utf8('alive: s1 10.0.0.1:8301\nalive: c 1 [fd00::1]:8301\n'),
    utf8('alive: s1 10.0.0.1:8301\nleave\nalive: s2 10.0.0.2:8301\n'),
    utf8('not-alive: s1\nclock: 7\nalive: s2  10.0.0.2:8301\n'),
  ],
}

export const fileTargets: readonly FuzzTarget[] = [
  gzipTarget,
  tar,
  archives,
  storeSnapshot,
  journal,
  peersFile,
  memberSnapshot,
]
