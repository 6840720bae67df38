import { describe, expect, it } from 'vitest'
import type { SeedRecord, SeedVerdict } from '../../../sim/report/seed-record.ts'
import { fc } from '../../fast-check.ts'
import { manifestOf, merged, recordOf, textOfCampaign } from '../../unit/sim-campaign/campaign-text.ts'

const verdicts = fc.constantFrom<SeedVerdict>('passed', 'passed', 'failed', 'undecided', 'died', 'stuck')
const seeds = 12
const isLong = process.env['SVC_TEST_LONG'] === '1'
/** A verdict for each seed of two scenarios. */
const campaigns = fc.record({
  A: fc.array(verdicts, { minLength: seeds, maxLength: seeds }),
  B: fc.array(verdicts, { minLength: seeds, maxLength: seeds }),
})
type Campaign = typeof campaigns extends fc.Arbitrary<infer T> ? T : never

function recordsOf(campaign: Campaign): readonly SeedRecord[] {
  return (['A', 'B'] as const).flatMap((of) => campaign[of].map((verdict, at) => recordOf(of, at + 1, verdict)))
}

function shareOf(campaign: Campaign, index: number, of: number): string {
  const own = recordsOf(campaign).filter(({ seed }) => ((seed - 1) % of) + 1 === index)
  return textOfCampaign(manifestOf({ shard: { index, of } }), own)
}

function named(texts: readonly string[]): Readonly<Record<string, string>> {
  return Object.fromEntries(texts.map((text, at) => [`${at}.jsonl`, text]))
}

describe('svc-sim merge', () => {
  it('says the same in whatever order and however often files are named', async () => {
    await fc.assert(
      fc.asyncProperty(
        campaigns,
        fc.integer({ min: 1, max: 4 }),
        fc.array(fc.nat(3), { maxLength: 6 }),
        async (campaign, of, more) => {
          const shares = Array.from({ length: of }, (_, at) => shareOf(campaign, at + 1, of))
          const once = await merged(named(shares))
          const again = await merged(named([...more.map((at) => shares[at % of] as string), ...shares.toReversed()]))
          const line = /; \d+ lines were there more than once, and equal/
          expect({ ...again, out: again.out.replace(line, '') }).toEqual(once)
          expect(line.test(again.out)).toBe(more.length > 0)
        },
      ),
      { numRuns: isLong ? 1_000 : 15 },
    )
  })

  it('says of shares what it says of the whole', async () => {
    await fc.assert(
      fc.asyncProperty(campaigns, fc.integer({ min: 2, max: 5 }), async (campaign, of) => {
        const shares = Array.from({ length: of }, (_, at) => shareOf(campaign, at + 1, of))
        expect(await merged(named(shares))).toEqual(await merged(named([shareOf(campaign, 1, 1)])))
      }),
      { numRuns: isLong ? 1_000 : 15 },
    )
  })

  it('misses exactly the seeds that are not there', async () => {
    const kept = fc.array(fc.boolean(), { minLength: 2 * seeds, maxLength: 2 * seeds })
    await fc.assert(
      fc.asyncProperty(kept, fc.integer({ min: 1, max: 3 }), async (isThere, of) => {
        const all = recordsOf({ A: Array(seeds).fill('passed'), B: Array(seeds).fill('passed') })
        const records = all.filter((_, at) => isThere[at])
        const texts = Array.from({ length: of }, (_, at) => {
          const own = records.filter(({ seed }) => (seed - 1) % of === at)
          return textOfCampaign(manifestOf({ shard: { index: at + 1, of } }), own)
        })
        const { exit, out } = await merged(named(texts), '--quiet')
        const missing = all.length - records.length
        expect(exit).toBe(missing === 0 ? 0 : 6)
        expect(/; MISSING: (\d+) runs$/m.exec(out)?.[1] ?? '0').toBe(String(missing))
      }),
      { numRuns: isLong ? 1_000 : 20 },
    )
  })

  it('counts the run of a seed that has one, and a verdict without a run where it has none, in any order', async () => {
    const either = fc.constantFrom<SeedVerdict>('passed', 'failed', 'died', 'stuck')
    const lines = fc.array(fc.tuple(fc.integer({ min: 1, max: 3 }), either), { minLength: 1, maxLength: 8 })
    await fc.assert(
      fc.asyncProperty(lines, async (given) => {
        // A seed has one run: that of its first line that is one.
        const ran = new Map<number, SeedVerdict>()
        for (const [seed, verdict] of given) {
          if (['passed', 'failed'].includes(verdict) && !ran.has(seed)) ran.set(seed, verdict)
        }
        const records = given.map(([seed, verdict]) => {
          const isRun = verdict === 'passed' || verdict === 'failed'
          return recordOf('A', seed, isRun ? ran.get(seed) : verdict)
        })
        const texts = records.map((record) => textOfCampaign(manifestOf(), [record]))
        const [one, two] = [await merged(named(texts)), await merged(named(texts.toReversed()))]
        expect(one).toEqual(two)
        const open = new Set(given.map(([seed]) => seed).filter((seed) => !ran.has(seed)))
        const count = (verdict: string) =>
          Number(new RegExp(`^total: .* (\\d+) ${verdict}[,;]`, 'm').exec(one.out)?.[1] ?? 0)
        expect(count('died') + count('stuck')).toBe(open.size)
        expect(count('failed')).toBe([...ran.values()].filter((verdict) => verdict === 'failed').length)
        expect(one.exit).toBe(open.size > 0 ? 5 : count('failed') > 0 ? 1 : 6)
      }),
      { numRuns: isLong ? 1_000 : 20 },
    )
  })

  it('finds a seed with two runs in whatever order they come', async () => {
    await fc.assert(
      fc.asyncProperty(fc.integer({ min: 1, max: seeds }), verdicts, async (seed, verdict) => {
        const runs = ['', 'other', 'third'].map((salt) => recordOf('A', seed, 'passed', salt))
        const plain = runs.map((record) => textOfCampaign(manifestOf(), [record]))
        const [one, two] = [await merged(named(plain)), await merged(named(plain.toReversed()))]
        expect(one).toEqual(two)
        expect(one.exit).toBe(3)
        expect(one.out).toMatch(
          /NOT DETERMINISTIC: 1 seed has more than one run\n {2}seed \d+ of A: (\S+ passed(; )?){3}\n/,
        )
        const judged = [recordOf('B', seed), recordOf('B', seed, verdict)].map((each) =>
          textOfCampaign(manifestOf(), [each]),
        )
        const [both, turned] = [await merged(named(judged)), await merged(named(judged.toReversed()))]
        expect(both).toEqual(turned)
      }),
      { numRuns: isLong ? 1_000 : 12 },
    )
  })
})
