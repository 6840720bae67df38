import { describe, expect, it } from 'vitest'
import { countOfShare, placeOfSeed, seedOfShare, seedsOfCommit, spanOfCommit } from '../../../sim/campaign/share.ts'
import { fc } from '../../fast-check.ts'

const spans = fc
  .record({ first: fc.integer({ min: 0, max: 2 ** 52 }), count: fc.integer({ min: 1, max: 300 }) })
  .map(({ first, count }) => ({ first, last: first + count - 1 }))

function seedsOf(span: { first: number; last: number }, index: number, of: number): readonly number[] {
  const count = countOfShare(span, { index, of })
  return Array.from({ length: count }, (_, place) => seedOfShare(span, { index, of }, place))
}

describe('shares of a campaign', () => {
  it('have no seed in common, and together have every seed of the span', () => {
    fc.assert(
      fc.property(spans, fc.integer({ min: 1, max: 400 }), (span, of) => {
        const all = Array.from({ length: of }, (_, at) => seedsOf(span, at + 1, of)).flat()
        expect(new Set(all).size).toBe(all.length)
        const whole = Array.from({ length: span.last - span.first + 1 }, (_, at) => span.first + at)
        expect(all.toSorted((one, other) => one - other)).toEqual(whole)
      }),
    )
  })

  it('are equal but for one seed, and each knows its seeds by arithmetic alone', () => {
    fc.assert(
      fc.property(spans, fc.integer({ min: 1, max: 400 }), (span, of) => {
        const sizes = Array.from({ length: of }, (_, at) => countOfShare(span, { index: at + 1, of }))
        expect(Math.max(...sizes) - Math.min(...sizes)).toBeLessThanOrEqual(1)
        for (let index = 1; index <= Math.min(of, 5); index++) {
          const found = seedsOf(span, index, of).map((seed) => placeOfSeed(span, of, seed))
          expect(found).toEqual(found.map((_, place) => ({ index, place })))
        }
      }),
    )
  })

  it('of a span without an end begin as those of every span that begins there', () => {
    fc.assert(
      fc.property(spans, fc.integer({ min: 1, max: 20 }), (span, of) => {
        const share = { index: of, of }
        const open = { first: span.first }
        expect(countOfShare(open, share)).toBe(Number.POSITIVE_INFINITY)
        const seeds = seedsOf(span, of, of)
        expect(seeds.map((_, place) => seedOfShare(open, share, place))).toEqual(seeds)
        expect(placeOfSeed(open, of, span.first - 1)).toBeUndefined()
      }),
    )
  })
})

describe('seeds of a commit', () => {
  const hashes = fc.string({ unit: fc.constantFrom(...'0123456789abcdef'), minLength: 40, maxLength: 40 })

  it('are those of its short hash, too, and safe integers', () => {
    fc.assert(
      fc.property(hashes, (hash) => {
        const span = spanOfCommit(hash, { first: 1, last: seedsOfCommit })
        expect(spanOfCommit(hash.slice(0, 8).toUpperCase(), { first: 1, last: seedsOfCommit })).toEqual(span)
        expect(Number.isSafeInteger(span.last)).toBe(true)
      }),
    )
  })

  it('are not those of another commit', () => {
    fc.assert(
      fc.property(hashes, hashes, (one, other) => {
        fc.pre(one.slice(0, 8) !== other.slice(0, 8))
        const [a, b] = [one, other].map((hash) => spanOfCommit(hash, { first: 1, last: seedsOfCommit }))
        expect((a?.last ?? 0) < (b?.first ?? 0) || (b?.last ?? 0) < (a?.first ?? 0)).toBe(true)
      }),
    )
  })

  it('have a number that is written down: this one stays', () => {
    expect(spanOfCommit('9fceb02d0ae598e95dc970b74767f19372d61af8', { first: 1, last: 10 })).toEqual({
      first: 0x9fceb02d * 2 ** 20 + 1,
      last: 0x9fceb02d * 2 ** 20 + 10,
    })
  })
})
