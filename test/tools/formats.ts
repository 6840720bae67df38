import { createHash } from 'node:crypto'
import { z } from 'zod'
import { features } from '../../src/agent/assembly/features.ts'
import { frameOf } from '../../src/agent/local/journal-frames.ts'
import { keptState, keptVersion } from '../../src/agent/local/kept-schema.ts'
import { encodeCommand } from '../../src/agent/replication/command-codec.ts'
import { concatBytes, hex, utf8 } from '../../src/base/bytes.ts'
import type { Message, Versions } from '../../src/gossip/core/messages.ts'
import { PacketEncoder } from '../../src/gossip/wire/packet.ts'
import { encodeStreamFrame } from '../../src/gossip/wire/stream-frame.ts'
import { modifyIndexOf } from '../../src/model/log-position.ts'
import { encodeMessage } from '../../src/raft/codec.ts'
import type { RaftMessage } from '../../src/raft/core/messages.ts'
import { encodeBatch } from '../../src/raft/log/batch.ts'
import type { LogRecord } from '../../src/raft/log/record.ts'
import { encodeSegmentHeader, logFormats, type SegmentHeader } from '../../src/raft/log/segment-file.ts'
import { snapshotFileFormat } from '../../src/raft/log/snapshot-file.ts'
import { encodeFrame, type Frame, rpcProtocol } from '../../src/rpc/frame.ts'
import { snapshotFormat } from '../../src/store/snapshot.ts'
import { Store } from '../../src/store/store.ts'
import type { Row, TableDefinition } from '../../src/store/types.ts'
import { quietSamples, sample as sampleRow, samples } from '../unit/store/sample-table.ts'
import { keptFiles } from './kept-files.ts'
import { positioned } from './plain.ts'

/** A format of the wire or of the disk, as this build has it. */
export interface DeclaredFormat {
  readonly name: string
  /** Where its version is declared; absent: test/fixtures/formats.json declares it. */
  readonly version?: number
  /** What carries the version, for the text of a failure. */
  readonly declaredIn: string
  /** Everything about its form: schemas, or samples as bytes. */
  readonly shape: unknown
}

const bytes = Uint8Array.of(1, 2, 3)
const sample = { kind: 'kv.put', body: { key: 'a', value: bytes, flags: 7 } }

const frames: readonly Frame[] = [
  {
    kind: 'hello',
    hello: { protocol: rpcProtocol, nodeId: 'id', nodeName: 'n', datacenter: 'dc1', address: '10.0.0.1:8300' },
  },
  { kind: 'request', id: 1, method: 'KV.Put', body: { args: { key: 'a' } }, deadlineMs: 5000 },
  { kind: 'answer', id: 1, body: true },
  { kind: 'failure', id: 1, failure: { kind: 'no-leader' } },
  { kind: 'cancel', id: 1 },
  { kind: 'notice', topic: 'raft/3', bytes },
  { kind: 'ping' },
  { kind: 'pong' },
]

const servers = [{ id: 'a', address: '10.0.0.1:8300', suffrage: 'voter' as const }]
const meta = { index: 9, term: 2, configuration: { servers }, configurationIndex: 1 }
const messages = positioned<readonly RaftMessage[]>([
  { kind: 'vote-request', pre: true, term: 3, lastIndex: 9, lastTerm: 2, transfer: false },
  { kind: 'vote-response', pre: false, term: 3, granted: true },
  {
    ...{ kind: 'append-request', term: 3, previousIndex: 8, previousTerm: 2, commit: 8, round: 4 },
    entries: [{ index: 9, term: 3, kind: 'command', payload: bytes }],
  },
  { kind: 'append-response', term: 3, success: true, index: 9, hintTerm: 0, round: 4 },
  { kind: 'snapshot-chunk', term: 3, meta, sizeBytes: 3, offset: 0, bytes, round: 4 },
  { kind: 'snapshot-response', term: 3, index: 9, nextOffset: 3, installed: true, round: 4 },
  { kind: 'timeout-now', term: 3 },
])

const records = positioned<readonly LogRecord[]>([
  { kind: 'hard-state', hardState: { term: 3, votedFor: 'a' } },
  { kind: 'reset', index: 4, term: 2 },
  { kind: 'truncate', from: 7 },
  { kind: 'entry', entry: { index: 7, term: 3, kind: 'command', payload: bytes } },
  { kind: 'continued' },
])
const header = positioned<SegmentHeader>({
  ...{ segment: 2, salt: 77, lastBatch: 5, chain: 99, endOfPrevious: 512, lastIndex: 6 },
  ...{ hardState: { term: 3, votedFor: 'a' }, allocatedBytes: 4 << 20 },
})

