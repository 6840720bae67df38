import { connect, createServer, type Server, type Socket } from 'node:net'
import { createServer as createTlsServer } from 'node:tls'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { freePort } from '../tools/own-ports.ts'
import { Datacenter } from './datacenter.ts'
import { eventually, type RealAgent, shortestMs } from './real-agent.ts'
import { type Coming, RunningProxy, type Visit, Visitors, visit } from './running-proxy.ts'

const isLong = process.env['SVC_TEST_LONG'] === '1'
/** Connections that are under way at any time; in the long run so many a second, whatever becomes of those before. */
const underWay = 4
const throughRotations: Coming = isLong ? { perSecond: 200 } : { underWay }
/** Connections after the last leaf has come. */
const visitsAfterwards = isLong ? 2_000 : 50
/** Maximum time from the answer to an intention's write until it takes effect. */
const effectWithinMs = 1_000

let datacenter: Datacenter
/** The service `web` and its proxy are beside the one agent, `db` beside the other. */
let besideWeb: RealAgent
let besideDb: RealAgent
let web: RunningProxy
let db: RunningProxy
let service: Server
let upstreamPort: number

async function put(agent: RealAgent, path: string, body: unknown): Promise<void> {
  const answer = await agent.request('PUT', path, JSON.stringify(body))
  expect(answer.status, await answer.text()).toBe(200)
}

const activeRoot = async () =>
  (await besideDb.json<{ readonly ActiveRootID: string }>('/v1/connect/ca/roots'))?.ActiveRootID

/** Under load it may go on after it was answered for. */
async function rotate(kind: object): Promise<void> {
  const before = await activeRoot()
  const body = JSON.stringify({ Provider: 'svc', Config: { LeafCertTTL: '72h', ...kind } })
  const answer = await besideDb.request('PUT', '/v1/connect/ca/configuration', body)
  if (answer.status !== 200) expect(await answer.text()).toMatch(/goes on$/)
  await eventually('another root', async () => ((await activeRoot()) === before ? undefined : true))
}

/** A connection that stays open, and what comes back of what is said on it. */
class Talk {
  readonly #socket: Socket
  #heard = ''
  #hear: () => void = () => undefined

  constructor(port: number) {
    this.#socket = connect({ host: '127.0.0.1', port })
    this.#socket.setEncoding('utf8').on('data', (text: string) => {
      this.#heard += text
      this.#hear()
    })
    this.#socket.on('close', () => this.#hear())
  }

  /** What has come back when this has, or when the connection is over. */
  async say(text: string): Promise<string> {
    const enough = this.#heard.length + text.length
    this.#socket.write(text)
    while (this.#heard.length < enough && !this.#socket.destroyed) {
      await new Promise<void>((resolve) => {
        this.#hear = resolve
      })
    }
    return this.#heard
  }

  close(): void {
    this.#socket.destroy()
  }
}

beforeAll(async () => {
  const mesh = { connect: { enabled: true } }
  datacenter = await Datacenter.start({ s1: mesh, s2: mesh, s3: mesh })
  besideWeb = datacenter.agent('c1')
  besideDb = datacenter.agent('c2')
  await eventually('an authority', async () => {
    const roots = await besideDb.json<{ readonly Roots: readonly unknown[] }>('/v1/connect/ca/roots')
    return roots !== undefined && roots.Roots.length > 0 ? true : undefined
  })
  service = createServer({ allowHalfOpen: true }, (socket) => {
    socket.on('error', () => undefined)
    socket.pipe(socket)
  })
  const port = await freePort()
  await new Promise<void>((resolve) => service.listen(port, '127.0.0.1', resolve))
  upstreamPort = await freePort()
  const sidecar = { Port: await freePort(), Proxy: { LocalServicePort: port } }
  await put(besideDb, '/v1/agent/service/register', { Name: 'db', Port: port, Connect: { SidecarService: sidecar } })
  db = new RunningProxy(besideDb, ['-sidecar-for=db'])
  web = new RunningProxy(besideWeb, ['-service=web', `-upstream=db:${upstreamPort}`])
  const isThere = async () => ((await visit(upstreamPort)) === 'hello' ? true : undefined)
  await eventually('a connection', isThere, 30_000)
}, 90_000)

afterAll(async () => {
  await Promise.all([web?.stop('SIGKILL'), db?.stop('SIGKILL'), datacenter?.stopAll()])
  service?.close()
})

/**
 * For connections that began after that: how many there are, and how long after it the last one began that did not get
 * the expected result.
 */
function effectOf(visits: readonly Visit[], atMs: number, isExpected: (word: string) => boolean) {
  const since = visits.filter(({ beganMs }) => beganMs > atMs)
  const others = since.filter(({ word }) => !isExpected(word)).map(({ beganMs }) => beganMs - atMs)
  return { count: since.length, lastMs: Math.max(0, ...others) }
}

/**
 * Forbids and allows again: the longest time after either was answered at which a visit began that did not know of it.
 */
