import { describe, expect, it } from 'vitest'
import { type Folded, folded, shortened } from '../../../sim/explain/folding.ts'

const text = (lines: readonly Folded<string>[]) =>
  lines.map((each) => ('line' in each ? each.line : `${each.more} more until ${each.last}`))
const shapeOf = (line: string) => line.replaceAll(/\d+/g, '#')

describe('folding', () => {
  it('keeps the first and the last of a row of equals', () => {
    expect(text(folded(['a1', 'a2', 'a3', 'a4', 'a5', 'b1'], shapeOf))).toEqual(['a1', '3 more until a4', 'a5', 'b1'])
  })

  it('leaves short rows, and rows that something else parts', () => {
    const lines = ['a1', 'a2', 'a3', 'b1', 'a4', 'a5']
    expect(text(folded(lines, shapeOf))).toEqual(lines)
  })
})

describe('what is left of a long chain', () => {
  const costOf = (line: string) => Number(/\d+/.exec(line)?.[0])

  it('is what costs least, in its order', () => {
    expect(text(shortened(['a9', 'b1', 'c8', 'd2', 'e3'], 3, { shapeOf, costOf }))).toEqual(['b1', 'd2', 'e3'])
  })

  it('may have more lines than fit, where they fold', () => {
    const lines = ['v0', ...Array.from({ length: 50 }, (_, at) => `x${at + 1}`), 'w0']
    expect(text(shortened(lines, 5, { shapeOf, costOf }))).toEqual(['v0', 'x1', '48 more until x49', 'x50', 'w0'])
  })
})
