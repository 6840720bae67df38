import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { freePort } from '../tools/own-ports.ts'
import { projectRoot } from '../tools/planted.ts'
import { blocksUnder, runBlock } from './operations-page.ts'
import { devAgent, eventually, freePorts, leads, portFlags, RealAgent, runSvc } from './real-agent.ts'
import { Stage } from './stage.ts'

const stage = new Stage()

async function startDev(more: readonly string[] = []): Promise<RealAgent> {
  const ports = await freePorts()
  return stage.led(devAgent(ports, ...more))
}

describe('svc agent -dev', () => {
  it('[AGT-012 CLI-001] leads a cluster of its own within moments', async () => {
    const dev = await startDev()
    expect(await dev.leader()).toMatch(/^127\.0\.0\.1:\d+$/)
    expect(JSON.parse(await dev.text('/v1/status/peers'))).toEqual([await dev.leader()])
  })

  it('starts with the folder of examples, as the first command of the README has it', async () => {
    const dev = await startDev(['-config-dir', join(projectRoot, 'examples')])
    expect(Object.keys(JSON.parse(await dev.text('/v1/agent/services')))).toEqual(['web'])
  })

  it('[AGT-010] keeps nothing: a restart begins an empty cluster, and no file is made', async () => {
    const before = readdirSync(stage.path)
    const dev = await startDev(['-data-dir', stage.path])
    await dev.request('PUT', '/v1/kv/a', 'x')
    expect(await dev.text('/v1/kv/a?raw')).toBe('x')
    await dev.stop('SIGKILL')
    expect(readdirSync(stage.path)).toEqual(before)
    const again = await startDev()
    expect((await again.request('GET', '/v1/kv/a')).status).toBe(404)
  })

  it('warms up when it is idle, and shows nothing of it but a line at level debug', async () => {
    const dev = await startDev(['-log-level=debug', '-hcl=performance { warm_up = true }'])
    const said = async () => dev.output.includes('warmed up with common requests') || undefined
    await eventually('it has warmed up', said, 90_000)
    expect(dev.output).not.toMatch(/scratch|warm-up/)
    expect(Object.keys(JSON.parse(await dev.text('/v1/catalog/services')))).toEqual(['svc'])
    expect(JSON.parse(await dev.text('/v1/agent/checks'))).toEqual({})
    expect(JSON.parse(await dev.text('/v1/kv/?keys'))).toEqual([])
  })

  it('[AGT-011] says in its help and at its start that it is not for production', async () => {
    const help = await runSvc(['agent', '-h'])
    expect(help.code).toBe(0)
    expect(help.out.replace(/\s+/g, ' ')).toContain('not for production')
    const dev = await startDev()
    expect(dev.output).toContain('-dev keeps nothing on disk and is not for production')
  })

  it('[AGT-037 AGT-038 CFG-043 UPG-026 UPG-045] serves its web interface with -ui alone, and with -ui-dir another’s files instead', async () => {
    const start = async (name: string, flags: readonly string[]): Promise<RealAgent> => {
      const ports = await freePorts()
      const place = ['-bind=127.0.0.1', `-data-dir=${join(stage.path, name)}`, ...portFlags(ports)]
      return new RealAgent(`127.0.0.1:${ports.http}`, [...place, ...flags])
    }
    const own = join(stage.path, 'interface')
    mkdirSync(own)
    writeFileSync(join(own, 'index.html'), 'own')
    writeFileSync(join(stage.path, 'secret'), 'secret')
    const flags = [[], ['-ui'], [`-ui-dir=${own}`]]
    const agents = await Promise.all(flags.map((more, at) => start(`c${at}`, more)))
    try {
      const shown = (path: string) =>
        Promise.all(
          agents.map(async (each) => {
            await eventually('an agent', () => each.json('/v1/agent/self'))
            const response = await each.request('GET', path)
            return [response.status, (await response.text()).split('\n')[0]]
          }),
        )
      expect(await shown('/ui/')).toEqual([
        [404, ''],
        [200, '<!doctype html>'],
        [200, 'own'],
      ])
      expect(await shown('/')).toEqual([
        [200, 'Svc Agent'],
        [200, '<!doctype html>'],
        [200, 'own'],
      ])
      const scripts = await shown('/ui/app.js')
      expect(scripts.map(([status]) => status)).toEqual([404, 200, 200])
      expect(scripts.map(([, line]) => line)).toEqual(['', expect.stringMatching(/^\(function\(\)/), 'own'])
      expect((await shown('/ui/..%2fsecret')).map(([status]) => status)).toEqual([404, 404, 404])
      const both = await runSvc(['agent', '-ui', `-ui-dir=${own}`, '-bind=127.0.0.1', `-data-dir=${stage.path}`])
      expect([both.code, both.error]).toEqual([1, expect.stringContaining('please provide only one')])
    } finally {
      await Promise.all(agents.map((each) => each.stop('SIGKILL')))
    }
  })

  it('stops at once on an interrupt, with exit code 1, since a server does not leave by default', async () => {
    const dev = await startDev()
    const finished = await dev.stop('SIGINT')
    expect(finished.code).toBe(1)
    expect(finished.out).toContain('Graceful shutdown disabled')
  })

  it('takes the program of a check that is running along when it ends', async () => {
    const dev = await startDev(['-enable-script-checks'])
    const file = `${stage.path}/pid`
    const program = ['/bin/sh', '-c', `echo $$ > ${file}.new && mv ${file}.new ${file} && exec sleep 600`]
    const check = { Name: 'long', Args: program, Interval: '1s', Timeout: '300s' }
    await dev.request('PUT', '/v1/agent/check/register', JSON.stringify(check))
    const pid = await eventually('the program runs', async () =>
      readdirSync(stage.path).includes('pid') ? Number(readFileSync(file, 'utf8')) : undefined,
    )
    expect(isRunning(pid)).toBe(true)
    await dev.stop('SIGINT')
    await eventually('the program has ended', async () => (isRunning(pid) ? undefined : true))
  })
})

describe('commands against an agent', () => {
  let dev: RealAgent
  beforeAll(async () => {
    dev = devAgent(await freePorts(), '-node=alpha')
    await leads(dev)
  })
  afterAll(() => dev.stop('SIGKILL'))

  it('put, get, list and delete keys', async () => {
    const kv = (...args: readonly string[]) =>
      runSvc(['kv', args[0] ?? '', `-http-addr=${dev.address}`, ...args.slice(1)])
    expect(await kv('put', 'app/name', 'hello world')).toEqual({
      code: 0,
      out: 'Success! Data written to: app/name\n',
      error: '',
    })
    expect(await kv('get', 'app/name')).toEqual({ code: 0, out: 'hello world\n', error: '' })
    expect((await kv('put', 'app/sub/one')).code).toBe(0)
    expect((await kv('get', '-recurse', 'app/')).out).toBe('app/name:hello world\napp/sub/one:\n')
    expect((await kv('get', '-keys', 'app/')).out).toBe('app/name\napp/sub/\n')
    expect((await kv('get', '-detailed', 'app/name')).out).toMatch(
      /^CreateIndex {6}\d+\nFlags {12}0\nKey {14}app\/name\n/,
    )
    expect(await kv('put', '-cas', '-modify-index=1', 'app/name', 'x')).toMatchObject({
      code: 1,
      error: 'Error! Did not write to app/name: CAS failed\n',
    })
    expect((await kv('delete', '-recurse', 'app/')).out).toBe('Success! Deleted keys with prefix: app/\n')
    expect(await kv('get', 'app/name')).toEqual({ code: 1, out: '', error: 'Error! No key exists at: app/name\n' })
  })

  it('reads a value from standard input', async () => {
    expect((await runSvc(['kv', 'put', `-http-addr=${dev.address}`, 'a', '-'], 'from a pipe')).code).toBe(0)
    expect(await dev.text('/v1/kv/a?raw')).toBe('from a pipe')
  })

  it('[CLI-010] info shows whether a server leads', async () => {
    const info = await runSvc(['info', `-http-addr=${dev.address}`])
    expect(info.code).toBe(0)
    expect(info.out).toContain('\tleader = true\n')
    expect(info.out).toContain('\tstate = Leader\n')
  })

  it('[CLI-009] operator raft list-peers shows each server with its Raft protocol', async () => {
    const peers = await runSvc(['operator', 'raft', 'list-peers', `-http-addr=${dev.address}`])
    const [header, row] = peers.out.split('\n').map((line) => line.split(/ {2,}/))
    expect(header).toEqual(['Node', 'ID', 'Address', 'State', 'Voter', 'RaftProtocol'])
    expect(row?.[0]).toBe('alpha')
    expect(row?.slice(3)).toEqual(['leader', 'true', '3'])
    const before = await startDev(['-node=beta', '-raft-protocol=2'])
    const { out } = await runSvc(['operator', 'raft', 'list-peers', `-http-addr=${before.address}`])
    expect(out.split('\n')[1]?.split(/ {2,}/).slice(3)).toEqual(['leader', 'true', '2'])
  })

  it('[CLI-011 RFT-003] version shows the release, and the Raft protocol apart from the protocol of the pool', async () => {
    const { code, out } = await runSvc(['version'])
    expect(code).toBe(0)
    expect(out.split('\n').slice(0, 2)).toEqual([
      'Svc v1.4.0',
      'Protocol 2 spoken by default, understands 2 to 3 (agent will automatically use protocol >2 when speaking to compatible agents)',
    ])
    expect(out).toContain('Raft protocol 3')
    // A source that is no repository has none.
    const [revision, repository] = ['dist/revision', '.git'].map((name) => new URL(`../../${name}`, import.meta.url))
    expect(existsSync(revision as URL)).toBe(existsSync(repository as URL))
    const line = existsSync(revision as URL) ? [`Revision ${readFileSync(revision as URL, 'utf8').trim()}`, ''] : ['']
    expect(out.split('\n').slice(3)).toEqual(line)
    for (const each of line.slice(0, -1)) {
      expect(each).toMatch(/^Revision [0-9a-f]{7,} \(\d{4}-\d\d-\d\dT\S+\)( \+ changes)?$/)
    }
  })

  it('says which agent it could not reach', async () => {
    const port = await freePort()
    const finished = await runSvc(['kv', 'get', `-http-addr=127.0.0.1:${port}`, 'a'])
    expect(finished.code).toBe(1)
    expect(finished.error).toContain(`dial tcp 127.0.0.1:${port}: connect: connection refused`)
  })
})

function isRunning(pid: number): boolean {
  try {
    return process.kill(pid, 0)
  } catch {
    return false
  }
}

describe('the page on the mesh', () => {
  it('shows commands that do what it says, and a file that holds', async () => {
    const dev = await startDev()
    await eventually('a root', async () => {
      const roots = await dev.json<{ readonly ActiveRootID: string }>('/v1/connect/ca/roots')
      return roots === undefined || roots.ActiveRootID === '' ? undefined : true
    })
    const said = async (heading: string): Promise<string> => {
      let out = ''
      for (const block of blocksUnder(heading, 'mesh.md')) {
        const ran = await runBlock(block, { directory: stage.path, http: dev.address })
        expect(ran, block).toMatchObject({ code: 0 })
        out += ran.out
      }
      return out
    }
    const began = await said('Turning it on')
    expect(began).toContain('"LeafCertTTL": "72h"')
    expect(began).toMatch(/^State +ready$/m)
    expect(began).toContain('"ActiveRootID"')
    const leaves = await said('Leaves')
    expect(leaves).toContain('/ns/default/dc/dc1/svc/web"')
    expect(leaves.match(/"PrivateKeyPEM"/g)).toHaveLength(1)
    expect(await said('Changing the authority')).toContain('"LeafCertTTL": "48h"')
    const rotated = await said('Rotation')
    expect(rotated).toContain('Configuration updated!')
    expect(rotated).toMatch(/^From newer roots to older ones:$/m)
    expect(rotated).toContain('lists 3 roots')
    const intentions = await said('Intentions')
    expect(intentions).toContain('Allowed')
    const example = await runSvc(['validate', join(projectRoot, 'examples/mesh/server.hcl')])
    expect(example).toMatchObject({ code: 0, error: '' })
  })
})
