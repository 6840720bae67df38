import { utf8 } from '../../src/base/bytes.ts'
import type { Message } from '../../src/gossip/core/messages.ts'
import { decodeCoordinate, encodeCoordinate } from '../../src/gossip/wire/coordinate-payload.ts'
import {
  decodeConflictResponse,
  decodeKeyRequest,
  decodeKeyResponse,
  encodeKeyRequest,
  encodeKeyResponse,
} from '../../src/gossip/wire/internal-queries.ts'
import { expandLzw } from '../../src/gossip/wire/lzw.ts'
import { PacketEncoder } from '../../src/gossip/wire/packet.ts'
import { decodePacket } from '../../src/gossip/wire/packet-decoder.ts'
import { encodeStreamFrame } from '../../src/gossip/wire/stream-frame.ts'
import { decodeTags, encodeTags } from '../../src/gossip/wire/tags.ts'
import type { FuzzTarget } from '../tools/fuzz/target.ts'
import { compressed } from '../unit/gossip-wire/compress.ts'
import { FrameReading } from '../unit/gossip-wire/frames.ts'

const messages: readonly Message[] = [
  { kind: 'ping', sequence: 7, node: 'a' },
  { kind: 'ack', sequence: 7, payload: new Uint8Array(3) },
  { kind: 'join-intent', lamport: 3, node: 'b' },
]

function packet(checksum: boolean, ...those: readonly Message[]): Uint8Array {
  return new PacketEncoder().encode(those, { budget: 1_400, checksum })[0] ?? new Uint8Array()
}

/** What packets and streams may expand to is bounded by these rooms' own bounds, and held against them here. */
const gossipPacket: FuzzTarget = {
  name: 'gossip-packet',
  about: 'UDP packets of the pool, in the clear',
  lengthMax: 16_384,
  run: (bytes) => void decodePacket(bytes),
  seeds: () => [
    ...messages.map((message) => packet(false, message)),
    packet(false, ...messages),
    packet(true, ...messages),
    compressedMessage(packet(false, ...messages)),
    ...messages.map((message) => compressedMessage(packet(false, message))),
  ],
  words: ['SeqNo', 'Node', 'SourceAddr', 'Incarnation', 'Meta', 'Vsn', 'Algo', 'Buf', 'LTime', 'Payload', 'Filters'],
  bounds: { steps: (length) => 400_000 + 400 * length, bytes: () => 8 << 20 },
}

/** A map of Algo and Buf behind its type, as the field writes it. */
function compressedMessage(plain: Uint8Array): Uint8Array {
  const packed = compressed(plain)
  const head = [9, 0x82, 0xa4, ...utf8('Algo'), 0, 0xa3, ...utf8('Buf'), 0xda, packed.length >> 8, packed.length & 255]
  return Uint8Array.from([...head, ...packed])
}

const gossipStream: FuzzTarget = {
  name: 'gossip-stream',
  about: 'TCP streams of the pool, in the clear, in pieces',
  lengthMax: 16_384,
  run: (bytes) => {
    const reader = new FrameReading()
    for (let at = 0; at < bytes.length; at += 1_000) {
      const pushed = reader.push(bytes.subarray(at, at + 1_000))
      if (!pushed.ok || pushed.value !== undefined) return
    }
  },
  seeds: () => [
    encodeStreamFrame({ kind: 'ping', sequence: 1, node: 'a' }),
    encodeStreamFrame({ kind: 'ack', sequence: 1, payload: new Uint8Array(10) }),
    encodeStreamFrame({ kind: 'error', text: 'no' }),
    compressedMessage(encodeStreamFrame({ kind: 'ping', sequence: 1, node: 'a' })),
    streamState(),
  ],
  words: [
    'Nodes',
    'UserStateLen',
    'Join',
    'Name',
    'Addr',
    'Port',
    'Meta',
    'Incarnation',
    'State',
    'Vsn',
    'LTime',
    'Algo',
    'Buf',
  ],
}

/** A push of the state of one member, by hand: type, head, member. */
function streamState(): Uint8Array {
  const text = (word: string): number[] => [0xa0 + word.length, ...utf8(word)]
  const head = [6, 0x83, ...text('Nodes'), 1, ...text('UserStateLen'), 0, ...text('Join'), 0xc3]
  const address = [...text('Addr'), 0xa4, 10, 0, 0, 1, ...text('Port'), 0xcd, 0x20, 0x6d]
  const rest = [...text('Meta'), 0xa0, ...text('Incarnation'), 1, ...text('State'), 0]
  return Uint8Array.from([...head, 0x87, ...text('Name'), ...text('a'), ...address, ...rest, ...text('Vsn'), 0xc0])
}

const lzw: FuzzTarget = {
  name: 'lzw',
  about: 'LZW, as packets carry it',
  lengthMax: 16_384,
  run: (bytes) => void expandLzw(bytes, 65_536),
  seeds: () => ['', 'a', 'abababababababab', 'x'.repeat(5_000)].map((text) => compressed(utf8(text))),
  bounds: { steps: (length) => 400_000 + 400 * length, bytes: () => 2 << 20 },
}

const gossipPayloads: FuzzTarget = {
  name: 'gossip-payloads',
  about: 'tags, coordinates and answers to queries of the pool itself',
  lengthMax: 9_216,
  run: (bytes) => {
    decodeTags(bytes)
    decodeCoordinate(bytes)
    decodeKeyRequest(bytes)
    decodeKeyResponse(bytes)
    decodeConflictResponse(bytes)
  },
  seeds: () => [
    encodeTags({ role: 'svc', dc: 'dc1' }) ?? new Uint8Array(),
    encodeCoordinate({ vec: [0, 1, 2, 3, 4, 5, 6, 7], error: 1, adjustment: 0, height: 0.1 }),
    encodeKeyRequest(new Uint8Array(16)),
    encodeKeyResponse({ result: true, message: '', keys: ['cg8StVXbQJ0gPvMd9o7yrg=='] }),
  ],
}

export const gossipTargets: readonly FuzzTarget[] = [gossipPacket, gossipStream, lzw, gossipPayloads]
