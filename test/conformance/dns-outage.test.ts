import { afterEach, describe, expect, it } from 'vitest'
import type { SimMetrics } from '../../sim/env/metrics.ts'
import { createPlatform } from '../../sim/platform/platform.ts'
import type { SimNode } from '../../sim/simulation/node.ts'
import { Simulation } from '../../sim/simulation/simulation.ts'
import { utf8 } from '../../src/base/bytes.ts'
import { normalize } from '../../src/config/normalize.ts'
import type { FileConfig } from '../../src/config/schema.ts'
import { decodeResponse, encodeQuestion, type ReceivedResponse } from '../../src/dns-wire/question.ts'
import { newestRelease, parseRelease } from '../../src/model/release.ts'
import { startProgram } from '../../src/program/start.ts'
import { askSimulatedDns } from './simulated-dns.ts'

const names = ['s1', 's2', 's3'] as const
type Name = (typeof names)[number]
const hostOf = (name: Name): string => `10.0.1.${name.slice(1)}`
const ports = { dns: 8600, http: 8500, server: 8300, serf_lan: 8301, serf_wan: -1 }
const hourMs = 3_600_000
/** A server alone looks for the others all the while: an hour is some tens of thousands of events. */
const outageMs = process.env['SVC_TEST_LONG'] === '1' ? 72 * hourMs : hourMs

type DnsSettings = NonNullable<FileConfig['dns_config']>

/** Three servers in the simulator, asked over their own loopback. */
class Servers {
  readonly simulation: Simulation
  readonly #nodes: ReadonlyMap<Name, SimNode>
  #leader: Name | undefined

  constructor(simulation: Simulation) {
    this.simulation = simulation
    const node = (name: Name) => simulation.addNode({ name, host: hostOf(name), directories: ['/data'] })
    this.#nodes = new Map(names.map((name) => [name, node(name)]))
  }

