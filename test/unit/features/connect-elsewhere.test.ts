import { X509Certificate } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { ok, type Result } from '../../../src/base/result.ts'
import { signAuthority } from '../../../src/features/connect/federation/intermediates.ts'
import { rootsMax } from '../../../src/features/connect/limits.ts'
import type { ProviderOptions } from '../../../src/features/connect/model.ts'
import { textOption } from '../../../src/features/connect/options.ts'
import { partsOf } from '../../../src/features/connect/parts.ts'
import { builtInKindOf } from '../../../src/features/connect/provider/built-in.ts'
import { externalKind } from '../../../src/features/connect/provider/external/external-kind.ts'
import { OpenProviders } from '../../../src/features/connect/provider/open-providers.ts'
import {
  type Provider,
  type ProviderKind,
  type SignerState,
  unavailable,
} from '../../../src/features/connect/provider/provider.ts'
import * as views from '../../../src/features/connect/views.ts'
import { hostCrypto } from '../../../src/host/crypto.ts'
import { tlsProblem } from '../../../src/host/tls.ts'
import { svcNaming } from '../../../src/model/naming/naming.ts'
import { writeCertificate } from '../../../src/pki/certificate-writer.ts'
import { chainMax } from '../../../src/pki/chain.ts'
import {
  basicConstraints,
  extendedUses,
  keyUsage,
  permittedNames,
  usesOfAuthority,
} from '../../../src/pki/extensions.ts'
import { signRoot } from '../../../src/pki/mesh-certificates.ts'
import { nameOf } from '../../../src/pki/name.ts'
import { certificatePem } from '../../../src/pki/pem.ts'
import { AuthorityWorld, anotherKey, certificatesOf, granted, hourMs, refusal, trustDomain } from './authority-world.ts'
import { formerId, knownThere, minuteMs, rootUntil } from './two-datacenters.ts'

const builtInKind = builtInKindOf(svcNaming)

const yearMs = 365 * 24 * hourMs
const managed = { RootPKIPath: 'mesh-root', IntermediatePKIPath: 'mesh-intermediate', Token: 's.good' }

const isGone = { ok: false, error: { kind: 'refused', message: 'there is another root', isGone: true } } as const
const hasExpired = { ok: false, error: { kind: 'refused', message: 'it has expired' } } as const

/** What is somewhere else: its clock is its own, it keeps its roots by their paths, and takes one token. */
class Elsewhere {
  aheadMs = 0
  token = 's.good'
  reachable = true
  /** It answers, and then does nothing that it is asked for. */
  answersFirst = false
  /** Options of the roots that are made there. */
  given: ProviderOptions = {}
  /** It signs nothing by its root any more. */
  expired = false
  opened = 0
  readonly #roots = new Map<string, SignerState>()
  readonly kind: ProviderKind = {
    ...externalKind,
    problem: () => undefined,
    open: (env, options, mesh) => {
      this.opened++
      const wallMs = () => env.clock.wallMs() + this.aheadMs
      const theirs = { ...env, clock: { monoMs: env.clock.monoMs, wallMs } }
      return this.#guarded(builtInKind.open(theirs, this.given, mesh), textOption(options, 'Token'), options)
    },
  }

  /** An operator removes what is at this path. */
  remove(path: string): void {
    this.#roots.delete(path)
  }

  #guarded(inner: Provider, token: string, options: Parameters<ProviderKind['open']>[1]): Provider {
    const path = textOption(options, 'RootPKIPath')
    const guard = async <T>(act: () => Promise<Result<T, { kind: 'refused' | 'unavailable'; message: string }>>) => {
      if (!this.reachable) return { ok: false as const, error: { kind: 'unavailable' as const, message: 'gone' } }
      if (token === this.token) return act()
      return { ok: false as const, error: { kind: 'refused' as const, message: 'permission denied (403)' } }
    }
    return {
      name: 'vault',
      root: (state, serial) =>
        guard(async () => {
          const there = this.#roots.get(path)
          if (state !== undefined && there?.rootCertificate !== state.rootCertificate) return isGone
          const root = await inner.root(there, serial)
          if (root.ok) this.#roots.set(path, root.value.state)
          return root
        }),
      // A life is asked for, from when the call comes.
      signLeaf: (wish) => guard(() => inner.signLeaf({ ...wish, notAfterMs: wish.notAfterMs + this.aheadMs })),
      crossSign: (wish) => guard(async () => (this.expired ? hasExpired : inner.crossSign(wish))),
      signIntermediate: (pem, serial, endMs) => guard(() => inner.signIntermediate(pem, serial, endMs + this.aheadMs)),
      contact: async () => (this.answersFirst ? ok(undefined) : guard(async () => ok(undefined))),
      close: () => inner.close(),
    }
  }
}

