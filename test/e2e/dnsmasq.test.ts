import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { ask } from './dns-client.ts'
import { eventually, freePort, freePorts, portFlags, RealAgent } from './real-agent.ts'

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

describe('dnsmasq, which forwards our domain to us', () => {
  it('brings our answers to its own clients, over UDP and TCP', async () => {
    const ports = await freePorts({ dns: true })
    agent = new RealAgent(`127.0.0.1:${ports.http}`, ['-dev', '-node=n0', ...portFlags(ports)])
    await eventually('a leader', async () => ((await agent.leader()) === '' ? undefined : true))
    for (const n of [1, 2, 3, 4, 5]) {
      const body = { Node: `n${n}`, Address: `10.7.0.${n}`, Service: { Service: 'web', Port: 9000 + n } }
      expect((await agent.request('PUT', '/v1/catalog/register', JSON.stringify(body))).status).toBe(200)
    }
    const port = await freePort()
    const flags = ['--keep-in-foreground', '--no-resolv', '--no-hosts', '--conf-file=/dev/null', '--bind-interfaces']
    const place = [`--port=${port}`, '--listen-address=127.0.0.1', `--server=/svc/127.0.0.1#${ports.dns}`]
    forwarder = spawn('dnsmasq', [...flags, ...place, '--cache-size=0', '--pid-file=', '--user=', '--group='])
    const at = { host: '127.0.0.1', port }
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
    // RFC 1035, section 4.1.1: the lowest four bits, of which 3 says that there is no such name.
    expect((await ask(at, 'nothing.service.svc', 'A')).flags).toSatisfy((flags: number) => (flags & 15) === 3)
  })
})
