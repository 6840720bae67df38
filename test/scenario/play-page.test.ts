import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type Browser, chromium, type Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { chromiumProgram as program } from './page-in-browser.ts'
import { agentOf, PlayStandIn } from './play-stand-in.ts'
import { svcSim } from './svc-sim.ts'

const folder = mkdtempSync(join(tmpdir(), 'svc-sim-'))
const html = join(folder, 'run.html')
const agents = [
  agentOf('s1', 'server', 'leader'),
  agentOf('s2', 'server', 'follower'),
  agentOf('s3', 'server', 'follower'),
  agentOf('c1', 'client', null),
]

interface Opened {
  readonly page: Page
  readonly server: PlayStandIn
  readonly problems: readonly string[]
}

describe.skipIf(program === undefined)('the page of svc-sim play, in a browser (Debian: chromium)', () => {
  let browser: Browser
  /** One for all tests: each has a server and so an origin of its own. */
  let page: Page
  const problems: string[] = []
  beforeAll(async () => {
    const scenario = join(folder, 'scenario.yaml')
    writeFileSync(
      scenario,
      `scenario: Three
cluster: { dc1: { servers: { count: 3 }, clients: { count: 1 } } }
steps:
  - { step: time passes, wait: 2s }
`,
    )
    const { exit } = await svcSim(['run', scenario, '--quiet', '--html', html])
    expect(exit).toBe(0)
    browser = await chromium.launch({ executablePath: program ?? '', args: ['--no-sandbox'] })
    page = await browser.newPage({ viewport: { width: 1400, height: 900 }, acceptDownloads: true })
    page.on('console', (message) => {
      if (message.type() === 'error' || message.type() === 'warning') problems.push(message.text())
    })
    page.on('pageerror', (error) => problems.push(error.message))
  })
  afterAll(async () => {
    await browser?.close()
    rmSync(folder, { recursive: true, force: true })
  })

  async function opened(test: (opened: Opened) => Promise<void>): Promise<void> {
    const server = new PlayStandIn(html, agents)
    problems.length = 0
    await page.goto(await server.listen())
    await page.waitForSelector('#lanes')
    await test({ page, server, problems })
    // It asks its server no more, which is closed.
    await page.goto('about:blank')
    await server.close()
  }

  async function drag(page: Page, name: string, byX: number, byY: number): Promise<void> {
    const box = await page.locator(`[data-node=${name}]`).boundingBox()
    if (box === null) throw new Error(`${name} is not to be seen`)
    const [x, y] = [box.x + box.width / 2, box.y + box.height / 2]
    await page.mouse.move(x, y)
    await page.mouse.down()
    await page.mouse.move(x + byX / 2, y + byY / 2)
    await page.mouse.move(x + byX, y + byY)
    await page.mouse.up()
  }

  it('cuts off what is dragged away, shows it aside, and mends when it is dragged back', async () => {
    await opened(async ({ page, server, problems }) => {
      await drag(page, 's2', 160, 0)
      await expect.poll(() => server.asked).toEqual([{ route: '/act', body: { fault: { partition: 's2' } } }])
      const at = async (): Promise<number> => (await page.locator('[data-node=s2]').boundingBox())?.x ?? 0
      const home = await at()
      server.change({ cuts: ['s1', 's3', 'c1'].map((other) => ['s2', other] as const) })
      await expect.poll(at).toBeGreaterThan(home + 40)
      expect(await page.locator('.link.cut').count()).toBe(3)
      await drag(page, 's2', home - (await at()), 0)
      await expect.poll(() => server.asked.at(-1)).toEqual({ route: '/act', body: { fault: { heal: 'everything' } } })
      expect(problems).toEqual([])
    })
  })

  it('cuts a link that is clicked; by keys it cuts off a node, and mends a link but no other', async () => {
    await opened(async ({ page, server, problems }) => {
      await page.locator('[data-link="s1 s3"]').dispatchEvent('click')
      await expect.poll(() => server.asked.at(-1)?.body).toEqual({ fault: { cut: { from: 's1', to: 's3' } } })
      await page.locator('[data-node=s3]').focus()
      await page.keyboard.press('p')
      await expect.poll(() => server.asked.at(-1)?.body).toEqual({ fault: { partition: 's3' } })
      server.change({
        cuts: [
          ['s3', 's1'],
          ['s3', 's2'],
          ['s1', 's2'],
        ],
      })
      await expect.poll(() => page.locator('.link.cut').count()).toBe(3)
      await page.locator('[data-link="s1 s2"]').focus()
      await page.keyboard.press('Enter')
      await expect
        .poll(() => server.asked.slice(-2).map(({ body }) => body))
        .toEqual([{ fault: { heal: 's1' } }, { fault: { cut: { from: 's1', to: 's3' } } }])
      expect(problems).toEqual([])
    })
  })

  it('lets time pass, steps, sets the speed, and goes back', async () => {
    await opened(async ({ page, server, problems }) => {
      await page.click('#pace')
      await page.click('.steps button >> nth=0')
      await page.locator('h1').click()
      await page.keyboard.press('3')
      await page.locator('#speed').fill('-1')
      await expect
        .poll(() => server.asked.map(({ body }) => body))
        .toEqual([{ paused: false }, { events: 1 }, { ms: 100 }, { rate: 0.1 }])
      server.change({ acts: [{ number: 1, atUs: 500_000, text: 'crash s1', kind: 'mend' }] })
      await expect.poll(() => page.textContent('#undo')).toBe('undo crash s1')
      await page.click('#undo')
      await page.getByRole('tab', { name: 'done' }).click()
      await page.click('.acts .moment')
      await page.click('#back')
      await page.getByRole('button', { name: 'Back to before: crash s1' }).click()
      await expect
        .poll(() => server.asked.slice(-3))
        .toEqual([
          { route: '/undo', body: { last: true } },
          { route: '/undo', body: { toUs: 500_000 } },
          { route: '/undo', body: { act: 1 } },
        ])
      expect(problems).toEqual([])
    })
  })

  it('runs a command on the chosen node, and says in words what the server refuses', async () => {
    await opened(async ({ page, server }) => {
      const act = { number: 1, atUs: 0, text: 'svc kv get', kind: 'svc' }
      const result = { act, code: 0, out: 'blue <b>sky</b>\n', error: '', tookUs: 1000 }
      server.answers.set('/command', { code: 200, body: result })
      await page.click('[data-node=s2]')
      await page.fill('#command', `svc kv get "a b" 'c d'`)
      await page.press('#command', 'Enter')
      await expect.poll(() => page.textContent('#output')).toBe('blue <b>sky</b>\n')
      expect(server.asked.at(-1)).toEqual({
        route: '/command',
        body: { node: 's2', args: ['kv', 'get', 'a b', 'c d'] },
      })
      server.answers.set('/act', { code: 409, body: { error: 'not now: the world is being built again' } })
      await page.getByRole('button', { name: 'kill', exact: true }).click()
      await expect.poll(() => page.textContent('#said.bad')).toBe('not now: the world is being built again')
    })
  })

  it('changes one setting of a configuration and removes another', async () => {
    await opened(async ({ page, server, problems }) => {
      const config = { log_level: 'INFO', leave_on_terminate: true, performance: { raft_multiplier: 1 } }
      server.answers.set('/configuration', { code: 200, body: { node: 's1', config } })
      await page.click('[data-node=s1]')
      await page.click('summary')
      const area = page.locator('textarea')
      await expect.poll(() => area.inputValue()).toContain('raft_multiplier')
      await area.fill('{"log_level": "DEBUG", "performance": {"raft_multiplier": 1}}')
      await page.getByRole('button', { name: 'restart with it' }).click()
      const changed = { log_level: 'DEBUG', leave_on_terminate: null }
      await expect.poll(() => server.asked.at(-1)?.body).toEqual({ configure: { node: 's1', config: changed } })
      expect(problems).toEqual([])
    })
  })

  it('saves a scenario as a file, and shows it', async () => {
    await opened(async ({ page, server, problems }) => {
      server.answers.set('/saved', { code: 200, body: 'scenario: played\n' })
      await page.getByRole('tab', { name: 'done' }).click()
      const download = page.waitForEvent('download')
      await page.click('#save')
      const file = await download
      expect(file.suggestedFilename()).toBe('played.yaml')
      expect(readFileSync(await file.path(), 'utf8')).toBe('scenario: played\n')
      expect(await page.textContent('#saved')).toBe('scenario: played\n')
      expect(problems).toEqual([])
    })
  })

  it('takes the prediction of a lesson before it shows the tasks, runs an edited page, and checks the answers', async () => {
    await opened(async ({ page, server, problems }) => {
      const line = { number: 1, name: '01-small', title: 'Small', minutes: 5, tasks: 2, right: 0 }
      const lesson = { ...line, aims: ['know'], reading: 'Read\nthis.', question: 'What?', prediction: '', shown: null }
      server.answers.set('/lessons', { code: 200, body: { lessons: [line], current: null } })
      server.answers.set('/lesson/start', { code: 200, body: lesson })
      await page.getByRole('tab', { name: 'lessons' }).click()
      await page.getByRole('button', { name: '1 Small' }).click()
      await expect.poll(() => page.textContent('.lesson .prose')).toBe('Read this.')
      expect(await page.getByRole('button', { name: 'see the run' }).isDisabled()).toBe(true)
      const shown = { answer: 'It holds.', look: 'At s1.', tasks: lessonTasks, readOn: [] }
      const told = { text: 'passed', picture: '/picture/00', lesson: { ...lesson, prediction: 'a', shown } }
      server.answers.set('/lesson/run', { code: 200, body: told })
      await page.getByLabel('Your prediction').fill('a')
      await page.getByRole('button', { name: 'see the run' }).click()
      await page.getByRole('link', { name: 'The picture of the run' }).waitFor()
      await page.locator('.choice', { hasText: 'two' }).click()
      await page.getByLabel('calm.yaml, to be edited').fill('scenario: Mine')
      // What is typed stays while another panel is looked at.
      await page.getByRole('tab', { name: 'story' }).click()
      await page.getByRole('tab', { name: 'lessons' }).click()
      await page.getByRole('button', { name: 'run it' }).click()
      await expect.poll(() => server.asked.at(-1)?.body).toEqual({ name: '01-small', task: 2, page: 'scenario: Mine' })
      server.answers.set('/lesson/check', {
        code: 200,
        body: { ...told, text: '1 of 2 tasks are right', picture: null },
      })
      await expect.poll(() => page.locator('#check').isEnabled()).toBe(true)
      await page.click('#check')
      await expect.poll(() => page.locator('.told').last().textContent()).toBe('1 of 2 tasks are right')
      expect(server.asked.at(-1)).toEqual({
        route: '/lesson/check',
        body: { name: '01-small', answers: { 1: { line: 'b', event: '' } }, pages: { 2: 'scenario: Mine' } },
      })
      expect(problems).toEqual([])
    })
  })

  it('hides its token, keeps it when it is loaded again, and shows nothing without it', async () => {
    await opened(async ({ page, problems }) => {
      expect(page.url()).not.toContain('token')
      await page.reload()
      await page.waitForSelector('#lanes')
      expect(problems).toEqual([])
      const stranger = await browser.newPage()
      await stranger.goto(page.url())
      await expect.poll(() => stranger.textContent('#page')).toBe('no token')
      await stranger.close()
    })
  })

  it('shows what broke, and that the server has gone', async () => {
    await opened(async ({ page, server }) => {
      server.change({ failure: { atUs: 1, text: 'R1: two leaders in term 3.' } })
      await expect.poll(() => page.textContent('#failure')).toContain('R1: two leaders in term 3.')
      await server.close()
      await expect.poll(() => page.textContent('.notices')).toContain('is it still running?')
    })
  })
})

const lessonTask = { seeds: null, event: null, answer: { line: '', event: '' }, tries: 0, isRight: false }
const lessonTasks = [
  { ...lessonTask, number: 1, kind: 'choice', task: 'Choose.', choices: { a: 'one', b: 'two' }, page: null },
  {
    ...lessonTask,
    number: 2,
    kind: 'page',
    task: 'Edit.',
    choices: {},
    page: { name: 'calm.yaml', text: 'scenario: A' },
  },
]
