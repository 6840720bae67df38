import { describe, expect, it } from 'vitest'
import { crc32 } from '../../../src/base/crc32.ts'
import type { Message } from '../../../src/gossip/core/messages.ts'
import { PacketEncoder } from '../../../src/gossip/wire/packet.ts'
import { decodePacket } from '../../../src/gossip/wire/packet-decoder.ts'
import { shown, spelled } from './bytes.ts'

const plain = { budget: 1400, checksum: false }
const versions = {
  protocolMin: 1,
  protocolMax: 5,
  protocolSpoken: 2,
  delegateMin: 2,
  delegateMax: 5,
  delegateSpoken: 4,
}

/** Each message, and its bytes as the format gives them: type, then a map with the fields in order of their names. */
const vectors: readonly { readonly message: Message; readonly bytes: Uint8Array }[] = [
  { message: { kind: 'ping', sequence: 1, node: 'b' }, bytes: spelled('<00 82 a4>Node<a1>b<a5>SeqNo<01>') },
  {
    message: { kind: 'ping', sequence: 4_000_000_000, node: 'n'.repeat(32) },
    bytes: spelled(`<00 82 a4>Node<da0020>${'n'.repeat(32)}<a5>SeqNo<ce ee6b2800>`),
  },
  {
    message: {
      kind: 'indirect-ping',
      sequence: 200,
      target: { host: '10.0.0.7', port: 8301 },
      node: 'c',
      nack: true,
    },
    bytes: spelled('<01 85 a4>Nack<c3 a4>Node<a1>c<a4>Port<cd206d a5>SeqNo<ccc8 a6>Target<a4 0a000007>'),
  },
  {
    message: { kind: 'ack', sequence: 70_000, payload: new Uint8Array(0) },
    bytes: spelled('<02 82 a7>Payload<c0 a5>SeqNo<ce00011170>'),
  },
  {
    message: { kind: 'ack', sequence: 2, payload: Uint8Array.of(1, 0x80) },
    bytes: spelled('<02 82 a7>Payload<a2 0180 a5>SeqNo<02>'),
  },
  { message: { kind: 'nack', sequence: 300 }, bytes: spelled('<0b 81 a5>SeqNo<cd012c>') },
  {
    message: { kind: 'suspect', incarnation: 127, node: 'b', from: 'a' },
    bytes: spelled('<03 83 a4>From<a1>a<ab>Incarnation<7f a4>Node<a1>b'),
  },
  {
    message: { kind: 'dead', incarnation: 128, node: 'b', from: 'b' },
    bytes: spelled('<05 83 a4>From<a1>b<ab>Incarnation<cc80 a4>Node<a1>b'),
  },
  {
    message: {
      kind: 'alive',
      incarnation: 1,
      node: 'a',
      address: { host: '127.0.0.1', port: 17946 },
      meta: Uint8Array.of(0xff, 0x80),
      versions,
    },
    bytes: spelled(
      '<04 86 a4>Addr<a4 7f000001 ab>Incarnation<01 a4>Meta<a2 ff80 a4>Node<a1>a<a4>Port<cd461a a3>Vsn<a6 010502020504>',
    ),
  },
  {
    message: { kind: 'leave-intent', lamport: 2, node: 'b', prune: false },
    bytes: spelled('<08 00 83 a5>LTime<02 a4>Node<a1>b<a5>Prune<c2>'),
  },
  {
    message: { kind: 'join-intent', lamport: 0x1_0000_0001, node: 'b' },
    bytes: spelled('<08 01 82 a5>LTime<cf 0000000100000001 a4>Node<a1>b'),
  },
]

