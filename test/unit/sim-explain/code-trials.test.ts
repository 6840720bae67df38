import { describe, expect, it } from 'vitest'
import type { Candidate } from '../../../sim/explain/code-candidates.ts'
import { CodeTrials, type Done, isBusy, undoneIn } from '../../../sim/explain/code-trials.ts'
import type { NamedMutant } from '../../../sim/mutation/build.ts'
import type { Lane } from '../../../sim/pool/lane.ts'
import type { Ended } from '../../../sim/pool/messages.ts'
import type { SentPage, Wish } from '../../../sim/pool/warm-worker.ts'

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

/** A program that fails unless a change is on in its 80th turn, and stops working if change 2 is on in its first. */
class Program {
  readonly wishes: Wish[] = []

  async probe(_: unknown, wish: Wish): Promise<Pick<Ended, 'record'>> {
    this.wishes.push(wish)
    const { mutant, turns = { first: 0, last: 0 } } = wish
    const isIdle = mutant === 2 && turns.first <= 1
    const record = { verdict: mutant === 0 ? 'failed' : 'passed', failures: [], cpuMs: 1, ...failing }
    return { record: { ...record, ...(isIdle ? { writesAcknowledged: 0 } : {}) } as unknown as Ended['record'] }
  }
}

function trialsOf(program: Program): CodeTrials {
  return new CodeTrials({
    startWorker: () => {
      throw new Error('there is a lane')
    },
    jobs: 1,
    lanes: [program as unknown as Lane],
    budget: { runs: 9 },
    page: {} as SentPage,
    seed: 1,
    hasFailed: () => true,
    untilUs: undefined,
    failing,
    cpuMaxMs: 1_000,
  })
}

function candidate(number: number, cost: number): Candidate {
  return { mutant: { number } as NamedMutant, turns: { first: 80, last: 99 }, cost, isEnd: false }
}

describe('a change with which the run passes', () => {
  it('is tried for the whole run, too, in which the program must also work', async () => {
    const program = new Program()
    const trials = trialsOf(program)
    const tried = await trials.of([candidate(1, 3), candidate(2, 2)])
    expect(tried.map(({ outcome, holds }) => [outcome, holds])).toEqual([
      ['cured', undefined],
      ['cured', undefined],
    ])
    const whole = await trials.throughout(tried)
    expect(whole.map(({ candidate: { cost }, holds }) => [cost, holds])).toEqual([
      [3, true],
      [2, false],
    ])
    expect(program.wishes.map(({ mutant, turns }) => [mutant, turns?.first])).toEqual([
      [1, 80],
      [2, 80],
      [2, 0],
      [1, 0],
    ])
    expect(trials.runs).toBe(4)
  })
})
