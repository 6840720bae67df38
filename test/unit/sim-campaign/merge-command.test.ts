import { describe, expect, it } from 'vitest'
import { cannotResume } from '../../../sim/campaign/manifest.ts'
import { SeedTable } from '../../../sim/campaign/seed-table.ts'
import { manifestOf, merged, pages, recordOf, textOfCampaign } from './campaign-text.ts'

const upTo = (last: number) => Array.from({ length: last }, (_, at) => at + 1)
const whole = [...upTo(12).map((seed) => recordOf('A', seed)), ...upTo(12).map((seed) => recordOf('B', seed))]

describe('svc-sim merge', () => {
  it('adds shares up, groups failures by kind, and says how to see them again', async () => {
    const records = whole.map((record) =>
      record.seed < 6 && record.scenario === 'A' ? recordOf('A', record.seed, 'failed') : record,
    )
    const { exit, out, error } = await merged({ 'a.jsonl': textOfCampaign(manifestOf(), records) }, '--quiet')
    expect({ exit, error }).toEqual({ exit: 1, error: '' })
    expect(out.replaceAll(/of kind [0-9a-f]{16}/g, 'of kind …')).toMatchInlineSnapshot(`
      "A: 12 of 12 seeds up to 12, 5 failed
      3 failures of kind …, in A
        seed 1 of A, FAILED: a.yaml:9:5: s1 still runs after 1.5 s
          repeat with: svc-sim run a.yaml --seed 1
          make it smaller with: svc-sim shrink a.yaml --seed 1
          explain it with: svc-sim explain a.yaml --seed 1
        seed 3 of A, FAILED: a.yaml:9:5: s3 still runs after 3.5 s
          repeat with: svc-sim run a.yaml --seed 3
          make it smaller with: svc-sim shrink a.yaml --seed 3
          explain it with: svc-sim explain a.yaml --seed 3
        seed 5 of A, FAILED: a.yaml:9:5: s5 still runs after 5.5 s
          repeat with: svc-sim run a.yaml --seed 5
          make it smaller with: svc-sim shrink a.yaml --seed 5
          explain it with: svc-sim explain a.yaml --seed 5
      2 failures of kind …, in A
        seed 2 of A, FAILED: a.yaml:8:5: s2 still runs after 2.5 s
          repeat with: svc-sim run a.yaml --seed 2
          make it smaller with: svc-sim shrink a.yaml --seed 2
          explain it with: svc-sim explain a.yaml --seed 2
        seed 4 of A, FAILED: a.yaml:8:5: s4 still runs after 4.5 s
          repeat with: svc-sim run a.yaml --seed 4
          make it smaller with: svc-sim shrink a.yaml --seed 4
          explain it with: svc-sim explain a.yaml --seed 4
      total: 2 scenarios, 24 runs, 5 failed, 2 kinds of failures, 0 s of CPU time
      "
    `)
  })

  it('says that another build made the runs than the one that would repeat them', async () => {
    const build = 'd'.repeat(64)
    const records = whole.map((record) => ({ ...record, build }))
    const { exit, error } = await merged({ 'a.jsonl': textOfCampaign(manifestOf({ build }), records) }, '--quiet')
    expect(exit).toBe(0)
    expect(error).toBe(
      'these runs are of build dddddddddddddddd (1.4.0); this program is build bbbbbbbbbbbbbbbb, which may run the same seeds in another way\n',
    )
  })

  it('names missing seeds by share, and a share of which there is nothing', async () => {
    const of = (index: number) =>
      whole.filter(({ seed, scenario }) => (seed - 1) % 3 === index - 1 && (scenario === 'A' || seed < 4))
    const files = {
      '1.jsonl': textOfCampaign(manifestOf({ shard: { index: 1, of: 3 } }), of(1)),
      '2.jsonl': textOfCampaign(manifestOf({ shard: { index: 2, of: 3 } }), of(2)),
    }
    const { exit, out } = await merged(files, '--quiet')
    expect(exit).toBe(6)
    expect(out).toMatchInlineSnapshot(`
      "MISSING: shard 3/3 of seeds 1..12: nothing is there
      A: 8 of 12 seeds up to 11, all passed
      B: 2 of 12 seeds up to 2, all passed
        MISSING: of shard 1/3: 4, 7 … 10 (3 seeds)
        MISSING: of shard 2/3: 5, 8 … 11 (3 seeds)
      total: 2 scenarios, 10 runs, all passed, 0 s of CPU time; MISSING: 14 runs
      "
    `)
  })

  it('judges what all seeds together must reach, though no share has enough of them', async () => {
    const scenarios = manifestOf().scenarios.map((one) => ({
      ...one,
      demands: { 'tail cut': { count: 5, seeds: 12 } },
    }))
    const share = (index: number) => {
      const own = whole.filter(({ seed }) => (seed - 1) % 2 === index - 1)
      return textOfCampaign(manifestOf({ scenarios, shard: { index, of: 2 } }), own)
    }
    const half = await merged({ '1.jsonl': share(1) })
    expect(half).toMatchObject({ exit: 6, out: expect.not.stringContaining('demands') })
    const both = await merged({ '1.jsonl': share(1), '2.jsonl': share(2) })
    expect(both.exit).toBe(1)
    expect(both.out).toContain("A (a.yaml): demands 'tail cut' in at least 5 of 12 seeds: reached in 4 of 12 (")
  })

  const manifest = manifestOf()
  const others = manifest.scenarios.slice(1)
  const first = textOfCampaign(manifest, whole)
  it.each([
    [
      'another build',
      { build: 'd'.repeat(64) },
      /^2\.jsonl:1: was made by build d{16} \(1\.4\.0\), not b{16} \(1\.4\.0\) as 1\.jsonl: /,
    ],
    [
      'another page',
      { scenarios: [{ scenario: 'A', file: 'a.yaml', page: pages.B.replaceAll('c', 'e') }, ...others] },
      /^2\.jsonl:1: ran another page of 'A' \(a\.yaml\): e{16}, not a{16} as 1\.jsonl: /,
    ],
    [
      'other flags',
      { flags: { verify: false, demands: false } },
      /^2\.jsonl:1: was made with other flags: 'demands' is false, not true as /,
    ],
  ])('refuses %s, and names it', async (_, more, message) => {
    const { exit, error } = await merged({ '1.jsonl': first, '2.jsonl': textOfCampaign(manifestOf(more), []) })
    expect(exit).toBe(2)
    expect(error).toMatch(message)
  })

  it('refuses another page of any file before, not only of the first', async () => {
    const of = (scenarios: typeof manifest.scenarios, name: 'A' | 'B') =>
      textOfCampaign(
        manifestOf({ scenarios }),
        whole.filter(({ scenario }) => scenario === name),
      )
    const later = [{ scenario: 'B', file: 'b.yaml', page: 'e'.repeat(64) }]
    const files = { '1.jsonl': of(manifest.scenarios.slice(0, 1), 'A'), '2.jsonl': of(others, 'B') }
    const { exit, error } = await merged({ ...files, '3.jsonl': textOfCampaign(manifestOf({ scenarios: later }), []) })
    expect(exit).toBe(2)
    expect(error).toMatch(/^3\.jsonl:1: ran another page of 'B' \(b\.yaml\): e{16}, not c{16} as 2\.jsonl: /)
    expect(await merged(files)).toMatchObject({ exit: 0, error: '' })
  })

  it('adds up shares of two pages with one title', async () => {
    const scenarios = manifest.scenarios.map((one) => ({ ...one, scenario: 'A' }))
    const share = (index: number) => {
      const own = whole.filter(({ seed }) => (seed - 1) % 2 === index - 1)
      return textOfCampaign(manifestOf({ scenarios, shard: { index, of: 2 } }), own)
    }
    expect(await merged({ '1.jsonl': share(1), '2.jsonl': share(2) })).toMatchObject({ exit: 0, error: '' })
    expect(cannotResume(manifestOf({ scenarios }), manifestOf({ scenarios }))).toBeUndefined()
    const changed = [{ scenario: 'A', file: 'a.yaml', page: 'e'.repeat(64) }, ...scenarios.slice(1)]
    expect(cannotResume(manifestOf({ scenarios }), manifestOf({ scenarios: changed }))).toBe(
      `it ran another page of 'A' (a.yaml): ${'a'.repeat(16)}, not ${'e'.repeat(16)}`,
    )
  })

  it.each([
    ['no manifest', '{"seed":1}\n', /^1\.jsonl:1: it is no manifest of a campaign: /],
    [
      'a later version',
      '{"format":"svc-campaign","version":2}\n',
      /^1\.jsonl:1: a campaign of version 2: this release reads version 1\n/,
    ],
    ['a broken line', `${first}{"seed":\n${first}`, /^1\.jsonl:26: it is no record of a seed: cut the file/],
    [
      'a seed of another share',
      textOfCampaign(manifestOf({ shard: { index: 2, of: 2 } }), whole),
      /^1\.jsonl:2: seed 1 is not of shard 2\/2\n/,
    ],
    [
      'another scenario',
      textOfCampaign(manifestOf({ scenarios: others }), whole),
      /^1\.jsonl:2: seed 1 is of 'A', which /,
    ],
    ['nothing', '', /^1\.jsonl: has no whole line: .*\nno file has a manifest: there is nothing to merge\n$/],
  ])('refuses %s', async (_, text, message) => {
    const { exit, error } = await merged({ '1.jsonl': text })
    expect(exit).toBe(2)
    expect(error).toMatch(message)
  })

  it('leaves out a torn last line, and says so', async () => {
    const { exit, error, out } = await merged({ '1.jsonl': first.slice(0, -20) }, '--quiet')
    expect(error).toBe('1.jsonl: its last line is torn, and does not count\n')
    expect(exit).toBe(6)
    expect(out).toContain('  MISSING: 12 (1 seed)\n')
  })

  it('says of a campaign without an end how far it came, and misses what was left out on the way', async () => {
    const open = { seeds: { first: 1 }, scenarios: manifest.scenarios.slice(0, 1) }
    const records = [1, 2, 3, 5].map((seed) => recordOf('A', seed))
    const { exit, out } = await merged({ '1.jsonl': textOfCampaign(manifestOf(open), records) }, '--quiet')
    expect(exit).toBe(6)
    expect(out).toMatch(/^A: 4 seeds up to 5, all passed\n {2}MISSING: 4 \(1 seed\)\ntotal: .*; MISSING: 1 runs\n$/)
  })
})

describe('the table of seeds', () => {
  it('knows seeds wherever they are, and does not grow beyond its bound', () => {
    let chunks = 0
    const table = new SeedTable(() => chunks++ < 2)
    const far = 2 ** 52 + 5
    expect([7, far, 7].map((seed) => table.put(recordOf('A', seed)))).toEqual(['new', 'new', 'again'])
    expect(table.put(recordOf('A', 999_999))).toBe('no room')
    expect([...table.present()]).toEqual([7, far])
    expect(table.seeds).toBe(2)
  })

  it('keeps a seed without a run apart from its run, and counts the seed once', () => {
    const table = new SeedTable(() => true)
    const arrivals = ['died', 'passed', 'died', 'stuck', 'failed'] as const
    expect(arrivals.map((verdict) => table.put(recordOf('A', 4, verdict)))).toEqual([
      'new',
      'new',
      'again',
      'new',
      'first other run',
    ])
    expect(table.put(recordOf('A', 4, 'passed', 'third'))).toBe('other run')
    expect(table.seeds).toBe(1)
  })
})
