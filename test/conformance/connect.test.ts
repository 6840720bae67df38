import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { hostCrypto } from '../../src/host/crypto.ts'
import { type Certificate, readCertificates } from '../../src/pki/certificate.ts'
import { verifyChain } from '../../src/pki/chain.ts'
import { colonHex } from '../../src/pki/key-id.ts'
import { ask, type Reply } from './ask.ts'
import type { ExactObject } from './golden/exact-json.ts'
import type { GoldenTarget } from './golden/golden-target.ts'
import { type SimulatedAgent, startSimulatedAgent } from './simulated-agent.ts'

/** One agent that is its own authority, asked in order. */
let agent: SimulatedAgent
let target: GoldenTarget

const clusterId = '11111111-2222-3333-4444-555555555555'
const dateShape = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/
const colonHexShape = /^[0-9a-f]{2}(:[0-9a-f]{2})+$/

interface Root {
  readonly [name: string]: unknown
  readonly ID: string
  readonly RootCert: string
  readonly Active: boolean
  readonly IntermediateCerts: readonly string[] | null
  readonly ModifyIndex: string | number
}

async function roots(): Promise<{ readonly reply: Reply; readonly active: Root; readonly all: readonly Root[] }> {
  const reply = await ask(target, 'GET /v1/connect/ca/roots')
  const all = (reply.json() as unknown as { readonly Roots: readonly Root[] }).Roots
  const [active, second] = all.filter(({ Active }) => Active)
  if (active === undefined || second !== undefined) throw new Error(`not one active root: ${reply.text}`)
  return { reply, active, all }
}

async function leaf(service: string): Promise<readonly Certificate[]> {
  const reply = await ask(target, `GET /v1/agent/connect/ca/leaf/${service}`)
  expect(reply.status, reply.text).toBe(200)
  return certificates((reply.json() as { readonly CertPEM: string }).CertPEM)
}

function certificates(pem: string): readonly Certificate[] {
  const read = readCertificates(pem)
  if (!read.ok) throw new Error(read.error)
  return read.value
}

/** By the clock of the world that the agent is in. */
async function wallMs(): Promise<number> {
  const forecast = (await ask(target, 'GET /v1/connect/ca/forecast')).json() as ExactObject
  return Date.parse(String(forecast['Now']))
}

async function accepts(trusted: readonly Root[], [certificate, ...between]: readonly Certificate[]): Promise<boolean> {
  if (certificate === undefined) throw new Error('no leaf')
  const roots = trusted.flatMap(({ RootCert }) => certificates(RootCert))
  return verifyChain(hostCrypto, certificate, between, roots, { atMs: await wallMs(), usage: 'server' }).ok
}

async function put(body: object, query = ''): Promise<Reply> {
  return ask(target, `PUT /v1/connect/ca/configuration${query}`, JSON.stringify(body))
}

async function configuration(): Promise<ExactObject> {
  return (await ask(target, 'GET /v1/connect/ca/configuration')).json() as ExactObject
}

beforeAll(async () => {
  agent = await startSimulatedAgent('default', { more: { connect: { enabled: true } } })
  target = agent.target
  await ask(target, 'GET /v1/connect/ca/roots?index=1&wait=60s')
}, 30_000)

afterAll(() => agent.stop())

