import { describe, expect, it } from 'vitest'
import { findCorrelationNumbers } from '../../../sim/cluster/correlation-numbers.ts'
import { Decisions } from '../../../sim/world/decisions/decisions.ts'
import { IdentityHash } from '../../../sim/world/decisions/identity.ts'
import { concatBytes } from '../../../src/base/bytes.ts'
import type { Message } from '../../../src/gossip/core/messages.ts'
import { PacketEncoder, type PacketOptions } from '../../../src/gossip/wire/packet.ts'
import { seal } from '../../../src/gossip/wire/sealed.ts'
import { encodeStreamFrame, sealFrame } from '../../../src/gossip/wire/stream-frame.ts'
import { logIndexOf, termOf } from '../../../src/model/log-position.ts'
import { encodeMessage } from '../../../src/raft/codec.ts'
import type { RaftMessage } from '../../../src/raft/core/messages.ts'
import { encodeFrame } from '../../../src/rpc/frame.ts'
import { fc } from '../../fast-check.ts'

const decisions = new Decisions('1', () => 0, undefined, undefined, findCorrelationNumbers)

function nameOf(bytes: Uint8Array): string {
  const { a, b } = decisions.content(new IdentityHash(), bytes)
  return `${a} ${b}`
}

/** Numbers of every width that MessagePack has for them. */
const numbers = [1, 127, 128, 255, 256, 65_535, 65_536, 2 ** 31, 2 ** 32 - 1]

/** All of `one` are one packet, and none of `others` is that. */
function expectOne(one: readonly Uint8Array[], others: readonly Uint8Array[]): void {
  const [name] = one.map(nameOf)
  expect(new Set(one.map(nameOf)).size).toBe(1)
  for (const other of others) expect(nameOf(other)).not.toBe(name)
}

