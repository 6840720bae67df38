import { describe, expect, it } from 'vitest'
import { concatBytes } from '../../../src/base/bytes.ts'
import { Pieces } from '../../../src/base/pieces.ts'
import { fc } from '../../fast-check.ts'

/** Distinct bytes, so that a piece in the wrong place shows. */
function piecesOf(lengths: readonly number[]): readonly Uint8Array[] {
  let next = 0
  return lengths.map((length) => Uint8Array.from({ length }, () => next++ & 0xff))
}

describe('bytes that arrive in pieces', () => {
  it('are all of them in their order, whatever the sizes of the pieces', () => {
    const length = fc.oneof(fc.nat(20), fc.nat(1_100), fc.nat(5_000))
    fc.assert(
      fc.property(fc.array(length, { maxLength: 40 }), (lengths) => {
        const pieces = new Pieces()
        for (let turn = 0; turn < 2; turn++) {
          const all = piecesOf(lengths)
          for (const piece of all) pieces.push(piece)
          expect(pieces.length).toBe(concatBytes(all).length)
          expect(Buffer.compare(pieces.take(), concatBytes(all))).toBe(0)
          expect([pieces.length, pieces.take().length]).toEqual([0, 0])
        }
      }),
    )
  })

  it('are copied where they are small and not the first, so that nothing else is kept alive with them', () => {
    const pieces = new Pieces()
    const [first = new Uint8Array(), second = new Uint8Array()] = piecesOf([5_000, 3])
    const expected = concatBytes([first, second])
    pieces.push(first)
    pieces.push(second)
    second.fill(0)
    expect(Buffer.compare(pieces.take(), expected)).toBe(0)
  })
})