async function moved(elsewhere = new Elsewhere(), first = {}) {
  const world = await AuthorityWorld.begun(first, [builtInKind, elsewhere.kind])
  return { elsewhere, world }
}

const toVault = { provider: 'vault' } as const

describe('a provider whose clock is ahead, as far as clocks may be', () => {
  it('signs the authority of another datacenter, which is recorded for as long as it lives', async () => {
    const { elsewhere, world } = await moved()
    elsewhere.aheadMs = 20_000
    expect(await world.update({ ...managed, LeafCertTTL: '4h' }, toVault)).toEqual(ok(true))
    await world.advance(minuteMs)
    world.server.wanView = knownThere
    const parts = partsOf(world.server.context, [builtInKind, elsewhere.kind])
    const asked = { csr: world.csr([`spiffe://${trustDomain}`], true), datacenter: 'dc2' }
    const signed = await signAuthority(parts, new OpenProviders(parts), asked)
    expect(signed).toMatchObject({ ok: true })
    const [, recorded] = [...views.leavesOf(world.server.read(), world.active.id)]
    expect(recorded).toEqual({
      rootId: world.active.id,
      datacenter: 'dc2',
      expiresMs: world.nowMs + 12 * hourMs + elsewhere.aheadMs,
    })
  })

  it('signs leaves that are cut to what goes out with them', async () => {
    const { elsewhere, world } = await moved(undefined, { LeafCertTTL: '1h', ...rootUntil(3 * hourMs) })
    granted(await world.sign('web'))
    elsewhere.aheadMs = 20_000
    await world.advance(2.5 * hourMs)
    expect(await world.update({ ...managed, LeafCertTTL: '1h' }, toVault)).toEqual(ok(true))
    const [old] = world.roots
    const leaf = granted(await world.sign('web'))
    expect(leaf.notAfterMs).toBeLessThanOrEqual(old?.notAfterMs ?? 0)
    expect(leaf.notAfterMs).toBeGreaterThan((old?.notAfterMs ?? 0) - 2 * minuteMs)
  })

  it('has its root awaited until clocks that are behind take it, and the change is accepted at once', async () => {
    const { elsewhere, world } = await moved()
    const before = world.active.id
    elsewhere.aheadMs = 50_000
    expect(await world.update({ ...managed }, toVault)).toEqual(ok(true))
    expect(world.forecast()).toMatchObject({ state: 'rotating', problem: '', rotation: { step: 'crossed' } })
    expect(world.active.id).toBe(before)
    await world.advance(minuteMs)
    expect(world.active.provider).toBe('vault')
    const leaf = granted(await world.sign('web'))
    expect(refusal(leaf, [world.active], world.nowMs - minuteMs)).toBeUndefined()
  })
})