describe('the certificate authority of the mesh', () => {
  it('[CA-008] does not begin where the mesh is off: its endpoints answer with an error', async () => {
    const without = await startSimulatedAgent('default', { more: { connect: { enabled: false } } })
    for (const path of ['roots', 'configuration', 'forecast']) {
      const reply = await ask(without.target, `GET /v1/connect/ca/${path}`)
      expect([reply.status, reply.text]).toEqual([500, 'Connect must be enabled in order to use this endpoint'])
    }
    await without.stop()
  })

  it('[CA-007] [CA-009] [CA-010] [CA-034] begins by itself with one root, which is active, by the built-in provider', async () => {
    const { all, active } = await roots()
    expect(all).toEqual([active])
    expect(await configuration()).toMatchObject({ Provider: 'svc' })
  })

  it('[CA-031] [CA-032] [CA-033] tells the list of roots, the active one, and the trust domain of the cluster', async () => {
    const { reply, active } = await roots()
    expect(Object.keys(reply.json() as object)).toEqual(['ActiveRootID', 'TrustDomain', 'Roots'])
    const { ActiveRootID, TrustDomain } = reply.json() as ExactObject
    expect(ActiveRootID).toBe(active.ID)
    expect(TrustDomain).toMatch(/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}\.svc$/)
    expect(reply.index()).toBe(Number(active.ModifyIndex))
  })

  it('[CA-033] has a trust domain that ends in the DNS domain that is configured', async () => {
    const more = { connect: { enabled: true, ca_config: { cluster_id: clusterId } }, domain: 'Mesh.Example.' }
    const other = await startSimulatedAgent('default', { more })
    const reply = await ask(other.target, 'GET /v1/connect/ca/roots?index=1&wait=60s')
    expect(reply.json()).toMatchObject({ TrustDomain: `${clusterId}.mesh.example` })
    await other.stop()
  })

  it('[CA-035] [CA-036] [CA-038] [CA-039] [CA-040] [CA-041] [CA-045] [CA-046] tells of each root what its certificate says', async () => {
    const { active, reply } = await roots()
    const [certificate] = certificates(active.RootCert)
    expect(active.ID).toMatch(colonHexShape)
    expect(active['Name']).toBe('Svc CA Root Cert')
    expect(active['SigningKeyID']).toMatch(colonHexShape)
    expect(active['SigningKeyID']).toBe(colonHex(certificate?.subjectKeyId ?? new Uint8Array(0)))
    expect(active['NotBefore']).toMatch(dateShape)
    expect(active['NotAfter']).toMatch(dateShape)
    expect(Date.parse(String(active['NotBefore']))).toBe(certificate?.notBeforeMs)
    expect(Date.parse(String(active['NotAfter']))).toBe(certificate?.notAfterMs)
    expect(active.RootCert).toMatch(/^-----BEGIN CERTIFICATE-----\n[\s\S]+-----END CERTIFICATE-----\n?$/)
    expect(active.IntermediateCerts).toBeNull()
    for (const index of ['CreateIndex', 'ModifyIndex']) expect(String(active[index])).toBe(String(reply.index()))
    expect(reply.index()).toBeGreaterThan(0)
  })

  it('[CA-047] [CA-048] [CA-049] [CA-051] [CA-052] tells its configuration', async () => {
    const reply = await ask(target, 'GET /v1/connect/ca/configuration')
    expect(reply.headers.has('x-svc-index')).toBe(false)
    expect(reply.json()).toMatchObject({ Provider: 'svc', Config: { LeafCertTTL: '72h', RotationPeriod: '2160h' } })
    const before = await configuration()
    const Config = { LeafCertTTL: '2880m', RotationPeriod: '5184000s', CSRMaxPerSecond: 20 }
    expect((await put({ Provider: 'svc', Config })).status).toBe(200)
    const after = await configuration()
    const shown = { LeafCertTTL: '48h', RotationPeriod: '1440h' }
    expect(after['Config']).toEqual({ ...shown, CSRMaxPerSecond: expect.anything() })
    expect(Number((after['Config'] as ExactObject)['CSRMaxPerSecond'])).toBe(20)
    expect(after['CreateIndex']).toEqual(before['CreateIndex'])
    expect(Number(after['ModifyIndex'])).toBeGreaterThan(Number(before['ModifyIndex']))
  })

  it('[CA-017] does not rotate where neither key nor provider changes', async () => {
    const { active } = await roots()
    const named = { LeafCertTTL: '2h', PrivateKeyType: 'ec', PrivateKeyBits: 256 }
    for (const Config of [named, { LeafCertTTL: '1h' }]) {
      expect((await put({ Provider: 'svc', Config })).status).toBe(200)
      expect((await roots()).all).toEqual([active])
    }
    const [certificate] = await leaf('web')
    expect((certificate?.notAfterMs ?? 0) - (certificate?.notBeforeMs ?? 0)).toBe(3_600_000)
  })

  it('[CA-006] refuses an unknown provider, and says so', async () => {
    const reply = await put({ Provider: 'pluggable', Config: {} })
    expect([reply.status, reply.text]).toEqual([400, 'could not initialize provider: unknown CA provider "pluggable"'])
  })

  it('[CA-015] [CA-019] [CA-021] [CA-022] [CA-023] [CA-025] [CA-026] [CA-029] [CA-030] [CA-032] [CA-034] [CA-042] [CA-043] [CA-044] rotates to another key: both roots are listed, and new leaves are valid for verifiers with only one of them', async () => {
    const old = (await roots()).active
    const before = await leaf('web')
    expect(await accepts([old], before)).toBe(true)
    const PrivateKey = hostCrypto.makeSigningKey().privateKeyPem
    expect((await put({ Provider: 'svc', Config: { LeafCertTTL: '1h', PrivateKey } })).status).toBe(200)
    const { all, active, reply } = await roots()
    expect(all).toHaveLength(2)
    expect(active.ID).not.toBe(old.ID)
    expect(reply.json()).toMatchObject({ ActiveRootID: active.ID })
    const replaced = all.find(({ ID }) => ID === old.ID)
    expect(replaced).toMatchObject({ Active: false, IntermediateCerts: null })
    expect(Number(replaced?.ModifyIndex)).toBeGreaterThan(Number(old.ModifyIndex))
    expect(active.IntermediateCerts).toHaveLength(1)
    const [crossing] = certificates(String(active.IntermediateCerts?.[0]))
    const [oldRoot] = certificates(old.RootCert)
    expect(crossing?.publicKey).toEqual(certificates(active.RootCert)[0]?.publicKey)
    expect(crossing?.issuer).toEqual(oldRoot?.subject)
    expect(all.map(({ ID }) => ID)).toEqual(all.map(({ ID }) => ID).sort((a, b) => (a < b ? -1 : 1)))
    expect(reply.text).not.toContain('PRIVATE KEY')
    const after = await leaf('db')
    expect(after).toHaveLength(2)
    expect(after[0]?.issuer).toEqual(certificates(active.RootCert)[0]?.subject)
    for (const trusted of [[old], [active], all]) expect(await accepts(trusted, after)).toBe(true)
  })

  it('[CA-050] hides keys in what it answers, and keeps one that is written back hidden', async () => {
    const { active } = await roots()
    const shown = await ask(target, 'GET /v1/connect/ca/configuration')
    expect(shown.text).not.toContain('BEGIN')
    expect(shown.json()).toMatchObject({ Config: { PrivateKey: 'hidden' } })
    const { Config } = shown.json() as { readonly Config: ExactObject }
    expect((await put({ Provider: 'svc', Config: { ...Config, LeafCertTTL: '2h' } })).status).toBe(200)
    expect((await roots()).active.ID).toBe(active.ID)
  })

  it('[CA-037] tells serial numbers of 64 bits without loss', async () => {
    const { signRoot } = await import('../../src/pki/mesh-certificates.ts')
    const { certificatePem } = await import('../../src/pki/pem.ts')
    const key = hostCrypto.makeSigningKey()
    const nowMs = await wallMs()
    const term = {
      serial: 0xffff_ffff_ffff_ffffn,
      notBeforeMs: nowMs - 60_000,
      notAfterMs: nowMs + 9e10,
    }
    const root = signRoot(hostCrypto, key, { commonName: 'given', uri: 'spiffe://a.svc', ...term })
    const Config = { PrivateKey: key.privateKeyPem, RootCert: certificatePem(root) }
    expect((await put({ Provider: 'svc', Config })).text).toBe('')
    const { reply } = await roots()
    expect(reply.text).toContain('"SerialNumber":18446744073709551615')
  })

  it('[CA-053] is configured by PUT, with check-and-set, and no other verb', async () => {
    const wrong = await ask(target, 'DELETE /v1/connect/ca/configuration')
    expect([wrong.status, wrong.headers.get('allow')]).toEqual([405, 'OPTIONS,GET,PUT'])
    const at = Number((await configuration())['ModifyIndex'])
    const Config = (await configuration())['Config'] as ExactObject
    expect((await put({ Provider: 'consul', Config: { ...Config, LeafCertTTL: '12h' } }, `?cas=${at - 1}`)).text).toBe(
      'false',
    )
    expect((await put({ Provider: 'consul', Config: { ...Config, LeafCertTTL: '12h' } }, `?cas=${at}`)).text).toBe(
      'true',
    )
    expect(await configuration()).toMatchObject({ Provider: 'svc', Config: { LeafCertTTL: '12h' } })
  })

  it('tells what expires when, and what a rotation now would do', async () => {
    const { all, active } = await roots()
    const forecast = (await ask(target, 'GET /v1/connect/ca/forecast')).json() as ExactObject
    expect(forecast).toMatchObject({ State: 'ready', Problem: '', Provider: 'svc', Rotation: null })
    const listed = forecast['Roots'] as readonly ExactObject[]
    expect(listed).toHaveLength(all.length)
    expect(listed.at(-1)).toMatchObject({ ID: active.ID, Active: true, Goes: '' })
    expect(forecast['RotationNow']).toMatchObject({ Possible: true, Roots: all.length + 1 })
  })

  it('[CA-024] takes an old root out once every leaf that it signed has expired', async () => {
    const { all, active } = await roots()
    expect(all.length).toBeGreaterThan(1)
    await target.pause(1.2 * 3_600_000)
    expect((await roots()).all.map(({ ID }) => ID)).toEqual([active.ID])
  })
})
