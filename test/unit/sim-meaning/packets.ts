import { encodeMessage as encodeHttp } from '../../../sim/env/http-frame.ts'
import type { TracedBytes } from '../../../sim/report/trace-record.ts'
import { encodeCommand } from '../../../src/agent/replication/command-codec.ts'
import { emptyBytes, utf8 } from '../../../src/base/bytes.ts'
import { encodeResponse } from '../../../src/dns-wire/encode-response.ts'
import { encodeQuestion } from '../../../src/dns-wire/question.ts'
import { kvPut } from '../../../src/features/kv/commands.ts'
import type { FullState, Message, Versions } from '../../../src/gossip/core/messages.ts'
import { PacketEncoder } from '../../../src/gossip/wire/packet.ts'
import { encodeStreamFrame } from '../../../src/gossip/wire/stream-frame.ts'
import { encodeTags } from '../../../src/gossip/wire/tags.ts'
import { logIndexOf, termOf } from '../../../src/model/log-position.ts'
import { encodeMessage } from '../../../src/raft/codec.ts'
import { encodeConfiguration } from '../../../src/raft/core/configuration.ts'
import type { RaftMessage } from '../../../src/raft/core/messages.ts'
import type { Configuration, Entry } from '../../../src/raft/core/types.ts'
import { encodeBatch } from '../../../src/raft/log/batch.ts'
import type { LogRecord } from '../../../src/raft/log/record.ts'
import { encodeFrame, type Frame } from '../../../src/rpc/frame.ts'

const address = { host: '10.0.1.3', port: 8301 }
const versions: Versions = {
  protocolMin: 1,
  protocolMax: 5,
  protocolSpoken: 2,
  delegateMin: 2,
  delegateMax: 5,
  delegateSpoken: 4,
}
const payload = utf8('some')
const response = { kind: 'query-response', lamport: 6, id: 9, from: 's2', flags: 0, payload } as const

/** Each kind of message of a pool once. */
export const gossipMessages: readonly Message[] = [
  { kind: 'ping', sequence: 7, node: 's3' },
  { kind: 'indirect-ping', sequence: 8, target: address, node: 's3', nack: true },
  { kind: 'ack', sequence: 7, payload },
  { kind: 'nack', sequence: 8 },
  { kind: 'suspect', incarnation: 4, node: 's3', from: 's1' },
  {
    kind: 'alive',
    incarnation: 5,
    node: 's3',
    address,
    meta: encodeTags({ acls: '1', build: '1.4.0' }) ?? emptyBytes,
    versions,
  },
  { kind: 'dead', incarnation: 5, node: 's3', from: 's1' },
  { kind: 'leave-intent', lamport: 3, node: 's3', prune: false },
  { kind: 'join-intent', lamport: 2, node: 's3' },
  { kind: 'user-event', lamport: 4, name: 'deploy', payload, coalesce: true },
  {
    kind: 'query',
    lamport: 5,
    id: 9,
    from: address,
    filters: [],
    flags: 0,
    relayFactor: 0,
    timeoutMs: 1_000,
    name: 'load',
    payload,
  },
  response,
  { kind: 'relay', to: address, response },
]

export function packetOf(messages: readonly Message[]): Uint8Array {
  const [packet] = new PacketEncoder().encode(messages, { budget: 60_000, checksum: true })
  return packet ?? emptyBytes
}

const state = (node: string, standing: 'alive' | 'suspect' | 'dead') => ({
  node,
  address,
  meta: emptyBytes,
  incarnation: 2,
  state: standing,
  versions,
})

const fullState: FullState = {
  nodes: [state('s1', 'alive'), state('s2', 'suspect'), state('s3', 'dead'), state('s4', 'dead')],
  join: true,
  lamport: 12,
  statusTimes: [['s1', 3]],
  left: ['s4'],
  eventLamport: 1,
  queryLamport: 1,
  events: [{ lamport: 4, events: [{ name: 'deploy', payload }] }],
}

export const exchange = encodeStreamFrame({ kind: 'full-state', state: fullState })
export const refusal = encodeStreamFrame({ kind: 'error', text: 'it is not encrypted' })

const term = termOf(4)
const index = logIndexOf
const put = encodeCommand(kvPut, { key: 'a/b', value: payload, flags: 0n })
const configuration: Configuration = {
  servers: [
    { id: 'one', address: '10.0.1.1:8300', suffrage: 'voter' },
    { id: 'two', address: '10.0.1.2:8300', suffrage: 'nonvoter' },
  ],
}
const entries: readonly Entry[] = [
  { index: index(91), term, kind: 'no-op', payload: emptyBytes },
  { index: index(92), term, kind: 'configuration', payload: encodeConfiguration(configuration) },
  { index: index(93), term, kind: 'command', payload: put },
]
const meta = { index: index(80), term, configuration, configurationIndex: index(1) }

