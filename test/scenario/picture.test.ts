import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { isDeepStrictEqual } from 'node:util'
import { type Browser, chromium, type Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { filmIn, chromiumProgram as program } from './page-in-browser.ts'
import { svcSim } from './svc-sim.ts'

const folder = mkdtempSync(join(tmpdir(), 'svc-sim-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

const scenario = join(folder, 'scenario.yaml')
writeFileSync(
  scenario,
  `scenario: Three servers, one of which is cut off
cluster:
  dc1:
    servers: { count: 3 }
    config: { performance: { raft_multiplier: 1 } }
workload:
  clerks: { clients: 2, operations: [kv.get, kv.put], keys: 2, rate: 10/s, consistency: [default] }
steps:
  - step: they elect a leader
    eventually: { within: 20s, leader: exactly one, running: all servers }
  - step: we remember it
    save: { old leader: leader }
  - step: it is cut off
    partition: \${old leader}
  - step: the others elect one of their own
    eventually: { within: 20s, leader: "not \${old leader}" }
`,
)

async function pageOf(
  browser: Browser,
  file: string,
  hash = '',
  awaited = '#lanes',
): Promise<{ page: Page; problems: string[] }> {
  const page = await browser.newPage({ viewport: { width: 1400, height: 900 } })
  const problems: string[] = []
  page.on('console', (message) => {
    if (message.type() === 'error' || message.type() === 'warning') problems.push(message.text())
  })
  page.on('pageerror', (error) => problems.push(error.message))
  page.on('request', (request) => {
    if (!request.url().startsWith('file:') && !request.url().startsWith('blob:')) problems.push(request.url())
  })
  await page.goto(`file://${file}${hash}`)
  await page.waitForSelector(awaited)
  return { page, problems }
}

describe('the page of a run', () => {
  const html = join(folder, 'run.html')
  const trace = join(folder, 'run.jsonl.gz')
  let exit = -1
  let browser: Browser
  afterAll(() => browser?.close())
  beforeAll(async () => {
    const { exit: code } = await svcSim(['run', scenario, '--seed', '2', '--quiet', '--html', html, '--trace', trace])
    exit = code
    if (program !== undefined) {
      browser = await chromium.launch({ executablePath: program, args: ['--no-sandbox'] })
    }
  })

  it('is the same, made with the run or of its trace, and does not change the run', async () => {
    expect(exit).toBe(0)
    const again = join(folder, 'again.html')
    expect(await svcSim(['report', trace, '-o', again])).toMatchObject({ exit: 0, err: '' })
    const [one, other] = [filmIn(html), filmIn(again)]
    expect(one.length).toBeGreaterThan(1)
    expect(isDeepStrictEqual(one, other)).toBe(true)
  })

  it('is refused for what is no trace, and never written over it', async () => {
    expect(await svcSim(['report', scenario, '-o', join(folder, 'no.html')])).toMatchObject({
      exit: 2,
      err: expect.stringContaining('it is not a trace'),
    })
    expect(await svcSim(['report', trace, '-o', trace])).toMatchObject({
      exit: 2,
      err: expect.stringContaining('would overwrite the trace'),
    })
    expect(existsSync(join(folder, 'no.html'))).toBe(false)
  })

  describe.skipIf(program === undefined)('in a browser (Debian: chromium)', () => {
    it('tells the story, and shows the moment and the machine that are clicked', async () => {
      const { page, problems } = await pageOf(browser, html)
      expect(await page.textContent('h1')).toContain('Three servers, one of which is cut off')
      await page.click('.story .fault button')
      const cut = Number(/at ([\d.]+) s$/.exec((await page.textContent('output')) ?? '')?.[1])
      expect(cut).toBeGreaterThan(0.1)
      const box = await page.locator('#lanes').boundingBox()
      await page.mouse.click((box?.x ?? 0) + 60, (box?.y ?? 0) + 55)
      await page.waitForSelector('#panel-state .state')
      expect(await page.textContent('#panel-state')).toMatch(/s1.*consensus.*term/s)
      await page.keyboard.press('m')
      expect(await page.textContent('#panel-members tbody')).toMatch(/^in truth(up){3}s1●●●/)
      expect(problems).toEqual([])
      await page.close()
    })

    it('shows a message with what led to it, by a link, and goes on to its cause', async () => {
      const vote = await firstVote(trace)
      const { page, problems } = await pageOf(browser, html, `#t=${vote.t / 1_000_000}&w=0.05&e=${vote.n}`)
      await page.waitForSelector('#panel-event h3')
      expect(await page.textContent('#panel-event')).toMatch(/vote-request term \d+.*Caused by.*sends to/s)
      await page.click('#panel-event .events button')
      await expect.poll(() => page.textContent('#panel-event h2')).not.toContain(`#${vote.n} `)
      await expect.poll(() => page.url()).not.toContain(`e=${vote.n}`)
      expect(problems).toEqual([])
      await page.close()
    })

    it('finds events by their words, zooms by keys, and has its own colours for the dark', async () => {
      const { page, problems } = await pageOf(browser, html)
      const ground = (): Promise<unknown> => page.evaluate('getComputedStyle(document.body).backgroundColor')
      const light = await ground()
      await page.selectOption('.theme select', 'dark')
      await expect.poll(ground).not.toBe(light)
      await page.keyboard.press('Escape')
      await page.locator('h1').click()
      const before = await page.textContent('output')
      await page.keyboard.press('+')
      await expect.poll(() => page.textContent('output')).not.toBe(before)
      await page.keyboard.press('/')
      await page.fill('#search', 'entering leader state')
      await expect.poll(() => page.textContent('[aria-live]')).toMatch(/found$/)
      const found = page.locator('#panel-search .events li')
      await expect.poll(() => found.count()).toBeGreaterThan(1)
      await page.locator('#lanes').click({ position: { x: 60, y: 60 } })
      await page.getByRole('tab', { name: 'search' }).click()
      await page.fill('#search', 'entering')
      await page.check('#search-chosen')
      await expect.poll(async () => new Set(await found.locator('b').allTextContents()).size).toBe(1)
      await page.check('#search-visible')
      await expect.poll(() => page.textContent('[aria-live]')).toMatch(/found$/)
      expect(problems).toEqual([])
      await page.close()
    })

    it('fits a narrow window, says what is under the mouse, and is light on paper', async () => {
      const { page, problems } = await pageOf(browser, html)
      await page.selectOption('.theme select', 'dark')
      await page.setViewportSize({ width: 420, height: 800 })
      const widest = 'Math.max(...[...document.querySelectorAll("canvas")].map((each) => each.clientWidth))'
      await expect.poll(() => page.evaluate(widest)).toBeLessThanOrEqual(420)
      await page.mouse.move(300, (await laneTop(page)) + 15)
      await expect
        .poll(() => page.textContent('#tip'))
        .toMatch(/^s1 at [\d.]+ s: (?:leader|follower), term \d+; committed \d+/)
      const corner = `[...document.querySelector('#lanes').getContext('2d').getImageData(2, 2, 1, 1).data].slice(0, 3)`
      const brightness = async (): Promise<number> => Math.max(...((await page.evaluate(corner)) as number[]))
      expect(await brightness()).toBeLessThan(80)
      await page.evaluate('dispatchEvent(new Event("beforeprint"))')
      expect(await brightness()).toBe(255)
      await page.evaluate('dispatchEvent(new Event("afterprint"))')
      expect(await brightness()).toBeLessThan(80)
      // The browser's advice on the pixels that this test reads.
      expect(problems.filter((each) => !each.includes('willReadFrequently'))).toEqual([])
      await page.close()
    })

    it('draws a history, and a study, in the same colours, without a script', async () => {
      const history = join(folder, 'history.jsonl')
      writeFileSync(history, [historyHead, ...goesBack].map((line) => `${JSON.stringify(line)}\n`).join(''))
      const drawn = join(folder, 'history.html')
      expect(await svcSim(['lincheck', history, '--html', drawn])).toMatchObject({ exit: 1, err: '' })
      const study = join(folder, 'study.html')
      expect(await svcSim(['study', 'election', '--trials', '1', '--html', study])).toMatchObject({ exit: 0, err: '' })
      for (const [file, shape] of [
        [drawn, '.ordered.cause rect'],
        [study, '.plots .title'],
      ] as const) {
        const { page, problems } = await pageOf(browser, file, '', shape)
        const colours = `[getComputedStyle(document.querySelector('${shape}')).fill, getComputedStyle(document.body).backgroundColor].join()`
        const light = await page.evaluate(colours)
        await page.emulateMedia({ colorScheme: 'dark' })
        expect(await page.evaluate(colours)).not.toBe(light)
        expect(problems).toEqual([])
        await page.close()
      }
    })
  })
})

/** Where the lane of the first machine begins, from the top of the window. */
async function laneTop(page: Page): Promise<number> {
  return ((await page.locator('#lanes').boundingBox())?.y ?? 0) + 40
}

const historyHead = { format: 'svc-history', version: 1, staleDefaultUs: 0 }
const goesBack = [
  { client: '1', key: 'k', op: 'write', value: 'a', outcome: 'ok', call: 0, return: 10 },
  { client: '1', key: 'k', op: 'write', value: 'b', outcome: 'ok', call: 20, return: 30 },
  { client: '2', key: 'k', op: 'read', consistency: 'consistent', outcome: 'ok', found: 'a', call: 40, return: 50 },
]

/** The first vote request that comes to its receiver. */
async function firstVote(trace: string): Promise<{ readonly n: number; readonly t: number }> {
  const { out } = await svcSim(['trace', trace, '--kind', 'raft', '--json'])
  const line = out.split('\n').find((text) => text.includes('"kind":"segment"') && text.includes('"vote-request"'))
  return JSON.parse(line ?? '{}')
}
