import { describe, expect, it } from 'vitest'
import { type Done, isBusy } from '../../../sim/explain/code-trials.ts'

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