describe('a provider whose root is replaced before it is active', () => {
  async function waiting() {
    const { elsewhere, world } = await moved()
    granted(await world.sign('web'))
    elsewhere.aheadMs = 50_000
    expect(await world.update({ ...managed }, toVault)).toEqual(ok(true))
    const { root } = views.openRotation(world.server.read()) ?? {}
    elsewhere.remove(managed.RootPKIPath)
    return { elsewhere, world, before: world.active, lost: root?.id }
  }

  it('has the one that it has by then crossed, which becomes the active one', async () => {
    const { world, before, lost } = await waiting()
    await world.advance(2 * minuteMs)
    expect(views.openRotation(world.server.read())).toBeUndefined()
    expect(world.active).toMatchObject({ provider: 'vault' })
    expect(world.active.id).not.toBe(lost)
    const leaf = granted(await world.sign('web'))
    for (const trusted of [before, world.active]) expect(refusal(leaf, [trusted], world.nowMs)).toBeUndefined()
  })

  it('keeps the old root where what it has by then is no root for this mesh', async () => {
    const { elsewhere, world, before } = await waiting()
    elsewhere.given = rootUntil(hourMs)
    await world.advance(3 * minuteMs)
    expect(views.openRotation(world.server.read())).toBeUndefined()
    expect([...views.allRotations(world.server.read())].at(-1)).toMatchObject({ step: 'refused' })
    expect(world.active.id).toBe(before.id)
    expect(world.forecast()).toMatchObject({ state: 'ready', problem: '' })
    granted(await world.sign('web'))
  })
})

describe('a provider that does not answer at first contact', () => {
  it('is refused, and leaves nothing pending', async () => {
    const { elsewhere, world } = await moved()
    const before = views.authorityOf(world.server.read())
    elsewhere.reachable = false
    const answer = await world.update({ ...managed }, toVault)
    const message = 'error configuring provider: nothing was changed: gone'
    expect(answer).toEqual({ ok: false, error: { kind: 'refused', message } })
    expect(views.openRotation(world.server.read())).toBeUndefined()
    expect(views.authorityOf(world.server.read())).toEqual(before)
    elsewhere.reachable = true
    expect(await world.update({ ...managed }, toVault)).toEqual(ok(true))
  })
})

describe('a root that an operator has made just now', () => {
  function fresh(world: AuthorityWorld, notBeforeMs: number, lifeMs = 9_999 * hourMs) {
    const key = hostCrypto.makeSigningKey()
    const names = { serial: 78n, commonName: 'Fresh', uri: `spiffe://${trustDomain}` }
    const der = signRoot(hostCrypto, key, { ...names, notBeforeMs, notAfterMs: world.nowMs + lifeMs })
    return { PrivateKey: key.privateKeyPem, RootCert: certificatePem(der) }
  }

  it('signs when every clock takes it, and not before; the change is accepted once the crossing is made', async () => {
    const world = await AuthorityWorld.begun()
    const [old] = world.roots
    const beforeMs = world.nowMs
    expect(await world.update(fresh(world, world.nowMs))).toEqual(ok(true))
    expect(world.nowMs - beforeMs).toBeLessThan(1_000)
    expect(world.forecast()).toMatchObject({ state: 'rotating', rotation: { step: 'crossed' } })
    await world.advance(58 * 1000)
    expect(world.active.id).toBe(old?.id)
    await world.advance(2 * 1000)
    expect(world.active.id).not.toBe(old?.id)
    expect(refusal(granted(await world.sign('web')), [world.active], world.nowMs - minuteMs)).toBeUndefined()
  })

  it('signs at once where it has been valid for as long as clocks may be apart', async () => {
    const world = await AuthorityWorld.begun()
    const given = fresh(world, world.nowMs - minuteMs)
    expect(await world.update(given)).toEqual(ok(true))
    expect(world.active.certificate).toBe(given.RootCert)
  })

  it('is refused where it ends before a leaf that was signed while it was awaited', async () => {
    const world = await AuthorityWorld.begun({ LeafCertTTL: '4h' })
    const [old] = world.roots
    const short = { LeafCertTTL: '4h', ...fresh(world, world.nowMs, 3 * hourMs) }
    expect(await world.update(short)).toEqual(ok(true))
    granted(await world.sign('web'))
    await world.advance(2 * minuteMs)
    const [rotation] = [...views.allRotations(world.server.read())]
    expect(rotation).toMatchObject({
      step: 'refused',
      why: expect.stringMatching(/^the new root expires .* before the/),
    })
    expect(world.active.id).toBe(old?.id)
    expect(world.forecast()).toMatchObject({ state: 'ready', problem: '' })
  })

  it('is refused where it begins later than any clock could say', async () => {
    const world = await AuthorityWorld.begun()
    const late = await world.update(fresh(world, world.nowMs + minuteMs + 1_000))
    expect(late).toMatchObject({ ok: false, error: { kind: 'bad-request', message: 'the root is not valid yet' } })
    expect(views.openRotation(world.server.read())).toBeUndefined()
  })
})

