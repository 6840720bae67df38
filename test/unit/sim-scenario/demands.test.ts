import { describe, expect, it } from 'vitest'
import { demandsOf as demandsOfManifest, manifestDemands } from '../../../sim/campaign/manifest.ts'
import { invariants } from '../../../sim/checkers/checkers.ts'
import { type Judged, JudgedTally } from '../../../sim/checkers/judged-tally.ts'
import { markLines } from '../../../sim/report/terminal-report.ts'
import { FactTally, MarkTally, missedInCampaign, missedInRun, reachedMarks } from '../../../sim/scenario/demands.ts'
import type { Demands } from '../../../sim/scenario/language/demands.ts'
import { loadScenario, problemText } from '../../../sim/scenario/language/load.ts'

const base = 'scenario: one\ncluster: { dc1: { servers: { count: 3 } } }\nlasts: 1s\n'

function demandsOf(text: string): Demands {
  const loaded = loadScenario('one.yaml', `${base}demands: ${text}\n`)
  if (!loaded.ok) throw new Error(loaded.error.map(problemText).join('\n'))
  return loaded.value.scenario.demands as Demands
}

function problems(text: string): readonly string[] {
  const loaded = loadScenario('one.yaml', `${base}demands: ${text}\n`)
  return loaded.ok ? [] : loaded.error.map(problemText)
}

function judged(k1: number): Judged {
  const tally = new JudgedTally()
  tally.judged('K1', k1)
  return tally.counts
}

describe('demands on each run', () => {
  const demands = demandsOf('{ judged: { K1: 200 }, marks: { tail cut: every run, rot found: 1 of 2 seeds } }')

  it('are met by a run that judged as much, and reached as much', () => {
    expect(missedInRun(demands, { judged: judged(200), marks: ['tail cut'], undecided: [] })).toEqual([])
    expect(missedInRun(undefined, { judged: judged(0), marks: [], undecided: [] })).toEqual([])
  })

  it('count operations on keys that were not decided, which are no failure', () => {
    const undecided = [{ key: 'a', operations: 150, steps: 10 }]
    const came = { judged: judged(50), marks: ['tail cut'], undecided } as const
    expect(missedInRun(demands, came)).toEqual([])
    expect(missedInRun(demands, { ...came, judged: judged(49) })).toHaveLength(1)
  })

  it('say what was demanded, and what was counted', () => {
    const units = invariants.K1.judges[1]
    expect(missedInRun(demands, { judged: judged(199), marks: ['rot found'], undecided: [] })).toEqual([
      {
        path: ['demands', 'judged', 'K1'],
        message: `demands that K1 judges at least 200 in each run: it judged 199 (${units})`,
      },
      {
        path: ['demands', 'marks', 'tail cut'],
        message:
          "demands 'tail cut' in every run: it was not reached (a server dropped entries of its log that its leader did not have)",
      },
    ])
  })
})

