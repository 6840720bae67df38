import { decode, encode } from '@msgpack/msgpack'
import { describe, expect, it } from 'vitest'
import { emptyBytes, utf8 } from '../../../src/base/bytes.ts'
import { ipBytes } from '../../../src/gossip/wire/ip-bytes.ts'
import { expandLzw, LzwExpansion, lzwBeginning } from '../../../src/gossip/wire/lzw.ts'
import { PacketEncoder } from '../../../src/gossip/wire/packet.ts'
import { decodePacket } from '../../../src/gossip/wire/packet-decoder.ts'
import { seal } from '../../../src/gossip/wire/sealed.ts'
import { encodeStreamFrame, type StreamFrame, sealFrame } from '../../../src/gossip/wire/stream-frame.ts'
import { decodeTags, encodeTags } from '../../../src/gossip/wire/tags.ts'
import { hostCrypto } from '../../../src/host/crypto.ts'
import { fc } from '../../fast-check.ts'
import { compressed } from '../../unit/gossip-wire/compress.ts'
import { FrameReading, unsealing, unsealWith } from '../../unit/gossip-wire/frames.ts'
import { fullState, message } from './arbitrary.ts'

const numRuns = process.env['SVC_TEST_LONG'] === '1' ? 20_000 : 150

function encodeOne(...messages: Parameters<PacketEncoder['encode']>[0]): Uint8Array {
  const packets = new PacketEncoder().encode(messages, { budget: 65_000, checksum: false })
  return packets[0] as Uint8Array
}

function readInPieces(bytes: Uint8Array, cuts: readonly number[]): StreamFrame | undefined {
  const reader = new FrameReading()
  const places = [...cuts.map((cut) => cut % bytes.length).sort((a, b) => a - b), bytes.length]
  let at = 0
  for (const place of places) {
    const pushed = reader.push(bytes.slice(at, place))
    if (!pushed.ok) throw new Error(pushed.error)
    if (pushed.value !== undefined) return pushed.value
    at = place
  }
  return undefined
}

/** A few bytes changed, some left out, some put in: near enough to a packet to reach deep into the decoder. */
interface Mutation {
  readonly changes: readonly (readonly [at: number, to: number])[]
  readonly cut: number
  readonly doubled: boolean
}

const mutation: fc.Arbitrary<Mutation> = fc.record({
  changes: fc.array(fc.tuple(fc.nat(), fc.constantFrom(0, 1, 0x7f, 0x80, 0xc0, 0xc1, 0xdb, 0xdd, 0xdf, 0xff)), {
    maxLength: 4,
  }),
  cut: fc.nat({ max: 3 }),
  doubled: fc.boolean(),
})

function mutated(bytes: Uint8Array, { changes, cut, doubled }: Mutation): Uint8Array {
  const out = Uint8Array.from(bytes)
  for (const [at, to] of changes) out[at % out.length] = to
  const short = out.subarray(0, Math.max(1, out.length - cut))
  return doubled ? Uint8Array.from([...short, ...short]) : short
}

