import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { chromium } from 'playwright-core'
import { afterAll, describe, expect, it } from 'vitest'
import type { FilmOverview } from '../../sim/picture/film-format.ts'
import { chromiumProgram, filmIn } from './page-in-browser.ts'
import { scenarioFile, svcSim } from './svc-sim.ts'

const folder = mkdtempSync(join(tmpdir(), 'svc-sim-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

const isLong = process.env['SVC_TEST_LONG'] === '1'

/**
 * What follows from the description of each bug: a decision without which it cannot show.
 *
 * - `tail-kept`: a conflicting entry is replaced and what stands behind it stays. A server must have a tail that no
 *   other has, so the leader must crash or be cut off before it has sent it.
 * - `readers-write`: the right to read lets a token write. A client with such a token must ask for a write. With most
 *   seeds another client asks as well, so that no request is needed; with seed 2 no other client asks in time.
 */
const known = [
  { bug: 'tail-kept', seed: '5', code: 'P1', cause: /^(?:crash|partition) s\d/ },
  { bug: 'readers-write', seed: '2', code: 'A1', cause: /^visitors-\d asks \w+: (?:PUT|DELETE) / },
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
  it.each(chosen)('blames what $bug cannot do without among its first three', async ({ bug, seed, code, cause }) => {
    const html = join(folder, `${bug}.html`)
    const finished = await svcSim([
      'explain',
      ...['--html', html],
      ...['--bug', bug, '--seed', seed, '--jobs', '1', '--json'],
      ...(isLong ? ['--runs', '60'] : ['--runs', '6']),
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
    const [overview] = filmIn(html) as readonly [FilmOverview]
    const [shown] = overview.violations
    expect(shown).toMatchObject({ n: violation.n, code })
    expect(shown?.chain.map(({ n }) => n)).toContain(violation.n)
    expect(shown?.blame?.map(({ what }) => what)).toEqual(blame.decisions.map(({ what }: { what: string }) => what))
    const struck = shown?.blame?.find(({ what }) => cause.test(what))?.events ?? []
    expect(struck.length).toBeGreaterThan(0)
    expect(overview.machines.map(({ name }) => name)).toEqual(expect.arrayContaining(struck.map(({ node }) => node)))
    if (chromiumProgram !== undefined) await tellsWhatIsNeeded(chromiumProgram, html, shown?.blame?.[0]?.what ?? '')
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

/** The page lists the decisions, and shows the moment of one that is clicked. */
async function tellsWhatIsNeeded(program: string, html: string, what: string): Promise<void> {
  const browser = await chromium.launch({ executablePath: program, args: ['--no-sandbox'] })
  const page = await browser.newPage()
  const problems: string[] = []
  page.on('pageerror', (error) => problems.push(error.message))
  await page.goto(`file://${html}`)
  await page.waitForSelector('.blame .events button')
  expect(await page.textContent('.blame')).toContain(what)
  await page.click('.blame .events button')
  await page.keyboard.press('v')
  await expect.poll(() => page.textContent('.chain li.now')).toContain('breaks the law')
  expect(problems).toEqual([])
  await browser.close()
}
