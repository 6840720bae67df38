import { describe, expect, it } from 'vitest'
import { type InvariantCode, invariants } from '../../../sim/checkers/checkers.ts'
import { Invariants } from '../../../sim/checkers/invariants.ts'
import { type Judged, JudgedTally, sumOfJudged } from '../../../sim/checkers/judged-tally.ts'
import { judgedLines } from '../../../sim/report/judged-lines.ts'

function judgedBy(judge: (tally: JudgedTally) => void): Judged {
  const tally = new JudgedTally()
  judge(tally)
  return tally.counts
}

function text(judged: Judged): string {
  return judgedLines(judged)
    .map((line) => line.trim())
    .join(' · ')
}

describe('what a run says of what it judged', () => {
  it('has every code: how many facts, of how many things, and none where there were none', () => {
    const judged = judgedBy(({ judged: fact }) => {
      fact('K1', 1_204, 5)
      fact('C1', 312)
      fact('R1')
    })
    const parts = text(judged).split(' · ')
    expect(parts).toContain('R1 1 election')
    expect(parts).toContain('K1 1,204 operations of 5 keys')
    expect(parts).toContain('C1 312 chains')
    expect(parts).toContain('R2 to R15 none')
    expect(parts).toContain('A1 to A7 none')
    expect(parts).toContain('D1 to D5 none')
  })

  it('leaves out no code: what is not counted is within a range of those that have none', () => {
    const codes = Object.keys(invariants)
    const named = text(sumOfJudged([]))
      .split(' · ')
      .flatMap((part) => {
        const [first = '', last = first] = part.replace(' none', '').split(/ to | /)
        return codes.slice(codes.indexOf(first), codes.indexOf(last) + 1)
      })
    expect(named).toEqual(codes)
  })

  it('has how often each excuse was used, though nothing else was judged', () => {
    const judged = judgedBy(({ judged: fact, excused }) => {
      fact('M4', 3)
      excused('M4', 'pool disturbed', 1_000)
      excused('M4', 'doubt of itself')
      excused('E3', 'asked to leave')
    })
    expect(text(judged)).toContain('M4 3 deaths noticed (pool disturbed 1,000, doubt of itself 1)')
    expect(text(judged)).toContain('E3 none (asked to leave 1)')
  })

  it('is some lines of a terminal, none of them wider than that', () => {
    const codes = Object.keys(invariants) as InvariantCode[]
    const lines = judgedLines(judgedBy(({ judged: fact }) => codes.forEach((code) => void fact(code, 1_234_567))))
    expect(Math.max(...lines.map((line) => line.length))).toBeLessThanOrEqual(100)
    expect(lines.length).toBeLessThanOrEqual(40)
  })

  it('is a sum over seeds and over datacenters', () => {
    const one = judgedBy(({ judged: fact, excused }) => {
      fact('K1', 10, 2)
      excused('K1', 'majority lost')
    })
    const other = judgedBy(({ judged: fact }) => fact('K1', 5, 1))
    const { K1, R1 } = sumOfJudged([one, other])
    expect(K1).toEqual({
      facts: 15,
      of: 3,
      excuses: { 'stale default reads': 0, 'majority lost': 1, 'restarted meanwhile': 0, 'catching up': 0 },
    })
    expect(R1).toEqual({ facts: 0, excuses: {} })
  })
})

describe('the tally of a run', () => {
  it('takes facts and excuses from its checkers, and no excuse that is not declared', () => {
    const all = new Invariants({ nowUs: () => 0, staleDefaultMs: 0, onTrigger: () => {} })
    all.tell('process began', { node: 's1', boot: 1, id: 's1' })
    all.tell('process died', { node: 's1' })
    expect(all.tally.counts.P1.facts).toBe(1)
    expect(all.tally.counts.H3.facts).toBe(1)
    expect(() => all.excused('P1', 'it was late')).toThrow('an excuse that its code does not declare')
  })
})