describe('demands on a campaign', () => {
  const demands = demandsOf('{ marks: { tail cut: every run, rot found: 2 of 3 seeds } }')
  const noFacts = new FactTally(demands)
  const tallyOf = (...seeds: readonly (readonly string[])[]): MarkTally => {
    const tally = new MarkTally()
    for (const marks of seeds) tally.add(marks)
    return tally
  }

  it('are judged where as many seeds ran', () => {
    expect(missedInCampaign(demands, tallyOf([], []), noFacts)).toEqual([])
    expect(missedInCampaign(demands, tallyOf(['rot found'], ['rot found'], []), noFacts)).toEqual([])
    const missed = missedInCampaign(demands, tallyOf(['rot found'], [], [], []), noFacts)
    expect(missed.map(({ path, message }) => [path.join('/'), message])).toEqual([
      [
        'demands/marks/rot found',
        "demands 'rot found' in at least 2 of 3 seeds: reached in 1 of 4 (a server did not start because its data on disk was damaged)",
      ],
    ])
  })

  it('count what parts of a campaign have reached together', () => {
    const tally = tallyOf(['rot found', 'rot found'], [])
    expect(missedInCampaign(demands, tally, noFacts)).toEqual([])
    tally.addAll(tallyOf(['tail cut']))
    expect(missedInCampaign(demands, tally, noFacts)).toHaveLength(1)
    tally.addAll(tallyOf(['rot found']))
    expect(missedInCampaign(demands, tally, noFacts)).toEqual([])
  })

  it('may be facts that some of the seeds must have judged, also of a file of records', () => {
    const ofFacts = demandsOf('{ judged: { K1: 5 in 2 of 3 seeds } }')
    const missedBy = (...facts: readonly number[]) => {
      const tally = new FactTally(ofFacts)
      for (const count of facts) tally.add({ judged: judged(count), undecided: [] })
      return missedInCampaign(ofFacts, tallyOf(...facts.map(() => [])), tally)
    }
    expect(missedInRun(ofFacts, { judged: judged(0), marks: [], undecided: [] })).toEqual([])
    expect([missedBy(4, 4), missedBy(4, 5, 6), missedBy(0, 0, 5, 5)]).toEqual([[], [], []])
    const message = `demands that K1 judges at least 5 in at least 2 of 3 seeds: reached in 1 of 3 (${invariants.K1.judges[1]})`
    expect(missedBy(4, 5, 4)).toEqual([{ path: ['demands', 'judged', 'K1'], message }])
    const manifest = { scenario: 'one', file: 'one.yaml', page: '0'.repeat(64), ...manifestDemands(ofFacts) }
    expect(demandsOfManifest(manifest)).toEqual({ ...ofFacts, marks: {} })
  })

  it('of facts count operations that K1 could not decide', () => {
    const ofFacts = demandsOf('{ judged: { K1: 5 in 1 of 1 seed } }')
    const tally = new FactTally(ofFacts)
    tally.add({ judged: judged(2), undecided: [{ operations: 3 }] })
    expect(tally.met('K1')).toBe(1)
  })

  it('are told with how many seeds have reached what', () => {
    const reached = reachedMarks(demands, tallyOf(['write repeated', 'tail cut'], ['tail cut']))
    expect(markLines(reached, 2)).toEqual(['marks in 2 seeds: tail cut 2, rot found 0, write repeated 1'])
    expect(markLines([], 2)).toEqual([])
  })
})

describe('what demands cannot be', () => {
  it('is an unknown name, and the nearest is suggested', () => {
    expect(problems('{ judged: { K9: 1 } }')).toEqual([
      expect.stringMatching(/^one\.yaml:4:\d+: unknown key 'K9': (did you mean 'K\d'\?|'judged' takes)/),
    ])
    expect(problems('{ marks: { two leader alive: every run } }')).toEqual([
      "one.yaml:4:21: unknown key 'two leader alive': did you mean 'two leaders alive'?",
    ])
    expect(problems('{ marks: { moonshine on the water: every run } }')[0]).toMatch(
      /unknown key 'moonshine on the water': 'marks' takes one of \d+ names: docs\/scenarios\.md has them$/,
    )
    expect(problems('{ mark: {} }')).toEqual(["one.yaml:4:12: unknown key 'mark': did you mean 'marks'?"])
  })

  it('is a number that demands nothing, or more than can be', () => {
    expect(problems('{ judged: { K1: 0 } }')).toEqual(["one.yaml:4:26: 'K1' is too small: at least 1"])
    expect(problems('{ judged: { K1: 0 in 1 of 2 seeds } }')[0]).toContain('0 facts demand nothing: remove the line')
    expect(problems('{ judged: { K1: 4 in all seeds } }')).toEqual([
      "one.yaml:4:26: write a number, or '4 in 19 of 20 seeds'",
    ])
    expect(problems('{ judged: { K1: 4 in 5 of 4 seeds } }')).toEqual([
      'one.yaml:4:26: 5 of 4 is more seeds than there are: write at most 4',
    ])
    expect(problems('{ judged: { K1: [4] } }')).toEqual(["one.yaml:4:26: 'K1' must be a number or text, not a list"])
    expect(problems('{ marks: { tail cut: often } }')).toEqual(["one.yaml:4:31: write 'every run', or '3 of 40 seeds'"])
    expect(problems('{ marks: { tail cut: 5 of 4 seeds } }')).toEqual([
      'one.yaml:4:31: 5 of 4 is more seeds than there are: write at most 4',
    ])
    expect(problems('{ marks: { tail cut: 0 of 4 seeds } }')[0]).toContain('remove the line')
  })
})
