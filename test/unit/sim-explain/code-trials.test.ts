import { describe, expect, it } from 'vitest'
import { type Done, isBusy, undoneIn } from '../../../sim/explain/code-trials.ts'

const failing: Done = { writesAcknowledged: 40, elections: 2, counts: { R1: { facts: 10 }, R6: { facts: 90 } } }

describe('a run that passes with a change of the code', () => {
  it.each([
    ['does as much', failing, true],
    ['goes on for longer', { ...failing, writesAcknowledged: 90, elections: 1 }, true],
    ['acknowledges hardly any write', { ...failing, writesAcknowledged: 3 }, false],
    ['elects nobody', { ...failing, elections: 0 }, false],
    ['gives the laws little to judge', { ...failing, counts: { R6: { facts: 20 } } }, false],
  ])('%s', (_, passing, isCured) => {
    expect(isBusy(passing, failing)).toBe(isCured)
  })
})

describe('the work that a passing run leaves undone', () => {
  it('is what a law had to judge in the failing run, and now has less than half of', () => {
    expect(undoneIn({ counts: { R1: { facts: 1 }, R6: { facts: 44 } } }, failing)).toEqual([
      { law: 'R1', facts: 1, before: 10 },
      { law: 'R6', facts: 44, before: 90 },
    ])
    expect(undoneIn({ counts: { R6: { facts: 44 } } }, failing)).toContainEqual({ law: 'R1', facts: 0, before: 10 })
    expect(undoneIn({ counts: { R1: { facts: 5 }, R6: { facts: 45 } } }, failing)).toEqual([])
  })

  it('is nothing where the law had next to nothing to judge', () => {
    expect(undoneIn({ counts: {} }, { counts: { R1: { facts: 7 } } })).toEqual([])
  })
})
