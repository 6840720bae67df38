import { X509Certificate } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Env } from '../../src/env/env.ts'
import { createHostEnv } from '../../src/host/env.ts'
import { signRoot } from '../../src/pki/mesh-certificates.ts'
import { certificatePem } from '../../src/pki/pem.ts'
import { ask, begin, type Reply } from './ask.ts'
import type { GoldenTarget } from './golden/golden-target.ts'
import { certificatesIn, isTrusted, openssl } from './openssl.ts'
import { startSimulatedAgent } from './simulated-agent.ts'

const { crypto } = createHostEnv({ logSink: () => undefined, logLevel: 'error' })
const cluster = '11111111-2222-3333-4444-555555555555'
const rootsPath = '/v1/connect/ca/roots'
const configurationPath = '/v1/connect/ca/configuration'
const leafPath = '/v1/agent/connect/ca/leaf/'
const colonHex = /^[0-9a-f]{2}(:[0-9a-f]{2})*$/
const utc = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/

interface Root {
  readonly ID: string
  readonly Name: string
  readonly SerialNumber: number | bigint
  readonly SigningKeyID: string
  readonly NotBefore: string
  readonly NotAfter: string
  readonly RootCert: string
  readonly IntermediateCerts: readonly string[] | null
  readonly Active: boolean
  readonly CreateIndex: number
  readonly ModifyIndex: number
}

interface Roots {
  readonly ActiveRootID: string
  readonly TrustDomain: string
  readonly Roots: readonly Root[]
}

interface Leaf {
  readonly SerialNumber: string
  readonly CertPEM: string
  readonly PrivateKeyPEM: string
  readonly Service: string
  readonly ServiceURI: string
  readonly ValidAfter: string
  readonly ValidBefore: string
}

/** What goes to logs and metrics, whatever the log level. */
class Written {
  readonly lines: string[] = []

  readonly wrap = (env: Env): Env => {
    const note = (...what: readonly unknown[]): void => void this.lines.push(JSON.stringify(what))
    const noted = { count: note, gauge: note, sample: note, snapshot: () => env.metrics.snapshot() }
    const log: Env['log'] = { write: note, enabled: () => true, follow: (level, use) => env.log.follow(level, use) }
    return { ...env, log, metrics: noted }
  }
}

function ofKind<T>(reply: Reply): T {
  expect([reply.status, reply.status === 200 ? '' : reply.text]).toEqual([200, ''])
  return reply.json() as unknown as T
}

function activeOf({ Roots: all }: Roots): Root {
  const active = all.filter(({ Active }) => Active)
  expect(active).toHaveLength(1)
  return active[0] as Root
}

/** What only the holder of a key has: what stands between the lines of its PEM. */
function secretsOf(pem: string): readonly string[] {
  return pem.split('\n').filter((line) => line.length > 20 && !line.startsWith('-----'))
}

function freshKey(): string {
  return openssl(['genpkey', '-algorithm', 'EC', '-pkeyopt', 'ec_paramgen_curve:P-256'])
}

/** With the largest serial number that 64 bits hold. */
function rootOf(keyPem: string, nowMs: number): string {
  const key = crypto.readSigningKey(keyPem)
  if (key === undefined) throw new Error('openssl made a key that is none')
  const times = { notBeforeMs: nowMs - 3_600_000, notAfterMs: nowMs + 3_650 * 86_400_000 }
  return certificatePem(
    signRoot(crypto, key, { commonName: 'Given', uri: `spiffe://${cluster}.svc`, serial: 2n ** 64n - 1n, ...times }),
  )
}

