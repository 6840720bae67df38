import { describe, expect, it } from 'vitest'
import { scenarioFile, svcSim } from './svc-sim.ts'

const isLong = process.env['SVC_TEST_LONG'] === '1'

/**
 * What follows from the description of each bug: a decision without which it cannot show.
 *
 * - `tail-kept`: a conflicting entry is replaced and what stands behind it stays. A server must have a tail that nobody
 *   else has, so the leader must crash before it has sent it.
 * - `readers-write`: the right to read lets a token write. Somebody with such a token must ask for a write.
 */
const known = [
  { bug: 'tail-kept', code: 'P1', cause: /^crash s\d/ },
  { bug: 'readers-write', code: 'A1', cause: /^visitors-\d asks \w+: (?:PUT|DELETE) / },
]
const chosen = isLong ? known : known.slice(0, 1)

const quiet = `scenario: One server
seed: 3
cluster:
  dc1:
    servers: { count: 1 }
lasts: 1s
`

describe('svc-sim explain', () => {
  it.each(chosen)('blames what $bug cannot do without among its first three', async ({ bug, code, cause }) => {
    const finished = await svcSim([
      'explain',
      ...['--bug', bug, '--seed', '1', '--jobs', '1', '--json'],
      ...(isLong ? ['--runs', '60'] : ['--runs', '2']),
    ])
    expect(finished.exit).toBe(0)
    const { violation, chain, blame } = JSON.parse(finished.out)
    expect(violation.code).toBe(code)
    expect(chain.length).toBeLessThanOrEqual(30)
    expect(chain.at(-1)).toMatchObject({ n: violation.n, part: 'violation' })
    const [first] = blame.decisions
    expect(blame.decisions.slice(0, 3).some(({ what }: { readonly what: string }) => cause.test(what))).toBe(true)
    if (isLong) expect(first).toMatchObject({ judgement: 'needs', without: { fails: 0 } })
    else expect(first.without.tries).toBeGreaterThan(0)
  })

  it('has nothing to do where the seed of the page passes', async () => {
    const { exit, err } = await svcSim(['explain', scenarioFile(quiet)])
    expect([exit, err]).toEqual([2, expect.stringContaining('seed 3 does not fail: there is nothing to explain')])
  })

  it.each([
    ['nothing', [], /^name a scenario, its records, or --bug/],
    ['a budget without a unit', ['x.yaml', '--budget', '60'], /write a time such as 60s/],
  ])('refuses %s with exit code 2', async (_, args, message) => {
    const { exit, err } = await svcSim(['explain', ...args])
    expect(err).toMatch(message)
    expect(exit).toBe(2)
  })
})
