import { describe, expect, it } from 'vitest'
import { lowerAscii } from '../../../src/base/letter-case.ts'
import { equalPlain } from '../../../src/base/shape.ts'
import { fc } from '../../fast-check.ts'

describe('equality of plain data', () => {
  it('is that of their JSON with members in order of name', () => {
    const value = fc.jsonValue({ maxDepth: 3 })
    fc.assert(
      fc.property(value, value, (a, b) => {
        expect(equalPlain(a, structuredClone(a))).toBe(true)
        expect(equalPlain(a, b)).toBe(canonical(a) === canonical(b))
        expect(equalPlain([a, 1], [a])).toBe(false)
        expect(equalPlain({ a }, { a, b })).toBe(false)
      }),
    )
  })

  it.each([
    [null, {}],
    [[], {}],
    [{}, []],
    [0, ''],
    [{ a: undefined }, { b: undefined }],
    [{ length: 0 }, []],
    [{ ['__proto__']: 1 }, { a: 1 }],
  ])('%j is not %j', (a, b) => {
    expect(equalPlain(a, b)).toBe(false)
    expect(equalPlain(b, a)).toBe(false)
  })
})

describe('lower case', () => {
  it('is of the letters A to Z alone', () => {
    expect(lowerAscii('AbcXYZ-09_ÄİΣ')).toBe('abcxyz-09_ÄİΣ')
    // Longer than the pieces that it is made in; half a pair stays what it is.
    expect(lowerAscii('Ł@[Z\ud800'.repeat(3_000))).toBe('Ł@[z\ud800'.repeat(3_000))
  })
})

function canonical(value: unknown): string {
  return JSON.stringify(value, (_, part: unknown) => {
    if (typeof part !== 'object' || part === null || Array.isArray(part)) return part
    return Object.fromEntries(Object.entries(part).sort(([a], [b]) => (a < b ? -1 : 1)))
  })
}
