import { execFile, spawn } from 'node:child_process'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import {
  devAgent,
  eventually,
  type Finished,
  freePorts,
  makeWorkplace,
  portFlags,
  RealAgent,
  runSvc,
} from './real-agent.ts'

const launcher = fileURLToPath(new URL('../../bin/svc.js', import.meta.url))

const workplace = makeWorkplace()
let agent: RealAgent
let closed: RealAgent
let http: string

beforeAll(async () => {
  const ports = await freePorts()
  http = `127.0.0.1:${ports.http}`
  agent = devAgent(ports, '-node=n1', '-hcl', 'disable_remote_exec = false')
  const others = await freePorts()
  const place = [`-data-dir=${join(workplace.path, 'n2')}`, '-bind=127.0.0.1', '-retry-interval=200ms']
  const pool = `-retry-join=127.0.0.1:${ports.serf_lan}`
  closed = new RealAgent(`127.0.0.1:${others.http}`, ['-node=n2', ...place, pool, ...portFlags(others)])
  await eventually('the membership checks of both', async () => {
    const checks = await agent.json<unknown[]>('/v1/health/state/passing')
    return checks?.length === 2 ? true : undefined
  })
})
afterAll(async () => {
  await Promise.all([agent.stop('SIGKILL'), closed.stop('SIGKILL')])
  workplace.remove()
})

function exec(...args: readonly string[]): Promise<Finished> {
  return runSvc(['exec', ...args], 'echo from a script\n', { SVC_HTTP_ADDR: http })
}

describe('svc exec', () => {
  it('[CFG-014] runs a command on the nodes that allow it and on no other, and says what became of it', async () => {
    const [fine, broken, script, direct] = await Promise.all([
      exec('echo out; echo err >&2'),
      exec('exit 3'),
      exec('-'),
      exec('-shell=false', 'printf', '%s|', 'a b', '$HOME'),
    ])
    expect(fine.error).toBe('')
    expect(fine.code).toBe(0)
    expect(fine.out.split('\n').slice(0, 2).sort()).toEqual(['    n1: err', '    n1: out'])
    expect(fine.out).toMatch(/==> n1: finished with exit code 0\n1 \/ 1 node\(s\) completed \/ acknowledged\n$/)
    expect(broken).toEqual({
      code: 2,
      error: '',
      out: '==> n1: finished with exit code 3\n1 / 1 node(s) completed / acknowledged\n',
    })
    expect(script.out).toMatch(/^ {4}n1: from a script\n/)
    expect(direct.out).toMatch(/^ {4}n1: a b\|\$HOME\|\n/)
    expect(closed.output).toContain('ignoring remote exec event, disabled.')
  })

  it('leaves neither keys nor a session behind', async () => {
    expect(await agent.json('/v1/kv/_rexec?keys')).toBeUndefined()
    expect(await agent.json('/v1/session/list')).toEqual([])
  })

  it('asks only the nodes that its filters take', async () => {
    const ran = await exec('-node=other', '-wait=1s', 'echo never')
    const error = 'No node acknowledged: agents run commands only with disable_remote_exec set to false\n'
    expect(ran).toEqual({ code: 1, error, out: '0 / 0 node(s) completed / acknowledged\n' })
  })

  it('kills running commands when the caller has gone', async () => {
    const sleeping = 'echo begun; exec sleep 4321'
    const caller = spawn(process.execPath, [launcher, 'exec', sleeping], {
      env: { ...process.env, SVC_HTTP_ADDR: http },
    })
    await new Promise<void>((resolve) => caller.stdout.once('data', () => resolve()))
    caller.kill('SIGKILL')
    const [session] = (await agent.json<{ ID: string }[]>('/v1/session/list')) ?? []
    await agent.request('PUT', `/v1/session/destroy/${session?.ID}`)
    await eventually('the end of the program', async () => ((await isRunning('sleep 4321')) ? undefined : true))
  })

  it('says what is wrong with its use', async () => {
    const [nothing, filter, wait] = await Promise.all([exec(), exec('-node=(', 'x'), exec('-wait=soon', 'x')])
    expect([nothing.code, nothing.error]).toEqual([1, expect.stringMatching(/^Must specify a command to execute\n/)])
    expect([filter.code, filter.error]).toEqual([1, expect.stringMatching(/^Failed to compile node filter regexp: /)])
    expect([wait.code, wait.error]).toEqual([
      1,
      expect.stringMatching(/^-wait soon: not a duration such as 2s or 100ms\n/),
    ])
  })
})

function isRunning(command: string): Promise<boolean> {
  return new Promise((resolve) =>
    execFile('ps', ['-eo', 'args'], (_, out) => resolve(out.split('\n').includes(command))),
  )
}
