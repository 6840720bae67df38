import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { freePort } from '../tools/own-ports.ts'
import { addresses, ask } from './dns-client.ts'
import { devAgent, eventually, freePorts, leads, type RealAgent } from './real-agent.ts'

const dnsmasqIsThere = spawnSync('dnsmasq', ['--version']).error === undefined

let agent: RealAgent
let forwarder: ChildProcess | undefined
beforeEach((context) => {
  if (!dnsmasqIsThere) context.skip('dnsmasq is not there')
})
afterEach(async () => {
  forwarder?.kill('SIGKILL')
  await agent?.stop('SIGKILL')
})

/** A dnsmasq by itself on a port of its own. */
async function startForwarder(...settings: readonly string[]): Promise<number> {
  const port = await freePort()
  const flags = ['--keep-in-foreground', '--no-resolv', '--no-hosts', '--conf-file=/dev/null', '--bind-interfaces']
  const place = [`--port=${port}`, '--listen-address=127.0.0.1', '--cache-size=0', '--pid-file=', '--user=', '--group=']
  forwarder = spawn('dnsmasq', [...flags, ...place, ...settings])
  return port
}

async function startAgent(...flags: readonly string[]): Promise<{ readonly host: string; readonly port: number }> {
  const ports = await freePorts({ dns: true })
  agent = devAgent(ports, '-node=n0', ...flags)
  await leads(agent)
  return { host: '127.0.0.1', port: ports.dns }
}

async function place(body: object): Promise<void> {
  expect((await agent.request('PUT', '/v1/catalog/register', JSON.stringify(body))).status).toBe(200)
}

/** RFC 1035, section 4.1.1: the lowest four bits, of which 3 says that there is no such name. */
const isNoName = (flags: number): boolean => (flags & 15) === 3

describe('dnsmasq, which forwards our domain to us', () => {
  it('brings our answers to its own clients, over UDP and TCP', async () => {
    const own = await startAgent()
    for (const n of [1, 2, 3, 4, 5]) {
      await place({ Node: `n${n}`, Address: `10.7.0.${n}`, Service: { Service: 'web', Port: 9000 + n } })
    }
    // What operators are given, with the port of our agent in place of the one of production.
    const shipped = readFileSync(new URL('../../deploy/dns/dnsmasq.conf', import.meta.url), 'utf8')
    const settings = shipped.match(/^server=.*$/gm)?.map((line) => `--${line.replace('8600', String(own.port))}`) ?? []
    expect(settings).toHaveLength(2)
    const at = { host: '127.0.0.1', port: await startForwarder(...settings) }
    const udp = await eventually('an answer through dnsmasq', () =>
      ask(at, 'web.service.svc', 'A').catch(() => undefined),
    )
    // A plain UDP question is answered with three addresses at most; TCP has room for all.
    expect(udp.answers).toHaveLength(3)
    const tcp = await ask(at, 'web.service.svc', 'A', 'tcp')
    expect(tcp.answers?.map((answer) => ('data' in answer ? answer.data : '')).sort()).toEqual(
      [1, 2, 3, 4, 5].map((n) => `10.7.0.${n}`),
    )
    const services = await ask(at, '_web._tcp.service.svc', 'SRV', 'tcp')
    expect(services.answers).toHaveLength(5)
    expect((await ask(at, 'nothing.service.svc', 'A')).flags).toSatisfy(isNoName)
    expect((await ask(at, '2.0.7.10.in-addr.arpa', 'PTR')).answers).toMatchObject([{ data: 'n2.node.dc1.svc' }])
  })
})

describe('dnsmasq, which we ask for names of others', () => {
  it('is asked behind one that is not there, by UDP and TCP, and for the names of hosts that services have', async () => {
    const names = ['--host-record=www.example.test,192.0.2.7', '--cname=alias.example.test,www.example.test']
    const port = await startForwarder(...names, '--local=/example.test/')
    const recursors = [`-recursor=127.0.0.1:${await freePort()}`, `-recursor=127.0.0.1:${port}`]
    const at = await startAgent(...recursors, '-hcl=dns_config { recursor_timeout = "200ms" }')
    await place({ Node: 'n1', Address: 'www.example.test', Service: { Service: 'far', Port: 443 } })
    const answer = await eventually('an answer of dnsmasq', async () => {
      const read = await ask(at, 'alias.example.test', 'A').catch(() => undefined)
      return read?.answers?.length === 2 ? read : undefined
    })
    expect(answer.answers?.map(({ type }) => type)).toEqual(['CNAME', 'A'])
    expect(await addresses(at, 'www.example.test', 'tcp')).toEqual(['192.0.2.7'])
    expect((await ask(at, 'nothing.example.test', 'A')).flags).toSatisfy(isNoName)
    expect(await addresses(at, 'far.service.svc')).toEqual(['192.0.2.7'])
    expect(await addresses(at, 'n1.node.svc', 'tcp')).toEqual(['192.0.2.7'])
  })
})
