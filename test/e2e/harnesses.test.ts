import { existsSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { request } from 'node:https'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { freePort, ownLoopback } from '../tools/own-ports.ts'
import { eventually, makeWorkplace, RealAgent, shortestMs, type Workplace } from './real-agent.ts'

/** Agents as test harnesses of the field start them, word for word. Reference: clients.md#a-go-test-server. */

/** On a machine that does nothing else an agent is ready within a third of it; the cores of a test run are shared. */
const readyWithinMs = 3_000
const nodeId = '6e0d2a52-1111-4bd1-8e5a-2f7d0f5b9a01'

let workplace: Workplace
beforeAll(() => {
  workplace = makeWorkplace()
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
    agent = new RealAgent(`127.0.0.1:${ports.http}`, [`-config-file=${file}`])
    await eventually('what the harness takes for ready', async () => {
      if ((await running().leader()) === '') return undefined
      const nodes = await running().request('GET', '/v1/catalog/nodes?index=0')
      await nodes.arrayBuffer()
      return nodes.status === 200 && Number(nodes.headers.get('x-svc-index')) > 0 ? true : undefined
    })
    return performance.now() - startedMs
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
    const roots = await eventually('the roots of the mesh', () =>
      running().json<{ TrustDomain: string }>('/v1/agent/connect/ca/roots'),
    )
    expect(roots.TrustDomain).toMatch(/^11111111-2222-3333-4444-555555555555\./)
  })

  it('ends at SIGINT, and leaves no process', async () => {
    const { code } = await running().stop('SIGINT')
    expect([code, processesOf(workplace.path)]).toEqual([1, []])
  })
})

describe.skipIf(process.platform !== 'linux')('the acceptance tests of an npm client', () => {
  const [a = '', b = '', c = '', last = ''] = ownLoopback.split('.')
  /** For 127.0.0.1 to 127.0.0.3, which belong to whichever test comes first: all ports are the default ones. */
  const addresses = [0, 1, 2].map((more) => `${a}.${b}.${c}.${((Number(last) + more) % 254) + 1}`)
  let agents: readonly RealAgent[] = []

  afterAll(() => Promise.all(agents.map((agent) => agent.stop('SIGKILL'))))

  it('start three agents with default ports and files in directories that are not there yet, and kill them', async () => {
    const startedMs = performance.now()
    const directories = addresses.map((_address, at) => join(workplace.path, `agent${at + 1}`, 'run'))
    agents = addresses.map((address, at) => {
      const file = join(workplace.path, `agent${at + 1}.json`)
      writeFileSync(file, '{"primary_datacenter":"dc1","acl":{"enabled":false},"enable_script_checks":true}')
      return new RealAgent(`${address}:8500`, [
        ...['-node', `node${at + 1}`, '-datacenter', 'dc1', '-bind', address, '-client', address],
        ...(at === 0 ? ['-bootstrap', '-server'] : []),
        ...['-config-file', file, '-data-dir', `${directories[at]}/data`, '-pid-file', `${directories[at]}/pid`],
      ])
    })
    const [first, ...others] = agents
    await eventually('a key that can be written', async () => {
      if ((await first?.leader()) === '') return undefined
      const put = await first?.request('PUT', '/v1/kv/check', 'value')
      return put?.status === 200 && (await put.text()) === 'true' ? true : undefined
    })
    for (const agent of others) await eventually('an agent that says who it is', () => agent.json('/v1/agent/self'))
    expect(performance.now() - startedMs).toBeLessThan(readyWithinMs * agents.length)
    for (const [at, directory] of directories.entries()) {
      expect(statSync(directory).mode & 0o777).toBe(0o755)
      expect(readFileSync(`${directory}/pid`, 'utf8')).toBe(String(agents[at]?.pid))
    }
    await Promise.all(agents.map((agent) => agent.stop('SIGKILL')))
    expect(processesOf(workplace.path)).toEqual([])
    expect(agents.map(({ pid }) => existsSync(`/proc/${pid}`))).toEqual([false, false, false])
  })
})
