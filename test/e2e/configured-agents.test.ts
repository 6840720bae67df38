import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { addresses } from './dns-client.ts'
import {
  type AgentPortsInUse,
  eventually,
  freePorts,
  makeWorkplace,
  quickGossip,
  RealAgent,
  runSvc,
} from './real-agent.ts'

const nodeId = '0f5a6a3b-4a08-4d5b-8a6f-6a3b4a084d5b'
const workplace = makeWorkplace()
const script = JSON.stringify({ Name: 'up', Args: ['/bin/true'], Interval: '1s' })
let ports: AgentPortsInUse
let own: AgentPortsInUse
let server: RealAgent
let client: RealAgent

/**
 * A server that has most of what can be said about places in its file, and a client that finds it where it says it is.
 */
beforeAll(async () => {
  ports = await freePorts({ dns: true })
  mkdirSync(join(workplace.path, 'logs'))
  const file = join(workplace.path, 'server.json')
  const config = {
    ...{ server: true, bootstrap_expect: 1, node_name: 's1', data_dir: join(workplace.path, 's1') },
    ...{ bind_addr: '0.0.0.0', advertise_addr: '127.0.0.9', client_addr: '127.0.0.1' },
    addresses: { http: '127.0.0.2', dns: '127.0.0.3' },
    ports,
    log_file: join(workplace.path, 'logs/'),
    domain: 'example.org',
    http_config: { response_headers: { 'X-From': 'here', 'Access-Control-Allow-Origin': '*' } },
    ...{ performance: { raft_multiplier: 1 }, gossip_lan: quickGossip },
  }
  writeFileSync(file, JSON.stringify(config))
  server = new RealAgent(`127.0.0.2:${ports.http}`, [`-config-file=${file}`, `-node-id=${nodeId}`])
  const more = join(workplace.path, 'client.json')
  own = await freePorts({ dns: true })
  writeFileSync(
    more,
    JSON.stringify({
      ...{ ports: own, gossip_lan: quickGossip, retry_interval: '200ms', enable_script_checks: true },
      ...{ leave_on_terminate: false, pid_file: join(workplace.path, 'pid') },
    }),
  )
  client = new RealAgent(`127.0.0.4:${own.http}`, [
    ...[`-config-file=${more}`, '-node=c1', `-data-dir=${join(workplace.path, 'c1')}`],
    ...['-bind=127.0.0.4', '-client=127.0.0.4', `-retry-join=127.0.0.9:${ports.serf_lan}`],
    ...['-log-json', `-log-file=${join(workplace.path, 'client.log')}`],
  ])
  await eventually('a leader that both know', async () =>
    (await server.leader()) !== '' && (await client.leader()) !== '' ? true : undefined,
  )
})
afterAll(async () => {
  await Promise.all([server, client].map((agent) => agent.stop('SIGKILL')))
  workplace.remove()
})

