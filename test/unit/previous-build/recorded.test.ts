import { describe, expect, it } from 'vitest'
import { features } from '../../../src/agent/assembly/features.ts'
import { readFrames } from '../../../src/agent/local/journal-frames.ts'
import { membersOf } from '../../../src/agent/pool/member-snapshot.ts'
import { concatBytes, textOf } from '../../../src/base/bytes.ts'
import { PacketEncoder } from '../../../src/gossip/wire/packet.ts'
import { decodePacket } from '../../../src/gossip/wire/packet-decoder.ts'
import { encodeStreamFrame } from '../../../src/gossip/wire/stream-frame.ts'
import { decodeMessage, encodeMessage } from '../../../src/raft/codec.ts'
import { encodeFrame, type Frame } from '../../../src/rpc/frame.ts'
import { FrameReader } from '../../../src/rpc/frame-reader.ts'
import { FrameReading } from '../gossip-wire/frames.ts'
import { bytesOf, dataDirectory, frames } from './fixture.ts'

function framesOf(stream: string): readonly Frame[] {
  const found: Frame[] = []
  const reader = new FrameReader({ awaitsAnswers: () => true })
  expect(reader.push(bytesOf(stream), (frame) => found.push(frame))).toEqual({ ok: true, value: undefined })
  // The recorder may have cut off the end of a long stream, and nothing else.
  expect(reader.held).toBeLessThan(64 << 10)
  return found
}

const connections = frames.rpc.map(({ asked, answered }) => ({ asked: framesOf(asked), answered: framesOf(answered) }))
const endpoints = new Map(features.flatMap((each) => each.endpoints ?? []).map((each) => [each.method, each]))

describe('RPC frames of the previous build', () => {
  it('are read whole, and are written as they are read', () => {
    const all = connections.flatMap(({ asked, answered }) => [...asked, ...answered])
    const kinds = new Set(all.map(({ kind }) => kind))
    expect([...kinds].sort()).toEqual(['answer', 'hello', 'notice', 'ping', 'pong', 'request'])
    for (const frame of all) {
      const again: Frame[] = []
      new FrameReader({ awaitsAnswers: () => true }).push(encodeFrame(frame), (each) => again.push(each))
      expect(again).toEqual([frame])
    }
  })

  it('ask endpoints that there are, with arguments and answers that these accept', () => {
    const methods = new Set<string>()
    for (const { asked, answered } of connections) {
      const answers = new Map(answered.flatMap((frame) => (frame.kind === 'answer' ? [[frame.id, frame.body]] : [])))
      for (const frame of asked) {
        const endpoint = frame.kind === 'request' ? endpoints.get(frame.method) : undefined
        if (frame.kind !== 'request' || endpoint === undefined) continue
        methods.add(frame.method)
        const { args } = frame.body as { readonly args: unknown }
        expect(endpoint.args.safeParse(args).error?.message, `arguments of ${frame.method}`).toBeUndefined()
        const answer = answers.get(frame.id)
        if (answer === undefined) continue
        const value = endpoint.kind === 'query' ? (answer as { readonly value: unknown }).value : answer
        expect(endpoint.reply.safeParse(value).error?.message, `answer of ${frame.method}`).toBeUndefined()
      }
    }
    for (const method of ['KV.Put', 'KV.Lock', 'Session.Create', 'Catalog.RegisterAll', 'Txn.Apply', 'ConnectCA.Sign'])
      expect(methods).toContain(method)
  })

  it('carry messages of Raft, which are read and written byte for byte', () => {
    const kinds = new Set<string>()
    for (const frame of connections.flatMap(({ asked, answered }) => [...asked, ...answered])) {
      if (frame.kind !== 'notice') continue
      const message = decodeMessage(frame.bytes)
      if (!message.ok) throw new Error(message.error)
      kinds.add(message.value.kind)
      expect(encodeMessage(message.value)).toEqual(frame.bytes)
    }
    expect([...kinds].sort()).toEqual(expect.arrayContaining(['append-request', 'append-response']))
  })
})

describe('gossip of the previous build', () => {
  it('comes in packets that are read whole, and written byte for byte', () => {
    const kinds = new Set<string>()
    for (const text of frames.packets) {
      const bytes = bytesOf(text)
      const packet = decodePacket(bytes)
      if (!packet.ok) throw new Error(packet.error)
      expect({ ...packet.value, messages: [] }).toEqual({ messages: [], ignored: 0, malformed: 0, isCut: false })
      for (const { kind } of packet.value.messages) kinds.add(kind)
      const options = { budget: 65_000, checksum: bytes[0] === 12 }
      expect(concatBytes(new PacketEncoder().encode(packet.value.messages, options))).toEqual(bytes)
    }
    expect([...kinds].sort()).toEqual(expect.arrayContaining(['ack', 'alive', 'ping']))
  })

  it('comes in streams with the full state, which are read whole, and written byte for byte', () => {
    let states = 0
    for (const { asked, answered } of frames.streams) {
      for (const bytes of [asked, answered].map(bytesOf).filter(({ length }) => length > 0)) {
        const frame = new FrameReading().push(bytes)
        if (!frame.ok || frame.value === undefined) throw new Error('a recorded stream holds one whole frame')
        if (frame.value.kind === 'message') continue
        if (frame.value.kind === 'full-state') states += 1
        expect(encodeStreamFrame(frame.value)).toEqual(bytes)
      }
    }
    expect(states).toBeGreaterThan(3)
  })
})

describe('small files of the previous build', () => {
  it('the journal of registrations has no damaged part', () => {
    const journal = dataDirectory('client').get('local/registrations')
    const read = readFrames(journal ?? new Uint8Array())
    expect([read.damage, read.endsAt]).toEqual([[], journal?.length])
    expect(read.frames.map(({ text }) => textOf(text)).join('')).toContain('web')
  })

  it('the snapshot of the pool names its members', () => {
    const text = textOf(dataDirectory('client').get('serf/local.snapshot') ?? new Uint8Array())
    expect(membersOf(text, true).map(({ name }) => name)).toEqual(expect.arrayContaining(['s1']))
  })
})
