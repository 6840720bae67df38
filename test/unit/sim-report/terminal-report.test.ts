import { describe, expect, it } from 'vitest'
import { sumOfJudged } from '../../../sim/checkers/judged-tally.ts'
import type { RunResult } from '../../../sim/report/run-report.ts'
import { recordOf } from '../../../sim/report/seed-record.ts'
import {
  againLines,
  failureLines,
  reasonLines,
  seedLine,
  storyText,
  verdictLines,
} from '../../../sim/report/terminal-report.ts'

const result: RunResult = {
  scenario: 'A title',
  file: 'scenarios/a.yaml',
  seed: 17,
  failures: [],
  undecided: [],
  virtualUs: 61_234_567,
  events: 4321,
  trace: { hash: 'ab'.repeat(32), lines: 10, blocks: [] },
  elections: 2,
  writesAcknowledged: 99,
  judged: sumOfJudged([]),
  marks: [],
  marksAtUs: [],
  history: { about: undefined, staleDefaultUs: 0, operations: [] },
}
const page = 'cd'.repeat(32)
const record = (of: Partial<RunResult> = {}) => recordOf({ ...result, ...of }, page, { wallMs: 250, cpuMs: 260 })
const failure = { atUs: 1_500_000, place: 'scenarios/a.yaml:7:5', message: 'expected leader: none: s1 leads' }

describe('what a person reads of a run', () => {
  it('is a line for each event, with its virtual time', () => {
    expect(storyText({ atUs: 12_345_678, kind: 'fault', text: 'crash s2' })).toBe('   12.346s ! crash s2')
  })

  it('is a verdict with what it takes to compare two runs', () => {
    expect(verdictLines({ ...record(), verified: true })).toEqual([
      'passed: A title, seed 17, run twice with equal traces',
      '  61.235 virtual seconds in 0.25 s, 4321 events, 2 elections, 99 writes acknowledged',
      `  trace ${'ab'.repeat(32)}`,
    ])
    expect(seedLine(record())).toBe('seed 17, passed, 61.235 virtual s in 0.25 s, 4321 events, trace abababababababab')
  })

  it('is, where keys were not linearizable, where their history is, or how to get it', () => {
    const broken = { ...failure, place: 'K1 (linearizability)', code: 'K1' } as const
    expect(reasonLines(record({ failures: [broken] })).slice(1)).toEqual([
      'for the history of the keys add: --history keys.jsonl; look at it with: svc-sim lincheck keys.jsonl --html keys.html',
    ])
    expect(reasonLines(record({ failures: [failure, broken] }), 'a.jsonl').slice(2)).toEqual([
      'history of the keys: a.jsonl; look at it with: svc-sim lincheck a.jsonl --html a.html',
    ])
  })

  it('is, of a failure, its place, and the commands that repeat it and make it smaller', () => {
    expect(failureLines(record())).toEqual([])
    expect(failureLines(record({ failures: [failure] }))).toEqual([
      '    1.500s scenarios/a.yaml:7:5: expected leader: none: s1 leads',
      'seed 17; repeat with: svc-sim run scenarios/a.yaml --seed 17',
      'make it smaller with: svc-sim shrink scenarios/a.yaml --seed 17',
      'explain it with: svc-sim explain scenarios/a.yaml --seed 17',
    ])
  })

  it('is, of a file whose name a shell would not take as one word, a command that can be pasted', () => {
    const [run, shrink] = againLines({ ...record({ failures: [failure] }), file: "my pages/leader's end.yaml" })
    const quoted = "'my pages/leader'\\''s end.yaml' --seed 17"
    expect(run).toBe(`seed 17; repeat with: svc-sim run ${quoted}`)
    expect(shrink).toBe(`make it smaller with: svc-sim shrink ${quoted}`)
  })

  it('names no smaller page where there is none to be had: of forks, of a list, of a run without a verdict', () => {
    const failed = record({ failures: [failure] })
    const [fork] = againLines({ ...failed, forks: [{ atMs: 4200, seed: 3 }] })
    expect(fork).toBe('seed 17; repeat with: svc-sim run scenarios/a.yaml --seed 17 --fork 4200ms:3')
    for (const lines of [
      againLines({ ...failed, forks: [{ atMs: 4200, seed: 3 }] }),
      againLines(failed, 'a.decisions'),
      againLines({ ...failed, verdict: 'stuck' }),
    ]) {
      expect(lines).toHaveLength(1)
    }
  })

  it('does not drown the first failure in those that follow from it', () => {
    const lines = failureLines(record({ failures: Array.from({ length: 50 }, () => failure) }))
    expect(lines).toHaveLength(9)
    expect(lines[5]).toBe('and 45 more that followed')
  })
})
