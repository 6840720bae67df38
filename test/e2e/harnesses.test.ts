import { execFile } from 'node:child_process'
import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from 'node:fs'
import { request } from 'node:https'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { defaultPortsLock, freePort, type HeldPort, heldAlone, ownLoopback } from '../tools/own-ports.ts'
import {
  eventually,
  freePorts,
  makeWorkplace,
  portFlags,
  RealAgent,
  shortestMs,
  type Workplace,
  writeConfig,
} from './real-agent.ts'

/** Agents as test harnesses of the field start them, word for word. Reference: clients.md#a-go-test-server. */

/** On a machine that does nothing else an agent is ready within a third of it; the cores of a test run are shared. */
const readyWithinMs = 3_000
const nodeId = '6e0d2a52-1111-4bd1-8e5a-2f7d0f5b9a01'

let workplace: Workplace
/** Has the program in its PATH under the name of the field, by a link, as harnesses look for it. */
let path: { readonly PATH: string }
beforeAll(() => {
  workplace = makeWorkplace()
  const bin = join(workplace.path, 'bin')
  mkdirSync(bin)
  symlinkSync(fileURLToPath(new URL('../../bin/svc.js', import.meta.url)), join(bin, 'consul'))
  path = { PATH: `${bin}:${process.env['PATH'] ?? ''}` }
})
afterAll(() => workplace.remove())

/** Programs of this machine whose command line names the workplace. */
function processesOf(path: string): readonly string[] {
  return readdirSync('/proc').filter((pid) => {
    if (!/^\d+$/.test(pid) || Number(pid) === process.pid) return false
    try {
      return readFileSync(`/proc/${pid}/cmdline`, 'utf8').includes(path)
    } catch (cause) {
      if (!(cause instanceof Error)) throw cause
      return false
    }
  })
}

interface Ran {
  readonly code: number
  readonly out: string
  readonly error: string
}

/** Runs a command of the program by its link. */
function consul(args: readonly string[], environment: Readonly<Record<string, string>> = {}): Promise<Ran> {
  return new Promise((resolve) => {
    execFile('consul', args, { env: { ...process.env, ...path, ...environment } }, (cause, out, error) => {
      resolve({ code: cause === null ? 0 : Number(cause.code), out, error })
    })
  })
}

/** Whether a program may listen at this port. */
function isFree(port: number, host = '127.0.0.1'): Promise<boolean> {
  return new Promise((resolve) => {
    const listener = createServer()
    listener.once('error', () => resolve(false))
    listener.listen(port, host, () => listener.close(() => resolve(true)))
  })
}

function overHttps(port: number): Promise<{ readonly status: number | undefined; readonly verified: boolean }> {
  return new Promise((resolve, reject) => {
    const options = { host: '127.0.0.1', port, path: '/v1/status/leader', rejectUnauthorized: false, agent: false }
    const sent = request(options, (response) => {
      const { authorized } = response.socket as unknown as { readonly authorized: boolean }
      response.resume().on('end', () => resolve({ status: response.statusCode, verified: authorized }))
    })
    sent.on('error', reject).end()
  })
}

