import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { createServer, type Server } from 'node:net'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { freePort } from '../tools/own-ports.ts'
import { eventually, freePorts, leads, makeWorkplace, RealAgent, type Workplace } from './real-agent.ts'
import { visit } from './running-proxy.ts'

interface Facts {
  readonly Kind: string
  readonly Port: number
}

interface ProxyConfig {
  readonly ContentHash: string
  readonly ExecMode: string
  readonly Command: readonly string[] | null
  readonly Config: Readonly<Record<string, unknown>>
  readonly Upstreams: readonly { readonly DestinationName: string }[]
}

const hasProcesses = process.platform === 'linux'

let workplace: Workplace
let agent: RealAgent
let service: Server
let servicePort: number
let upstreamPort: number
let proxyPort: number
let configFile: string

/**
 * Processes on this machine that run as the proxy of this name below our agent, by the environment that they were
 * given.
 */
function processesOf(proxyId: string, of: RealAgent = agent): readonly number[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .flatMap((pid) => {
      try {
        const variables = readFileSync(`/proc/${pid}/environ`, 'latin1').split('\0')
        const isOurs = variables.includes(`CONNECT_PROXY_ID=${proxyId}`)
        return isOurs && variables.includes(`SVC_HTTP_ADDR=http://${of.address}`) ? [Number(pid)] : []
      } catch {
        // It has ended meanwhile, or another process has its ID.
        return []
      }
    })
}

const proxyOf = (id: string) => agent.json<ProxyConfig>(`/v1/agent/connect/proxy/${id}`)
const isServed = () =>
  eventually('a connection', async () => ((await visit(upstreamPort)) === 'hello' ? true : undefined))

/** The first of two that follow each other. */
async function twoFreePorts(): Promise<number> {
  for (let first = await freePort(); ; ) {
    const second = await freePort()
    if (second === first + 1) return first
    first = second
  }
}

async function configured(more: object): Promise<readonly string[]> {
  const ports = await freePorts()
  const file = join(workplace.path, `agent-${ports.http}.json`)
  const config = {
    server: true,
    bootstrap_expect: 1,
    bind_addr: '127.0.0.1',
    data_dir: join(workplace.path, `data-${ports.http}`),
    ports: { ...ports, proxy_min_port: proxyPort, proxy_max_port: proxyPort + 1 },
    performance: { raft_multiplier: 1 },
    ...more,
  }
  writeFileSync(file, JSON.stringify(config))
  return [`127.0.0.1:${ports.http}`, file]
}

const webWith = (port: number) => ({
  name: 'web',
  port: 1,
  connect: { proxy: { upstreams: [{ destination_name: 'db', local_bind_port: port }] } },
})
const managedAllowed = { allow_managed_api_registration: true, allow_managed_root: true }

beforeAll(async () => {
  workplace = makeWorkplace()
  proxyPort = await twoFreePorts()
  upstreamPort = await freePort()
  service = createServer({ allowHalfOpen: true }, (socket) => {
    socket.on('error', () => undefined)
    socket.pipe(socket)
  })
  servicePort = await freePort()
  await new Promise<void>((resolve) => service.listen(servicePort, '127.0.0.1', resolve))
  const services = [webWith(upstreamPort), { name: 'db', port: servicePort, connect: { proxy: {} } }]
  const connect = { enabled: true, proxy: managedAllowed }
  const [address = '', file = ''] = await configured({ connect, services })
  configFile = file
  agent = new RealAgent(address, [`-config-file=${file}`])
  await isServed()
}, 60_000)

afterAll(async () => {
  await agent?.stop('SIGKILL')
  service?.close()
  workplace.remove()
})

