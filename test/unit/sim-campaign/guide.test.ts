import { describe, expect, it } from 'vitest'
import { Guide } from '../../../sim/campaign/guide.ts'
import type { SeedRecord } from '../../../sim/report/seed-record.ts'
import { manifestOf, merged, pages, recordOf, textOfCampaign } from './campaign-text.ts'

/** A run of ten seconds that was in these states at these seconds. */
function ran(seed: number, states: Readonly<Record<string, number>>, forks?: SeedRecord['forks']): SeedRecord {
  const record = { ...recordOf('A', seed), marks: Object.keys(states), virtualUs: 10_000_000 }
  const marksAtUs = Object.values(states).map((second) => second * 1_000_000)
  return { ...record, marksAtUs, ...(forks === undefined ? {} : { forks }) }
}

function guideOf(...rare: readonly SeedRecord[]): Guide {
  const guide = new Guide()
  for (let seed = 1; seed <= 60; seed++) guide.saw(ran(seed, { common: 1 }))
  for (const record of rare) guide.saw(record)
  return guide
}

describe('the guide of a campaign', () => {
  it('goes on from just behind a rare mark, each time with other chance, and not from a common one', () => {
    const guide = guideOf(ran(61, { common: 1, rare: 4 }))
    expect(guide.next(pages.A, 3)).toEqual([
      { page: pages.A, seed: 61, forks: [{ atMs: 4_001, seed: 1 }] },
      { page: pages.A, seed: 61, forks: [{ atMs: 4_001, seed: 2 }] },
      { page: pages.A, seed: 61, forks: [{ atMs: 4_001, seed: 3 }] },
    ])
    expect(guide.next(pages.B, 3)).toEqual([])
  })

  it('gives a prefix up after some forks, and shares them among the prefixes there are', () => {
    const guide = guideOf(ran(61, { rare: 4 }), ran(62, { other: 5 }))
    expect(guide.next(pages.A, 4).map(({ seed }) => seed)).toEqual([61, 62, 61, 62])
    const rest = guide.next(pages.A, 100)
    expect(rest.length).toBeGreaterThan(4)
    expect(guide.next(pages.A, 1)).toEqual([])
  })

  it('goes on from guided runs, too, where they came further', () => {
    const forks = [{ atMs: 4_001, seed: 1 }]
    const guide = guideOf(ran(61, { rare: 4, rarer: 7 }, forks))
    expect(guide.next(pages.A, 1)).toEqual([{ page: pages.A, seed: 61, forks: [...forks, { atMs: 7_001, seed: 1 }] }])
  })

  it('has nothing to choose before it knows what is rare, nor where a mark has become common', () => {
    const early = new Guide()
    for (let seed = 1; seed < 20; seed++) early.saw(ran(seed, seed === 5 ? { rare: 4 } : {}))
    expect(early.next(pages.A, 5)).toEqual([])
    early.saw(ran(20, {}))
    expect(early.next(pages.A, 5)).toHaveLength(5)
    for (let seed = 21; seed < 25; seed++) early.saw(ran(seed, { rare: 2 }))
    expect(early.next(pages.A, 5)).toEqual([])
  })

  it('chooses the same of the same records, and keeps no more than so many prefixes', () => {
    const records = Array.from({ length: 400 }, (_, at) => ran(61 + at, { [`state ${at}`]: 2 }))
    const [one, two] = [guideOf(...records), guideOf(...records)]
    const all = one.next(pages.A, 10_000)
    expect(two.next(pages.A, 10_000)).toEqual(all)
    expect(new Set(all.map(({ seed }) => seed)).size).toBeLessThanOrEqual(32)
  })
})

describe('svc-sim merge, of a guided campaign', () => {
  const forks = [{ atMs: 4_001, seed: 1 }]
  const plain = Array.from({ length: 12 }, (_, at) => recordOf('A', at + 1))
  const scenarios = manifestOf().scenarios.slice(0, 1)
  const textOf = (...records: readonly SeedRecord[]) => textOfCampaign(manifestOf({ scenarios }), records)

  it('counts guided runs beside the seeds, each once, and says what they alone found', async () => {
    const failed = { ...recordOf('A', 3, 'failed', 'forked'), forks, marks: ['rot found'] }
    const text = textOf(...plain, failed)
    const { exit, out } = await merged({ '1.jsonl': text, '2.jsonl': text })
    expect(exit).toBe(1)
    expect(out).toMatch(/^A: 12 of 12 seeds up to 12, all passed$/m)
    expect(out).toMatch(/^1 failure of kind [0-9a-f]{16}, in A; by guided runs alone$/m)
    expect(out).toMatch(/^ {4}repeat with: svc-sim run a\.yaml --seed 3 --fork 4001ms:1$/m)
    expect(out).toMatch(/^guided: 1 run beside 12 plain ones\n {2}marks that guided runs alone reached: rot found 1$/m)
    expect(out).toMatch(/^ {2}marks that plain runs alone reached: tail cut 4$/m)
    expect(out).toMatch(/^total: 1 scenario, 12 runs and 1 guided, 1 failed, .*; 13 lines were there more than once/m)
  })

  it('judges demands on seeds alone, whose chance was not chosen', async () => {
    const demanding = scenarios.map((one) => ({ ...one, demands: { 'tail cut': { count: 5, seeds: 12 } } }))
    const guided = { ...recordOf('A', 3, 'passed', 'forked'), forks }
    const { exit, out } = await merged({
      '1.jsonl': textOfCampaign(manifestOf({ scenarios: demanding }), [...plain, guided]),
    })
    expect(exit).toBe(1)
    expect(out).toContain('reached in 4 of 12')
  })

  it('finds a guided run that is two, in any order', async () => {
    const guided = ['one', 'other'].map((salt) => textOf(...plain, { ...recordOf('A', 3, 'passed', salt), forks }))
    const [one, two] = [
      await merged({ '1.jsonl': guided[0] ?? '', '2.jsonl': guided[1] ?? '' }),
      await merged({ '1.jsonl': guided[1] ?? '', '2.jsonl': guided[0] ?? '' }),
    ]
    expect(one).toEqual(two)
    expect(one.exit).toBe(3)
    expect(one.out).toMatch(/^ {2}seed 3 --fork 4001ms:1 of A: /m)
  })
})