describe('a root whose leaves no client would accept', () => {
  const wrongs = {
    'does not allow it to sign certificates': [keyUsage(['digitalSignature']), basicConstraints(true)],
    'does not allow certificates for a server below it': [
      keyUsage(usesOfAuthority),
      basicConstraints(true),
      extendedUses(['client']),
    ],
    'has a critical extension that is not supported: 2.5.29.30': [
      keyUsage(usesOfAuthority),
      basicConstraints(true),
      permittedNames(['example.org']),
    ],
  } as const
  it.each(Object.entries(wrongs))('is refused before anything is signed below it: it %s', async (why, extensions) => {
    const world = await AuthorityWorld.begun()
    const key = hostCrypto.makeSigningKey()
    const [subject, times] = [nameOf('Corp'), { notBeforeMs: world.nowMs - hourMs, notAfterMs: world.nowMs + yearMs }]
    const parts = { serial: Uint8Array.of(9), issuer: subject, subject, publicKey: key.publicKey, extensions, ...times }
    const given = { PrivateKey: key.privateKeyPem, RootCert: certificatePem(writeCertificate(parts, key)) }
    const refused = await world.update(given)
    expect(refused).toMatchObject({ ok: false, error: { kind: 'bad-request', message: expect.stringContaining(why) } })
    expect(world.roots).toHaveLength(1)
    granted(await world.sign('web'))
  })

  it('is refused where another certificate signed it', async () => {
    const world = await AuthorityWorld.begun()
    const key = hostCrypto.makeSigningKey()
    const times = { notBeforeMs: world.nowMs - hourMs, notAfterMs: world.nowMs + yearMs }
    const names = { issuer: nameOf('Above'), subject: nameOf('Corp') }
    const extensions = [keyUsage(usesOfAuthority), basicConstraints(true)]
    const parts = { serial: Uint8Array.of(9), ...names, publicKey: key.publicKey, extensions, ...times }
    const given = { PrivateKey: key.privateKeyPem, RootCert: certificatePem(writeCertificate(parts, key)) }
    expect(await world.update(given)).toMatchObject({
      ok: false,
      error: {
        kind: 'bad-request',
        message: expect.stringContaining('not a root, because another certificate signed'),
      },
    })
    expect(world.roots).toHaveLength(1)
  })

  it('is refused where another key signed it, although under its own name', async () => {
    const world = await AuthorityWorld.begun()
    const key = hostCrypto.makeSigningKey()
    const times = { notBeforeMs: world.nowMs - hourMs, notAfterMs: world.nowMs + yearMs }
    const names = { issuer: nameOf('Corp'), subject: nameOf('Corp') }
    const extensions = [keyUsage(usesOfAuthority), basicConstraints(true)]
    const parts = { serial: Uint8Array.of(9), ...names, publicKey: key.publicKey, extensions, ...times }
    const crossed = writeCertificate(parts, hostCrypto.makeSigningKey())
    const given = { PrivateKey: key.privateKeyPem, RootCert: certificatePem(crossed) }
    expect(await world.update(given)).toMatchObject({
      ok: false,
      error: { kind: 'bad-request', message: expect.stringContaining('not a root, because another key signed it') },
    })
    expect(world.roots).toHaveLength(1)
  })

  const spellings = {
    'as it was given': (pem: string) => `# our root\r\n${pem.replaceAll('\n', '\r\n')}`,
    'whose lines are indented': (pem: string) => pem.replace(/^(?=.)/gm, '    '),
    'that stands behind a text': (pem: string) => `our root: ${pem}`,
    'with empty lines': (pem: string) => pem.replaceAll('\n', '\n\n'),
    'in one line': (pem: string) => pem.replaceAll('\n', ''),
  } as const
  it.each(Object.entries(spellings))('%s is listed so that every program reads it', async (_name, spelled) => {
    const world = await AuthorityWorld.begun()
    const { PrivateKey = '', RootCert = '' } = rootUntil(yearMs)
    expect(await world.update({ PrivateKey, RootCert: spelled(String(RootCert)) })).toEqual(ok(true))
    await world.advance(hourMs)
    const { certificate } = world.active
    expect(tlsProblem({ trustedPems: [certificate] })).toBeUndefined()
    expect(new X509Certificate(certificate).subject).toBe('CN=Short')
    if (_name === 'as it was given') expect(certificate).toContain('# our root')
    world.change()
    await world.rest()
    granted(await world.sign('web'))
  })

  it('is refused where it was left by another mesh in the place of a provider that looks at what it signs', async () => {
    const { elsewhere, world } = await moved()
    elsewhere.given = rootUntil(yearMs)
    expect(await world.update(managed, toVault)).toEqual(ok(true))
    const other = new AuthorityWorld({}, [builtInKind, elsewhere.kind])
    if (other.server.mesh !== undefined) other.server.mesh = { ...other.server.mesh, clusterId: formerId }
    other.lead()
    await other.rest()
    const refused = await other.update(managed, toVault)
    expect(refused).toMatchObject({
      ok: false,
      error: { message: expect.stringContaining('belongs to another trust domain') },
    })
  })
})

