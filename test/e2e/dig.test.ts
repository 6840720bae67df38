import { spawn, spawnSync } from 'node:child_process'
import { afterEach, beforeEach, describe, expect, it, type TestContext } from 'vitest'
import { devAgent, eventually, freePorts, type RealAgent } from './real-agent.ts'

const digIsThere = spawnSync('dig', ['-v']).error === undefined

let agent: RealAgent
let dnsPort: number

async function start(more: readonly string[] = []): Promise<void> {
  const ports = await freePorts({ dns: true })
  dnsPort = ports.dns
  agent = devAgent(ports, '-node=n1', ...more)
  await eventually('a server in the catalog', async () => {
    const servers = await agent.json<readonly unknown[]>('/v1/health/service/svc?passing')
    return servers?.length === 1 ? true : undefined
  })
}

async function put(path: string, body: unknown): Promise<void> {
  const answer = await agent.request('PUT', path, JSON.stringify(body))
  expect([path, answer.status]).toEqual([path, 200])
}

/** What `dig` prints of an answer, line by line. */
function dig(...args: readonly string[]): Promise<string[]> {
  const child = spawn('dig', ['@127.0.0.1', '-p', String(dnsPort), '+tries=1', '+time=5', ...args])
  let out = ''
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    out += text
  })
  return new Promise((resolve, reject) => {
    child.on('error', reject)
    child.on('close', () => resolve(out.split('\n').map((line) => line.replace(/\s+/g, ' ').trim())))
  })
}

async function short(...args: readonly string[]): Promise<string[]> {
  return (await dig('+short', ...args)).filter((line) => line !== '').sort((a, b) => (a < b ? -1 : a > b ? 1 : 0))
}

function status(lines: readonly string[]): string {
  const header = lines.find((line) => line.includes('status:')) ?? ''
  const flags = lines.find((line) => line.startsWith(';; flags:')) ?? ''
  return `${/status: (\w+)/.exec(header)?.[1]} ${/flags: ([a-z ]*);/.exec(flags)?.[1]}`
}

function needsDig(context: TestContext): void {
  if (!digIsThere) context.skip('the dig command (Debian: bind9-dnsutils) is not there')
}

beforeEach((context) => needsDig(context))
afterEach(async () => {
  await agent?.stop('SIGKILL')
})