describe('an agent', () => {
  it('[CLI-003 CFG-006] is what its file says, and is known by the address that it advertises', async () => {
    expect(await client.leader()).toBe(`127.0.0.9:${ports.server}`)
    const node = await eventually('what the agent says of its node', async () => {
      const found = await client.json<{ Node: { TaggedAddresses: object | null } } | null>('/v1/catalog/node/s1')
      return (found?.Node.TaggedAddresses ?? null) === null ? undefined : found
    })
    expect(node).toMatchObject({ Node: { Node: 's1', Address: '127.0.0.9', TaggedAddresses: { lan: '127.0.0.9' } } })
    const { out } = await runSvc(['members', `-http-addr=${client.address}`])
    expect(out).toMatch(new RegExp(`^s1 +127\\.0\\.0\\.9:${ports.serf_lan} +alive +server `, 'm'))
    expect(await client.json('/v1/health/node/s1')).toMatchObject([{ CheckID: 'serfHealth', Status: 'passing' }])
  })

  it('[CFG-022 CFG-023] is in the Raft configuration under the ID that it was given, and speaks Raft protocol 3', async () => {
    const { out } = await runSvc(['operator', 'raft', 'list-peers', `-http-addr=${server.address}`])
    expect(out.trim().split('\n')[1]?.split(/ {2,}/)).toEqual([
      's1',
      nodeId,
      `127.0.0.9:${ports.server}`,
      'leader',
      'true',
      '3',
    ])
  })

  it('listens where addresses say, and not at client_addr then', async () => {
    await expect(fetch(`http://127.0.0.1:${ports.http}/v1/status/leader`)).rejects.toThrow()
    const dns = { host: '127.0.0.1', port: ports.dns }
    await expect(addresses(dns, 's1.node.example.org', 'tcp')).rejects.toThrow('ECONNREFUSED')
  })

  it('[CFG-004] answers DNS in the domain that it was given, and in svc by default', async () => {
    const [given, byDefault] = [
      { host: '127.0.0.3', port: ports.dns },
      { host: '127.0.0.4', port: own.dns },
    ]
    expect(await addresses(given, 's1.node.example.org')).toEqual(['127.0.0.9'])
    expect(await addresses(given, 's1.node.svc')).toEqual([])
    expect(await addresses(byDefault, 's1.node.svc')).toEqual(['127.0.0.9'])
    expect(await addresses(byDefault, 's1.node.example.org')).toEqual([])
  })

  it('[CFG-010 LIM-005] answers DNS from stale state up to ten years old by default', async () => {
    const self = await server.json<{ DebugConfig: object }>('/v1/agent/self')
    expect(self?.DebugConfig).toMatchObject({ DNSAllowStale: true, DNSMaxStale: '87600h0m0s' })
  })

  it('[CFG-045] puts its response headers on every answer', async () => {
    for (const [method, path, status] of [
      ['GET', '/v1/status/leader', 200],
      ['PUT', '/v1/kv/a', 200],
      ['GET', '/v1/kv/none', 404],
      ['GET', '/v1/nowhere', 404],
      ['PATCH', '/v1/agent/self', 405],
      ['OPTIONS', '/v1/agent/self', 200],
      ['GET', '/v1/kv//a', 301],
      ['GET', '/v1/kv/a?index=x', 400],
      ['GET', '/v1/catalog/nodes?dc=nowhere', 500],
    ] as const) {
      const answer = await fetch(`http://${server.address}${path}`, { method, redirect: 'manual' })
      expect([method, path, answer.status]).toEqual([method, path, status])
      expect(answer.headers.get('x-from'), path).toBe('here')
      expect(answer.headers.get('access-control-allow-origin'), path).toBe('*')
    }
  })

  it('streams its log to svc monitor, what was written before first, until that is interrupted', async () => {
    const svc = fileURLToPath(new URL('../../bin/svc.js', import.meta.url))
    const flags = [svc, 'monitor', `-http-addr=${server.address}`]
    const monitor = spawn(process.execPath, flags, { stdio: ['ignore', 'pipe', 'inherit'] })
    let shown = ''
    const ended = once(monitor, 'close')
    monitor.stdout.setEncoding('utf8').on('data', (text: string) => {
      shown += text
    })
    await once(monitor.stdout, 'data')
    const put = await server.request('PUT', '/v1/agent/service/register', '{"Name":"told-of"}')
    expect(put.status).toBe(200)
    await eventually('a line that is new', async () => (/Synced service.*told-of/.test(shown) ? true : undefined))
    monitor.kill('SIGINT')
    expect(await ended).toEqual([0, null])
    expect(shown).toMatch(/^\d{4}\/\d\d\/\d\d \d\d:\d\d:\d\d \[INFO\] /)
  })

  it('[CFG-013] runs programs as checks only where that was enabled', async () => {
    const refused = await server.request('PUT', '/v1/agent/check/register', script)
    expect([refused.status, await refused.text()]).toEqual([
      500,
      expect.stringContaining("to enable, configure 'enable_script_checks' to true"),
    ])
    expect((await client.request('PUT', '/v1/agent/check/register', script)).status).toBe(200)
    await eventually('the program to have run', async () => {
      const checks = await client.json<{ up?: { Status: string } }>('/v1/agent/checks')
      return checks?.up?.Status === 'passing' ? true : undefined
    })
  })

  it('keeps its log in files, and begins a new one at SIGHUP if the last was moved away', async () => {
    const logs = join(workplace.path, 'logs')
    const [first = '', ...more] = readdirSync(logs)
    expect([first, more]).toEqual([expect.stringMatching(/^svc-\d{19}\.log$/), []])
    const lines = readFileSync(join(logs, first), 'utf8').split('\n')
    expect(lines.pop()).toBe('')
    expect(lines.filter((line) => !/^\d{4}\/\d\d\/\d\d \d\d:\d\d:\d\d \[[A-Z]+\] [\w/]+: /.test(line))).toEqual([])
    expect(server.output).toContain(`    ${lines[0]}\n`)
    renameSync(join(logs, first), join(workplace.path, 'moved.log'))
    server.signal('SIGHUP')
    const next = await eventually('a new file', async () => readdirSync(logs)[0])
    await eventually('what the reload said', async () =>
      readFileSync(join(logs, next), 'utf8').includes('Configuration reloaded') ? true : undefined,
    )
    expect(readFileSync(join(workplace.path, 'moved.log'), 'utf8')).toMatch(/Caught signal: {2}hangup/)
  })

  it('writes its log as JSON to both places, to its last line, and its number into a file that goes with it', async () => {
    const pid = join(workplace.path, 'pid')
    expect(readFileSync(pid, 'utf8')).toBe(String(client.pid))
    const { code, out } = await client.stop('SIGTERM')
    expect([code, existsSync(pid)]).toEqual([1, false])
    const [name = ''] = readdirSync(workplace.path).filter((each) => /^client-\d{19}\.log$/.test(each))
    const written = readFileSync(join(workplace.path, name), 'utf8')
    expect(out.endsWith(`\n${written}`)).toBe(true)
    const records = written
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line) as Record<string, unknown>)
    expect(records.length).toBeGreaterThan(2)
    expect(records.at(-1)).toMatchObject({ '@level': 'info', '@module': 'agent', '@message': 'Exit code: 1' })
  })
})
