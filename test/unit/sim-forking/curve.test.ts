import { describe, expect, it } from 'vitest'
import { failureKind } from '../../../sim/campaign/fingerprint.ts'
import { curvePicture } from '../../../sim/forking/curve-picture.ts'
import { curveLines, headText, pointLines } from '../../../sim/forking/fork-text.ts'
import { type ForkPoint, ForkTally, steepest, timesBetween } from '../../../sim/forking/tally.ts'
import { countedText } from '../../../sim/report/interval.ts'
import { type SeedRecord, withoutRun } from '../../../sim/report/seed-record.ts'

const cost = { wallMs: 0, cpuMs: 0 }
const of = { scenario: 'One & two', file: 'a.yaml', page: 'ab'.repeat(32), seed: 7 }
const passed: SeedRecord = { ...withoutRun(of, 'passed', [], cost), trace: 'a'.repeat(64), virtualUs: 9_000_000 }

function failed(code: 'R1' | 'K1', message: string): SeedRecord {
  const failures = [{ atUs: 4_000_900, place: `${code} (it)`, code, message }]
  return { ...withoutRun(of, 'failed', [], cost), trace: 'b'.repeat(64), failures }
}

const leads = failed('R1', 's1 and s2 lead term 4')
const forked = { record: leads, about: 'a.yaml --seed 7' }

function tallied(atMs: number, records: readonly SeedRecord[]): ForkPoint {
  const tally = new ForkTally(atMs, failureKind(leads))
  for (const [at, record] of records.entries()) tally.take(record, at + 1)
  return tally.point
}

describe('forks of a run', () => {
  it('counts those that fail in the same way, whatever their numbers, and tells the others apart', () => {
    const point = tallied(2_000, [
      passed,
      failed('R1', 's3 and s5 lead term 12'),
      failed('K1', 'a key'),
      { ...passed, verdict: 'undecided' },
      withoutRun(of, 'stuck', [], cost),
    ])
    expect(point).toMatchObject({ same: { fails: 1, tries: 5 }, others: 1, open: 2, firstSame: 2, firstPassed: 1 })
    expect(pointLines(point, forked)).toEqual([
      'different random numbers from 2s on: 1 of 5 (4..62 %) fail in the same way, 1 in another way, 2 without a verdict, 1 pass',
      '  one that fails: svc-sim run a.yaml --seed 7 --fork 2000ms:2',
      '  one that passes: svc-sim run a.yaml --seed 7 --fork 2000ms:1',
    ])
    expect(headText(forked)).toBe('One & two, seed 7: fails at 4.001s: R1 (it): s1 and s2 lead term 4')
  })

  it('has intervals that reach beyond the count even where all or none fail', () => {
    expect(countedText({ fails: 0, tries: 20 })).toBe('0 of 20 (0..16 %)')
    expect(countedText({ fails: 20, tries: 20 })).toBe('20 of 20 (84..100 %)')
  })

  it('divides a time into whole milliseconds, each once', () => {
    expect(timesBetween(0, 1_000, 4)).toEqual([0, 250, 500, 750, 1_000])
    expect(timesBetween(0, 2, 20)).toEqual([0, 1, 2])
  })

  it('says where the failure becomes likely, and how to look there', () => {
    const points = [tallied(0, [passed, passed]), tallied(1_000, [passed, leads]), tallied(2_500, [leads, leads])]
    expect(steepest(points)?.after.atMs).toBe(1_000)
    expect(curveLines(points, forked)).toEqual([
      '   fork at runs that fail                 95 % interval',
      '        0s ....................    0 of 2    0..66 %',
      '        1s ##########..........    1 of 2    9..91 %',
      '      2.5s ####################    2 of 2  34..100 %',
      'the failure becomes likely between 0s and 1s: 0 of 2 forks fail before, 1 of 2 after',
      '  closer:   svc-sim fork a.yaml --seed 7 --curve --from 0s --to 1s',
      '  state:    svc-sim inspect a.yaml --seed 7 --at 0s --diff 1s',
    ])
    expect(steepest(points.slice(2))).toBeUndefined()
  })

  it('draws the same curve as the same picture, with words for those that see none', () => {
    const curve = { title: 'One & "two"', points: [tallied(0, [passed]), tallied(4_000, [leads])], failsMs: 4_000.9 }
    const picture = curvePicture(curve)
    expect(picture).toBe(curvePicture(curve))
    expect(picture).toContain('<title id="curve-title">One &amp; &quot;two&quot;</title>')
    expect(picture).toContain('0s: 0 of 1; 4s: 1 of 1')
    expect(picture).toContain('prefers-color-scheme: dark')
    expect(picture).toContain('the run fails at 4.001s')
    expect(picture).not.toMatch(/NaN|undefined|href|script/)
  })
})
