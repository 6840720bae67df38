import { describe, expect, it } from 'vitest'
import { type Folded, folded, shortened } from '../../../sim/explain/folding.ts'

const text = (lines: readonly Folded<string>[]) =>
  lines.map((each) => ('line' in each ? each.line : `${each.more} more until ${each.last}`))
const shapeOf = (line: string) => line.replaceAll(/\d+/g, '#')

const costOf = (line: string) => Number(/\d+/.exec(line)?.[0])

describe('folding', () => {
  it('keeps of many lines of one shape those that tell most', () => {
    const lines = ['a9', 'a1', 'b1', 'a8', 'a7', 'a2', 'a3', 'b2', 'a4', 'c5']
    expect(text(folded(lines, { shapeOf, costOf }))).toEqual([
      '3 more until a7',
      'a1',
      'b1',
      'a2',
      'a3',
      'b2',
      'a4',
      'c5',
    ])
  })

  it('leaves a few as they are', () => {
    const lines = ['a1', 'a2', 'a3', 'b1', 'a4', 'a5']
    expect(text(folded(lines, { shapeOf, costOf }))).toEqual(lines)
  })
})

describe('the rest of a long chain', () => {
  it('is what costs least, in its order', () => {
    expect(text(shortened(['a9', 'b1', 'c8', 'd2', 'e3'], 3, { shapeOf, costOf }))).toEqual(['b1', 'd2', 'e3'])
  })

  it('may come from many more lines, where they fold', () => {
    const lines = ['v0', ...Array.from({ length: 50 }, (_, at) => `x${at + 1}`), 'w0']
    expect(text(shortened(lines, 7, { shapeOf, costOf }))).toEqual([
      'v0',
      'x1',
      'x2',
      'x3',
      'x4',
      '46 more until x50',
      'w0',
    ])
  })
})