describe('the configuration that a Go test server writes', () => {
  let agent: RealAgent | undefined
  let ports: Readonly<Record<'dns' | 'http' | 'https' | 'serf_lan' | 'serf_wan' | 'server', number>>
  let readyMs: number

  beforeAll(async () => {
    const free = async () => await freePort()
    ports = {
      ...{ dns: await free(), http: await free(), https: await free() },
      ...{ serf_lan: await free(), serf_wan: await free(), server: await free() },
    }
    const file = join(workplace.path, 'config.json')
    const config = {
      ...{ node_name: `node-${nodeId}`, node_id: nodeId, performance: { raft_multiplier: 1 } },
      ...{ bootstrap: true, server: true, data_dir: join(workplace.path, 'new', 'data'), segments: null },
      ...{ disable_update_check: true, log_level: 'debug', bind_addr: '127.0.0.1', addresses: {}, ports },
      ...{ acl_enforce_version_8: false, acl: { tokens: {} } },
      connect: {
        ca_config: { cluster_id: '11111111-2222-3333-4444-555555555555' },
        enabled: true,
        proxy: { allow_managed_api_registration: true },
      },
    }
    writeFileSync(file, JSON.stringify(config))
    readyMs = await shortestMs(readyWithinMs, () => startedWith(file))
  })
  afterAll(() => agent?.stop('SIGKILL'))

  async function startedWith(file: string): Promise<number> {
    await agent?.stop('SIGKILL')
    const startedMs = performance.now()
    agent = new RealAgent(`127.0.0.1:${ports.http}`, [`-config-file=${file}`], path, 'consul')
    await eventually('what the harness takes for ready', async () => {
      if ((await running().leader()) === '') return undefined
      const nodes = await running().request('GET', '/v1/catalog/nodes?index=0')
      await nodes.arrayBuffer()
      return nodes.status === 200 && Number(nodes.headers.get('x-consul-index')) > 0 ? true : undefined
    })
    return performance.now() - startedMs - running().waitedForCoreMs()
  }

  const running = (): RealAgent => {
    if (agent === undefined) throw new Error('the agent was not started')
    return agent
  }

  it('is one that an agent starts with, in time, and in a data directory that it made for itself alone', () => {
    expect(readyMs).toBeLessThan(readyWithinMs)
    expect(statSync(join(workplace.path, 'new', 'data')).mode & 0o777).toBe(0o700)
  })

  it('opens HTTPS with a certificate that the agent signed for itself, and says what that is worth', async () => {
    expect(await overHttps(ports.https)).toEqual({ status: 200, verified: false })
    expect(running().output).toMatch(
      /ports\.https is open, and no Cert\/Key pair provided: the agent signs a certificate/,
    )
  })

  it('has the trust domain that the file names', async () => {
    const roots = await eventually('the roots of the mesh', async () => {
      const listed = await running().json<{ TrustDomain: string }>('/v1/agent/connect/ca/roots')
      return listed?.TrustDomain === '' ? undefined : listed
    })
    expect(roots.TrustDomain).toBe('11111111-2222-3333-4444-555555555555.consul')
    expect(await running().json('/v1/connect/ca/configuration')).toMatchObject({ Provider: 'consul' })
  })

  it('is then found under the name of the field', async () => {
    const address = '127.0.0.1'
    const healthy = await eventually('the service of the servers', async () => {
      const found = await running().json<readonly object[]>('/v1/health/service/consul?passing')
      return found === undefined || found.length === 0 ? undefined : found
    })
    expect(healthy).toMatchObject([{ Node: { TaggedAddresses: { lan: address, wan: address } } }])
    expect(await running().json('/v1/agent/self')).toMatchObject({
      Config: { NodeName: `node-${nodeId}`, Datacenter: 'dc1', Server: true },
      DebugConfig: { ACLEnforceVersion8: false, ConnectEnabled: true },
      Member: { Tags: { role: 'consul', dc: 'dc1', id: nodeId, build: expect.stringMatching(/^1\.4\.0:/) } },
      Stats: { consul: { leader: 'true', server: 'true' } },
    })
    const metrics = await running().json<{ Gauges: readonly { Name: string }[] }>('/v1/agent/metrics')
    expect(metrics?.Gauges.map(({ Name }) => Name)).toContain('consul.runtime.alloc_bytes')
    const { headers } = await running().request('GET', '/v1/kv/none')
    const own = [...headers.keys()].filter((name) => name.startsWith('x-'))
    expect(own.filter((name) => !name.startsWith('x-consul-'))).toEqual(
      ['x-content-type-options'].filter((name) => headers.has(name)),
    )
  })

  it('is reached by commands of the link, which read that family of variables and no other', async () => {
    const here = { CONSUL_HTTP_ADDR: `127.0.0.1:${ports.http}`, SVC_HTTP_ADDR: '127.0.0.1:1' }
    const asked = [['members'], ['kv', 'put', 'a', '1'], ['kv', 'get', 'a'], ['kv', 'get', 'b']] as const
    const [members, put, got, none] = await Promise.all([
      consul(asked[0], here),
      consul(asked[1], here).then(async (first) => [first, await consul(asked[2], here)] as const),
      consul(asked[3], here),
      consul(['members'], { CONSUL_HTTP_ADDR: '127.0.0.1:1' }),
    ]).then(([listed, [written, read], absent, lost]) => [listed, written, read, [absent, lost]] as const)
    expect(members.out).toMatch(new RegExp(`^node-${nodeId} .* alive +server +1\\.4\\.0 +2 +dc1`, 'm'))
    expect([members.code, put.code, put.out]).toEqual([0, 0, 'Success! Data written to: a\n'])
    expect(got).toMatchObject({ code: 0, out: '1\n' })
    expect(none.map(({ code }) => code)).toEqual([1, 1])
    for (const { out, error } of [members, put, got, ...none]) expect(out + error).not.toMatch(/svc/i)
    expect(await consul(['version'])).toMatchObject({ code: 0, out: expect.stringMatching(/^Consul v1\.4\.0/) })
  })

  it('admits no client of the other name, and tells it both', async () => {
    const own = await freePorts()
    const file = writeConfig(workplace.path, 'stray.json', {
      data_dir: join(workplace.path, 'stray'),
      node_name: 'stray',
    })
    const args = [`-config-file=${file}`, '-bind=127.0.0.1', `-join=127.0.0.1:${ports.serf_lan}`, ...portFlags(own)]
    const stray = new RealAgent(`127.0.0.1:${own.http}`, args)
    const { code, out, error } = await stray.exited
    expect(code).toBe(1)
    expect(out + error).toContain(
      `it refuses: Member 'stray' is a client with names = "svc", and here names = "consul"`,
    )
    expect(error).toContain('retrying cannot help')
    expect(error).not.toContain('-retry-join')
    expect(running().output).toMatch(
      /\[ERR\] memberlist: push\/pull refused .*reason="Member 'stray' is a client with names = \\"svc\\", and here names = \\"consul\\"/,
    )
    const members = await running().json<readonly { Name: string }[]>('/v1/agent/members')
    expect(members?.map(({ Name }) => Name)).toEqual([`node-${nodeId}`])
  })

  it('shows its metrics at SIGUSR1, where Node would open a debugger', async () => {
    running().signal('SIGUSR1')
    const shown = await eventually('the metrics', async () => {
      return /^\[[-0-9]{10} [:0-9]{8} \+0000 UTC\]\[S\] 'consul\.raft\.fsm\.apply': Count: \d+ .*$/m.exec(
        running().output,
      )?.[0]
    })
    expect(shown).toMatch(/Sum: [\d.]+ LastUpdated: [-0-9]{10} [:0-9]{8} \+0000 UTC$/)
    expect(running().output).not.toContain('Debugger listening')
  })

  it('ends at SIGINT, and leaves no process', async () => {
    const { code } = await running().stop('SIGINT')
    expect([code, processesOf(workplace.path)]).toEqual([1, []])
  })

  it('starts again on the same files, ends at SIGKILL, and leaves neither a process nor a port that is taken', async () => {
    await startedWith(join(workplace.path, 'config.json'))
    await running().stop('SIGKILL')
    expect(processesOf(workplace.path)).toEqual([])
    for (const port of Object.values(ports)) expect(await isFree(port), `${port}`).toBe(true)
  })
})

