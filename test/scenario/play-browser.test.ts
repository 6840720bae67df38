import { type ChildProcess, spawn } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { type Browser, chromium, type Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { simPort } from '../tools/sim-process.ts'
import { chromiumProgram as program } from './page-in-browser.ts'
import { projectRoot, svcSim } from './svc-sim.ts'

const folder = mkdtempSync(join(tmpdir(), 'svc-sim-'))

/** Virtual time stands still but for what the page lets pass, so nothing here depends on the speed of the machine. */
describe.skipIf(program === undefined)('svc-sim play in a browser (Debian: chromium)', () => {
  let browser: Browser
  let child: ChildProcess
  let page: Page
  const problems: string[] = []
  beforeAll(async () => {
    const args = ['bin/svc-sim.js', 'play', '--paused', '--port', String(await simPort())]
    child = spawn(process.execPath, args, { cwd: projectRoot, stdio: ['ignore', 'pipe', 'inherit'] })
    const address = await addressOf(child)
    browser = await chromium.launch({ executablePath: program ?? '', args: ['--no-sandbox'] })
    page = await browser.newPage({ viewport: { width: 1400, height: 1000 }, acceptDownloads: true })
    listen(page)
    await page.goto(address)
    await page.waitForSelector('#lanes')
  })
  afterAll(async () => {
    await browser?.close()
    child?.kill()
    rmSync(folder, { recursive: true, force: true })
  })

  function listen(to: Page): void {
    to.on('console', (message) => {
      if (message.type() === 'error' || message.type() === 'warning') problems.push(message.text())
    })
    to.on('pageerror', (error) => problems.push(error.message))
  }

  const secondsNow = async (): Promise<number> => Number(/^[\d.]+/.exec((await page.textContent('#now')) ?? '')?.[0])

  async function pass(virtualSeconds: number): Promise<void> {
    for (let second = 0; second < virtualSeconds; second++) {
      const before = await secondsNow()
      await page.click('.steps button >> nth=4')
      await expect.poll(secondsNow, { timeout: 30_000 }).toBeGreaterThan(before)
    }
  }

  const leader = (): Promise<string | null> => page.locator('.agent.leader').first().getAttribute('data-node')

  async function choose(node: string): Promise<void> {
    await page.getByRole('tab', { name: 'node' }).click()
    await page.locator(`[data-node=${node}]`).click()
  }

  /** Presses a button, and waits until the page says what was done by it. */
  async function press(name: string, said: RegExp): Promise<void> {
    await page.getByRole('button', { name, exact: true }).click()
    await expect.poll(() => page.textContent('#said'), { timeout: 30_000 }).toMatch(said)
  }

  /** Fills in a form of the data panel, and waits until the page shows the answer. */
  async function send(form: string, values: Readonly<Record<string, string>>, answer: RegExp): Promise<void> {
    const asked = page.locator('form', { hasText: form })
    for (const [label, value] of Object.entries(values)) await asked.getByLabel(label).fill(value)
    await asked.getByRole('button').click()
    await expect.poll(() => page.textContent('#answer'), { timeout: 30_000 }).toMatch(answer)
  }

  it('steps until a leader is elected, cuts it off by dragging, tells it, and undoes what is done', async () => {
    await pass(8)
    await expect.poll(() => page.locator('.agent.leader').count()).toBe(1)
    const old = (await leader()) ?? ''
    const box = await page.locator(`[data-node=${old}]`).boundingBox()
    if (box === null) throw new Error(`${old} is not to be seen`)
    const [x, y] = [box.x + box.width / 2, box.y + box.height / 2]
    await page.mouse.move(x, y)
    await page.mouse.down()
    await page.mouse.move(x + 90, y + 20)
    await page.mouse.move(x + 180, y + 20)
    await page.mouse.up()
    await expect.poll(() => page.locator('.link.cut').count()).toBe(3)
    await page.getByRole('tab', { name: 'story' }).click()
    await pass(1)
    await expect.poll(() => page.textContent('#panel-story')).toMatch(new RegExp(`partition ${old} \\|`))

    const other = ['s1', 's2', 's3'].find((name) => name !== old) ?? ''
    await page.locator(`[data-node=${other}]`).click()
    await page.getByRole('tab', { name: 'node' }).click()
    await page.getByRole('button', { name: 'crash' }).click()
    await expect.poll(() => page.locator(`.agent.down[data-node=${other}]`).count()).toBe(1)
    await page.click('#undo')
    // Nothing else can be asked for before that.
    await expect.poll(() => page.textContent('#said'), { timeout: 60_000 }).toMatch(/was replayed/)
    await expect.poll(() => page.locator('.agent.down').count(), { timeout: 60_000 }).toBe(0)

    await page.fill('#command', 'members')
    await page.press('#command', 'Enter')
    await expect.poll(() => page.textContent('#output'), { timeout: 60_000 }).toMatch(/s1\b.*s2\b.*s3\b/s)

    expect(problems).toEqual([])
  }, 180_000)

  it('writes and reads a key, and registers a service, at the chosen agent', async () => {
    await choose('s1')
    await press('end all faults', /mend everything/)
    await pass(3)
    await page.getByRole('tab', { name: 'data' }).click()
    await send('Write a key', { key: 'a/b c', value: 'red & blue' }, /^true$/)
    await send('Read a key', { key: 'a/b c' }, /^red & blue$/)
    await send('Register a service', { service: 'shop', port: '8080' }, /^$/)
    await send('Any request', { target: '/v1/agent/services' }, /"shop".*"Port":8080/)
  }, 120_000)

  it('disturbs a disk, a clock and a link, ends that, upgrades an agent and changes its settings', async () => {
    await choose('s3')
    await press('full', /fill disk s3/)
    await page.getByLabel('Step by').fill('90s')
    await press('step', /step clock s3/)
    await expect.poll(() => page.textContent('p.trouble'), { timeout: 30_000 }).toMatch(/disk/)
    await page.locator('[data-link="s1 s2"]').dispatchEvent('click')
    await expect.poll(() => page.locator('.link.cut').count()).toBe(1)
    await press('end all faults', /mend everything/)
    await expect.poll(() => page.locator('.link.cut').count()).toBe(0)
    await page.getByLabel('Release to start as').selectOption('1.2.0')
    await press('start as this', /s3 starts as 1.2.0/)
    await pass(1)
    await page.click('summary')
    await expect.poll(() => page.locator('textarea').inputValue()).toContain('"ui": true')
    await page.locator('textarea').fill('{ "ui": true, "log_level": "DEBUG" }')
    await press('restart with it', /s3 starts with other settings/)
    await expect.poll(() => page.textContent('.node-panel h2')).toContain('release 1.2.0')
    await pass(2)
  }, 120_000)

  it('opens the web interfaces of a server and a client, which show the service', async () => {
    await page.click('#pace')
    for (const node of ['s2', 'c1']) {
      await choose(node)
      const opened = page.context().waitForEvent('page')
      await page.getByRole('link', { name: `Web interface of ${node}` }).click()
      const shown = await opened
      listen(shown)
      await expect.poll(() => shown.textContent('table'), { timeout: 60_000 }).toContain('shop')
      await shown.close()
    }
    await page.click('#pace')
    expect(problems).toEqual([])
  }, 180_000)

  it('saves a scenario that repeats all of it, with the same hash', async () => {
    await page.getByRole('tab', { name: 'done' }).click()
    const download = page.waitForEvent('download')
    await page.click('#save')
    const saved = join(folder, 'played.yaml')
    await (await download).saveAs(saved)
    expect(readFileSync(saved, 'utf8')).toMatch(
      /partition: s\d.*PUT \/v1\/kv\/a\/b%20c.*fill disk: s3.*upgrade:.*configure:.*GET \/ui\//s,
    )
    const { exit, out } = await svcSim(['run', saved])
    expect(out).toMatch(/the trace is that of the session/)
    expect(exit).toBe(0)
    expect(problems).toEqual([])
  }, 180_000)
})

async function addressOf(child: ChildProcess): Promise<string> {
  if (child.stdout === null) throw new Error('svc-sim play has no output')
  for await (const line of createInterface({ input: child.stdout })) {
    const address = /^open (\S+)$/.exec(line)?.[1]
    if (address !== undefined) return address
  }
  throw new Error('svc-sim play ended before it had an address')
}
