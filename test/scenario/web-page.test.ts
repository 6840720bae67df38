import { mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type Browser, chromium, type Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { chromiumProgram as program } from './page-in-browser.ts'
import { svcSim } from './svc-sim.ts'

const folder = mkdtempSync(join(tmpdir(), 'svc-sim-'))
const site = join(folder, 'site')
const isLong = process.env['SVC_TEST_LONG'] === '1'
afterAll(() => rmSync(folder, { recursive: true, force: true }))

describe('svc-sim build-web', () => {
  it('writes one page that asks no server, replaces its own, and no other file', async () => {
    const { exit, out } = await svcSim(['build-web', site])
    expect(out).toMatch(/site\/index\.html: \d\.\d MB, with \d+ scenarios/)
    expect(exit).toBe(0)
    const file = join(site, 'index.html')
    const page = readFileSync(file, 'utf8')
    expect(page).toMatch(
      /default-src 'none'; script-src 'sha256-\S+; style-src 'sha256-\S+; connect-src 'none'; worker-src blob:;/,
    )
    expect(page).not.toMatch(/(?:src|href)="/)
    expect(statSync(file).mode & 0o044).toBe(0o044)
    const other = join(folder, 'other')
    mkdirSync(other)
    writeFileSync(join(other, 'index.html'), '<!doctype html><title>mine</title>')
    expect(await svcSim(['build-web', other])).toMatchObject({
      exit: 2,
      err: expect.stringMatching(/index\.html: is there, and was not made by build-web/),
    })
    expect(readFileSync(join(other, 'index.html'), 'utf8')).toContain('mine')
    expect(await svcSim(['build-web', file])).toMatchObject({ exit: 2, err: expect.stringMatching(/is not a folder/) })
  }, 60_000)
})

describe.skipIf(program === undefined)('a cluster in a tab (Debian: chromium)', () => {
  let browser: Browser
  const problems: string[] = []
  beforeAll(async () => {
    // It is there already, and is replaced.
    expect((await svcSim(['build-web', site])).exit).toBe(0)
    browser = await chromium.launch({ executablePath: program ?? '', args: ['--no-sandbox'] })
  }, 60_000)
  afterAll(() => browser?.close())

  async function opened(search: string): Promise<Page> {
    const page = await browser.newPage({ viewport: { width: 1400, height: 1000 }, acceptDownloads: true })
    page.on('console', (message) => {
      if (message.type() === 'error' || message.type() === 'warning') problems.push(message.text())
    })
    page.on('pageerror', (error) => problems.push(error.message))
    await page.goto(`file://${site}/index.html${search}`)
    return page
  }

  async function traceInTab(name: string, seed: number): Promise<string | null> {
    const page = await opened(`?run=${name}&seed=${seed}`)
    await page.waitForSelector('#verdict, .bad', { timeout: 600_000 })
    const trace = await page.getAttribute('#verdict', 'data-trace')
    await page.waitForSelector('#lanes')
    await page.close()
    return trace
  }

  async function traceInNode(name: string, seed: number): Promise<unknown> {
    const { out } = await svcSim(['run', `scenarios/${name}.yaml`, '--seed', String(seed), '--json'])
    return JSON.parse(out).trace
  }

  it('runs a scenario with the trace that it has in Node, from a file', async () => {
    const name = 'key-rotation-with-absent-node'
    expect(await traceInTab(name, 2)).toBe(await traceInNode(name, 2))
    expect(problems).toEqual([])
  }, 600_000)

  it.skipIf(!isLong).each([
    ['crash-and-recover', 17],
    ['ca-rotation', 1],
    ['names-of-the-field', 1],
  ])(
    'runs %s with the trace that it has in Node',
    async (name, seed) => {
      expect(await traceInTab(name, seed)).toBe(await traceInNode(name, seed))
      expect(problems).toEqual([])
    },
    1_200_000,
  )

  it.skipIf(!isLong)(
    'plays with a cluster, and saves what repeats in Node',
    async () => {
      const page = await opened('?play&servers=3&clients=0&seed=7&steps=1500')
      await expect.poll(() => page.textContent('#now'), { timeout: 120_000 }).toMatch(/ 1,500 events/)
      await page.locator('[data-node=s2]').click()
      await page.getByRole('tab', { name: 'terminal' }).click()
      for (const [line, answer] of [
        ['svc kv put color blue', /Success/],
        ['GET /v1/kv/color?raw', /HTTP 200 after .*blue/s],
      ] as const) {
        await page.fill('#type', line)
        await page.press('#type', 'Enter')
        await expect.poll(() => page.locator('#typed pre').last().textContent(), { timeout: 120_000 }).toMatch(answer)
      }
      await page.getByRole('tab', { name: 'node' }).click()
      await page.getByRole('button', { name: 'crash' }).click()
      await page.getByRole('tab', { name: 'done' }).click()
      const download = page.waitForEvent('download')
      await page.click('#save')
      const saved = join(folder, 'played.yaml')
      await (await download).saveAs(saved)
      await page.close()
      const { exit, out } = await svcSim(['run', saved])
      expect(out).toMatch(/passed/)
      expect(exit).toBe(0)
      expect(problems).toEqual([])
    },
    600_000,
  )

  it.skipIf(!isLong)(
    'has a desk for lessons: a run with its picture, tasks that are judged, and work that is kept',
    async () => {
      const lessons = join(folder, 'lessons')
      expect((await svcSim(['build-web', lessons, '--lesson', '1', '--lesson', 'no-such'])).exit).toBe(2)
      expect(await svcSim(['build-web', lessons, '--lesson', '1'])).toMatchObject({
        exit: 0,
        out: expect.stringMatching(/ scenarios and 1 lesson\./),
      })
      const context = await browser.newContext({ viewport: { width: 1400, height: 1000 } })
      const page = await context.newPage()
      page.on('pageerror', (error) => problems.push(error.message))
      await page.goto(`file://${lessons}/index.html`)
      await page.getByRole('link', { name: 'Elections' }).click()
      await page.getByLabel('Your prediction').fill('One on each side.', { timeout: 120_000 })
      await page.getByRole('button', { name: 'see the run' }).click()
      const picture = page.getByRole('link', { name: 'The picture of the run' })
      await picture.waitFor({ timeout: 300_000 })
      const [shown] = await Promise.all([context.waitForEvent('page'), picture.click()])
      await shown.waitForSelector('#lanes')
      expect(await shown.textContent('h1')).toMatch(/^Election under partition seed 3/)
      await shown.close()
      const tasks = page.locator('.tasks fieldset')
      await tasks.nth(0).getByRole('radio').nth(1).check()
      await tasks.nth(3).getByRole('button', { name: 'run it' }).click()
      await expect
        .poll(() => tasks.nth(3).locator('pre.told').textContent())
        .toMatch(/R8 \(quorum\): s\d leads term \d+/)
      await page.getByRole('button', { name: 'check the answers' }).click()
      await expect
        .poll(() => page.locator('.tasks > div pre.told').textContent(), { timeout: 300_000 })
        .toMatch(/1 {2}right .*1 of 4 tasks are right/s)
      await page.reload()
      await expect.poll(() => tasks.nth(0).textContent(), { timeout: 120_000 }).toMatch(/^Task 1 right/)
      await context.close()
      expect(problems).toEqual([])
    },
    1_200_000,
  )
})
