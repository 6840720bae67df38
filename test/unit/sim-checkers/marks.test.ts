import { describe, expect, it } from 'vitest'
import { Marks, neverReached } from '../../../sim/checkers/marks.ts'
import { markLines } from '../../../sim/report/terminal-report.ts'

describe('marks of rare states', () => {
  it('are told once, in the order of their table', () => {
    const marks = new Marks()
    for (const mark of ['tail cut', 'two leaders alive', 'tail cut'] as const) marks.reach(mark)
    expect(marks.reached).toEqual(['two leaders alive', 'tail cut'])
  })

  it('are missed by a campaign when no run of it reached them', () => {
    const runs = [['tail cut'], [], ['tail cut', 'rot found']] as const
    expect(neverReached(['tail cut', 'rot found'], runs)).toEqual([])
    expect(neverReached(['two leaders alive', 'tail cut'], runs)).toEqual(['two leaders alive'])
    expect(markLines(['two leaders alive', 'tail cut'], runs)).toEqual([
      'never reached: two leaders alive',
      'reached in 2 of 3 seeds: tail cut',
    ])
  })
})