/** Each kind of message of consensus once. */
const raftMessages: readonly RaftMessage[] = [
  { kind: 'vote-request', pre: true, term, lastIndex: index(90), lastTerm: term, transfer: false },
  { kind: 'vote-response', pre: false, term, granted: true },
  {
    kind: 'append-request',
    term,
    previousIndex: index(90),
    previousTerm: term,
    entries,
    commit: index(89),
    round: 5,
  },
  { kind: 'append-response', term, success: true, index: index(93), hintTerm: termOf(0), round: 5 },
  { kind: 'snapshot-chunk', term, meta, sizeBytes: 100, offset: 50, bytes: payload, round: 6 },
  { kind: 'snapshot-response', term, index: index(80), nextOffset: 54, installed: false, round: 6 },
  { kind: 'timeout-now', term },
]

const logRecords: readonly LogRecord[] = [
  { kind: 'hard-state', hardState: { term, votedFor: 'one' } },
  { kind: 'reset', index: index(80), term },
  { kind: 'truncate', from: index(91) },
  ...entries.map((entry) => ({ kind: 'entry' as const, entry })),
  { kind: 'continued' },
]
export const batch = encodeBatch(logRecords, { number: 3, offset: 512, salt: 77, chain: 99 }).bytes

const read = { consistency: 'stale', minIndex: 5, waitMs: 0, maxStaleMs: 0, datacenter: '' }
const notice = (message: RaftMessage): Frame => ({ kind: 'notice', topic: 'raft/3', bytes: encodeMessage(message) })

/** Frames of the dialling end of a connection between agents, and of the other. */
export const rpcThere: readonly Frame[] = [
  { kind: 'hello', hello: { protocol: 1, nodeId: 'n1', nodeName: 's1', datacenter: 'dc1', address: '10.0.1.1:8300' } },
  { kind: 'request', id: 1, method: 'KV.Get', body: { args: { key: 'a/b' }, read }, deadlineMs: 1_000 },
  {
    kind: 'request',
    id: 2,
    method: 'Session.Create',
    body: { args: { node: 's1', name: 'lock' }, identity: { origin: 's1#1', sequence: 4 } },
    deadlineMs: 1_000,
  },
  { kind: 'request', id: 3, method: 'Session.Destroy', body: { args: { id: 'abc' } }, deadlineMs: 1_000 },
  { kind: 'cancel', id: 3 },
  { kind: 'notice', topic: 'other', bytes: payload },
  ...raftMessages.map(notice),
  { kind: 'ping' },
]
export const rpcBack: readonly Frame[] = [
  { kind: 'pong' },
  {
    kind: 'answer',
    id: 1,
    body: { value: [{ key: 'a/b' }], meta: { index: 40, knownLeader: true, lastContactMs: 0 } },
  },
  { kind: 'failure', id: 2, failure: { kind: 'no-leader' } },
]

export function framesOf(frames: readonly Frame[]): Uint8Array {
  const parts = frames.map(encodeFrame)
  const all = new Uint8Array(parts.reduce((sum, part) => sum + part.length, 0))
  let at = 0
  for (const part of parts) {
    all.set(part, at)
    at += part.length
  }
  return all
}

export const httpRequest = encodeHttp({
  start: ['PUT', '/v1/kv/a/b%20c?acquire=abc&token=secret'],
  headers: [['Host', 'x']],
  body: payload,
})
export const httpAnswer = encodeHttp({ start: [200], headers: [['X-Svc-Index', '17']], body: utf8('true') })

export const dnsQuestion = encodeQuestion({ id: 5, name: 'web.service.svc.', type: 'SRV' })
const query = {
  id: 5,
  opcode: 0,
  recursionDesired: true,
  checkingDisabled: false,
  question: { name: 'web.service.svc.', type: 33, class: 1 },
  edns: undefined,
}
export const dnsAnswer = encodeResponse(
  {
    query,
    rcode: 'NOERROR',
    authoritative: true,
    recursionAvailable: false,
    answers: [
      { name: 'web.service.svc.', ttl: 0, type: 'SRV', priority: 1, weight: 1, port: 80, target: 's1.node.svc.' },
      { name: 'web.service.svc.', ttl: 0, type: 'A', address: '10.0.1.1' },
    ],
    authorities: [],
    additionals: [],
    edns: false,
  },
  { bytes: 512, answers: 10, compress: true, fitUncompressed: false, markTruncated: true },
)

/** Bytes from s1 to s2, as the network tells of them. */
export function traced(
  kind: TracedBytes['kind'],
  port: number,
  bytes: Uint8Array,
  stream = 0,
  back = false,
): TracedBytes {
  const [from, to] = back ? (['s2', 's1'] as const) : (['s1', 's2'] as const)
  return { kind, from, to, port, stream, payload: bytes }
}