describe('the packet format', () => {
  it('gives back every message', () => {
    fc.assert(
      fc.property(fc.array(message, { minLength: 1, maxLength: 20 }), fc.boolean(), (messages, checksum) => {
        const packets = new PacketEncoder().encode(messages, { budget: 1400, checksum })
        const back = packets.flatMap((packet) => {
          const read = decodePacket(packet)
          return read.ok ? read.value.messages : []
        })
        expect(back).toEqual(messages)
      }),
      { numRuns },
    )
  })

  it('gives back every message that was compressed on the way', () => {
    fc.assert(
      fc.property(fc.array(message, { minLength: 1, maxLength: 10 }), (messages) => {
        const packed = compressed(encodeOne(...messages))
        const body = encode({ Algo: 0, Buf: packed })
        const read = decodePacket(Uint8Array.of(9, ...body))
        expect(read).toEqual({ ok: true, value: { messages, ignored: 0, malformed: 0, isCut: false } })
      }),
      { numRuns: Math.ceil(numRuns / 3) },
    )
  })

  it('says the size that a message takes', () => {
    fc.assert(
      fc.property(message, (one) => {
        expect(new PacketEncoder().sizeOf(one)).toBe(encodeOne(one).length)
      }),
      { numRuns },
    )
  })

  it('writes what a MessagePack library reads, and reads what it writes', () => {
    const name = fc.string({ minLength: 1, maxLength: 300 })
    fc.assert(
      fc.property(name, name, fc.integer({ min: 0, max: 0xffff_ffff }), (node, from, incarnation) => {
        const suspect = { kind: 'suspect', incarnation, node, from } as const
        const bytes = encodeOne(suspect)
        expect(decode(bytes.subarray(1), { rawStrings: true })).toEqual({
          From: utf8(from),
          Incarnation: incarnation,
          Node: utf8(node),
        })
        const theirs = encode({ Node: node, From: from, Incarnation: incarnation })
        expect(decodePacket(Uint8Array.of(3, ...theirs))).toMatchObject({ value: { messages: [suspect] } })
      }),
      { numRuns },
    )
  })

  it('writes pings byte for byte as a MessagePack library does, where the old form is also the new one', () => {
    const name = fc.string({ minLength: 1, maxLength: 31 })
    fc.assert(
      fc.property(name, fc.integer({ min: 0, max: 0xffff_ffff }), (node, sequence) => {
        const theirs = encode({ Node: node, SeqNo: sequence })
        expect(encodeOne({ kind: 'ping', sequence, node })).toEqual(Uint8Array.of(0, ...theirs))
      }),
      { numRuns },
    )
  })

  it('drops what is malformed without a throw, and whatever it reads can be sent again', () => {
    fc.assert(
      fc.property(fc.array(message, { minLength: 1, maxLength: 5 }), mutation, (messages, how) => {
        const read = decodePacket(mutated(encodeOne(...messages), how))
        if (!read.ok || read.value.messages.length === 0) return
        expect(encodeOne(...read.value.messages).length).toBeGreaterThan(0)
      }),
      { numRuns: numRuns * 10 },
    )
  })

  it('reads any bytes without a throw', () => {
    const bytes = fc.tuple(fc.constantFrom(0, 1, 2, 3, 4, 5, 7, 8, 9, 11, 12), fc.uint8Array({ maxLength: 400 }))
    fc.assert(
      fc.property(bytes, ([type, rest]) => {
        const packet = Uint8Array.of(type, ...rest)
        expect(typeof decodePacket(packet).ok).toBe('boolean')
        expect(typeof new FrameReading().push(packet).ok).toBe('boolean')
        expect(typeof decodeTags(rest)).toBe('object')
        expect(typeof expandLzw(rest, 10_000).ok).toBe('boolean')
      }),
      { numRuns: numRuns * 5 },
    )
  })
})

describe('compressed bytes', () => {
  it('expand to the same in slices of any size, and no slice is larger than asked for', () => {
    const parts = fc.array(fc.tuple(fc.uint8Array({ maxLength: 40 }), fc.integer({ min: 1, max: 60 })), {
      maxLength: 12,
    })
    fc.assert(
      fc.property(
        parts,
        fc.integer({ min: 1, max: 50 }),
        fc.integer({ min: 1, max: 50 }),
        (runs, readMax, writtenMax) => {
          const plain = Uint8Array.from(
            runs.flatMap(([bytes, times]) => Array.from({ length: times }, () => [...bytes]).flat()),
          )
          const packed = compressed(plain)
          const expansion = new LzwExpansion(packed, plain.length)
          for (;;) {
            const { read, written } = expansion
            const step = expansion.step(readMax, writtenMax)
            // A code is at most two bytes, and what it stands for at most the table.
            expect(expansion.read - read).toBeLessThanOrEqual(readMax + 2)
            expect(expansion.written - written).toBeLessThan(writtenMax + 4_096)
            expect(step.ok).toBe(true)
            if (!step.ok || step.value === undefined) continue
            expect(step.value).toEqual(plain)
            return
          }
        },
      ),
      { numRuns },
    )
  })

  it('never become more than they may, whatever they are', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 2_000 }), fc.nat({ max: 5_000 }), (bytes, bytesMax) => {
        const whole = expandLzw(bytes, bytesMax)
        if (whole.ok) expect(whole.value.length).toBeLessThanOrEqual(bytesMax)
        expect(lzwBeginning(bytes, bytesMax).length).toBeLessThan(bytesMax + 4_096)
      }),
      { numRuns: numRuns * 3 },
    )
  })
})

