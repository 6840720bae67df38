import { describe, expect, it } from 'vitest'
import { upstreamOf } from '../../../sim/explain/asked-functions.ts'
import type { Candidate } from '../../../sim/explain/code-candidates.ts'
import type { CodeTrial, Outcome } from '../../../sim/explain/code-trials.ts'
import type { NamedMutant } from '../../../sim/mutation/build.ts'

/** A change on a line, which names its function. */
function candidate(line: number, cost: number, before = 'a', after = 'b'): Candidate {
  const mutant = { file: 'src/raft/a.js', at: { line, column: 0 }, before, after } as NamedMutant
  return { mutant, turns: { first: 1, last: 9 }, cost, isEnd: false }
}

const names = ['commit', 'termAt', '#mayCount', 'other']
const functionAt = (_: string, { line }: NamedMutant['at']) => {
  return { name: names[line] ?? '', first: line, last: line }
}
const inTermAt = candidate(1, 9)
const inMayCount = candidate(2, 2)
const inOther = candidate(3, 1)
const candidates = [inOther, inMayCount, inTermAt]

function upstream(cure: Candidate, trial: Partial<CodeTrial> = {}): readonly Candidate[] {
  const cured: Outcome = 'cured'
  return upstreamOf([{ candidate: cure, outcome: cured, undone: [], ...trial }], candidates, functionAt)
}

describe('what a place asks at which a change cures', () => {
  it('is what the changed value calls, and costs at most a little more', () => {
    const cure = candidate(0, 3, 'this.#mayCount(index) && log.termAt(index) !== term')
    expect(upstream(cure)).toEqual([inMayCount, { ...inTermAt, cost: 4 }])
  })

  it.each<[string, Candidate, Partial<CodeTrial>]>([
    ['a change that does not cure', candidate(0, 3, 'termAt(a)'), { outcome: 'same' }],
    ['a cure with which the program does not work', candidate(0, 3, 'termAt(a)'), { holds: false }],
    ['a statement that is left out', candidate(0, 3, 'termAt(a)', ''), {}],
    ['a value that calls nothing', candidate(0, 3, 'termAt'), {}],
  ])('is nothing for %s', (_, cure, trial) => {
    expect(upstream(cure, trial)).toEqual([])
  })

  it('has no change that was tried, and a few at most', () => {
    const cure = candidate(0, 3, 'termAt(a)')
    const trials = [cure, inTermAt].map((each): CodeTrial => ({ candidate: each, outcome: 'cured', undone: [] }))
    expect(upstreamOf(trials, candidates, functionAt)).toEqual([])
    const many = Array.from({ length: 40 }, () => candidate(1, 5))
    expect(upstreamOf(trials.slice(0, 1), many, functionAt)).toHaveLength(16)
  })
})
