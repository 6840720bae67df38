import { gunzipSync, gzipSync } from 'node:zlib'
import { describe, expect, it } from 'vitest'
import { InflateFault } from '../../../src/base/bit-reader.ts'
import { concatBytes } from '../../../src/base/bytes.ts'
import { GzipWriter, gunzipped } from '../../../src/base/gzip.ts'
import { fc } from '../../fast-check.ts'

/** Bytes that repeat themselves, as states do, and some that do not. */
const bytes = fc
  .array(
    fc.oneof(
      fc.uint8Array({ maxLength: 40 }),
      fc.tuple(fc.uint8Array({ minLength: 1, maxLength: 9 }), fc.nat(9_000)).map(([part, times]) => {
        return new Uint8Array(part.length * times).map((_, at) => part[at % part.length] as number)
      }),
    ),
    { maxLength: 8 },
  )
  .map(concatBytes)

function packed(pieces: readonly Uint8Array[]): Uint8Array {
  const writer = new GzipWriter()
  const out = pieces.map((piece) => writer.push(piece))
  return concatBytes([...out, writer.end()])
}

function unpacked(zipped: Uint8Array): Uint8Array {
  return concatBytes([...gunzipped(zipped)])
}

describe('gzip', () => {
  it('is read by zlib, however it was cut into pieces', () => {
    fc.assert(
      fc.property(fc.array(bytes, { maxLength: 4 }), (pieces) => {
        expect(gunzipSync(packed(pieces)).equals(concatBytes(pieces))).toBe(true)
      }),
      { numRuns: 60 },
    )
  })

  it('reads what zlib writes, at every level', () => {
    fc.assert(
      fc.property(bytes, fc.integer({ min: 0, max: 9 }), (plain, level) => {
        expect(Buffer.from(unpacked(gzipSync(plain, { level }))).equals(plain)).toBe(true)
      }),
      { numRuns: 60 },
    )
  })

  it('gives others a turn while members and blocks without a byte are read', () => {
    const member = packed([])
    const stored = Uint8Array.of(0, 0, 0, 255, 255)
    const blocks = [...Array.from({ length: 10_000 }, () => stored), Uint8Array.of(1, 0, 0, 255, 255)]
    expect([...gunzipped(concatBytes(Array.from({ length: 1_000 }, () => member)))].length).toBeGreaterThanOrEqual(31)
    const file = concatBytes([member.subarray(0, 10), ...blocks, new Uint8Array(8)])
    expect([...gunzipped(file)].length).toBeGreaterThanOrEqual(78)
  })

  it('gives up on members, and on blocks, that hold nothing and have no end', () => {
    const member = packed([])
    const [header, trailer] = [member.subarray(0, 10), new Uint8Array(8)]
    const stored = Uint8Array.of(0, 0, 0, 255, 255)
    const last = Uint8Array.of(1, 0, 0, 255, 255)
    const blocks = (count: number) =>
      concatBytes([header, ...Array.from({ length: count }, () => stored), last, trailer])
    expect(unpacked(concatBytes(Array.from({ length: 1_000 }, () => member)))).toHaveLength(0)
    expect(unpacked(blocks(1_000))).toHaveLength(0)
    expect(() => unpacked(concatBytes(Array.from({ length: 16_385 }, () => member)))).toThrow('too many members')
    expect(() => unpacked(blocks(65_536))).toThrow('too many empty blocks')
  })

  it('reads members one behind the other as one', () => {
    fc.assert(
      fc.property(fc.array(bytes, { minLength: 1, maxLength: 4 }), (parts) => {
        const zipped = concatBytes(parts.map((part) => packed([part])))
        expect(Buffer.from(unpacked(zipped)).equals(concatBytes(parts))).toBe(true)
        expect(gunzipSync(zipped).equals(concatBytes(parts))).toBe(true)
      }),
      { numRuns: 20 },
    )
  })

  it('says that bytes are damaged, and nothing else happens', () => {
    fc.assert(
      fc.property(bytes, fc.nat(), fc.integer({ min: 1, max: 255 }), fc.boolean(), (plain, at, flip, cut) => {
        const zipped = new Uint8Array(packed([plain]))
        const place = 10 + (at % (zipped.length - 10))
        if (!cut) zipped[place] = (zipped[place] as number) ^ flip
        try {
          const read = unpacked(cut ? zipped.subarray(0, place) : zipped)
          // A change behind the end of the last block changes nothing.
          expect(Buffer.from(read).equals(plain)).toBe(true)
          expect(cut).toBe(false)
        } catch (cause) {
          expect(cause).toBeInstanceOf(InflateFault)
        }
      }),
      { numRuns: 200 },
    )
  })
})

describe('deflate', () => {
  it('makes repetitive bytes much smaller and others hardly larger', () => {
    const rows = new TextEncoder().encode('{"key":"web/config/0000","value":"on"}'.repeat(5_000))
    expect(packed([rows]).length).toBeLessThan(rows.length / 20)
    let x = 1
    const noise = new Uint8Array(200_000).map(() => {
      x = Math.imul(x, 1_103_515_245) + 12_345
      return x >>> 16
    })
    expect(packed([noise]).length).toBeLessThan(noise.length + 64)
  })
})