/** In order: each test goes on where the one before it left the authority. */
describe('the mesh of one agent', () => {
  const written = new Written()
  const leaves: Leaf[] = []
  const keys: string[] = []
  let target: GoldenTarget
  let stop: (() => Promise<void>) | undefined

  const roots = async (): Promise<Roots> => ofKind<Roots>(await ask(target, `GET ${rootsPath}`))
  const leafReply = async (service: string): Promise<Reply> => {
    const reply = await ask(target, `GET ${leafPath}${service}`)
    leaves.push(ofKind<Leaf>(reply))
    return reply
  }
  const leaf = async (service: string): Promise<Leaf> => ofKind<Leaf>(await leafReply(service))
  const configure = (Config: Readonly<Record<string, string>>): Promise<Reply> =>
    ask(target, `PUT ${configurationPath}`, JSON.stringify({ Provider: 'svc', Config }))
  /** A moment in which this leaf is good. */
  const during = ({ ValidAfter }: Leaf): number => Date.parse(ValidAfter) + 120_000

  beforeAll(async () => {
    const agent = await startSimulatedAgent('default', { more: { log_level: 'trace' }, wrap: written.wrap })
    target = agent.target
    stop = agent.stop
    while ((await roots()).Roots.length === 0) await target.pause(50)
  }, 60_000)
  afterAll(() => stop?.())

  it('[CA-010] [CA-031] [CA-032] [CA-033] [CA-034] [CA-035] [CA-036] [CA-038] [CA-039] [CA-040] [CA-045] [CA-046] begins with one root of its own, which is active', async () => {
    const list = await roots()
    expect(list).toMatchObject({ TrustDomain: `${cluster}.svc`, Roots: [{ ID: list.ActiveRootID, Active: true }] })
    const root = activeOf(list)
    expect(root.Name).toBe('Svc CA Root Cert')
    expect(root.ID).toMatch(colonHex)
    expect(root.SigningKeyID).toMatch(colonHex)
    expect([root.NotBefore, root.NotAfter].every((moment) => utc.test(moment))).toBe(true)
    expect([root.CreateIndex, root.ModifyIndex].every(Number.isInteger)).toBe(true)
    expect(root.IntermediateCerts).toBeNull()
    const certificate = new X509Certificate(root.RootCert)
    expect(certificate.fingerprint.toLowerCase()).toBe(root.ID)
    expect(certificate.verify(certificate.publicKey)).toBe(true)
    expect(Date.parse(certificate.validFrom)).toBe(Date.parse(root.NotBefore))
    expect(Date.parse(certificate.validTo)).toBe(Date.parse(root.NotAfter))
    expect(BigInt(`0x${certificate.serialNumber}`)).toBe(BigInt(root.SerialNumber))
  })

  it('[CA-001] [CA-029] [CA-030] [CA-054] gives a service a key and a certificate that the root has signed', async () => {
    const web = await leaf('web')
    const [root] = (await roots()).Roots.map(({ RootCert }) => RootCert)
    expect(isTrusted(web.CertPEM, [root ?? ''], during(web))).toBe(true)
    const certificate = new X509Certificate(web.CertPEM)
    expect(certificate.subjectAltName).toBe(`URI:spiffe://${cluster}.svc/ns/default/dc/dc1/svc/web`)
    expect(web).toMatchObject({ Service: 'web', ServiceURI: certificate.subjectAltName?.slice(4) })
    expect(web.PrivateKeyPEM).toMatch(/^-----BEGIN EC PRIVATE KEY-----\n/)
    const publicKey = openssl(['pkey', '-in', 'key', '-pubout'], { key: web.PrivateKeyPEM })
    expect(publicKey).toBe(certificate.publicKey.export({ type: 'spki', format: 'pem' }))
    expect(Date.parse(web.ValidBefore) - Date.parse(web.ValidAfter)).toBe(72 * 3_600_000)
  })

  it('keeps one for each service, with an index that grows with each', async () => {
    const [first, again, other] = [await leafReply('web'), await leafReply('web'), await leafReply('db')]
    expect([again.text, again.headers.get('x-cache'), again.headers.get('age')]).toEqual([first.text, 'HIT', '0'])
    expect(other.headers.get('x-cache')).toBe('MISS')
    expect(other.index()).toBeGreaterThan(first.index())
    expect(ofKind<Leaf>(other).SerialNumber).not.toBe(ofKind<Leaf>(first).SerialNumber)
    for (const header of ['x-svc-knownleader', 'x-svc-lastcontact']) expect(first.headers.has(header)).toBe(false)
  })

  it('waits for the next one for as long as it says', async () => {
    const now = await leafReply('web')
    const startedMs = target.nowMs()
    const same = await ask(target, `GET ${leafPath}web?index=${now.index()}&wait=3s`)
    expect(same.text).toBe(now.text)
    expect(target.nowMs() - startedMs).toBeGreaterThanOrEqual(3_000)
    expect(target.nowMs() - startedMs).toBeLessThan(4_000)
    const elsewhere = await ask(target, `GET ${leafPath}web?index=${now.index() + 1_000}&wait=3s`)
    expect([elsewhere.text, target.nowMs() - startedMs < 4_000]).toEqual([now.text, true])
  })

  it.each([
    [`GET ${leafPath}`, 400, 'Missing service name'],
    [`GET ${leafPath}web?index=x`, 400, 'Invalid index'],
    [`GET ${leafPath}web?wait=x`, 400, 'Invalid wait time'],
    [`GET ${leafPath}web?dc=dc2`, 400, 'a leaf is of the datacenter of the agent that keeps it'],
    [`PUT ${leafPath}web`, 405, 'method PUT not allowed'],
    ['PUT /v1/agent/connect/ca/roots', 405, 'method PUT not allowed'],
  ])('refuses %s', async (line, status, text) => {
    const reply = await ask(target, line)
    expect([reply.status, reply.text]).toEqual([status, text])
  })

  it('tells what it keeps of the roots, and for how long it may have been otherwise', async () => {
    const [first, again] = [
      await ask(target, 'GET /v1/agent/connect/ca/roots'),
      await ask(target, 'GET /v1/agent/connect/ca/roots'),
    ]
    expect(first.text).toBe((await ask(target, `GET ${rootsPath}`)).text)
    expect([first.headers.get('x-cache'), again.headers.get('x-cache')]).toEqual(['MISS', 'HIT'])
    expect([first.headers.has('age'), again.headers.get('age')]).toEqual([false, '0'])
    const bad = await target.until(
      begin(target, 'GET /v1/agent/connect/ca/roots', undefined, [['Cache-Control', 'max-age=x']]),
    )
    expect([bad.status, bad.text]).toEqual([400, 'Invalid Cache-Control header.'])
  })

  it('[CA-047] [CA-048] [CA-049] [CA-051] [CA-052] shows how its authority is configured', async () => {
    const reply = await ask(target, `GET ${configurationPath}`)
    expect(reply.headers.has('x-svc-index')).toBe(false)
    expect(reply.json()).toEqual({
      Provider: 'svc',
      Config: { LeafCertTTL: '72h', RotationPeriod: '2160h' },
      CreateIndex: expect.any(Number),
      ModifyIndex: expect.any(Number),
    })
  })

  it('[CA-017] [CA-053] keeps the root where the update changes neither key nor provider', async () => {
    const before = await roots()
    const configured = ofKind<{ ModifyIndex: number }>(await ask(target, `GET ${configurationPath}`))
    expect(await configure({ LeafCertTTL: '36h', RotationPeriod: '1440h' })).toMatchObject({ status: 200, text: '' })
    expect(await roots()).toEqual(before)
    const after = ofKind<{ Config: object; ModifyIndex: number }>(await ask(target, `GET ${configurationPath}`))
    expect(after.Config).toEqual({ LeafCertTTL: '36h', RotationPeriod: '1440h' })
    expect(after.ModifyIndex).toBeGreaterThan(configured.ModifyIndex)
    const short = await leaf('shorter')
    expect(Date.parse(short.ValidBefore) - Date.parse(short.ValidAfter)).toBe(36 * 3_600_000)
  })

  it('[CA-015] [CA-021] [CA-022] [CA-023] [CA-025] [CA-026] [CA-042] [CA-043] [CA-044] rotates to another key: verifiers that trust only the old root accept new leaves', async () => {
    const old = activeOf(await roots())
    const oldLeaf = await leaf('web')
    const indexBefore = (await ask(target, `GET ${leafPath}web`)).index()
    const waiting = begin(target, `GET ${leafPath}web?index=${indexBefore}&wait=60s`)
    keys.push(freshKey())
    expect((await configure({ LeafCertTTL: '72h', PrivateKey: keys.at(-1) ?? '' })).status).toBe(200)
    const list = await roots()
    const [active, before] = [activeOf(list), list.Roots.find(({ ID }) => ID === old.ID)]
    expect(list.Roots).toHaveLength(2)
    expect(active.ID).not.toBe(old.ID)
    expect(active.IntermediateCerts).toHaveLength(1)
    expect(before).toMatchObject({ Active: false, IntermediateCerts: null })
    expect(before?.ModifyIndex).toBeGreaterThan(old.ModifyIndex)
    const newLeaf = await leaf('web')
    expect(newLeaf.PrivateKeyPEM).not.toBe(oldLeaf.PrivateKeyPEM)
    expect(certificatesIn(newLeaf.CertPEM).slice(1).join('')).toBe(active.IntermediateCerts?.join(''))
    const at = during(newLeaf)
    for (const trusted of [[old], [active], [old, active]]) {
      const stores = trusted.map(({ RootCert }) => RootCert)
      expect(isTrusted(newLeaf.CertPEM, stores, at)).toBe(true)
      expect(isTrusted(oldLeaf.CertPEM, stores, at)).toBe(trusted.includes(old))
    }
    expect(isTrusted(certificatesIn(newLeaf.CertPEM)[0] ?? '', [old.RootCert], at)).toBe(false)
    const told = await target.until(waiting)
    leaves.push(ofKind<Leaf>(told))
    expect(told.index()).toBeGreaterThan(indexBefore)
    expect(told.text).toBe((await ask(target, `GET ${leafPath}web`)).text)
  })

  it('[CA-037] [CA-041] [CA-050] takes a root that it is given, with the largest serial number, and shows no key', async () => {
    keys.push(freshKey())
    const given = rootOf(keys.at(-1) ?? '', during(leaves.at(-1) as Leaf)).trimEnd()
    const reply = await configure({ LeafCertTTL: '72h', PrivateKey: keys.at(-1) ?? '', RootCert: given })
    expect([reply.status, reply.text]).toEqual([200, ''])
    const answer = await ask(target, `GET ${rootsPath}`)
    expect(answer.text).toContain('"SerialNumber":18446744073709551615,')
    const active = activeOf(ofKind<Roots>(answer))
    expect(active).toMatchObject({ RootCert: given, IntermediateCerts: [expect.any(String), expect.any(String)] })
    const shown = ofKind<{ Config: Record<string, string> }>(await ask(target, `GET ${configurationPath}`))
    expect(shown.Config['PrivateKey']).toBe('hidden')
    const web = await leaf('web')
    for (const { RootCert } of (await roots()).Roots) expect(isTrusted(web.CertPEM, [RootCert], during(web))).toBe(true)
  })

  it('has each private key in the answer to its own request, and nowhere else', async () => {
    const lines = [
      ...['GET /v1/agent/self', 'GET /v1/agent/metrics', 'GET /v1/agent/connect/ca/roots', 'GET /v1/catalog/nodes'],
      ...[`GET ${rootsPath}`, `GET ${configurationPath}`, 'GET /v1/connect/ca/forecast', 'GET /v1/agent/services'],
    ]
    const answers = []
    for (const line of lines) answers.push((await ask(target, line)).text)
    answers.push((await configure({ LeafCertTTL: '1m', PrivateKey: keys[0] ?? '' })).text)
    answers.push((await configure({ PrivateKey: keys[0]?.replace(/[A-Z]/g, 'x') ?? '' })).text)
    answers.push(
      (await ask(target, `PUT ${configurationPath}`, `{"Provider":"x","Config":${JSON.stringify(keys)}}`)).text,
    )
    const all = [...leaves.map(({ PrivateKeyPEM }) => PrivateKeyPEM), ...keys]
    const secrets = new Set(all.flatMap(secretsOf))
    expect(secrets.size).toBeGreaterThan(10)
    const places = [...written.lines, ...answers]
    expect(places.length).toBeGreaterThan(50)
    expect([...secrets].filter((secret) => places.some((text) => text.includes(secret)))).toEqual([])
    expect(places.filter((text) => text.includes('PRIVATE KEY'))).toEqual([])
  })
})