  async start(dns: DnsSettings, release?: string): Promise<void> {
    for (const name of names) this.#boot(name, dns, release)
    await this.simulation.runUntil(() => this.#leader !== undefined, 120_000)
    await this.#put('/v1/catalog/register', { Node: 'd1', Address: '10.5.0.1', Service: { Service: 'web', Port: 80 } })
    await this.pass(5_000)
  }

  /** A write that the leader takes. */
  write(): Promise<void> {
    return this.#put('/v1/kv/k', {})
  }

  async #put(target: string, body: object): Promise<void> {
    await this.#play(this.leader, async (env) => {
      const request = { method: 'PUT', target, headers: [], body: utf8(JSON.stringify(body)), timeoutMs: 10_000 }
      const answer = await env.http.request({ host: hostOf(this.leader), port: ports.http }, request)
      if (!answer.ok || answer.value.status !== 200) throw new Error(`${target} was refused`)
    })
  }

  get leader(): Name {
    if (this.#leader === undefined) throw new Error('there is no leader')
    return this.#leader
  }

  get followers(): readonly [Name, Name] {
    return names.filter((name) => name !== this.leader) as unknown as readonly [Name, Name]
  }

  async pass(ms: number): Promise<void> {
    const end = await this.simulation.run({ untilMs: this.simulation.nowMs + ms })
    if (end.kind !== 'time') throw new Error(end.message)
  }

  crash(name: Name): void {
    this.#node(name).crash()
  }

  restart(name: Name, dns: DnsSettings): void {
    this.#boot(name, dns)
  }

  /** `NOERROR 10.5.0.1`, say. */
  async ask(name: Name): Promise<string> {
    const packet = encodeQuestion({ id: 9, name: 'web.service.svc.', type: 'A' })
    const question = { packet, transport: 'udp', timeoutMs: 30_000 } as const
    const answer = await this.#play(name, (env) =>
      askSimulatedDns(env, { host: hostOf(name), port: ports.dns }, question),
    )
    const read = answer.kind === 'answer' ? decodeResponse(answer.packet) : undefined
    return read?.ok === true ? shown(read.value) : 'no answer'
  }

  /** One question each millisecond; those that are answered at all. */
  async askAllTheWhile(name: Name, times: number): Promise<readonly string[]> {
    const answers: string[] = []
    const packet = encodeQuestion({ id: 9, name: 'web.service.svc.', type: 'A' })
    const { env } = this.#node(name)
    for (let time = 0; time < times; time++) {
      const question = { packet, transport: 'udp', timeoutMs: 30_000 } as const
      const asked = askSimulatedDns(env, { host: hostOf(name), port: ports.dns }, question).then((answer) => {
        const read = answer.kind === 'answer' ? decodeResponse(answer.packet) : undefined
        if (read?.ok === true) answers.push(shown(read.value))
      })
      void asked
      await this.pass(1)
    }
    await this.pass(30_000)
    return answers
  }

  staleAnswers(name: Name): number {
    return (this.#node(name).env.metrics as SimMetrics).counters.get('dns.stale_queries') ?? 0
  }

  #boot(name: Name, dns: DnsSettings, release?: string): void {
    const file: FileConfig = {
      server: true,
      bootstrap_expect: 3,
      node_name: name,
      bind_addr: hostOf(name),
      client_addr: hostOf(name),
      data_dir: '/data',
      ports,
      performance: { raft_multiplier: 1 },
      retry_join: names.filter((other) => other !== name).map((other) => `${hostOf(other)}:${ports.serf_lan}`),
      dns_config: dns,
    }
    this.#node(name).boot(async (env) => {
      const as = release === undefined ? newestRelease : parseRelease(release)
      const config = normalize(file, false, env.machine, undefined, as)
      if (!config.ok) throw new Error(config.error.map(({ message }) => message).join('\n'))
      const program = await startProgram(env, config.value.config)
      if (!program.ok) throw new Error(program.error.message)
      program.value.agent.raft?.onRoleChange(({ role }) => {
        if (role === 'leader') this.#leader = name
      })
    })
  }

  #node(name: Name): SimNode {
    return this.#nodes.get(name) as SimNode
  }

  #play<T>(name: Name, act: (env: SimNode['env']) => Promise<T>): Promise<T> {
    const node = this.#node(name)
    return this.simulation.play(node, () => act(node.env), 60_000)
  }
}

function shown({ rcode, answers }: ReceivedResponse): string {
  return [rcode, ...answers.map((record) => (record.type === 'A' ? record.address : record.type))].join(' ')
}

const closing: (() => void)[] = []
afterEach(() => {
  for (const close of closing.splice(0)) close()
})

async function started(dns: DnsSettings, release?: string): Promise<Servers> {
  const platform = createPlatform()
  closing.push(() => platform.close())
  const servers = new Servers(new Simulation({ seed: 'dns-outage', platform }))
  await servers.start(dns, release)
  return servers
}

