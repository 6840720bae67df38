import { expect } from 'vitest'
import { equalBytes, utf8 } from '../../../src/base/bytes.ts'
import type { Env } from '../../../src/env/env.ts'
import { type Endpoint, highWaterBytes } from '../../../src/env/net.ts'
import { agentClient } from '../../../src/proxy/agent-client.ts'
import { MeshProxy } from '../../../src/proxy/mesh-proxy.ts'
import type { ProxyPlan, UpstreamPlan } from '../../../src/proxy/plan.ts'
import type { Law, Place } from '../env/law-world.ts'
import { eventually, got, Observed, pattern, pause } from '../env/observed.ts'
import { AgentStand } from './agent-stand.ts'

const connectTimeoutMs = 2_000

/** The service `db` behind a proxy on the one machine, `web` behind one on the other. */
interface Mesh {
  readonly stand: AgentStand
  readonly web: MeshProxy
  readonly db: MeshProxy
  /** Where `web` reaches `db`, and by a prepared query. */
  readonly upstream: Endpoint
  readonly query: Endpoint
  /** What `db` received from clients that were let in. */
  readonly taken: Observed[]
  /** Why the proxy of `db` refused a connection, by its log. */
  readonly refused: string[]
}

/** The same world, with what is said of refusals written down. */
function listening(env: Env, refused: string[]): Env {
  const write: Env['log']['write'] = (level, topic, text, fields) => {
    if (text === 'A connection was refused') refused.push(String(fields?.['why']))
    env.log.write(level, topic, text, fields)
  }
  return Object.create(env, { log: { value: Object.create(env.log, { write: { value: write } }) } }) as Env
}

function upstream(name: string, host: string, type: UpstreamPlan['type'] = 'service'): UpstreamPlan {
  return { type, name, datacenter: '', listen: { host, port: 0 }, connectTimeoutMs }
}

async function started(env: Env, stand: AgentStand, plan: ProxyPlan): Promise<MeshProxy> {
  const proxy = new MeshProxy(env, agentClient(env, { to: stand.at, headers: [] }), plan.service)
  proxy.follow(plan)
  while (proxy.upstreams.length < plan.upstreams.length) await pause(env, 1)
  while (plan.inbound !== undefined && proxy.inbound === undefined) await pause(env, 1)
  return proxy
}

async function meshOf({ env, peer, host, peerHost }: Place, answer: (taken: Observed) => void): Promise<Mesh> {
  const stand = await AgentStand.open(env, host)
  stand.tellRoots()
  for (const service of ['web', 'db']) await stand.tellLeaf(service)
  const taken: Observed[] = []
  const local = await got(
    env.tcp.listen({ host, port: 0 }, (stream) => {
      const observed = new Observed(env, stream)
      taken.push(observed)
      answer(observed)
    }),
  )
  const inbound = { listen: { host, port: 0 }, local: local.local, connectTimeoutMs }
  const refused: string[] = []
  const db = await started(listening(env, refused), stand, { service: 'db', inbound, upstreams: [] })
  stand.tellInstances('db', [{ at: db.inbound as Endpoint }])
  const upstreams = [upstream('db', peerHost), upstream('db', peerHost, 'prepared_query')]
  const web = await started(peer, stand, { service: 'web', inbound: undefined, upstreams })
  const [first, second] = web.upstreams
  return { stand, web, db, upstream: first as Endpoint, query: second as Endpoint, taken, refused }
}

/** Says `hello`, and what it hears until the other end is over; a break is told. */
async function visit(env: Env, to: Endpoint): Promise<string> {
  const dialled = await env.tcp.dial(to, { timeoutMs: connectTimeoutMs })
  if (!dialled.ok) return dialled.error.kind
  const observed = new Observed(env, dialled.value)
  dialled.value.write(utf8('hello'))
  dialled.value.end()
  await observed.until(() => observed.told.some((event) => event.startsWith('close')))
  return observed.has('close:ended') ? observed.text : 'broken'
}

