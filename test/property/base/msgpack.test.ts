import { Packr } from 'msgpackr'
import { describe, expect, it } from 'vitest'
import { pack, packAfter, unpack } from '../../../src/base/msgpack.ts'
import { fc } from '../../fast-check.ts'

const runs = process.env['SVC_TEST_LONG'] === '1' ? 50_000 : 150

/** The package as src/base/msgpack.ts sets it, without what stands before it there. */
const packr = new Packr({
  useRecords: false,
  variableMapSize: true,
  mapsAsObjects: true,
  int64AsType: 'auto' as 'bigint',
})

const text = fc.oneof(
  fc.string({ maxLength: 80 }),
  fc.string({ unit: 'binary', maxLength: 40 }),
  fc.constantFrom(
    '',
    '__proto__',
    'toJSON',
    'constructor',
    '7',
    'key',
    'x'.repeat(31),
    'x'.repeat(32),
    'y'.repeat(300),
  ),
)

/** A member named toJSON is one that the package would call. */
const name = text.filter((some) => some !== 'toJSON')

const leaf = fc.oneof(
  text,
  fc.integer(),
  fc.nat(70_000),
  fc.maxSafeInteger(),
  fc.double(),
  fc.constantFrom(0, -0, 127, 128, 255, 256, 65_535, 65_536, 2 ** 32 - 1, 2 ** 32, -32, -33, Number.NaN),
  fc.boolean(),
  fc.constantFrom(null, undefined),
  fc.bigInt({ min: -(2n ** 63n), max: 2n ** 64n - 1n }),
  fc.bigInt({ min: -(2n ** 54n), max: 2n ** 54n }),
  fc.uint8Array({ maxLength: 300 }),
)

const { value } = fc.letrec((tie) => ({
  value: fc.oneof(
    { depthSize: 'small', maxDepth: 4 },
    leaf,
    fc.array(tie('value'), { maxLength: 18, size: 'small' }),
    fc.dictionary(name, tie('value'), { maxKeys: 18, size: 'small', noNullPrototype: true }),
  ),
}))

function nested(depth: number, inner: unknown): unknown {
  let whole = inner
  for (let i = 0; i < depth; i++) whole = i % 2 === 0 ? [whole] : { a: whole }
  return whole
}

describe('MessagePack', () => {
  it('is written in the very bytes of the package', () => {
    fc.assert(
      fc.property(value, (plain) => {
        const bytes = [...packr.pack(plain)]
        expect([...pack(plain)]).toEqual(bytes)
        expect([...packAfter(3, plain).subarray(3)]).toEqual(bytes)
      }),
      { numRuns: runs },
    )
  })

  it('is read as the package reads it', () => {
    fc.assert(
      fc.property(value, (plain) => {
        const bytes = new Uint8Array(packr.pack(plain))
        // Members named __proto__ and the like are the package's to name: it alone reads them.
        expect(unpack(bytes)).toEqual({ ok: true, value: packr.unpack(bytes) })
      }),
      { numRuns: runs },
    )
  })

  it('of any bytes is what the package says, or no value', () => {
    const some = fc.oneof(
      fc.uint8Array({ maxLength: 40 }),
      fc.tuple(value, fc.nat(), fc.nat(255)).map(([plain, at, byte]) => {
        const bytes = new Uint8Array(packr.pack(plain))
        bytes[at % bytes.length] = byte
        return bytes
      }),
    )
    fc.assert(
      fc.property(some, (bytes) => {
        const read = unpack(bytes)
        let expected: unknown
        try {
          expected = { ok: true, value: packr.unpack(bytes) }
        } catch {
          expected = undefined
        }
        if (read.ok) expect(read).toEqual(expected)
      }),
      { numRuns: runs },
    )
  })

  it('that is cut short or goes on is no value', () => {
    fc.assert(
      fc.property(value, fc.nat(), (plain, at) => {
        const bytes = pack(plain)
        expect(unpack(bytes.subarray(0, at % bytes.length)).ok).toBe(false)
        expect(unpack(new Uint8Array([...bytes, 0])).ok).toBe(false)
      }),
      { numRuns: runs },
    )
  })

  it('is refused beyond 32 containers in each other', () => {
    expect(unpack(pack(nested(32, 1)))).toEqual({ ok: true, value: nested(32, 1) })
    expect(unpack(pack(nested(33, 1)))).toMatchObject({ ok: false })
    expect(unpack(pack(nested(32, [])))).toEqual({ ok: true, value: nested(32, []) })
  })

  it('does not write to what it gave before', () => {
    const first = pack({ name: 'first', bytes: new Uint8Array([1, 2, 3]) })
    const before = [...first]
    for (let i = 0; i < 2_000; i++) pack({ name: `later ${i}`, list: [i, i + 1] })
    expect([...first]).toEqual(before)
  })

  it('keeps apart texts that share a place among those remembered', () => {
    for (let i = 0; i < 5_000; i++) {
      const plain = { [`key${i}`]: `text${i}` }
      expect(unpack(pack(plain))).toEqual({ ok: true, value: plain })
    }
  })
})
