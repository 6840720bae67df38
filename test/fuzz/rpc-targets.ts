import { concatBytes, utf8 } from '../../src/base/bytes.ts'
import { firstValueBytes, pack, unpack, withOwnBytes } from '../../src/base/msgpack.ts'
import { termOf } from '../../src/model/log-position.ts'
import { decodeMessage, encodeMessage } from '../../src/raft/codec.ts'
import { failureFromWire } from '../../src/rpc/failure-codec.ts'
import { encodeFrame } from '../../src/rpc/frame.ts'
import { FrameReader } from '../../src/rpc/frame-reader.ts'
import type { FuzzTarget } from '../tools/fuzz/target.ts'

const msgpack: FuzzTarget = {
  name: 'msgpack',
  about: 'MessagePack',
  lengthMax: 16_384,
  run: (bytes) => {
    const length = firstValueBytes(bytes)
    if (length !== undefined) firstValueBytes(bytes.subarray(0, length))
    const value = unpack(bytes)
    if (value.ok) withOwnBytes(value.value)
  },
  seeds: () =>
    [
      null,
      [1, -1, 1.5, 2n ** 63n, 'text', true, utf8('bytes')],
      { a: { b: [{ c: new Uint8Array(300) }] }, d: 'x'.repeat(300) },
      Array.from({ length: 20 }, (_, n) => n * 1_000),
    ].map(pack),
}

function readFrames(bytes: Uint8Array): void {
  const reader = new FrameReader({ awaitsAnswers: () => true })
  for (let at = 0; at < bytes.length; at += 700) {
    const pushed = reader.push(bytes.subarray(at, at + 700), (frame) => {
      if (frame.kind === 'failure') failureFromWire(frame.failure)
    })
    if (!pushed.ok) return
  }
}

const rpcFrame: FuzzTarget = {
  name: 'rpc-frame',
  about: 'frames between agents, in pieces, and the failures they carry',
  lengthMax: 16_384,
  run: (bytes) => {
    readFrames(bytes)
    // And as what one frame holds: few mutations leave the length right.
    readFrames(concatBytes([Uint8Array.of(0, 0, bytes.length >> 8, bytes.length & 255), bytes]))
  },
  seeds: () =>
    [
      encodeFrame({ kind: 'ping' }),
      encodeFrame({ kind: 'request', id: 1, method: 'KV.Get', body: { key: 'a' }, deadlineMs: 7_000 }),
      encodeFrame({ kind: 'answer', id: 1, body: [1, 2, utf8('x')] }),
      encodeFrame({ kind: 'failure', id: 1, failure: { kind: 'not-leader', leader: '10.0.0.1:8300' } }),
      encodeFrame({ kind: 'failure', id: 2, failure: { kind: 'bad-request', message: 'no' } }),
      encodeFrame({ kind: 'notice', topic: 'raft/3', bytes: new Uint8Array(40) }),
      encodeFrame({ kind: 'cancel', id: 1 }),
    ].flatMap((frame) => [frame, frame.subarray(4)]),
  words: ['no-leader', 'not-leader', 'outcome-unknown', 'too-large', 'overloaded', 'refused', 'permission-denied'],
}

const raftMessage: FuzzTarget = {
  name: 'raft-message',
  about: 'messages of consensus',
  lengthMax: 16_384,
  run: (bytes) => void decodeMessage(bytes),
  seeds: () => [
    encodeMessage({ kind: 'timeout-now', term: termOf(3) }),
    ...Array.from({ length: 10 }, (_, kind) => pack([kind, 3, 1, 2, 3, true, []])),
    ...Array.from({ length: 10 }, (_, kind) => pack([kind, 3, 1, 2, [[4, 3, 0, utf8('x')]], 3, 1])),
  ],
}

export const rpcTargets: readonly FuzzTarget[] = [msgpack, rpcFrame, raftMessage]
