import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { freePort } from '../tools/own-ports.ts'
import { addresses, ask } from './dns-client.ts'
import { devAgent, eventually, freePorts, leads, makeWorkplace, type RealAgent, type Workplace } from './real-agent.ts'

/** A resolver of others in front of our DNS: how it is started, with a configuration that forwards to a port. */
interface Forwarder {
  readonly program: string
  readonly configuration: (port: number, ours: number, place: string) => string
  readonly flags: (file: string) => readonly string[]
}

/** What operators are given (deploy/dns), with the port of our agent in place of the one of production. */
const shipped = (name: string, ours: number): string =>
  readFileSync(new URL(`../../deploy/dns/${name}`, import.meta.url), 'utf8').replaceAll('8600', String(ours))

/** Letters of names in random case, by which it recognises forged answers: ours must keep them. */
const unbound: Forwarder = {
  program: 'unbound',
  flags: (file) => ['-d', '-p', '-c', file],
  configuration: (port, ours, place) => `server:
  directory: "${place}"
  username: ""
  chroot: ""
  use-syslog: no
  interface: 127.0.0.1@${port}
  do-ip6: no
  module-config: "iterator"
  use-caps-for-id: yes
  cache-max-ttl: 0
  cache-max-negative-ttl: 0
remote-control:
  control-enable: no
${shipped('unbound.conf', ours)}`,
}

/** It asks with cookies, and for signatures. */
const bind: Forwarder = {
  program: 'named',
  flags: (file) => ['-g', '-n', '1', '-c', file],
  configuration: (port, ours, place) => `options {
  directory "${place}";
  pid-file none;
  session-keyfile "${place}/session.key";
  listen-on port ${port} { 127.0.0.1; };
  listen-on-v6 { none; };
  recursion yes;
  dnssec-validation no;
  empty-zones-enable no;
  max-cache-ttl 0;
  max-ncache-ttl 0;
};
controls { };
${shipped('named.conf', ours)}`,
}

const forwarders = [unbound, bind]
const isThere = ({ program }: Forwarder): boolean => spawnSync(program, ['-V']).error === undefined

let workplace: Workplace
let agent: RealAgent | undefined
let dnsPort = 0
let running: ChildProcess | undefined

beforeAll(async () => {
  workplace = makeWorkplace()
  if (!forwarders.some(isThere)) return
  const ports = await freePorts({ dns: true })
  dnsPort = ports.dns
  const started = devAgent(ports, '-node=n0', '-hcl=dns_config { enable_truncate = true }')
  agent = started
  await leads(started)
  for (let n = 1; n <= 40; n++) {
    const Service = { Service: n <= 3 ? 'web' : 'many', Port: 9_000 + n }
    const body = JSON.stringify({ Node: `n${n}`, Address: `10.7.0.${n}`, Service })
    expect((await started.request('PUT', '/v1/catalog/register', body)).status).toBe(200)
  }
})
afterEach(() => running?.kill('SIGKILL'))
afterAll(async () => {
  await agent?.stop('SIGKILL')
  workplace.remove()
})

/** RFC 1035, section 4.1.1: the lowest four bits, of which 3 says that there is no such name. */
const isNoName = (flags: number): boolean => (flags & 15) === 3

describe.each(forwarders)('$program, which forwards our domain to us', (forwarder) => {
  it('brings our answers to its own clients: addresses, services, names of addresses, and that there is none', async (context) => {
    if (!isThere(forwarder)) return context.skip(`${forwarder.program} is not there`)
    const at = { host: '127.0.0.1', port: await freePort() }
    const file = join(workplace.path, `${forwarder.program}.conf`)
    writeFileSync(file, forwarder.configuration(at.port, dnsPort, workplace.path))
    running = spawn(forwarder.program, forwarder.flags(file), { stdio: 'ignore' })
    const three = ['10.7.0.1', '10.7.0.2', '10.7.0.3']
    await eventually('an answer through it', async () => {
      const found = await addresses(at, 'web.service.svc', 'tcp').catch(() => [])
      return [...found].sort().join() === three.join() ? true : undefined
    })
    expect([...(await addresses(at, 'WEB.Service.svc'))].sort()).toEqual(three)
    const services = await ask(at, '_web._tcp.service.svc', 'SRV', 'tcp')
    expect(services.answers?.filter(({ type }) => type === 'SRV')).toHaveLength(3)
    // Our answer over UDP is cut off: it comes for the rest over TCP.
    expect((await ask(at, '_many._tcp.service.svc', 'SRV', 'tcp')).answers).toHaveLength(37)
    expect((await ask(at, '2.0.7.10.in-addr.arpa', 'PTR')).answers).toMatchObject([{ data: 'n2.node.dc1.svc' }])
    expect((await ask(at, 'nothing.service.svc', 'A')).flags).toSatisfy(isNoName)
    expect((await ask(at, 'web.service.svc', 'AAAA')).answers).toEqual([])
  })
})
