import { describe, expect, it } from 'vitest'
import type { FullState } from '../../../src/gossip/core/messages.ts'
import { expandedBytesMax, streamBytesMax } from '../../../src/gossip/wire/bounds.ts'
import { encodeFullState } from '../../../src/gossip/wire/full-state.ts'
import { expandLzw, lzwBeginning } from '../../../src/gossip/wire/lzw.ts'
import { decodePacket } from '../../../src/gossip/wire/packet-decoder.ts'
import { shown, spelled } from './bytes.ts'
import { compressed } from './compress.ts'
import { FrameReading } from './frames.ts'

/** An ack with a network coordinate, and the whole state of a pool of one, as an agent of the field compresses them. */
const ack = [
  '0982a4416c676f00a3427566da00620005083a05254c1e366fc290d10640500042aa82905153670e9d3665dcd05906a0a3c7',
  '8ea58ac891f346ceb21ff83e763485a44c9a336836fa2087af16a27168e28db252660c268e2a3b020d3a5465d18f473d2615',
  '1a9469d35253cac471f2264040',
].join('')

const state = [
  '0982a4416c676f00a3427566da00c5000d0c22a5e44d1a37c34a397943a6cc9c00acaacc2923670a9d3074ca3029e3a69980',
  '248748052143460ea93f0000045895c4cd983072dc604cf3c64d00524dca5c14f50f10292761da9409258614943772e83433',
  'b2a194458c65008cb232c78da9000504082890d590aa227638d26142258dd000a6c08a9dc34d00006070e3ca9d4bb7aeddbb',
  '78f3eaddcbb7afdfbf80030b1e4cb8b0e1c388132b5eccb8b1df5264cd9659b9d10c9d9c6dc4509c034955943a14f3443ecb',
  'ea299d3a73463b0c44144040',
].join('')

describe('LZW of packets', () => {
  it('reads what agents of the field compress', () => {
    const packet = decodePacket(spelled(`<${ack}>`))
    expect(packet).toMatchObject({ ok: true, value: { messages: [{ kind: 'ack', sequence: 1 }], malformed: 0 } })
    expect(packet.ok && packet.value.messages[0]).toHaveProperty('payload.length', 130)
    expect(new FrameReading().push(spelled(`<${state}>`))).toMatchObject({
      ok: true,
      value: {
        kind: 'full-state',
        state: {
          join: true,
          lamport: 1,
          left: [],
          statusTimes: [['b', 0]],
          nodes: [{ node: 'b', address: { host: '127.0.0.1', port: 17947 }, state: 'alive', incarnation: 1 }],
        },
      },
    })
  })

  it.each([
    ['nothing', new Uint8Array(0)],
    ['one byte', Uint8Array.of(7)],
    ['one byte many times, whose codes are used before they are written', new Uint8Array(5000).fill(65)],
    ['more than a table of codes holds', Uint8Array.from({ length: 60_000 }, (_, n) => (n * n * 31 + (n >> 3)) & 255)],
  ])('gives back %s', (_, plain) => {
    const back = expandLzw(compressed(plain), 65_536)
    expect(back.ok && shown(back.value) === shown(plain)).toBe(true)
  })

  it('refuses more output than it may give', () => {
    const bomb = compressed(new Uint8Array(65_536))
    expect(bomb.length).toBeLessThan(1000)
    expect(expandLzw(bomb, 65_536).ok).toBe(true)
    expect(expandLzw(bomb, 65_535)).toEqual({ ok: false, error: 'more than 65535 bytes when expanded' })
  })

  it('refuses bytes that end early, or use a code that has no meaning yet', () => {
    const whole = compressed(new TextEncoder().encode('to be or not to be'))
    expect(expandLzw(whole.subarray(0, whole.length - 2), 100).ok).toBe(false)
    // The first code, 9 bits from the least significant on: 300.
    expect(expandLzw(Uint8Array.of(0x2c, 0x01), 100).ok).toBe(false)
  })

  it('gives the beginning of what is too large for its bound, or is cut short', () => {
    const whole = compressed(Uint8Array.from({ length: 3_000 }, (_, n) => n & 255))
    const beginning = lzwBeginning(whole, 600)
    expect(beginning.length).toBeGreaterThanOrEqual(600)
    expect(shown(beginning.subarray(0, 600))).toBe(shown(Uint8Array.from({ length: 600 }, (_, n) => n & 255)))
    expect(lzwBeginning(whole.subarray(0, 20), 600).length).toBeLessThan(20)
  })
})

describe('what compressed bytes may become', () => {
  it('is 64 times what they are, 16 KiB where that is more, and never more than the place may hold', () => {
    expect(expandedBytesMax(10, streamBytesMax)).toBe(16_384)
    expect(expandedBytesMax(1_000, streamBytesMax)).toBe(64_000)
    expect(expandedBytesMax(1_000_000, streamBytesMax)).toBe(streamBytesMax)
  })

  it('is enough for a whole state of 10,000 members, with tags as they are, all alike, and as large as can be', () => {
    const tags = [
      (n: number) => `role=node dc=dc1 id=${(n * 2_654_435_761).toString(16)}-${n * 31} vsn=2 build=1.4.0`,
      () => 'role=node dc=dc1 id=same vsn=2 build=1.4.0',
      (n: number) =>
        Array.from({ length: 64 }, (_, at) => ((n * 2_654_435_761 + at * 40_503) >>> 3).toString(36))
          .join('')
          .slice(0, 512),
      () => 'x'.repeat(512),
    ]
    const ratios = tags.map((tag) => {
      const frame = encodeFullState(poolOf(10_000, tag))
      const packed = compressed(frame)
      expect(frame.length).toBeLessThan(expandedBytesMax(packed.length, streamBytesMax))
      return frame.length / packed.length
    })
    expect(Math.max(...ratios)).toBeLessThan(40)
  })
})

const versions = {
  protocolMin: 1,
  protocolMax: 5,
  protocolSpoken: 2,
  delegateMin: 2,
  delegateMax: 5,
  delegateSpoken: 4,
}

function poolOf(members: number, tags: (n: number) => string): FullState {
  const name = (n: number): string => `${'node-'.repeat(24)}${n}`
  const nodes = Array.from({ length: members }, (_, n) => ({
    node: name(n),
    address: { host: `10.1.${n >> 8}.${n & 255}`, port: 8301 },
    meta: new TextEncoder().encode(tags(n)),
    incarnation: 1 + (n % 7),
    state: 'alive' as const,
    versions,
  }))
  const statusTimes = nodes.map(({ node }, n) => [node, 5_000 + n] as const)
  return { nodes, join: true, lamport: 90_000, statusTimes, left: [], eventLamport: 1, queryLamport: 1, events: [] }
}