describe('DNS while there is no leader', () => {
  it('[DNS-013 DNS-015 DNS-017 TEL-007 CFG-009 CFG-010] dns.md 100 101: goes on at any server, for as long as it takes, and counts what is older than five seconds', async () => {
    const servers = await started({})
    const [left, other] = servers.followers
    expect(await servers.ask(left)).toBe('NOERROR 10.5.0.1')
    expect(servers.staleAnswers(left)).toBe(0)
    servers.crash(servers.leader)
    servers.crash(other)
    await servers.pass(4_000)
    expect(await servers.ask(left)).toBe('NOERROR 10.5.0.1')
    expect(servers.staleAnswers(left)).toBe(0)
    await servers.pass(2_000)
    expect(await servers.ask(left)).toBe('NOERROR 10.5.0.1')
    expect(servers.staleAnswers(left)).toBe(1)
    await servers.pass(outageMs)
    expect(await servers.ask(left)).toBe('NOERROR 10.5.0.1')
    expect(servers.staleAnswers(left)).toBe(2)
  })

  it.each([
    ['0.6.4', 'SERVFAIL', 'SERVFAIL'],
    ['[UPG-053] 0.7.0', 'NOERROR 10.5.0.1', 'SERVFAIL'],
    ['0.7.1', 'NOERROR 10.5.0.1', 'NOERROR 10.5.0.1'],
  ])('as %s: 3 s after the leader is lost it says %s, after 7 s and a minute %s', async (release, soon, later) => {
    const servers = await started({}, release.split(' ').at(-1))
    const [left, other] = servers.followers
    expect(await servers.ask(left)).toBe('NOERROR 10.5.0.1')
    servers.crash(servers.leader)
    servers.crash(other)
    await servers.pass(3_000)
    expect(await servers.ask(left)).toBe(soon)
    await servers.pass(4_000)
    expect(await servers.ask(left)).toBe(later)
    await servers.pass(60_000)
    expect(await servers.ask(left)).toBe(later)
  })

  it('says nothing of names while a server that started again has heard of no leader, and goes on once it has', async () => {
    const dns = {}
    const servers = await started(dns)
    const [left, other] = servers.followers
    const last = servers.leader
    for (const name of names) servers.crash(name)
    servers.restart(left, dns)
    await servers.pass(10_000)
    expect(await servers.ask(left)).toBe('SERVFAIL')
    servers.restart(other, dns)
    servers.restart(last, dns)
    await servers.pass(20_000)
    expect(await servers.ask(left)).toBe('NOERROR 10.5.0.1')
  })

  it('an agent that is still starting says at once that it cannot tell', async () => {
    const dns = {}
    const servers = await started(dns)
    const [left] = servers.followers
    servers.crash(left)
    servers.restart(left, dns)
    await servers.pass(1)
    const [first] = await servers.askAllTheWhile(left, 1)
    expect(first).toBe('SERVFAIL')
    expect(await servers.ask(left)).toBe('NOERROR 10.5.0.1')
  })

  it('a server that starts again never says less than it did before, not even as it hears of its leader', async () => {
    const dns = {}
    const servers = await started(dns)
    const [left] = servers.followers
    expect(await servers.ask(left)).toBe('NOERROR 10.5.0.1')
    servers.crash(left)
    // The first that it hears of its leader does not fit its log: until the next it does not know what of that is
    // committed.
    await servers.write()
    servers.restart(left, dns)
    await servers.pass(5)
    const answers = await servers.askAllTheWhile(left, 400)
    // While it starts, it says that it cannot tell.
    expect([...new Set(answers)]).toEqual(['SERVFAIL', 'NOERROR 10.5.0.1'])
    expect(answers.lastIndexOf('SERVFAIL')).toBeLessThan(answers.indexOf('NOERROR 10.5.0.1'))
    expect(answers.length).toBeGreaterThan(100)
  })

  it('[DNS-014 CFG-009] dns.md 36: fails where stale answers are not allowed', async () => {
    const servers = await started({ allow_stale: false })
    const [left, other] = servers.followers
    expect(await servers.ask(left)).toBe('NOERROR 10.5.0.1')
    servers.crash(servers.leader)
    servers.crash(other)
    await servers.pass(10_000)
    expect(await servers.ask(left)).toBe('SERVFAIL')
  })

  it('[DNS-016 CFG-010] dns.md 100: asks the leader for what is older than max_stale, and fails only where there is none', async () => {
    const servers = await started({ max_stale: '5s' })
    const [lagging, other] = servers.followers
    servers.simulation.network.cut(lagging, servers.leader)
    servers.simulation.network.cut(lagging, other)
    await servers.pass(3_000)
    expect(await servers.ask(lagging)).toBe('NOERROR 10.5.0.1')
    await servers.pass(10_000)
    expect(await servers.ask(lagging)).toBe('SERVFAIL')
    servers.simulation.network.heal()
    await servers.pass(20_000)
    expect(await servers.ask(lagging)).toBe('NOERROR 10.5.0.1')
  })
})
