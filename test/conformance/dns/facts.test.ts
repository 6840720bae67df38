import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createHostEnv, type HostEnv } from '../../../src/host/env.ts'
import { ask } from '../ask.ts'
import type { GoldenTarget } from '../golden/golden-target.ts'
import { startRealAgent } from '../real-agent.ts'
import { startSimulatedAgent } from '../simulated-agent.ts'
import type { Asker, Said, Unsaid } from './asked.ts'
import { queries, registrations } from './catalog.ts'
import { digAsker, digIsThere } from './dig.ts'
import type { Fact } from './fact.ts'
import { nameFacts } from './name-facts.ts'
import { packetAsker } from './packet-asker.ts'
import { recordFacts } from './record-facts.ts'
import { recursingFacts, upstreamNames } from './recursing-facts.ts'
import { tunedFacts, tunedSettings } from './tuned-facts.ts'
import { openUpstream, type Says } from './upstream.ts'

/** One that says nothing, one that fails, one that knows. */
const upstreams: readonly Says[] = [
  () => 'silence',
  () => 'SERVFAIL',
  (name) =>
    name.startsWith('broken.')
      ? 'SERVFAIL'
      : ((upstreamNames as Readonly<Record<string, readonly string[]>>)[name] ?? 'NXDOMAIN'),
]

interface Running {
  readonly target: GoldenTarget
  readonly asker: Asker
  stop(): Promise<void>
}

type Settings = NonNullable<Parameters<typeof startRealAgent>[0]>['more']

function recursing(recursors: readonly string[]): Settings {
  return { recursors, dns_config: { recursor_timeout: '100ms' } } as unknown as Settings
}

/** A real agent, asked with dig. */
async function real(settings: Settings, withUpstreams: boolean): Promise<Running> {
  const host = '127.0.0.1'
  const env: HostEnv = createHostEnv({ logSink: () => {}, logLevel: 'error' })
  const opened = []
  for (const says of withUpstreams ? upstreams : []) opened.push(await openUpstream(env, { host, port: 0 }, says))
  const recursors = opened.map(({ port }) => `${host}:${port}`)
  const agent = await startRealAgent({ more: { ...settings, ...(withUpstreams ? recursing(recursors) : {}) } })
  const stop = async (): Promise<void> => {
    await agent.stop()
    env.close()
  }
  return { target: agent.target, asker: digAsker(host, agent.target.ports['dns'] as number), stop }
}

/** A simulated one, asked with packets. */
async function simulated(settings: Settings, withUpstreams: boolean): Promise<Running> {
  const host = '127.0.0.1'
  const ports = upstreams.map((_says, at) => 5301 + at)
  const beside = async (env: Parameters<typeof openUpstream>[0]): Promise<void> => {
    for (const [at, says] of upstreams.entries()) await openUpstream(env, { host, port: ports[at] as number }, says)
  }
  const more = { ...settings, ...(withUpstreams ? recursing(ports.map((port) => `${host}:${port}`)) : {}) }
  const agent = await startSimulatedAgent('default', { more, ...(withUpstreams ? { beside } : {}) })
  return { target: agent.target, asker: packetAsker(agent.target), stop: agent.stop }
}

async function fill(target: GoldenTarget): Promise<void> {
  for (const body of registrations) {
    const reply = await ask(target, 'PUT /v1/catalog/register', JSON.stringify(body))
    expect([body.Node, reply.status, reply.text]).toEqual([body.Node, 200, 'true'])
  }
  for (const body of queries) expect((await ask(target, 'POST /v1/query', JSON.stringify(body))).status).toBe(200)
}

const tables: readonly (readonly [name: string, facts: readonly Fact[], settings: Settings, withUpstreams: boolean])[] =
  [
    ['as it comes', [...nameFacts, ...recordFacts], {}, false],
    ['with other settings', tunedFacts, tunedSettings as unknown as Settings, false],
    ['with recursors', recursingFacts, {}, true],
  ]

const worlds = [
  ['a real agent asked with dig', real],
  ['a simulated agent', simulated],
] as const

describe.each(worlds)('%s', (world, start) => {
  describe.each(tables)('%s', (_table, facts, settings, withUpstreams) => {
    const isThere = world === 'a simulated agent' || digIsThere
    let running: Running | undefined
    let said: readonly (Said | Unsaid)[] = []

    beforeAll(async () => {
      if (!isThere) return
      running = await start(settings, withUpstreams)
      await fill(running.target)
      said = await running.asker(facts.map((fact) => fact.ask))
    }, 60_000)
    afterAll(() => running?.stop())

    it.each(facts.map((fact, at) => [`dns.md ${fact.of}: ${fact.says}`, fact, at] as const))(
      '%s',
      (_title, fact, at) => {
        if (!isThere) return
        holds(fact, said[at])
      },
    )

    it('[DNS-019] every kind of name and of record is answered as the reference has it', () => {
      if (!isThere) return
      expect(said).toHaveLength(facts.length)
      for (const [at, fact] of facts.entries()) holds(fact, said[at])
    })

    it('dns.md 72: the order is drawn', async () => {
      if (running === undefined) return
      const name = facts === tunedFacts ? 'many.service.tuned.example.' : 'many.service.svc.'
      const again = await running.asker(Array.from({ length: 6 }, () => ({ name, edns: 4096 })))
      expect(new Set(again.map((each) => (each === 'no answer' ? each : each.order.join()))).size).toBeGreaterThan(1)
    })
  })
})

function holds(fact: Fact, said: Said | Unsaid | undefined): void {
  if (said === undefined || said === 'no answer') {
    expect(said).toBe(fact.said)
    return
  }
  if (typeof fact.said === 'function') {
    fact.said(said)
    return
  }
  const nothing = { head: 'NOERROR qr aa rd', answers: [], authorities: [], additionals: [], edns: undefined }
  const sorted = (lines: readonly string[] | undefined) => [...(lines ?? [])].sort()
  const { order: _order, bytes: _bytes, ...facts } = said
  const expected = { ...nothing, ...(fact.said === 'no answer' ? {} : fact.said) }
  expect(facts).toEqual({
    ...expected,
    answers: sorted(expected.answers),
    authorities: sorted(expected.authorities),
    additionals: sorted(expected.additionals),
  })
}