describe('the identity of a packet', () => {
  it('is without the ID of a request, and with everything else', () => {
    const request = (id: number, method = 'kv.get', key = 'a') =>
      encodeFrame({ kind: 'request', id, method, body: { key }, deadlineMs: 500 })
    const answer = (id: number, body = 'x') => encodeFrame({ kind: 'answer', id, body })
    expectOne(
      numbers.map((id) => request(id)),
      [request(1, 'kv.put'), request(1, 'kv.get', 'b'), answer(1)],
    )
    expectOne(
      numbers.map((id) => answer(id)),
      [answer(1, 'y'), encodeFrame({ kind: 'failure', id: 1, failure: 'x' })],
    )
    expectOne(
      numbers.map((id) => encodeFrame({ kind: 'cancel', id })),
      [encodeFrame({ kind: 'ping' })],
    )
  })

  it('is so for each frame of those that leave together, and for a frame whose end leaves later', () => {
    const together = (id: number, body: string) =>
      concatBytes([
        encodeFrame({ kind: 'answer', id, body: 'first' }),
        encodeFrame({ kind: 'notice', topic: 'other', bytes: new Uint8Array(300) }),
        encodeFrame({ kind: 'answer', id: id + 7, body }),
      ])
    expectOne(
      numbers.map((id) => together(id, 'second')),
      [together(1, 'third')],
    )
    const cut = (id: number) => encodeFrame({ kind: 'answer', id, body: 'x'.repeat(100) })
    expectOne([cut(1).subarray(0, 50), cut(100).subarray(0, 50)], [cut(1).subarray(0, 40)])
  })

  it('is without the round of a message of Raft, and with its term, its index and its entries', () => {
    const notice = (message: RaftMessage) =>
      encodeFrame({ kind: 'notice', topic: 'raft/3', bytes: encodeMessage(message) })
    const append = (round: number, atTerm = 3, payload = 'p') =>
      notice({
        kind: 'append-request',
        term: termOf(atTerm),
        previousIndex: logIndexOf(300),
        previousTerm: termOf(2),
        commit: logIndexOf(299),
        round,
        entries: [
          { index: logIndexOf(301), term: termOf(3), kind: 'command', payload: new TextEncoder().encode(payload) },
        ],
      })
    expectOne(
      numbers.map((round) => append(round)),
      [append(1, 4), append(1, 3, 'q')],
    )
    const answer = (round: number, index = 70_000) =>
      notice({
        kind: 'append-response',
        term: termOf(3),
        success: true,
        index: logIndexOf(index),
        hintTerm: termOf(0),
        round,
      })
    expectOne(
      numbers.map((round) => answer(round)),
      [answer(1, 70_001)],
    )
    const installed = (round: number, nextOffset = 0) =>
      notice({ kind: 'snapshot-response', term: termOf(3), index: logIndexOf(9), nextOffset, installed: true, round })
    expectOne(
      numbers.map((round) => installed(round)),
      [installed(1, 1)],
    )
    const chunk = (round: number, offset = 0) =>
      notice({
        kind: 'snapshot-chunk',
        term: termOf(3),
        meta: {
          index: logIndexOf(9),
          term: termOf(2),
          configuration: { servers: [{ id: 's1', address: '10.0.0.1:8300', suffrage: 'voter' }] },
          configurationIndex: logIndexOf(1),
        },
        sizeBytes: 5_000,
        offset,
        bytes: new Uint8Array(4_000),
        round,
      })
    expectOne(
      numbers.map((round) => chunk(round)),
      [chunk(1, 1)],
    )
  })

  const packet = (messages: readonly Message[], options: Partial<PacketOptions> = {}): Uint8Array =>
    new PacketEncoder().encode(messages, { budget: 1_400, checksum: false, ...options })[0] as Uint8Array
  const ping = (sequence: number, node = 's2'): Message => ({ kind: 'ping', sequence, node })
  const ack = (sequence: number, filled = 1): Message => ({
    kind: 'ack',
    sequence,
    payload: new Uint8Array(40).fill(filled),
  })
  const suspect = (node: string): Message => ({ kind: 'suspect', incarnation: 3, node, from: 's1' })

  it('is without the sequence number of a probe and without what it measures, alone or in company', () => {
    expectOne(
      numbers.map((sequence) => packet([ping(sequence)])),
      [packet([ping(1, 's3')]), packet([ack(1)])],
    )
    expectOne(
      numbers.map((sequence) => packet([ack(sequence, sequence & 255)])),
      [packet([{ kind: 'nack', sequence: 1 }])],
    )
    const target = { host: '10.0.0.2', port: 8301 }
    const through = (sequence: number, node: string): Message => ({
      kind: 'indirect-ping',
      sequence,
      target,
      node,
      nack: true,
    })
    expectOne(
      numbers.map((sequence) => packet([through(sequence, 's2')])),
      [packet([through(1, 's3')])],
    )
    for (const checksum of [false, true]) {
      const many = (sequence: number, node: string) =>
        packet([ping(sequence), suspect(node), ack(sequence)], { checksum })
      expectOne(
        numbers.map((sequence) => many(sequence, 's3')),
        [many(1, 's4')],
      )
    }
    const frame = (sequence: number, node: string) => encodeStreamFrame({ kind: 'ping', sequence, node })
    expectOne(
      numbers.map((sequence) => frame(sequence, 's2')),
      [frame(1, 's3')],
    )
  })

  it('is the same for sealed bytes, which are known by their nonce', () => {
    const crypto = {
      randomBytes: (length: number, ...about: readonly (string | number | Uint8Array)[]) => {
        const draws = decisions.draws(...about)
        return Uint8Array.from({ length }, () => draws.uint32() & 255)
      },
      // No cipher, but what depends on each byte as one does.
      sealAesGcm: (_key: Uint8Array, _nonce: Uint8Array, plain: Uint8Array) =>
        concatBytes([plain.map((byte) => byte ^ 0x5a), new Uint8Array(16).fill(plain[9] as number)]),
      openAesGcm: () => undefined,
    }
    const key = new Uint8Array(16)
    const sealed = (sequence: number, node = 's2') =>
      seal(crypto, key, packet([ping(sequence, node)]), new Uint8Array(0))
    expectOne(
      numbers.map((sequence) => sealed(sequence)),
      [sealed(1, 's3')],
    )
    const sealing = {
      isOn: true,
      demands: true,
      seal: (plain: Uint8Array, additional: Uint8Array) => seal(crypto, key, plain, additional),
      unseal: () => {
        throw new Error('nothing is opened here')
      },
    }
    const frame = (sequence: number, node = 's2') =>
      sealFrame(sealing, encodeStreamFrame({ kind: 'ping', sequence, node }))
    expectOne(
      numbers.map((sequence) => frame(sequence)),
      [frame(1, 's3')],
    )
  })

  it('is there for any bytes, and costs a bounded number of steps', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 200 }), (bytes) => {
        expect(nameOf(bytes)).toBe(nameOf(bytes.slice()))
      }),
    )
    for (const head of [[0, 0, 0, 9, 0x93, 1], [13], [7, 255], [0, 0x8f], [2, 0x8f], [11, 0x8f]]) {
      for (const fill of [0x00, 0x9f, 0x8f, 0xc6, 0xdd, 0xff]) {
        const bytes = new Uint8Array(65_507).fill(fill)
        bytes.set(head)
        expect(nameOf(bytes)).toBe(nameOf(bytes))
      }
    }
  })
})