async function longestEffectMs(): Promise<number> {
  const visitors = new Visitors(upstreamPort, { underWay })
  await visitors.more(20)
  const passed = async (sinceMs: number): Promise<void> => {
    await visitors.until(() => performance.now() > sinceMs + effectWithinMs)
    await visitors.more(20)
  }
  const intention = { SourceName: 'web', DestinationName: 'db', Action: 'deny' }
  const writtenMs = performance.now()
  const made = await datacenter.agent('s1').request('POST', '/v1/connect/intentions', JSON.stringify(intention))
  const deniedMs = performance.now()
  const { ID } = (await made.json()) as { ID: string }
  await passed(deniedMs)
  expect((await besideWeb.request('DELETE', `/v1/connect/intentions/${ID}`)).status).toBe(200)
  const allowedMs = performance.now()
  await passed(allowedMs)
  const visits = await visitors.stop()
  const earlier = visits.filter(({ endedMs }) => endedMs < writtenMs)
  expect([...new Set(earlier.map(({ word }) => word))]).toEqual(['hello'])
  const until = visits.filter(({ endedMs }) => endedMs < allowedMs)
  const denied = effectOf(until, deniedMs, (word) => word !== 'hello')
  const allowed = effectOf(visits, allowedMs, (word) => word === 'hello')
  for (const { count } of [denied, allowed]) expect(count).toBeGreaterThanOrEqual(20)
  return Math.max(denied.lastMs, allowed.lastMs)
}

describe('svc connect proxy', () => {
  it('says what it does', () => {
    expect(db.output).toMatch(/^==> Svc Connect proxy starting\.\.\.\n {4}Configuration mode: Agent API\n/)
    expect(web.output).toContain(`Upstream: db => 127.0.0.1:${upstreamPort} (service)`)
  })

  it('refuses new connections within a second of the intention that forbids them, and leaves open connections alone', async () => {
    const talk = new Talk(upstreamPort)
    expect(await talk.say('before ')).toBe('before ')
    expect(await shortestMs(effectWithinMs, longestEffectMs)).toBeLessThan(effectWithinMs)
    expect(await talk.say('after')).toBe('before after')
    talk.close()
  })

  it('goes on through rotations, EC to EC to RSA, and not one connection fails', async () => {
    const visitors = new Visitors(upstreamPort, throughRotations)
    const before = [web.leaves, db.leaves]
    await rotate({ PrivateKeyType: 'ec', PrivateKeyBits: 384 })
    await rotate({ PrivateKeyType: 'rsa', PrivateKeyBits: 2048 })
    const hasNewLeaves = () => web.leaves > (before[0] ?? 0) && db.leaves > (before[1] ?? 0)
    await visitors.until(hasNewLeaves)
    await visitors.more(visitsAfterwards)
    const visits = await visitors.stop()
    expect([...new Set(visits.map(({ word }) => word))]).toEqual(['hello'])
  }, 90_000)

  it('reaches a service that speaks for itself, which is found and known without a proxy', async () => {
    const leaf = await besideDb.json<{ readonly CertPEM: string; readonly PrivateKeyPEM: string }>(
      '/v1/agent/connect/ca/leaf/native',
    )
    const roots = await besideDb.json<{ readonly Roots: readonly { readonly RootCert: string }[] }>(
      '/v1/agent/connect/ca/roots',
    )
    const met: string[] = []
    const own = createTlsServer(
      {
        cert: leaf?.CertPEM,
        key: leaf?.PrivateKeyPEM,
        ca: roots?.Roots.map(({ RootCert }) => RootCert),
        requestCert: true,
        allowHalfOpen: true,
      },
      (socket) => {
        met.push(socket.getPeerCertificate().subjectaltname ?? '')
        socket.on('error', () => undefined)
        socket.pipe(socket)
      },
    )
    const [port, local] = [await freePort(), await freePort()]
    await new Promise<void>((resolve) => own.listen(port, '0.0.0.0', resolve))
    await put(besideDb, '/v1/agent/service/register', { Name: 'native', Port: port, Connect: { Native: true } })
    const proxy = new RunningProxy(besideWeb, ['-service=web', `-upstream=native:${local}`])
    try {
      await eventually('a connection', async () => ((await visit(local)) === 'hello' ? true : undefined))
      expect(met.at(-1)).toMatch(/^URI:spiffe:\/\/[0-9a-f-]+\.svc\/ns\/default\/dc\/dc1\/svc\/web$/)
      const known = await besideDb.json<Record<string, object>>('/v1/agent/services')
      expect(known?.['native']).toMatchObject({ Connect: { Native: true } })
      expect(known?.['native']).not.toHaveProperty('Proxy')
      for (const path of ['/v1/catalog/connect/native', '/v1/catalog/service/native']) {
        const [found, ...others] = (await besideWeb.json<readonly object[]>(path)) ?? []
        expect([found, others]).toMatchObject([
          { ServiceKind: '', ServicePort: port, ServiceConnect: { Native: true }, ServiceProxy: {} },
          [],
        ])
      }
      const healthy = await besideWeb.json<readonly { readonly Service: object }[]>('/v1/health/connect/native?passing')
      expect(healthy).toMatchObject([{ Service: { Service: 'native', Port: port, Connect: { Native: true } } }])
    } finally {
      await proxy.stop('SIGKILL')
      own.close()
    }
  })

  it('ends in order when it is interrupted', async () => {
    const port = await freePort()
    const flags = ['-service=api', `-listen=127.0.0.1:${port}`, '-service-addr=127.0.0.1:1', '-register']
    const api = new RunningProxy(besideWeb, flags)
    const isThere = async () =>
      (await besideWeb.json<Record<string, { readonly Port: number }>>('/v1/agent/services'))?.['api-proxy']?.Port
    expect(await eventually('the registration', isThere)).toBe(port)
    expect(await api.stop('SIGINT')).toBe(0)
    expect(await isThere()).toBeUndefined()
  })
})
