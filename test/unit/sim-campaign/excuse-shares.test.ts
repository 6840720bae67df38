import { createHash } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import type { Laws } from '../../../sim/checkers/checker.ts'
import { invariants } from '../../../sim/checkers/checkers.ts'
import { overusedExcuses, shareMaxOf } from '../../../sim/checkers/excuse-shares.ts'
import { type SomeJudged, sumOfJudged } from '../../../sim/checkers/judged-tally.ts'
import { manifestOf, merged, recordOf, textOfCampaign } from './campaign-text.ts'

const half: SomeJudged = { W5: { facts: 100, excuses: { disturbed: 101 } } }

describe('the share of facts that an excuse takes', () => {
  it('may be as great as its declaration says, and is not judged where there are few facts', () => {
    const of = (judged: SomeJudged) => overusedExcuses(sumOfJudged([judged]))
    expect(of(half)).toEqual([{ code: 'W5', excuse: 'disturbed', share: 101 / 201, shareMax: 0.5 }])
    expect(of({ W5: { facts: 100, excuses: { disturbed: 100 } } })).toEqual([])
    expect(of({ W5: { facts: 0, excuses: { disturbed: 199 } } })).toEqual([])
    expect(of({ O1: { facts: 60, excuses: { 'asked to go': 140 } } })).toEqual([])
    expect(of({ O1: { facts: 10, excuses: { 'asked to go': 190 } } })).toHaveLength(1)
    expect(of({ V1: { facts: 900, excuses: { 'by exchange': 100 } } })).toHaveLength(1)
  })

  it('is stated for excuses that there are, as a part of one', () => {
    for (const [code, law] of Object.entries<Laws[string]>(invariants)) {
      const { excuses = {}, excusesMost = {} } = law
      expect([code, Object.keys(excusesMost).filter((name) => !(name in excuses))]).toEqual([code, []])
      for (const name of Object.keys(excuses)) {
        expect(shareMaxOf(law, name), `${code} ${name}`).toBeGreaterThan(0)
        expect(shareMaxOf(law, name), `${code} ${name}`).toBeLessThan(1)
      }
    }
  })
})

describe('svc-sim merge', () => {
  /** A campaign over so many pages, each of one seed, which has these counts. */
  async function mergedOver(pages: number, counts: SomeJudged) {
    const scenarios = Array.from({ length: pages }, (_, at) => {
      const page = createHash('sha256').update(`page ${at}`).digest('hex')
      return { scenario: `S${at}`, file: `s${at}.yaml`, page }
    })
    const records = scenarios.map((each) => ({ ...recordOf('A', 1), ...each, counts }))
    const manifest = manifestOf({ scenarios, seeds: { first: 1, last: 1 } })
    return merged({ 'a.jsonl': textOfCampaign(manifest, records) }, '--quiet')
  }

  it('fails a campaign over many pages in which an excuse took more than its law allows', async () => {
    const { exit, out } = await mergedOver(40, half)
    expect(out).toContain("W5: its excuse 'disturbed' took 50.2 % of its facts, and may take 50.0 %\n")
    expect(exit).toBe(1)
  })

  it('passes one over few pages, and one whose excuses took what they may', async () => {
    const few = await mergedOver(39, half)
    const sound = await mergedOver(40, { W5: { facts: 100, excuses: { disturbed: 99 } } })
    for (const { exit, out } of [few, sound]) expect([exit, out.includes('its excuse')]).toEqual([0, false])
  })
})