describe('a real agent asked with dig', () => {
  it('[DNS-002 DNS-003 DNS-005 DNS-006 DNS-007 DNS-008 DNS-009 DNS-011] finds nodes, and services by name, tag and health', async () => {
    await start()
    const web = { Service: 'web', Port: 8001, Weights: { Passing: 5, Warning: 2 } }
    await put('/v1/catalog/register', { Node: 'd1', Address: '10.5.0.1', Service: { ...web, Tags: ['blue'] } })
    await put('/v1/catalog/register', { Node: 'd2', Address: '10.5.0.2', Service: { ...web, Address: '10.5.9.9' } })
    const critical = { CheckID: 'c', Name: 'c', ServiceID: 'web', Status: 'critical' }
    await put('/v1/catalog/register', { Node: 'd3', Address: '10.5.0.3', Service: web, Check: critical })
    expect(await short('d1.node.svc', 'A')).toEqual(['10.5.0.1'])
    expect(await short('web.service.svc', 'A')).toEqual(['10.5.0.1', '10.5.9.9'])
    expect(await short('+tcp', 'web.service.dc1.svc', 'A')).toEqual(['10.5.0.1', '10.5.9.9'])
    expect(await short('blue.web.service.svc')).toEqual(['10.5.0.1'])
    const services = await dig('_web._tcp.service.svc', 'SRV')
    expect(status(services)).toBe('NOERROR qr aa rd')
    expect(services).toContain('_web._tcp.service.svc. 0 IN SRV 1 5 8001 d1.node.dc1.svc.')
    expect(services).toContain('_web._tcp.service.svc. 0 IN SRV 1 5 8001 0a050909.addr.dc1.svc.')
    expect(services).toContain('d1.node.dc1.svc. 0 IN A 10.5.0.1')
    expect(services).toContain('0a050909.addr.dc1.svc. 0 IN A 10.5.9.9')
    await put('/v1/catalog/register', {
      Node: 'd1',
      Check: { ...critical, Status: 'critical' },
      SkipNodeUpdate: true,
      Address: '10.5.0.1',
    })
    expect(await short('web.service.svc')).toEqual(['10.5.9.9'])
  })

  it('[DNS-004] gives a name where a service has one, and says what is not there', async () => {
    await start(['-log-level=debug'])
    await put('/v1/catalog/register', {
      Node: 'far',
      Address: 'host.example.org',
      Service: { Service: 'ext', Port: 443 },
    })
    expect(await short('ext.service.svc')).toEqual(['host.example.org.'])
    const unknown = await dig('nope.service.svc')
    expect(status(unknown)).toBe('NXDOMAIN qr aa rd')
    expect(unknown.some((line) => /^svc\. 0 IN SOA ns\.svc\. hostmaster\.svc\. \d+ 3600 600 86400 0$/.test(line))).toBe(
      true,
    )
    expect(status(await dig('web.service.dc9.svc'))).toBe('SERVFAIL qr aa rd')
    expect(status(await dig('www.example.com'))).toBe('SERVFAIL qr rd')
    expect(await short('svc', 'NS')).toEqual(['n1.node.dc1.svc.'])
    expect(await short('-x', '127.0.0.1')).toEqual(['n1.node.dc1.svc.'])
    expect(await short('svc.service.consul')).toEqual(['127.0.0.1'])
    expect(await short('consul.service.consul')).toEqual(['127.0.0.1'])
    // dns.md 1, 9 and 102: what is said of the listeners, of each question, and how long they took.
    for (const network of ['udp', 'tcp']) {
      expect(agent.output).toMatch(new RegExp(`Started DNS server.*127\\.0\\.0\\.1:${dnsPort}.*${network}`))
    }
    expect(agent.output).toMatch(/dns: request.*nope\.service\.svc\./)
    // Told is the last interval that is over, and the two may be in different ones.
    const sampled = new Set<string>()
    const look = async () => {
      const metrics = await agent.json<{ Samples: readonly { Name: string; Count: number }[] }>('/v1/agent/metrics')
      for (const { Name, Count } of metrics?.Samples ?? []) if (Count > 0) sampled.add(Name)
      return [...sampled]
    }
    const wanted = expect.arrayContaining(['svc.dns.domain_query', 'svc.dns.ptr_query'])
    await expect.poll(look, { timeout: 30_000 }).toEqual(wanted)
  })

  it('answers as much as fits, and everything over TCP', async () => {
    await start()
    for (let i = 1; i <= 30; i++) {
      const service = { ID: `web-${i}`, Service: 'web', Port: 8000 + i }
      await put('/v1/catalog/register', { Node: `d${i}`, Address: `10.5.0.${i}`, Service: service })
    }
    expect(await short('+noedns', 'web.service.svc')).toHaveLength(3)
    expect((await short('+bufsize=1232', 'web.service.svc', 'SRV')).length).toBeGreaterThan(10)
    expect(await short('+tcp', 'web.service.svc', 'SRV')).toHaveLength(30)
    expect(await dig('+bufsize=1232', 'web.service.svc', 'SRV')).toContain('; EDNS: version: 0, flags:; udp: 1232')
  })

  it('[DNS-010] gives the advertised address for services of the agent that have none of their own', async () => {
    await start(['-advertise=127.0.0.5'])
    await put('/v1/agent/service/register', { Name: 'web', Port: 80 })
    await put('/v1/agent/service/register', { Name: 'own', Port: 81, Address: '10.9.8.7' })
    await eventually('both in the catalog', async () =>
      (await short('web.service.svc')).length > 0 && (await short('own.service.svc')).length > 0 ? true : undefined,
    )
    expect(await short('web.service.svc')).toEqual(['127.0.0.5'])
    expect(await short('own.service.svc')).toEqual(['10.9.8.7'])
  })
})