describe('an agent whose servers have no mesh', () => {
  it('[CA-008] says so wherever the authority is asked for, and has no root', async () => {
    const { target, stop } = await startSimulatedAgent('noconnect')
    try {
      const off = 'Connect must be enabled in order to use this endpoint'
      for (const line of [
        `GET ${rootsPath}`,
        `GET ${configurationPath}`,
        'GET /v1/connect/ca/forecast',
        'GET /v1/agent/connect/ca/roots',
        `GET ${leafPath}web`,
      ]) {
        const reply = await ask(target, line)
        expect([line, reply.status, reply.text]).toEqual([line, 500, off])
      }
    } finally {
      await stop()
    }
  })
})

describe('leaves where only what a rule allows may be done', () => {
  it('are for tokens that may write the service, at every asking', async () => {
    const { target, stop } = await startSimulatedAgent('acl')
    const as = (token: string, line: string, body?: string) =>
      ask(target, `${line}${line.includes('?') ? '&' : '?'}token=${token}`, body)
    try {
      while ((await as('root', 'GET /v1/acl/list')).status !== 200) await target.pause(500)
      const rules = 'service "web" { policy = "write" }'
      await as('root', 'PUT /v1/acl/update', JSON.stringify({ ID: 'writes-web', Type: 'client', Rules: rules }))
      await as('root', 'PUT /v1/acl/update', JSON.stringify({ ID: 'second', Type: 'client', Rules: rules }))
      const refused = [403, 'Permission denied']
      const told = async (token: string, service: string, more = '') => {
        const { status, text } = await as(token, `GET ${leafPath}${service}${more}`)
        return status === 200 ? (JSON.parse(text) as Leaf).SerialNumber : [status, text]
      }
      const first = await told('writes-web', 'web')
      expect(first).toMatch(colonHex)
      expect(await told('writes-web', 'web')).toBe(first)
      expect(await told('second', 'web')).not.toBe(first)
      expect(await told('writes-web', 'db')).toEqual(refused)
      expect(await told('', 'web')).toEqual(refused)
      expect(await told('nobody-made-me', 'web')).toEqual([403, 'ACL not found'])
      const { index } = await as('writes-web', `GET ${leafPath}web`)
      const waiting = begin(target, `GET ${leafPath}web?index=${index()}&wait=120s&token=writes-web`)
      await as('root', 'PUT /v1/acl/destroy/writes-web')
      expect(await told('writes-web', 'web')).toEqual([403, 'ACL not found'])
      const ended = await target.until(waiting)
      expect([ended.status, ended.text]).toEqual([403, 'ACL not found'])
    } finally {
      await stop()
    }
  })
})