describe('the first root, of a provider that is elsewhere', () => {
  const ids = ['aaaaaaaa-0000-4000-8000-000000000001', 'aaaaaaaa-0000-4000-8000-000000000002'] as const

  function beginning(elsewhere: Elsewhere, servers: readonly string[]): AuthorityWorld {
    const lost = { isNext: true }
    const open: ProviderKind['open'] = (...args) => {
      const provider = elsewhere.kind.open(...args)
      return { ...provider, root: async (...asked) => await lostAfter(provider.root(...asked), lost) }
    }
    const world = new AuthorityWorld({}, [builtInKind, { ...elsewhere.kind, open }])
    world.server.mesh = { enabled: true, provider: 'vault', options: managed, clusterId: '', dnsDomain: 'svc' }
    const configuration = { servers: servers.map((id) => ({ id, address: id, suffrage: 'voter' as const })) }
    Object.assign(world.server.raftStatus, { configuration })
    leads(world, servers[0] ?? '')
    world.lead()
    return world
  }

  async function lostAfter(made: ReturnType<Provider['root']>, lost: { isNext: boolean }) {
    const root = await made
    if (!lost.isNext) return root
    lost.isNext = false
    return unavailable('the answer is lost')
  }

  function leads(world: AuthorityWorld, id: string): void {
    Object.assign(world.server.raftStatus, { leader: { id, address: id } })
  }

  it('is taken by the next leader where one of the cluster has made it, and was lost before it was recorded', async () => {
    const elsewhere = new Elsewhere()
    const world = beginning(elsewhere, ids)
    await world.rest()
    expect(world.roots).toEqual([])
    leads(world, ids[1])
    world.change()
    await world.advance(5_000)
    expect(world.forecast()).toMatchObject({ state: 'ready', problem: '' })
    const [uri] = certificatesOf(world.active.certificate)[0]?.uris ?? []
    expect(uri).toBe(`spiffe://${views.trustDomainOf(world.server.read())}`)
    // Servers of another cluster that were given the same mount by mistake do not become one mesh with this one.
    const other = beginning(elsewhere, ['bbbbbbbb-0000-4000-8000-000000000001'])
    await other.rest()
    await other.advance(5_000)
    expect(other.roots).toEqual([])
    expect(other.forecast().problem).toContain('belongs to another trust domain')
  })
})