describe('packets', () => {
  it.each(vectors)('spells a message $message.kind as the format has it', ({ message, bytes }) => {
    const encoder = new PacketEncoder()
    expect(encoder.encode([message], plain).map(shown)).toEqual([shown(bytes)])
    expect(encoder.sizeOf(message)).toBe(bytes.length)
    expect(decodePacket(bytes)).toEqual({
      ok: true,
      value: { messages: [message], ignored: 0, malformed: 0, isCut: false },
    })
  })

  it('joins messages into a compound: count, lengths, then each', () => {
    const [ping, nack] = [vectors[0], vectors[5]] as const
    const packets = new PacketEncoder().encode([ping?.message, nack?.message] as Message[], plain)
    expect(packets.map(shown)).toEqual([
      shown(spelled('<07 02 0010 000b 00 82 a4>Node<a1>b<a5>SeqNo<01 0b 81 a5>SeqNo<cd012c>')),
    ])
    expect(decodePacket(packets[0] as Uint8Array)).toMatchObject({
      value: { messages: [ping?.message, nack?.message] },
    })
  })

  it('knows the checksum of Ethernet', () => {
    expect(crc32(new TextEncoder().encode('123456789'))).toBe(0xcbf43926)
  })

  it('puts a checksum before the packet, and drops a packet that it does not fit', () => {
    const message: Message = { kind: 'leave-intent', lamport: 2, node: 'b', prune: false }
    const [packet] = new PacketEncoder().encode([message], { budget: 1400, checksum: true })
    expect(shown(packet as Uint8Array)).toBe(
      shown(spelled('<0c fe63071c 08 00 83 a5>LTime<02 a4>Node<a1>b<a5>Prune<c2>')),
    )
    expect(decodePacket(packet as Uint8Array)).toMatchObject({ ok: true, value: { messages: [message] } })
    const broken = Uint8Array.from(packet as Uint8Array)
    broken[20] = (broken[20] as number) ^ 1
    expect(decodePacket(broken)).toEqual({ ok: false, error: 'the checksum does not match' })
  })

  it('begins another packet where the budget or the count of a compound is used up', () => {
    const messages = Array.from({ length: 600 }, (_, n): Message => ({ kind: 'nack', sequence: n % 100 }))
    const small = new PacketEncoder().encode(messages, { budget: 200, checksum: true })
    expect(Math.max(...small.map((packet) => packet.length))).toBeLessThanOrEqual(200)
    const large = new PacketEncoder().encode(messages, { budget: 60_000, checksum: false })
    expect(large.map((packet) => packet[1])).toEqual([255, 255, 90])
    for (const packets of [small, large]) {
      const back = packets.flatMap((packet) => {
        const read = decodePacket(packet)
        return read.ok ? read.value.messages : []
      })
      expect(back).toEqual(messages)
    }
  })

  it('lets a message larger than the budget go alone', () => {
    const large: Message = { kind: 'ack', sequence: 1, payload: new Uint8Array(1000) }
    const packets = new PacketEncoder().encode([{ kind: 'nack', sequence: 1 }, large], { budget: 500, checksum: false })
    expect(packets.map((packet) => packet[0])).toEqual([11, 2])
  })

  it('carries an IPv6 address in 16 bytes', () => {
    const message: Message = {
      kind: 'indirect-ping',
      sequence: 1,
      target: { host: 'fd00::7', port: 1 },
      node: 'c',
      nack: false,
    }
    const [packet] = new PacketEncoder().encode([message], plain)
    expect(shown(packet as Uint8Array)).toContain('b0fd000000000000000000000000000007')
    expect(decodePacket(packet as Uint8Array)).toMatchObject({ value: { messages: [message] } })
  })

  it('steps over fields that it does not know, whatever is in them', () => {
    const bytes = spelled(
      '<00 84 a4>Node<a1>b<a5>Other<82 01 93 c0 c3 cb0000000000000000 02 d9 02>xy<a5>SeqNo<01 a3>Ext<d4 01 00>',
    )
    expect(decodePacket(bytes)).toMatchObject({ value: { messages: [{ kind: 'ping', sequence: 1, node: 'b' }] } })
  })

  it('reads the newer forms of text and bytes, and signed numbers that are not negative', () => {
    const bytes = spelled('<02 82 c4 07>Payload<c4 01 09 d9 05>SeqNo<d2 00000005>')
    expect(decodePacket(bytes)).toMatchObject({
      value: { messages: [{ kind: 'ack', sequence: 5, payload: Uint8Array.of(9) }] },
    })
  })

  it('counts messages of later releases as ignored', () => {
    const event = spelled('<08 0b 81 a4>Name<a1>x')
    expect(decodePacket(event)).toEqual({ ok: true, value: { messages: [], ignored: 1, malformed: 0, isCut: false } })
  })

  it('drops what is malformed and keeps the rest of a compound', () => {
    const bytes = spelled('<07 03 0001 0003 000b 63 00c1c1 0b 81 a5>SeqNo<cd012c>')
    expect(decodePacket(bytes)).toEqual({
      ok: true,
      value: { messages: [{ kind: 'nack', sequence: 300 }], ignored: 0, malformed: 2, isCut: false },
    })
  })

  it.each([
    ['nothing', ''],
    ['an unknown type', '<63>'],
    // What pools of later years put before everything; without it this packet would be read.
    ['a label, for none is configured', '<f4 03>abc<0b 81 a5>SeqNo<01>'],
    ['a label within a compound', '<07 01 000e f4 03>abc<0b 81 a5>SeqNo<01>'],
    ['an encrypted stream', '<0a 00>'],
    ['a ping that is cut short', '<00 82 a4>Node<a1>b<a5>SeqN'],
    ['a sequence beyond 32 bits', '<0b 81 a5>SeqNo<cf 0000000100000000>'],
    ['a Lamport time that no pool reaches', '<08 01 82 a5>LTime<cf ffffffffffffffff a4>Node<a1>b'],
    ['a negative number', '<0b 81 a5>SeqNo<ff>'],
    ['a suspicion of nobody', '<03 83 a4>From<a1>a<ab>Incarnation<01 a4>Node<a0>'],
    ['an address of five bytes', '<04 84 a4>Addr<a5 0a00000101 a4>Node<a1>a<a4>Port<01 a3>Vsn<a6 010502020504>'],
    ['a member without a port', '<04 83 a4>Addr<a4 0a000001 a4>Node<a1>a<a3>Vsn<a6 010502020504>'],
    ['versions that are too few', '<04 84 a4>Addr<a4 0a000001 a4>Node<a1>a<a4>Port<01 a3>Vsn<a5 0105020205>'],
    [
      'tags beyond 512 bytes',
      `<04 85 a4>Addr<a4 0a000001 a4>Meta<da0201>${'m'.repeat(513)}<a4>Node<a1>a<a4>Port<01 a3>Vsn<a6 010502020504>`,
    ],
    ['a map that promises more than there is', '<00 df ffffffff>'],
    ['a compound of lengths alone', '<07 02 0001>'],
  ])('drops %s', (_, text) => {
    expect(decodePacket(spelled(text)).ok).toBe(false)
  })

  it('does not follow wrapping beyond its depth', () => {
    let bytes = spelled('<0b 81 a5>SeqNo<01>')
    for (let depth = 0; depth < 40; depth++) {
      bytes = Uint8Array.of(7, 1, bytes.length >> 8, bytes.length & 255, ...bytes)
    }
    expect(decodePacket(bytes).ok).toBe(false)
  })
})