describe.skipIf(!hasProcesses)('proxies that an agent runs', () => {
  it('are services of their own, known with all that they need, and bring connections from service to service', async () => {
    const services = await agent.json<Record<string, Facts>>('/v1/agent/services')
    expect(services?.['web-proxy']).toMatchObject({ Kind: 'connect-proxy' })
    const ports = ['web-proxy', 'db-proxy'].map((id) => services?.[id]?.Port)
    expect([...ports].sort()).toEqual([proxyPort, proxyPort + 1])
    expect(await proxyOf('db-proxy')).toMatchObject({
      ProxyServiceID: 'db-proxy',
      TargetServiceID: 'db',
      TargetServiceName: 'db',
      ExecMode: 'daemon',
      Command: null,
      Config: {
        bind_address: '127.0.0.1',
        bind_port: services?.['db-proxy']?.Port,
        local_service_address: `127.0.0.1:${servicePort}`,
      },
      Upstreams: [],
    })
    expect((await proxyOf('web-proxy'))?.Upstreams).toMatchObject([{ DestinationName: 'db' }])
    expect([processesOf('web-proxy').length, processesOf('db-proxy').length]).toEqual([1, 1])
  })

  it('are started again when they end', async () => {
    const [before = 0] = processesOf('web-proxy')
    process.kill(before, 'SIGKILL')
    const other = async () => processesOf('web-proxy').find((pid) => pid !== before)
    await eventually('another process', other)
    await isServed()
    expect(agent.output).toContain('A managed proxy has ended, and is restarted')
  })

  it('learn of changes by themselves, and continue: a caller that waits with the hash is answered', async () => {
    const [before] = processesOf('web-proxy')
    const hash = (await proxyOf('web-proxy'))?.ContentHash
    const waiting = agent.json<ProxyConfig>(`/v1/agent/connect/proxy/web-proxy?hash=${hash}&wait=30s`)
    const config = JSON.parse(readFileSync(configFile, 'utf8')) as { services: object[] }
    upstreamPort = await freePort()
    config.services[0] = webWith(upstreamPort)
    writeFileSync(configFile, JSON.stringify(config))
    agent.signal('SIGHUP')
    expect((await waiting)?.ContentHash).not.toBe(hash)
    await isServed()
    expect(processesOf('web-proxy')).toEqual([before])
  })

  it('come over the API where that is allowed, with a program of their own, and end with their service', async () => {
    const command = ['/bin/sh', '-c', 'exec sleep 1000']
    const port = await freePort()
    const definition = { Name: 'api', Port: 2, Connect: { Proxy: { Command: command, Config: { bind_port: port } } } }
    const made = await agent.request('PUT', '/v1/agent/service/register', JSON.stringify(definition))
    expect(made.status, await made.text()).toBe(200)
    await eventually('the process', async () => (processesOf('api-proxy').length === 1 ? true : undefined))
    expect(await proxyOf('api-proxy')).toMatchObject({ Command: command, Config: { bind_port: port } })
    await agent.request('PUT', '/v1/agent/service/deregister/api')
    await eventually('its end', async () => (processesOf('api-proxy').length === 0 ? true : undefined))
    expect((await agent.request('GET', '/v1/agent/connect/proxy/api-proxy')).status).toBe(404)
  })

  it('end with their agent, however it ends', async () => {
    await agent.stop('SIGKILL')
    const gone = async () => (processesOf('web-proxy').length + processesOf('db-proxy').length === 0 ? true : undefined)
    await eventually('the end of proxies whose agent is gone', gone)
    agent = new RealAgent(agent.address, agent.args)
    await isServed()
    await agent.stop('SIGTERM')
    expect(await gone()).toBe(true)
  }, 60_000)

  it('act with the token of their service where access is controlled', async () => {
    const root = '11111111-2222-4333-8444-555555555555'
    const acl = { enabled: true, default_policy: 'deny', tokens: { master: root, agent: root } }
    const port = await freePort()
    const [address = '', file = ''] = await configured({ connect: { enabled: true, proxy: managedAllowed }, acl })
    const guarded = new RealAgent(address, [`-config-file=${file}`])
    try {
      const register = (definition: object) => async () => {
        const body = JSON.stringify(definition)
        const made = await guarded.request('PUT', `/v1/agent/service/register?token=${root}`, body)
        return made.status === 200 ? true : undefined
      }
      await leads(guarded)
      const proxyOfWeb = { Upstreams: [{ DestinationName: 'db', LocalBindPort: port }] }
      await eventually('web', register({ Name: 'web', Port: 1, Connect: { Proxy: proxyOfWeb } }))
      await eventually('db', register({ Name: 'db', Port: servicePort, Connect: { Proxy: {} } }))
      await guarded.request(
        'POST',
        `/v1/connect/intentions?token=${root}`,
        JSON.stringify({ SourceName: 'web', DestinationName: 'db', Action: 'allow' }),
      )
      await eventually('a connection', async () => ((await visit(port)) === 'hello' ? true : undefined))
      // What a caller may not read is answered as if it were not there.
      expect((await guarded.request('GET', '/v1/agent/connect/proxy/web-proxy')).status).toBe(404)
    } finally {
      await guarded.stop('SIGKILL')
    }
  }, 60_000)

  it('are refused over the API unless it is allowed, and do not run as root unless that is', async () => {
    const [address = '', file = ''] = await configured({
      services: [webWith(await freePort())],
      connect: { enabled: true },
    })
    const careful = new RealAgent(address, [`-config-file=${file}`])
    try {
      await eventually('its proxy', () => careful.json<ProxyConfig>('/v1/agent/connect/proxy/web-proxy'))
      const isRoot = process.getuid?.() === 0
      const started = async () => {
        if (!isRoot) return processesOf('web-proxy', careful).length === 1 ? true : undefined
        return careful.output.includes('allow_managed_root') ? true : undefined
      }
      await eventually('the process, or why there is none', started)
      expect(processesOf('web-proxy', careful).length).toBe(isRoot ? 0 : 1)
      const definition = JSON.stringify({ Name: 'api', Port: 2, Connect: { Proxy: {} } })
      const refused = await careful.request('PUT', '/v1/agent/service/register', definition)
      expect([refused.status, await refused.text()]).toEqual([
        400,
        'Bad request: Managed proxy registration via the API is disallowed.',
      ])
    } finally {
      await careful.stop('SIGKILL')
    }
  })
})