describe('other options for the same root of a provider that is elsewhere', () => {
  it('are refused where it refuses them, and what is stored signs on', async () => {
    const { world } = await moved()
    expect(await world.update({ ...managed }, toVault)).toEqual(ok(true))
    const wrong = await world.update({ ...managed, Token: 's.godo' }, toVault)
    const message = 'error configuring provider: permission denied (403)'
    expect(wrong).toEqual({ ok: false, error: { kind: 'bad-request', message } })
    granted(await world.sign('web'))
  })

  it('are refused without the name of the provider, which would make a root of the servers’ own', async () => {
    const { world } = await moved()
    expect(await world.update(managed, toVault)).toEqual(ok(true))
    const root = world.active.id
    const put = 'PUT /v1/connect/ca/configuration'
    expect(await world.request(put, '{"Config":{"LeafCertTTL":"48h"}}')).toEqual({
      status: 400,
      text: 'could not initialize provider: Provider is missing, and the present one is "vault": name it, or "svc" for a root of the servers',
    })
    expect(views.openRotation(world.server.read())).toBeUndefined()
    expect(world.active.id).toBe(root)
  })

  it('are taken where it cannot be reached, or nothing is well as it is', async () => {
    const { elsewhere, world } = await moved()
    expect(await world.update({ ...managed }, toVault)).toEqual(ok(true))
    elsewhere.reachable = false
    expect(await world.update({ ...managed, Token: 's.one' }, toVault)).toEqual(ok(true))
    elsewhere.reachable = true
    await world.advance(2 * minuteMs)
    expect(world.forecast()).toMatchObject({ state: 'degraded', problem: 'permission denied (403)' })
    expect(await world.update({ ...managed, Token: 's.other' }, toVault)).toEqual(ok(true))
    expect(await world.update({ ...managed }, toVault)).toEqual(ok(true))
    await world.advance(2 * minuteMs)
    expect(world.forecast()).toMatchObject({ state: 'ready' })
  })

  it('are not tried where they say only how long leaves live', async () => {
    const { elsewhere, world } = await moved()
    expect(await world.update({ ...managed }, toVault)).toEqual(ok(true))
    const { opened } = elsewhere
    elsewhere.reachable = false
    expect(await world.update({ ...managed, LeafCertTTL: '2h' }, toVault)).toEqual(ok(true))
    // Opened once, to sign with from now on.
    expect(elsewhere.opened - opened).toBeLessThanOrEqual(1)
  })
})

it('a caller that joins a rotation and asks again after it was given up is not told that it is done', async () => {
  const { elsewhere, world } = await moved()
  elsewhere.reachable = false
  elsewhere.answersFirst = true
  expect(await world.update(managed, toVault)).toMatchObject({
    ok: false,
    error: { message: expect.stringMatching(/goes on/) },
  })
  const identity = { origin: 'agent/1', sequence: 7 }
  const joining = { ...toVault, identity }
  expect(await world.update(managed, joining)).toMatchObject({
    ok: false,
    error: { message: expect.stringMatching(/goes on/) },
  })
  expect(await world.update({})).toEqual(ok(true))
  elsewhere.reachable = true
  expect(await world.update(managed, joining)).toMatchObject({
    ok: false,
    error: { message: expect.stringMatching(/cancelled/) },
  })
  expect(world.active.provider).toBe('svc')
})

it('a token that is shown hidden is the one of the rotation under way, where that leads to the provider', async () => {
  const { elsewhere, world } = await moved()
  elsewhere.reachable = false
  elsewhere.answersFirst = true
  const goesOn = { ok: false, error: { message: expect.stringMatching(/goes on/) } }
  expect(await world.update(managed, toVault)).toMatchObject(goesOn)
  expect(await world.update({ ...managed, Token: 'hidden' }, toVault)).toMatchObject(goesOn)
  elsewhere.reachable = true
  await world.advance(2 * minuteMs)
  expect(views.authorityOf(world.server.read())?.options).toEqual(managed)
})

it('a provider that has moved with its root does not sign that root again', async () => {
  const { elsewhere, world } = await moved()
  expect(await world.update(managed, toVault)).toEqual(ok(true))
  const before = world.active.id
  elsewhere.expired = true
  const elsewhereNow = { ...managed, Address: 'https://moved.example:8200' }
  expect(await world.update(elsewhereNow, toVault)).toEqual(ok(true))
  expect(world.active.id).toBe(before)
  expect(views.authorityOf(world.server.read())?.options).toEqual(elsewhereNow)
})

