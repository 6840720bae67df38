import { describe, expect, it } from 'vitest'
import { nearest } from '../../../src/base/edit-distance.ts'
import { fc } from '../../fast-check.ts'

describe('the word that was meant', () => {
  it('is that of the plain definition, for any words', () => {
    const word = fc.string({ unit: fc.constantFrom('a', 'b', 'c'), maxLength: 7 })
    fc.assert(
      fc.property(word, fc.array(word, { maxLength: 6 }), (given, candidates) => {
        const distances = candidates.map((candidate) => plainDistance(given, candidate))
        const least = Math.min(Math.floor(given.length / 3) + 1, ...distances)
        expect(nearest(given, candidates)).toBe(
          least > given.length / 3 ? undefined : candidates[distances.indexOf(least)],
        )
      }),
    )
  })
})

/**
 * By recursion over the ends of both words: the last letters are the same, or the last step was one of the four
 * changes.
 */
function plainDistance(a: string, b: string): number {
  if (a === '' || b === '') return a.length + b.length
  const [cut, other] = [a.slice(0, -1), b.slice(0, -1)]
  const isSame = a.at(-1) === b.at(-1)
  if (isSame) return plainDistance(cut, other)
  const swapped = a.length > 1 && b.length > 1 && a.at(-1) === b.at(-2) && a.at(-2) === b.at(-1)
  const least = Math.min(plainDistance(cut, other), plainDistance(cut, b), plainDistance(a, other))
  return 1 + Math.min(least, swapped ? plainDistance(cut.slice(0, -1), other.slice(0, -1)) : least)
}