/** Echoes what it hears, and ends when it has heard all. */
const echo = (taken: Observed): void => {
  taken.stream.onData((bytes) => void taken.stream.write(bytes))
  taken.stream.onEnd(() => taken.stream.end())
}

/**
 * Tells the proxies where `db` is, and waits until one that follows it has heard, which then asks for what comes next.
 */
async function told({ peer }: Place, stand: AgentStand, instances: Parameters<AgentStand['tellInstances']>[1]) {
  const asked = (): number => stand.asked.filter((what) => what === 'GET /v1/health/connect/db').length
  const before = asked()
  stand.tellInstances('db', instances)
  await eventually(peer, 'a proxy that has heard of the instances', () => asked() > before)
}

export function proxyLaws(law: Law): void {
  law('brings connections to a service over the mesh and back, by health and by a prepared query', async (place) => {
    const { upstream: to, query } = await meshOf(place, echo)
    expect(await Promise.all([visit(place.peer, to), visit(place.peer, query)])).toEqual(['hello', 'hello'])
  })

  law('keeps nobody waiting for a leaf that does not come', async ({ env, peer, host, peerHost }) => {
    const stand = await AgentStand.open(env, host)
    stand.tellRoots()
    const brief = { ...upstream('db', peerHost), connectTimeoutMs: 50 }
    const web = await started(peer, stand, { service: 'web', inbound: undefined, upstreams: [brief] })
    expect(await visit(peer, web.upstreams[0] as Endpoint)).toBe('broken')
    web.close()
  })

  law('leaves each direction its own end, and holds no more than it can pass on', async (place) => {
    const bytes = pattern(3 * highWaterBytes)
    let late: Observed | undefined
    const { upstream: to } = await meshOf(place, (taken) => {
      late = taken
      taken.stream.pause()
      taken.stream.write(utf8('first'))
      taken.stream.end()
    })
    const observed = new Observed(place.peer, await got(place.peer.tcp.dial(to, { timeoutMs: connectTimeoutMs })))
    await observed.heard('end')
    expect(observed.text).toBe('first')
    let sent = 0
    const piece = 1 << 16
    const send = (): void => {
      while (sent < bytes.length && observed.stream.write(bytes.subarray(sent, sent + piece))) sent += piece
    }
    observed.stream.onDrain(() => {
      sent += piece
      send()
      if (sent >= bytes.length) observed.stream.end()
    })
    send()
    await pause(place.peer, 50)
    late?.stream.resume()
    await late?.received(bytes.length)
    await late?.heard('end')
    expect(equalBytes(late?.bytes ?? new Uint8Array(), bytes)).toBe(true)
  })

  law('lets in the clients that its agent allows, and asks it each time; without an answer, none', async (place) => {
    const { stand, upstream: to, taken } = await meshOf(place, echo)
    expect(await visit(place.peer, to)).toBe('hello')
    stand.denied.add('web')
    expect(await visit(place.peer, to)).toBe('broken')
    stand.denied.clear()
    expect(await visit(place.peer, to)).toBe('hello')
    stand.broken = true
    expect(await visit(place.peer, to)).toBe('broken')
    expect(taken.length).toBe(2)
    expect(stand.asked.filter((what) => what === 'POST /v1/agent/connect/authorize').length).toBe(4)
  })

  law(
    'goes to the next instance where one does not answer, and breaks what was open with one that dies',
    async (place) => {
      const { peer, host } = place
      const { stand, upstream: to, db } = await meshOf(place, echo)
      const dead = [1, 2].map((port) => ({ at: { host, port } }))
      await told(place, stand, [...dead, { at: db.inbound as Endpoint }])
      for (let visits = 0; visits < 8; visits++) expect(await visit(peer, to)).toBe('hello')
      const open = new Observed(peer, await got(peer.tcp.dial(to, { timeoutMs: connectTimeoutMs })))
      open.stream.write(utf8('hello'))
      await open.until(() => open.text === 'hello')
      db.close()
      await open.until(() => open.has('close:reset'))
      expect(await visit(peer, to)).toBe('broken')
    },
  )

  law(
    'accepts no peer as a service that it is not, and no client without a certificate of this mesh',
    async (place) => {
      const { stand, upstream: to, db, taken, refused } = await meshOf(place, echo)
      const inbound = db.inbound as Endpoint
      await told(place, stand, [{ at: inbound, service: 'other' }])
      expect(await visit(place.peer, to)).toBe('broken')
      expect(await visit(place.peer, inbound)).not.toBe('hello')
      const strange = await stand.leaf(stand.uriOf('web').replace(/\/\/1/, '//2'))
      const tls = { certificateChainPem: strange.CertPEM, privateKeyPem: strange.PrivateKeyPEM }
      const dialled = await place.peer.tcp.dial(inbound, {
        timeoutMs: connectTimeoutMs,
        tls: { ...tls, trustedPems: [], trust: 'anyone' },
      })
      if (dialled.ok) {
        const observed = new Observed(place.peer, dialled.value)
        dialled.value.write(utf8('hello'))
        await observed.until(() => observed.told.some((event) => event.startsWith('close')))
        expect(observed.text).toBe('')
      }
      const strangers = refused.filter((why) => why.startsWith('it '))
      expect(strangers).toEqual([
        'it does not speak TLS: only proxies and services of the mesh connect here',
        'it shows no certificate for a service of this mesh',
      ])
      // The other end may have been let in before it was known that it is not the one.
      expect(taken.map((each) => each.text).join('')).toBe('')
    },
  )

  law('goes on through rotations from root to root, to RSA too, with every connection whole', async (place) => {
    const { stand, upstream: to } = await meshOf(place, echo)
    const open = new Observed(place.peer, await got(place.peer.tcp.dial(to, { timeoutMs: connectTimeoutMs })))
    open.stream.write(utf8('a'))
    await open.received(1)
    for (const kind of ['ec-256', 'rsa-2048'] as const) {
      await stand.rotate(kind)
      // One end hears of the new root and has a leaf of it, while the other has neither.
      for (const tell of [() => stand.tellLeaf('db'), () => stand.tellLeaf('web'), async () => stand.tellRoots()]) {
        await tell()
        for (let times = 0; times < 3; times++) {
          await pause(place.peer, 20)
          expect(await visit(place.peer, to), `${kind}, ${times}`).toBe('hello')
        }
      }
    }
    open.stream.write(utf8('b'))
    await open.received(2)
    expect(open.text).toBe('ab')
  })

  law(
    'ends in order: nobody more is taken, what is open goes on to its own end, or is broken when time is up',
    async (place) => {
      const { web, db, upstream: to } = await meshOf(place, echo)
      const dial = async () =>
        new Observed(place.peer, await got(place.peer.tcp.dial(to, { timeoutMs: connectTimeoutMs })))
      const [brief, long] = [await dial(), await dial()]
      for (const one of [brief, long]) {
        one.stream.write(utf8('a'))
        await one.received(1)
      }
      const stopped = web.stop(2_000)
      await pause(place.peer, 50)
      expect(await visit(place.peer, to)).toBe('refused')
      brief.stream.write(utf8('b'))
      await brief.received(2)
      brief.stream.end()
      await brief.heard('close:ended')
      await stopped
      await long.until(() => long.told.some((event) => event.startsWith('close')))
      expect(long.text).toBe('a')
      db.close()
    },
  )

  law(
    'follows its plan: what is new is opened, what is no more wanted takes nobody more, the rest stays',
    async (place) => {
      const { web, upstream: to } = await meshOf(place, echo)
      const open = new Observed(place.peer, await got(place.peer.tcp.dial(to, { timeoutMs: connectTimeoutMs })))
      open.stream.write(utf8('it '))
      await open.received(3)
      const more = { ...upstream('db', place.peerHost), connectTimeoutMs: 3_000 }
      web.follow({ inbound: undefined, upstreams: [more] })
      while (web.upstreams.length < 1) await pause(place.peer, 1)
      expect(await visit(place.peer, web.upstreams[0] as Endpoint)).toBe('hello')
      expect(await visit(place.peer, to)).toBe('refused')
      open.stream.write(utf8('still'))
      await open.received(5)
    },
  )
}
