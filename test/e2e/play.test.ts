import { execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { describe, expect, it, onTestFinished } from 'vitest'
import type { PlayStatus } from '../../sim/play/play-api.ts'
import { simPort, simProcess, simScript } from '../tools/sim-process.ts'

const run = promisify(execFile)

/** A session: its face, and how it ends after SIGINT. */
async function played(...args: readonly string[]) {
  const { base, lines, end } = await simProcess(['play', ...args], 'c1 ')
  const token = /#token=([0-9a-f]{32})$/.exec(lines[0] ?? '')?.[1] ?? ''
  const url = `http://127.0.0.1:${base}`
  const authorized = { Authorization: `Bearer ${token}` }
  const get = (path: string) => fetch(`${url}${path}`, { headers: authorized })
  const post = (path: string, body: unknown) =>
    fetch(`${url}${path}`, {
      method: 'POST',
      headers: authorized,
      body: typeof body === 'string' ? body : JSON.stringify(body),
    })
  const status = async () => (await (await get('/status')).json()) as PlayStatus
  return { base, url, get, post, status, end }
}

function scratch(): string {
  const folder = mkdtempSync(join(tmpdir(), 'svc-play-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  return folder
}

describe('svc-sim play', () => {
  it('lets curl, dig and a caller with the token direct a cluster, undo, and save what repeats', async () => {
    const { base, get, post, status, end } = await played('--seed', '7', '--paused')
    expect(await status()).toMatchObject({ paused: true, seed: 7, acts: [], failure: null, busy: null })
    expect(await (await post('/step', { toUs: 8_000_000 })).json()).toMatchObject({ nowUs: 8_000_000, paused: true })
    // A request by a real socket lets time pass up to its answer; one that waits for a change waits for time, too.
    const key = `http://127.0.0.1:${base + 4}/v1/kv/color`
    expect((await run('curl', ['-sS', '-m', '60', '-X', 'PUT', '-d', 'blue', key])).stdout).toBe('true')
    const digs = ['@127.0.0.1', '-p', String(base + 104), '+short', '+tries=1', '+time=50', 's1.node.svc']
    expect((await run('dig', digs)).stdout.trim()).toBe('10.0.1.1')
    const { nowUs } = await status()
    expect(nowUs).toBeGreaterThan(8_000_000)
    expect(nowUs).toBeLessThan(9_000_000)
    const waits = run('curl', ['-sS', '-m', '60', `${key}?raw&index=999&wait=400ms`])
    await expect.poll(async () => (await status()).requests.waiting, { timeout: 50_000 }).toBe(1)
    expect((await status()).nowUs).toBe(nowUs)
    expect(await (await post('/step', { toUs: 9_000_000 })).json()).toMatchObject({ nowUs: 9_000_000, paused: true })
    expect((await waits).stdout).toBe('blue')
    const command = await (await post('/command', { node: 's1', args: ['kv', 'get', 'color'] })).json()
    expect(command).toMatchObject({ code: 0, out: 'blue\n', act: { kind: 'svc' } })
    const ui = await (await post('/request', { node: 's2', method: 'GET', target: '/ui/' })).json()
    expect(ui).toMatchObject({ status: 200, body: expect.stringMatching(/<html/) })
    expect((await post('/act', { fault: { partition: { groups: [['s1'], ['s2', 's3', 'c1']] } } })).status).toBe(200)
    await post('/step', { events: 20 })
    expect((await post('/act', { fault: { crash: 's3' } })).status).toBe(200)
    await post('/step', { ms: 1_500 })
    const before = await status()
    expect(before.cuts).toEqual([
      ['s1', 's2'],
      ['s1', 's3'],
      ['s1', 'c1'],
    ])
    expect(before.agents.find(({ name }) => name === 's3')).toMatchObject({ is: 'down', role: null })
    const undone = (await (await post('/undo', { last: true })).json()) as PlayStatus
    expect(undone.acts.map(({ kind }) => kind).toSorted()).toEqual(['dns', 'do', 'http', 'http', 'http', 'svc'])
    expect(undone.world).toBe(2)
    expect(undone.agents.find(({ name }) => name === 's3')).toMatchObject({ is: 'up' })
    await post('/step', { ms: 750 })
    const overview = (await (await get('/overview')).json()) as { pieces: unknown[]; faults: unknown[] }
    expect(overview.faults.length).toBeGreaterThan(0)
    expect(await (await get('/piece?at=0')).json()).toMatchObject({ world: 2 })
    const file = join(scratch(), 'saved.yaml')
    const saved = await (await get('/saved')).text()
    writeFileSync(file, saved)
    expect(await end()).toMatchObject({
      exit: 0,
      last: expect.stringMatching(/^every invariant held: 6 acts/),
      err: '',
    })
    const { stdout } = await run(process.execPath, [simScript, 'run', file])
    expect(stdout).toMatch(/the trace is that of the session/)
    expect(stdout).toContain(`trace ${/trace: ([0-9a-f]{64})/.exec(readFileSync(file, 'utf8'))?.[1]}`)
  })

  it('refuses requests without the token or under another host name, and says what is wrong with a body', async () => {
    const { base, url, get, post, end } = await played('--paused', '--lesson', '4', '--dir', scratch())
    expect((await fetch(`${url}/status`)).status).toBe(401)
    expect((await fetch(`${url}/lessons`)).status).toBe(401)
    expect((await fetch(`${url}/picture/${'0'.repeat(32)}`)).status).toBe(404)
    expect(await (await get('/lessons')).json()).toMatchObject({ current: null, lessons: { 17: { number: 18 } } })
    expect(await (await post('/lesson/start', { name: '04-reads' })).json()).toMatchObject({ number: 4, shown: null })
    expect((await fetch(`${url}/status`, { headers: { Authorization: 'Bearer 00' } })).status).toBe(401)
    const page = await fetch(`${url}/`)
    expect([page.status, page.headers.get('x-frame-options')]).toEqual([200, 'DENY'])
    const { stdout } = await run('curl', ['-sS', '-H', 'Host: evil.example', `http://127.0.0.1:${base}/`])
    expect(stdout).toMatch(/not one of this machine/)
    for (const [path, body, why] of [
      ['/act', '{', /not JSON/],
      ['/act', {}, /exactly one/],
      ['/act', { fault: { crash: 's9' } }, /no agent 's9'/],
      ['/act', { fault: { explode: 's1' } }, /explode/],
      ['/act', { upgrade: { node: 's1', to: 'new' } }, /new/],
      ['/command', { node: 's1', args: [] }, /args/],
      ['/request', { node: 's1', method: 'get', target: '/' }, /capital letters/],
      ['/pace', { rate: 1000 }, /rate/],
      ['/step', { events: 0 }, /events/],
      ['/undo', { last: true }, /nothing was done/],
      ['/undo', { last: true, act: 1 }, /exactly one/],
      ['/lesson/start', { name: '99' }, /no lesson '99'/],
      ['/lesson/run', { name: '04-reads' }, /prediction/],
      ['/lesson/check', { name: '04-reads', answers: {} }, /pages/],
    ] as const) {
      const answer = await post(path, body)
      expect([path, body, answer.status]).toEqual([path, body, 400])
      expect(((await answer.json()) as { error: string }).error).toMatch(why)
    }
    expect((await get('/nothing')).status).toBe(404)
    expect((await get('/piece?at=99')).status).toBe(404)
    expect((await end()).exit).toBe(0)
  })

  it('is typed at a terminal, or piped into it', async () => {
    const file = join(scratch(), 'saved.yaml')
    const base = await simPort()
    const child = spawn(process.execPath, [simScript, 'play', '--terminal', '--paused', '--port', String(base)])
    onTestFinished(() => void child.kill('SIGKILL'))
    let out = ''
    child.stdout.setEncoding('utf8').on('data', (text) => (out += text))
    const lines = [
      'run 8s',
      'put color blue',
      'get color',
      'curl s1 /v1/kv/color?raw',
      'svc s2 members',
      'crash s1 for 2s',
    ]
    const more = [
      'step 3',
      'status',
      'crsh s1',
      'crash s9',
      'cut s1',
      'acts',
      'undo',
      'back 1s',
      'hash',
      `save ${file}`,
      'quit',
    ]
    child.stdin.end(`${[...lines, ...more].join('\n')}\n`)
    const [exit] = await once(child, 'close')
    expect(exit).toBe(0)
    expect(out).toMatch(/^blue$/m)
    expect(out).toMatch(/^200 after \d+\.\d ms$/m)
    expect(out).toMatch(/^s3 +10\.0\.1\.3:8301 +alive/m)
    expect(out).toMatch(/^s1 +down/m)
    expect(out).toMatch(/did you mean 'crash'\?/)
    expect(out).toMatch(/there is no agent 's9'/)
    expect(out).toMatch(/^write: cut A B$/m)
    expect(out).toMatch(/^5 {2}\d+\.\d{3} s {2}crash s1/m)
    const hash = /^play> hash\n([0-9a-f]{64})$/m.exec(out)?.[1]
    const { stdout } = await run(process.execPath, [simScript, 'run', file])
    expect(stdout).toContain(`trace ${hash}`)
  })
})