const versions: Versions = {
  ...{ protocolMin: 1, protocolMax: 5, protocolSpoken: 2 },
  ...{ delegateMin: 2, delegateMax: 5, delegateSpoken: 4 },
}
const address = { host: '10.0.0.1', port: 8301 }
const gossip: readonly Message[] = [
  { kind: 'ping', sequence: 1, node: 'n' },
  { kind: 'indirect-ping', sequence: 2, target: address, node: 'n', nack: true },
  { kind: 'ack', sequence: 1, payload: bytes },
  { kind: 'nack', sequence: 2 },
  { kind: 'suspect', incarnation: 3, node: 'n', from: 'm' },
  { kind: 'alive', incarnation: 3, node: 'n', address, meta: bytes, versions },
  { kind: 'dead', incarnation: 3, node: 'n', from: 'm' },
  { kind: 'leave-intent', lamport: 4, node: 'n', prune: false },
  { kind: 'join-intent', lamport: 4, node: 'n' },
  { kind: 'user-event', lamport: 5, name: 'e', payload: bytes, coalesce: false },
]
const fullState = encodeStreamFrame({
  kind: 'full-state',
  state: {
    nodes: [{ node: 'n', address, meta: bytes, incarnation: 3, state: 'alive', versions }],
    ...{ join: true, lamport: 7, statusTimes: [['n', 5]], left: ['z'], eventLamport: 1, queryLamport: 1, events: [] },
  },
})

/** A snapshot of a state with two tables. */
function sampleState(): Uint8Array {
  const store = new Store([samples, quietSamples] as readonly TableDefinition<Row>[])
  store.apply(modifyIndexOf(7), (tx) => tx.put(samples, sampleRow('a', 7, 'g', 3)))
  const snapshot = store.snapshot()
  const pieces: Uint8Array[] = []
  for (let piece = snapshot.next(); piece !== undefined; piece = snapshot.next()) pieces.push(piece)
  return concatBytes(pieces)
}

/** What a schema accepts. Members that JSON does not have, such as bytes, are all written alike. */
function schemaOf(schema: z.ZodType): unknown {
  return z.toJSONSchema(schema, { unrepresentable: 'any', io: 'input', reused: 'inline' })
}

/** Every format that agents of different builds must share. */
export async function declaredFormats(): Promise<readonly DeclaredFormat[]> {
  const here = 'test/fixtures/formats.json'
  const commands = features.flatMap((feature) => feature.commands ?? [])
  const endpoints = features.flatMap((feature) => feature.endpoints ?? [])
  const tables = features.flatMap((feature) => feature.tables ?? [])
  const logged = encodeCommand(sample, sample.body, { origin: 'o', sequence: 1 })
  const packets = new PacketEncoder().encode(gossip, { budget: 65_000, checksum: true })
  const files = await keptFiles()
  const log = [encodeSegmentHeader(header), encodeBatch(records, { number: 6, offset: 512, salt: 77, chain: 99 }).bytes]
  return [
    {
      name: 'rpc-frames',
      version: rpcProtocol,
      declaredIn: 'src/rpc/frame.ts',
      shape: frames.map(encodeFrame).map(hex),
    },
    {
      name: 'rpc-endpoints',
      declaredIn: here,
      shape: endpoints.map(({ method, kind, args, reply }) => [method, kind, schemaOf(args), schemaOf(reply)]),
    },
    { name: 'raft-messages', declaredIn: here, shape: messages.map(encodeMessage).map(hex) },
    {
      name: 'raft-log',
      version: logFormats.segments.allocated,
      declaredIn: 'src/raft/log/segment-file.ts',
      shape: log.map(hex),
    },
    { name: 'watermark', declaredIn: here, shape: files.watermark },
    {
      name: 'raft-snapshot',
      version: snapshotFileFormat,
      declaredIn: 'src/raft/log/snapshot-file.ts',
      shape: files.raftSnapshot,
    },
    {
      name: 'state-snapshot',
      version: snapshotFormat,
      declaredIn: 'src/store/snapshot.ts',
      shape: hex(sampleState()),
    },
    {
      name: 'logged-command',
      version: logged[0] ?? 0,
      declaredIn: 'src/agent/replication/command-codec.ts',
      shape: hex(logged),
    },
    {
      name: 'commands',
      declaredIn: here,
      shape: commands.map(({ kind, since, body }) => [kind, since, schemaOf(body)]),
    },
    {
      name: 'tables',
      declaredIn: here,
      shape: tables.map(({ name, stamps, indexes }) => [name, stamps ?? [], Object.keys(indexes ?? {})]),
    },
    { name: 'gossip-packets', declaredIn: here, shape: packets.map(hex) },
    { name: 'gossip-streams', declaredIn: here, shape: hex(fullState) },
    { name: 'members-file', declaredIn: here, shape: files.members },
    {
      name: 'registrations-journal',
      version: keptVersion,
      declaredIn: 'src/agent/local/kept-schema.ts',
      shape: [hex(frameOf(1, utf8('text'))), schemaOf(keptState)],
    },
  ]
}

export function digestOf({ shape }: DeclaredFormat): string {
  return createHash('sha256').update(JSON.stringify(shape)).digest('hex').slice(0, 32)
}