describe.skipIf(process.platform !== 'linux')('the acceptance tests of an npm client', () => {
  const config = '{"primary_datacenter":"dc1","acl":{"enabled":false},"enable_script_checks":true}'
  const defaultPorts = [8300, 8301, 8302, 8500, 8600]
  /** Those of the harness, unless another program has a default port there. */
  let addresses: readonly string[]
  let agents: readonly RealAgent[] = []
  let alone: HeldPort

  beforeAll(async () => {
    alone = await heldAlone(defaultPortsLock)
    const ofHarness = ['127.0.0.1', '127.0.0.2', '127.0.0.3']
    addresses = (await areFree(ofHarness)) ? ofHarness : ofHarness.map((_, at) => besides(at))
  })
  afterAll(async () => {
    await Promise.all(agents.map((agent) => agent.stop('SIGKILL')))
    await alone.close()
  })

  const directoryOf = (at: number): string => join(workplace.path, `agent${at + 1}`, 'run')

  async function areFree(hosts: readonly string[]): Promise<boolean> {
    const asked = hosts.flatMap((host) => defaultPorts.map((port) => isFree(port, host)))
    return (await Promise.all(asked)).every((free) => free)
  }

  function besides(at: number): string {
    const [a = '', b = '', c = '', last = ''] = ownLoopback.split('.')
    return `${a}.${b}.${c}.${((Number(last) + at) % 254) + 1}`
  }

  function started(address: string, at: number): RealAgent {
    const file = join(workplace.path, `agent${at + 1}.json`)
    writeFileSync(file, config)
    const args = [
      ...['-node', `node${at + 1}`, '-datacenter', 'dc1', '-bind', address, '-client', address],
      ...(at === 0 ? ['-bootstrap', '-server'] : []),
      ...['-config-file', file, '-data-dir', `${directoryOf(at)}/data`, '-pid-file', `${directoryOf(at)}/pid`],
    ]
    return new RealAgent(`${address}:8500`, args, path, 'consul')
  }

  /** What the harness takes for ready. */
  async function ready(agent: RealAgent, at: number): Promise<void> {
    if (at > 0) {
      await eventually('an agent that says who it is', () => agent.json('/v1/agent/self'))
      return
    }
    await eventually('a key that can be written', async () => {
      if ((await agent.leader()) === '') return undefined
      const put = await agent.request('PUT', '/v1/kv/check', 'value')
      return put.status === 200 && (await put.text()) === 'true' ? true : undefined
    })
  }

  /** Starts all three at once; how long the slowest of them took. */
  async function allReady(): Promise<number> {
    await Promise.all(agents.map((agent) => agent.stop('SIGKILL')))
    const startedMs = performance.now()
    agents = addresses.map(started)
    const took = agents.map(async (agent, at) => {
      await ready(agent, at)
      return performance.now() - startedMs - agent.waitedForCoreMs()
    })
    return Math.max(...(await Promise.all(took)))
  }

  async function expectNothingLeft(): Promise<void> {
    expect(processesOf(workplace.path)).toEqual([])
    expect(agents.map(({ pid }) => existsSync(`/proc/${pid}`))).toEqual([false, false, false])
    expect(await areFree(addresses)).toBe(true)
  }

  it('start three agents with default ports and files in directories that are not there yet, each in time', async () => {
    expect(await shortestMs(readyWithinMs, allReady)).toBeLessThan(readyWithinMs)
    const [first] = agents
    await eventually('the service of the servers', async () => {
      return Object.hasOwn((await first?.json<object>('/v1/catalog/services')) ?? {}, 'consul') ? true : undefined
    })
    for (const [at, agent] of agents.entries()) {
      expect(statSync(directoryOf(at)).mode & 0o777).toBe(0o755)
      expect(readFileSync(`${directoryOf(at)}/pid`, 'utf8')).toBe(String(agent.pid))
    }
  })

  it('interrupt them, whereupon they end and take their pid files with them', async () => {
    const codes = await Promise.all(agents.map(async (agent) => (await agent.stop('SIGINT')).code))
    // Clients leave the pool in order; a server does not, and says so by its code. Reference: configuration.md#leaving.
    expect(codes).toEqual([1, 0, 0])
    expect(agents.map((_, at) => existsSync(`${directoryOf(at)}/pid`))).toEqual([false, false, false])
    await expectNothingLeft()
  })

  it('start them again over their files and kill them, whereupon no process and no port is left', async () => {
    await allReady()
    await Promise.all(agents.map((agent) => agent.stop('SIGKILL')))
    await expectNothingLeft()
  })
})