it('a root that is given to another provider is listed with that one, which signs', async () => {
  const root = rootUntil(yearMs)
  const { elsewhere, world } = await moved(undefined, root)
  elsewhere.given = root
  const before = world.active
  expect(await world.update(managed, toVault)).toEqual(ok(true))
  expect(world.active).toMatchObject({ id: before.id, provider: 'vault', name: 'Vault CA Root Cert' })
  granted(await world.sign('web'))
})

describe('a provider that is gone for good', () => {
  it('holds up a rotation away from it, until the operator does without its signature', async () => {
    const { elsewhere, world } = await moved()
    expect(await world.update(managed, toVault)).toEqual(ok(true))
    const gone = world.active
    const before = granted(await world.sign('web'))
    elsewhere.reachable = false
    const waits = { ok: false, error: { message: expect.stringMatching(/goes on/) } }
    expect(await world.update({ LeafCertTTL: '4h' })).toMatchObject(waits)
    world.change()
    await world.advance(2 * hourMs)
    expect(world.forecast()).toMatchObject({ state: 'degraded', rotation: { step: 'requested' } })
    const forced = await world.request(
      'PUT /v1/connect/ca/configuration',
      '{"Provider":"svc","Config":{"LeafCertTTL":"4h"},"ForceWithoutCrossSigning":true}',
    )
    expect(forced.status).toBe(200)
    expect(world.active.provider).toBe('svc')
    expect(world.roots.map(({ id }) => id)).toContain(gone.id)
    const after = granted(await world.sign('web'))
    for (const leaf of [before, after]) expect(refusal(leaf, world.roots, world.nowMs)).toBeUndefined()
    // From here on rotations are crossed as ever.
    const own = world.active
    expect(await world.update({ LeafCertTTL: '4h', PrivateKey: anotherKey() })).toEqual(ok(true))
    expect(refusal(granted(await world.sign('web')), [own], world.nowMs)).toBeUndefined()
  })

  it('is crossed where it is there, whatever the operator says of later rotations', async () => {
    const { world } = await moved()
    expect(await world.update(managed, toVault)).toEqual(ok(true))
    expect(await world.update({})).toEqual(ok(true))
    expect(refusal(granted(await world.sign('web')), world.roots.slice(0, 1), world.nowMs)).toBeUndefined()
  })

  it('whose root has expired is rotated away from without its signature: no client trusts that root', async () => {
    const { elsewhere, world } = await moved()
    elsewhere.given = rootUntil(3 * hourMs)
    expect(await world.update({ ...managed, LeafCertTTL: '1h' }, toVault)).toEqual(ok(true))
    await world.advance(4 * hourMs)
    elsewhere.expired = true
    expect(await world.update({ LeafCertTTL: '4h' })).toEqual(ok(true))
    expect(world.active.provider).toBe('svc')
    granted(await world.sign('web'))
  })
})

describe('an authority that signs nothing any more', () => {
  it('is told as degraded as soon as that is so, with the reason', async () => {
    const world = await AuthorityWorld.begun({ LeafCertTTL: '1h', ...rootUntil(2 * hourMs) })
    await world.advance(114 * minuteMs)
    expect(world.forecast()).toMatchObject({ state: 'ready', problem: '' })
    expect(world.metrics.filter((name) => name.startsWith('connect.ca.healthy')).at(-1)).toBe('connect.ca.healthy 1')
    await world.advance(2 * minuteMs)
    const problem = expect.stringMatching(
      /^the active root, or a certificate that is sent with its leaves, expires 2026-01-01T02:00/,
    )
    expect(world.forecast()).toMatchObject({ state: 'degraded', problem })
    expect(world.metrics.filter((name) => name.startsWith('connect.ca.healthy')).at(-1)).toBe('connect.ca.healthy 0')
    expect(await world.update({ LeafCertTTL: '1h' })).toEqual(ok(true))
    expect(world.forecast()).toMatchObject({ state: 'ready', problem: '' })
  })
})

it('verifiers accept chains as long as any that may go out: two certificates for each crossing, over a bridge', () => {
  const leafAndIntermediate = 2
  const crossings = 2 * (rootsMax - 1)
  expect(chainMax).toBeGreaterThanOrEqual(leafAndIntermediate + 1 + crossings + 1)
})
