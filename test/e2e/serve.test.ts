import { execFile } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { describe, expect, it, onTestFinished } from 'vitest'
import { simProcess, simScript } from '../tools/sim-process.ts'

const run = promisify(execFile)

interface Status {
  readonly nowMs: number
  readonly leader: string
  readonly agents: readonly { readonly node: string; readonly running: boolean }[]
}

/** A served cluster: its base port, and how it ends after SIGINT. */
async function served(...args: readonly string[]) {
  const { base, lines, end } = await simProcess(['serve', ...args], 'administration: ')
  const admin = async (what: string, body?: string) => {
    const answer = await fetch(`http://127.0.0.1:${base}${what}`, { method: 'POST', body: body ?? null })
    return { status: answer.status, text: await answer.text() }
  }
  const status = async () => (await (await fetch(`http://127.0.0.1:${base}/status`)).json()) as Status
  return { base, lines, admin, status, end }
}

async function curl(...args: readonly string[]): Promise<string> {
  return (await run('curl', ['-sS', '-m', '20', ...args])).stdout
}

async function dig(port: number, ...args: readonly string[]): Promise<string> {
  const { stdout } = await run('dig', ['@127.0.0.1', '-p', String(port), '+short', '+tries=1', '+time=10', ...args])
  return stdout.trim()
}

describe('svc-sim serve', () => {
  it('lets curl and dig talk to simulated agents, whose time follows the clock or is advanced', async () => {
    const { base, lines, admin, status, end } = await served('--servers', '3', '--clients', '1')
    expect(lines.slice(1, 5).map((line) => line.split(/ +/)[1])).toEqual(
      [1, 2, 3, 4].map((at) => `127.0.0.1:${base + at}`),
    )
    const key = (at: number) => `http://127.0.0.1:${base + at}/v1/kv/color`
    expect(await curl('-X', 'PUT', '-d', 'blue', key(4))).toBe('true')
    expect(await curl(`${key(2)}?raw&consistent`)).toBe('blue')
    expect(await dig(base + 104, 's2.node.svc')).toBe('10.0.1.2')
    expect(await dig(base + 101, '+tcp', 's3.node.svc')).toBe('10.0.1.3')

    // A blocking query waits as long as time takes; two minutes are over when they have been advanced.
    const { index } = JSON.parse(await curl('-o', '/dev/null', '-w', '{"index":%header{x-svc-index}}', key(1)))
    const watched = curl(`${key(1)}?raw&wait=90s&index=${index}`)
    expect(await Promise.race([watched, dig(base + 103, 's1.node.svc').then(() => 'waits')])).toBe('waits')
    const before = (await status()).nowMs
    expect(await admin('/advance?by=2m')).toMatchObject({ status: 200 })
    expect(await watched).toBe('blue')
    expect((await status()).nowMs - before).toBeGreaterThanOrEqual(120_000)

    const { leader } = await status()
    const at = Number(leader.slice(1))
    expect((await admin('/crash', JSON.stringify({ node: leader }))).status).toBe(200)
    expect((await admin('/advance', '{"seconds": 30}')).status).toBe(200)
    const after = await status()
    expect(after.agents[at - 1]).toMatchObject({ node: leader, running: false })
    expect(after).toMatchObject({ invariants: 'hold', leader: expect.not.stringContaining(leader) })
    expect(await curl('-o', '/dev/null', '-w', '%{http_code}', key(at))).toBe('502')
    expect(await curl(`${key(4)}?raw`)).toBe('blue')
    for (const [what, body] of [
      ['/advance', '{'],
      ['/advance?by=soon'],
      ['/advance?by=1s&seconds=1'],
      ['/rate?rate='],
      ['/crash?node=s9'],
      ['/explode'],
      ['/partition', '{"groups": 5}'],
    ] as const) {
      expect((await admin(what, body)).status, what).toBe(400)
    }
    const asked = (await status()).nowMs
    expect((await admin('/advance?seconds=1.5')).status).toBe(200)
    expect((await status()).nowMs - asked).toBeGreaterThanOrEqual(1_500)
    expect((await admin('/rate?rate=0.5')).status).toBe(200)
    expect(await status()).toMatchObject({ rate: 0.5 })
    expect((await admin('/mend')).status).toBe(200)

    const taken = await run(process.execPath, [simScript, 'serve', '--servers', '1', '--port', String(base)]).catch(
      (error: unknown) => error,
    )
    expect(taken).toMatchObject({ code: 2, stderr: expect.stringContaining('(address-in-use): give another --port') })
    expect(await end()).toMatchObject({
      exit: 0,
      err: '',
      last: expect.stringMatching(/^passed: every invariant held/),
    })
  })

  it('stops the time of a scenario when what must hold does not, and ends with 1', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'svc-serve-'))
    onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
    const file = join(folder, 'one.yaml')
    const page = 'scenario: One\ncluster: { dc1: { servers: { count: 1 } } }\nlasts: 1s\nnever: [{ leader: s1 }]\n'
    writeFileSync(file, page)
    const { base, admin, status, end } = await served(file, '--rate', '0')
    expect(await status()).toMatchObject({ nowMs: 0, invariants: 'hold' })
    const waits = fetch(`http://127.0.0.1:${base + 1}/v1/kv/a`)
    expect(await admin('/advance?by=1m')).toMatchObject({ status: 409, text: expect.stringContaining('never') })
    expect((await waits).status).toBeGreaterThanOrEqual(500)
    expect(await status()).toMatchObject({ invariants: 'broken' })
    expect((await fetch(`http://127.0.0.1:${base + 1}/v1/kv/a`)).status).toBe(503)
    expect(await end()).toMatchObject({ exit: 1, last: expect.stringMatching(/^FAILED after 2 requests/) })
  })
})
