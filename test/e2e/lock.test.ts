import { execFile, spawn } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { devAgent, eventually, freePorts, type RealAgent } from './real-agent.ts'

const launcher = new URL('../../bin/svc.js', import.meta.url).pathname

let agent: RealAgent
let http: string
let folder: string

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'svc-lock-'))
  const ports = await freePorts()
  http = `127.0.0.1:${ports.http}`
  agent = devAgent(ports, '-node=n1')
  await eventually('the membership check of the node', async () => {
    const checks = await agent.json<{ CheckID: string }[]>('/v1/health/node/n1')
    return checks?.some(({ CheckID }) => CheckID === 'serfHealth') ? true : undefined
  })
})
afterAll(async () => {
  await agent.stop('SIGKILL')
  rmSync(folder, { recursive: true, force: true })
})

interface Ran {
  readonly code: number
  readonly out: string
  readonly error: string
}

function svc(...args: readonly string[]): Promise<Ran> {
  return new Promise((resolve) => {
    const environment = { ...process.env, SVC_HTTP_ADDR: http }
    execFile(process.execPath, [launcher, ...args], { env: environment }, (failure, out, error) => {
      resolve({ code: failure === null ? 0 : Number(failure.code), out, error })
    })
  })
}

async function keys(): Promise<readonly string[]> {
  return (await agent.json<string[]>('/v1/kv/?keys')) ?? []
}

describe('svc lock', () => {
  it('runs a command while it holds the lock, and leaves nothing behind', async () => {
    const ran = await svc(
      'lock',
      '-verbose',
      'some/lock',
      `echo held: $SVC_LOCK_HELD; ${process.execPath} ${launcher} kv get -keys some/`,
    )
    expect(ran).toEqual({
      code: 0,
      error: '',
      out: [
        'Setting up lock at path: some/lock/.lock',
        'Attempting lock acquisition',
        'Starting handler',
        'held: true',
        'some/lock/',
        'Child terminated, releasing lock',
        'Cleanup succeeded',
        '',
      ].join('\n'),
    })
    expect(await keys()).toEqual([])
    expect(await agent.json('/v1/session/list')).toEqual([])
  })

  it('tells of a command that fails, and exits with 2 only where asked to', async () => {
    expect(await svc('lock', 'l', 'exit 3')).toEqual({
      code: 0,
      out: '',
      error: 'Error running handler: exit status 3\n',
    })
    expect((await svc('lock', '-child-exit-code', 'l', 'exit 3')).code).toBe(2)
    expect((await svc('lock', '-child-exit-code', '-shell=false', 'l', 'echo', '$HOME')).out).toBe('$HOME\n')
    expect((await svc('lock', '-child-exit-code', '-shell=false', 'l', '/nowhere/at-all')).code).toBe(2)
  })

  it('lets one command in at a time', async () => {
    const file = join(folder, 'log')
    const one = (name: string) =>
      svc('lock', 'busy', `echo in ${name} >> ${file}; sleep 0.2; echo out ${name} >> ${file}`)
    const ran = await Promise.all(['a', 'b', 'c'].map(one))
    expect(ran.map(({ code }) => code)).toEqual([0, 0, 0])
    const lines = readFileSync(file, 'utf8').trim().split('\n')
    expect(lines).toHaveLength(6)
    for (let at = 0; at < 6; at += 2) expect(lines[at + 1]).toBe(lines[at]?.replace('in', 'out'))
  })

  it('lets as many in at a time as are asked for, and no more', async () => {
    const file = join(folder, 'semaphore')
    // No holder leaves before two are in, however slow the machine is; then a third one has a moment to come in
    // wrongly.
    const two = `until [ $(grep -c in ${file}) -ge 2 ]; do sleep 0.05; done; sleep 0.2`
    const one = () => svc('lock', '-n=2', '-verbose', 'some', `echo in >> ${file}; ${two}; echo out >> ${file}`)
    const ran = await Promise.all([one(), one(), one()])
    expect(ran.map(({ code, error }) => [code, error])).toEqual([0, 1, 2].map(() => [0, '']))
    expect(ran[0]?.out).toMatch(/^Setting up semaphore \(limit 2\) at prefix: some\/\n/)
    const lines = readFileSync(file, 'utf8').trim().split('\n')
    const inside = lines.map((_, at) => lines.slice(0, at + 1).reduce((sum, word) => sum + (word === 'in' ? 1 : -1), 0))
    expect([lines.length, Math.max(...inside)]).toEqual([6, 2])
    expect(await keys()).not.toContain('some/.lock')
    expect(await agent.json('/v1/session/list')).toEqual([])
  })

  it('takes no place among holders that count to another limit, or in a key that is something else', async () => {
    const list = JSON.stringify({ Limit: 3, Holders: null })
    await fetch(`http://${http}/v1/kv/three/.lock?flags=16210313421097356768`, { method: 'PUT', body: list })
    await fetch(`http://${http}/v1/kv/plain/.lock`, { method: 'PUT', body: list })
    const [other, plain] = await Promise.all([
      svc('lock', '-n=2', 'three', 'true'),
      svc('lock', '-n=2', 'plain', 'true'),
    ])
    expect([other.code, other.error]).toEqual([
      1,
      'Lock acquisition failed: semaphore limit conflict (lock: 3, local: 2)\n',
    ])
    expect([plain.code, plain.error]).toEqual([
      1,
      'Lock acquisition failed: Existing key does not match semaphore use\n',
    ])
    expect((await keys()).filter((key) => /^(three|plain)/.test(key))).toEqual(['plain/.lock', 'three/.lock'])
  })

  it('ends the command when its session is ended by another client', async () => {
    const child = spawn(process.execPath, [launcher, 'lock', '-verbose', 'lost', 'exec sleep 60'], {
      env: { ...process.env, SVC_HTTP_ADDR: http },
    })
    let out = ''
    child.stdout.on('data', (bytes: Buffer) => {
      out += bytes.toString()
    })
    const ended = new Promise<number | null>((resolve) => child.once('exit', resolve))
    await eventually('the handler', async () => (out.includes('Starting handler') ? true : undefined))
    const [session] = (await agent.json<{ ID: string }[]>('/v1/session/list')) ?? []
    await fetch(`http://${http}/v1/session/destroy/${session?.ID}`, { method: 'PUT' })
    expect(await ended).toBe(0)
    expect(out).toContain('Lock lost, terminating child')
  })

  it('gives up after -try, and refuses what it does not understand', async () => {
    await fetch(`http://${http}/v1/kv/other/.lock`, { method: 'PUT', body: 'x' })
    expect(await svc('lock', 'other', 'true')).toMatchObject({
      code: 1,
      error: 'Lock acquisition failed: Existing key does not match lock use\n',
    })
    expect((await svc('lock')).error).toContain('Key prefix and child command must be specified')
    expect((await svc('lock', '-n=0', 'a', 'true')).error).toContain('-n 0: not a number from 1 to 1000')
    const holder = spawn(process.execPath, [launcher, 'lock', 'tried', 'sleep 30'], {
      env: { ...process.env, SVC_HTTP_ADDR: http },
    })
    const ended = new Promise((resolve) => holder.once('exit', resolve))
    await eventually('the lock', async () => ((await keys()).includes('tried/.lock') ? true : undefined))
    expect(await svc('lock', '-try=300ms', 'tried', 'true')).toMatchObject({
      code: 1,
      error: 'Shutdown triggered or timeout during lock acquisition\n',
    })
    holder.kill('SIGTERM')
    await ended
    expect(await keys()).not.toContain('tried/.lock')
  })
})
