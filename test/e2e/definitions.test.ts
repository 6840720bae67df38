import { readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { addresses, type DnsServer, serviceRecords } from './dns-client.ts'
import { type AgentPortsInUse, eventually, freePorts, leads, portFlags, RealAgent, runSvc } from './real-agent.ts'
import { Stage } from './stage.ts'
import { startWebServer, type WebServer } from './web-server.ts'

const stage = new Stage()
let web: WebServer | undefined
let ports: AgentPortsInUse
beforeEach(async () => {
  ports = await freePorts({ dns: true })
})
afterEach(async () => {
  await web?.stop()
  web = undefined
})

function define(name: string, content: object | string): void {
  const text = typeof content === 'string' ? content : JSON.stringify(content)
  writeFileSync(join(stage.path, name), text)
}

function dev(...more: readonly string[]): RealAgent {
  const flags = ['-dev', `-config-dir=${stage.path}`, ...portFlags(ports), ...more]
  return stage.add(new RealAgent(`127.0.0.1:${ports.http}`, flags))
}

function dns(): DnsServer {
  return { host: '127.0.0.1', port: ports.dns }
}

interface Entry {
  readonly Service: { readonly ID: string; readonly Tags: readonly string[]; readonly Port: number }
}

async function passing(agent: RealAgent, name: string): Promise<readonly Entry[]> {
  return (await agent.json<readonly Entry[]>(`/v1/health/service/${name}?passing`)) ?? []
}

async function found(agent: RealAgent, name: string): Promise<Entry> {
  return eventually(`${name} is found`, async () => (await passing(agent, name))[0])
}

describe('svc agent -dev -config-dir', () => {
  it('[CLI-002 REG-001 REG-003 REG-008 REG-009 REG-010 AGT-009 AGT-013] serves a web server while it answers, over HTTP and DNS, and stops cleanly', async () => {
    web = await startWebServer()
    const http = `http://127.0.0.1:${web.port}/`
    const service = { id: 'web-1', name: 'web', port: web.port, tags: ['v1'], check: { http, interval: '1s' } }
    define('web.json', { service })
    const agent = dev('-node=alpha')
    const entry = await found(agent, 'web')
    expect(entry.Service).toMatchObject({ ID: 'web-1', Tags: ['v1'], Port: web.port })
    expect(await addresses(dns(), 'web.service.svc')).toEqual(['127.0.0.1'])
    expect(await addresses(dns(), 'web-1.service.svc')).toEqual([])
    expect(await addresses(dns(), 'v1.web.service.svc', 'tcp')).toEqual(['127.0.0.1'])
    expect(await addresses(dns(), 'v2.web.service.svc')).toEqual([])
    expect(await serviceRecords(dns(), 'web.service.svc')).toEqual([
      { target: 'alpha.node.dc1.svc', port: web.port, addresses: ['127.0.0.1'] },
    ])
    const members = (await runSvc(['members', `-http-addr=${agent.address}`])).out.trimEnd().split('\n')
    expect(members[1]?.split(/ {2,}/)[3]).toBe('server')
    expect(members).toHaveLength(2)
    expect(await agent.json('/v1/health/node/alpha')).toMatchObject([
      { CheckID: 'serfHealth', Status: 'passing', Output: 'Agent alive and reachable' },
      { Status: 'passing', Output: expect.stringContaining(`HTTP GET ${http}: 200 OK`) },
    ])

    await web.stop()
    await eventually('web has left DNS', async () =>
      (await addresses(dns(), 'web.service.svc')).length === 0 ? true : undefined,
    )
    expect(await serviceRecords(dns(), 'web.service.svc')).toEqual([])
    expect(await passing(agent, 'web')).toEqual([])
    expect(await agent.json('/v1/health/service/web')).toHaveLength(1)

    const finished = await agent.stop('SIGINT')
    expect(finished.code).toBe(1)
    expect(finished.out).toContain('Graceful shutdown disabled. Exiting')
    expect(finished.error).toBe('')
  })

  it('shows in its banner what is open', async () => {
    const agent = dev('-node=alpha')
    await leads(agent)
    const shown = ['HTTP', 'HTTPS', 'gRPC', 'DNS'].map(
      (face) => new RegExp(`${face}: (-?\\d+)`).exec(agent.output)?.[1],
    )
    expect(shown).toEqual([String(ports.http), '-1', '-1', String(ports.dns)])
    expect(agent.output).toContain(`Cluster Addr: 127.0.0.1 (LAN: ${ports.serf_lan}, WAN: -1)`)
  })

  it('takes services over the command line, and lets go of them', async () => {
    const agent = dev()
    await leads(agent)
    const svc = (...args: readonly string[]) =>
      runSvc([...args.slice(0, 2), `-http-addr=${agent.address}`, ...args.slice(2)])
    expect(await svc('services', 'register', '-name=db', '-port=5432', '-tag=main')).toMatchObject({
      code: 0,
      out: 'Registered service: db\n',
    })
    expect((await found(agent, 'db')).Service).toMatchObject({ ID: 'db', Port: 5432, Tags: ['main'] })
    expect((await svc('catalog', 'services', '-tags')).out).toMatch(/^db +main$/m)
    expect((await svc('services', 'deregister', '-id=db')).out).toBe('Deregistered service: db\n')
    expect(await addresses(dns(), 'db.service.svc')).toEqual([])
  })
})

describe('a reload', () => {
  it('[AGT-028 AGT-029 REG-020] takes over changed definitions on a hangup, with no moment in which a service is missing', async () => {
    define('web.json', { service: { name: 'web', port: 1000, tags: ['r0'] } })
    const agent = dev()
    await found(agent, 'web')
    let watching = true
    const gaps: string[] = []
    let looks = 0
    const watch = async (): Promise<void> => {
      while (watching) {
        if ((await passing(agent, 'web')).length !== 1) gaps.push('HTTP')
        if ((await addresses(dns(), 'web.service.svc')).length !== 1) gaps.push('DNS')
        looks++
      }
    }
    const watched = watch()
    for (let round = 1; round <= 5; round++) {
      define('web.json', { service: { name: 'web', port: 1000 + round, tags: [`r${round}`] } })
      agent.signal('SIGHUP')
      await eventually(`round ${round} is seen`, async () => {
        const [entry] = await passing(agent, 'web')
        return entry?.Service.Port === 1000 + round && entry.Service.Tags[0] === `r${round}` ? true : undefined
      })
    }
    watching = false
    await watched
    expect(looks).toBeGreaterThan(5)
    expect(gaps).toEqual([])
    expect(await addresses(dns(), 'r5.web.service.svc')).toEqual(['127.0.0.1'])
    expect(agent.output).toContain('Caught signal:  hangup')
  })

  it('adds what is new and takes out what is gone, and leaves alone what came over HTTP', async () => {
    define('web.json', { services: [{ name: 'web' }, { name: 'old' }] })
    const agent = dev()
    await found(agent, 'old')
    expect((await agent.request('PUT', '/v1/agent/service/register', '{"Name":"api"}')).status).toBe(200)
    define('web.json', { services: [{ name: 'web' }, { name: 'new' }] })
    expect(await runSvc(['reload', `-http-addr=${agent.address}`])).toMatchObject({
      code: 0,
      out: 'Configuration reload triggered\n',
    })
    await found(agent, 'new')
    await eventually('old is gone', async () => ((await passing(agent, 'old')).length === 0 ? true : undefined))
    for (const name of ['web', 'api']) expect(await passing(agent, name), name).toHaveLength(1)
  })

  it('takes over the level of the log, and metadata of the node', async () => {
    define('agent.json', { log_level: 'INFO', node_meta: { rack: 'r1' } })
    const agent = dev('-node=alpha')
    const meta = async (): Promise<string | undefined> => {
      const nodes = await agent.json<readonly { Meta: Readonly<Record<string, string>> }[]>('/v1/catalog/nodes')
      return nodes?.[0]?.Meta?.['rack']
    }
    await eventually('the node is in rack r1', async () => ((await meta()) === 'r1' ? true : undefined))
    expect(agent.output).not.toContain('[DEBUG]')
    define('agent.json', { log_level: 'DEBUG', node_meta: { rack: 'r2' }, node_name: 'beta' })
    agent.signal('SIGHUP')
    await eventually('the node is in rack r2', async () => ((await meta()) === 'r2' ? true : undefined))
    expect(agent.output).toContain('[DEBUG]')
    expect(agent.output).toContain('Configuration reloaded: node_meta is {"rack":"r2"}, was {"rack":"r1"}')
    expect(agent.output).not.toContain('restart to apply')
    define('agent.json', { log_level: 'DEBUG', node_meta: { rack: 'r3' }, domain: 'other' })
    expect((await runSvc(['reload', `-http-addr=${agent.address}`])).code).toBe(0)
    await eventually('the node is in rack r3', async () => ((await meta()) === 'r3' ? true : undefined))
    expect(agent.output).toContain('Configuration reloaded: domain has changed: restart to apply')
  })

  it('of a configuration with a mistake changes nothing and says what is wrong', async () => {
    define('web.json', { service: { name: 'web', port: 80 } })
    const agent = dev()
    await found(agent, 'web')
    define('web.json', '{\n  "service": { "name": "web", "port": "81" }\n}')
    const reload = await runSvc(['reload', `-http-addr=${agent.address}`])
    expect(reload.code).toBe(1)
    expect(reload.error).toMatch(/^Error reloading: Unexpected response code: 400 \(.*web\.json:2:\d+: service "web": /)
    agent.signal('SIGHUP')
    await eventually('the mistake is in the log', async () =>
      /Reload config failed: .*web\.json:2:\d+: service "web"/.test(agent.output) ? true : undefined,
    )
    expect((await found(agent, 'web')).Service.Port).toBe(80)
  })
})

describe('an agent refuses to start', () => {
  async function refused(content: object | string): Promise<readonly string[]> {
    define('bad.json', content)
    const data = join(stage.path, 'data')
    const flags = ['-server', '-bootstrap', '-bind=127.0.0.1', `-data-dir=${data}`, `-config-dir=${stage.path}`]
    const { code, error } = await runSvc(['agent', ...flags, ...portFlags(ports)])
    expect(code).toBe(1)
    expect(readdirSync(stage.path)).not.toContain('data')
    return error.trimEnd().split('\n')
  }

  it('[AGT-031 REG-019] with a check that cannot be run, naming it and its place', async () => {
    const service =
      '{\n  "service": {\n    "name": "web",\n    "checks": [\n      {"id": "api", "name": "API", "http": "http://x"}\n    ]\n  }\n}'
    const [line, ...more] = await refused(service)
    expect(more).toEqual([])
    expect(line).toMatch(/^==> .*bad\.json:5:\d+: .*"(api|API)".*Interval must be > 0 for Script, HTTP, or TCP checks$/)
  })

  it('[HLT-023] with the same line as svc validate has for it', async () => {
    const definition = { check: { id: 'both', name: 'both', ttl: '5s', interval: '1s' } }
    const [started] = await refused(definition)
    const validated = await runSvc(['validate', stage.path])
    expect(validated.code).toBe(1)
    expect(`${validated.out}${validated.error}`).toContain(started?.replace(/^==> /, ''))
  })

  it('[REG-019] with a service without a name, or with a port in quotes', async () => {
    expect((await refused({ service: { port: 80 } }))[0]).toContain('Missing service name')
    expect((await refused({ service: { name: 'web', port: '80' } }))[0]).toMatch(
      /service "web": .*'port' expected type/,
    )
  })

  it('with a script while scripts are disabled', async () => {
    expect((await refused({ check: { id: 'mem', name: 'm', args: ['/bin/true'], interval: '5s' } }))[0]).toContain(
      `check "mem": Scripts are disabled on this agent; to enable, configure 'enable_script_checks' or 'enable_local_script_checks' to true`,
    )
  })
})