describe('the format of streams', () => {
  it('gives back every state, in whatever pieces it arrives', () => {
    fc.assert(
      fc.property(fullState, fc.array(fc.nat(), { maxLength: 8 }), (state, cuts) => {
        const bytes = encodeStreamFrame({ kind: 'full-state', state })
        expect(readInPieces(bytes, cuts)).toEqual({ kind: 'full-state', state })
      }),
      { numRuns: Math.ceil(numRuns / 3) },
    )
  })

  it('refuses what is malformed without a throw, wherever it is cut', () => {
    fc.assert(
      fc.property(fullState, mutation, fc.nat(), (state, how, cut) => {
        const bytes = mutated(encodeStreamFrame({ kind: 'full-state', state }), how)
        const reader = new FrameReading()
        const first = reader.push(bytes.slice(0, cut % bytes.length))
        if (first.ok && first.value === undefined)
          expect(typeof reader.push(bytes.slice(cut % bytes.length)).ok).toBe('boolean')
      }),
      { numRuns: numRuns * 3 },
    )
  })
})

describe('encrypted packets and streams', () => {
  const key = new Uint8Array(32).fill(1)
  const sealing = {
    isOn: true,
    demands: true,
    seal: (plain: Uint8Array, head: Uint8Array) => seal(hostCrypto, key, plain, head),
    unseal: (sealed: Uint8Array, head: Uint8Array) => unsealing([key], sealed, head),
  }

  it('are dropped whole when a single bit of them was changed, and read when none was', () => {
    fc.assert(
      fc.property(message, fc.nat(), fc.nat({ max: 7 }), (one, at, bit) => {
        const plain = encodeOne(one)
        const sealed = seal(hostCrypto, key, plain, emptyBytes)
        expect(unsealWith([key], sealed, emptyBytes)).toEqual(plain)
        // The version is the one byte that is not authenticated: with it changed there is padding to be found.
        const place = 1 + (at % (sealed.length - 1))
        sealed[place] = (sealed[place] as number) ^ (1 << bit)
        expect(unsealWith([key], sealed, emptyBytes)).toBe(undefined)
      }),
      { numRuns: numRuns * 5 },
    )
  })

  it('are dropped without a throw, however they were mangled', () => {
    fc.assert(
      fc.property(fullState, mutation, fc.nat(), (state, how, cut) => {
        const bytes = mutated(sealFrame(sealing, encodeStreamFrame({ kind: 'full-state', state })), how)
        const reader = new FrameReading(sealing)
        const first = reader.push(bytes.slice(0, cut % bytes.length))
        if (first.ok && first.value === undefined)
          expect(typeof reader.push(bytes.slice(cut % bytes.length)).ok).toBe('boolean')
        expect(unsealWith([key], bytes, emptyBytes)).toBe(undefined)
      }),
      { numRuns: numRuns * 3 },
    )
  })

  it('a holder of the key may have sealed nonsense: it is dropped as without encryption', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 300 }), (nonsense) => {
        const plain = unsealWith([key], seal(hostCrypto, key, nonsense, emptyBytes), emptyBytes)
        expect(typeof decodePacket(plain as Uint8Array).ok).toBe('boolean')
        expect(typeof new FrameReading(sealing).push(sealFrame(sealing, nonsense)).ok).toBe('boolean')
      }),
      { numRuns: numRuns * 3 },
    )
  })
})

describe('tags and addresses', () => {
  it('come back as they went', () => {
    const tags = fc.dictionary(fc.string({ maxLength: 20 }), fc.string({ maxLength: 20, unit: 'binary' }), {
      maxKeys: 8,
    })
    fc.assert(
      fc.property(tags, (some) => {
        const bytes = encodeTags(some)
        if (bytes !== undefined) expect(Object.entries(decodeTags(bytes)).length).toBe(Object.keys(some).length)
        if (bytes !== undefined) expect(decodeTags(bytes)).toEqual({ ...some })
      }),
      { numRuns },
    )
  })

  it('an address has one text', () => {
    fc.assert(
      fc.property(fc.oneof(fc.ipV4(), fc.ipV6()), (text) => {
        const bytes = ipBytes(text)
        expect(bytes === undefined).toBe(false)
      }),
      { numRuns },
    )
  })
})
