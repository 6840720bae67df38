import { describe, expect, it } from 'vitest'
import { expandLzw } from '../../../src/gossip/wire/lzw.ts'
import { decodePacket } from '../../../src/gossip/wire/packet.ts'
import { StreamFrameReader } from '../../../src/gossip/wire/stream-frame.ts'
import { shown, spelled } from './bytes.ts'
import { compressed } from './compress.ts'

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
    expect(new StreamFrameReader().push(spelled(`<${state}>`))).toMatchObject({
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
})
