import { describe, expect, it } from 'vitest'
import { ok } from '../../../src/base/result.ts'
import { signIntermediateEndpoint } from '../../../src/features/connect/federation/intermediate-endpoint.ts'
import type { ProviderOptions } from '../../../src/features/connect/model.ts'
import * as views from '../../../src/features/connect/views.ts'
import { hostCrypto } from '../../../src/host/crypto.ts'
import { signRoot } from '../../../src/pki/mesh-certificates.ts'
import { certificatePem } from '../../../src/pki/pem.ts'
import { AuthorityWorld, anotherKey, granted, hourMs, refusal, trustDomain } from './authority-world.ts'

const minuteMs = 60_000
const old = { name: 's1.dc1', datacenter: 'dc1', why: 'runs 1.3.1, which does not know of it' }

/** Two datacenters, each with a leader; both clocks are moved together. */
class TwoDatacenters {
  readonly primary: AuthorityWorld
  readonly secondary: AuthorityWorld
  missing: readonly (typeof old)[] = []

  constructor(
    ofPrimary: ProviderOptions = { LeafCertTTL: '4h' },
    ofSecondary: ProviderOptions = { LeafCertTTL: '4h' },
  ) {
    this.primary = new AuthorityWorld(ofPrimary)
    this.secondary = new AuthorityWorld(ofSecondary)
    this.secondary.server.self = { ...this.secondary.server.self, datacenter: 'dc2' }
    const mesh = this.secondary.server.mesh
    if (mesh !== undefined) this.secondary.server.mesh = { ...mesh, clusterId: '99999999-2222-3333-4444-555555555555' }
    this.join()
    this.secondary.server.federation = { primaryDatacenter: 'dc1', missing: () => this.missing, token: () => '' }
  }

  join(): void {
    this.secondary.server.peers.set('dc1', this.primary.server)
  }

  cut(): void {
    this.secondary.server.peers.clear()
  }

  async begin(): Promise<void> {
    this.primary.lead()
    await this.primary.rest()
    this.secondary.lead()
    await this.secondary.rest()
  }

  async advance(ms: number): Promise<void> {
    for (let left = ms; left > 0; left -= minuteMs) {
      await this.primary.advance(Math.min(minuteMs, left))
      await this.secondary.advance(Math.min(minuteMs, left))
    }
  }

  /** Whom both trust is the same, but for what the secondary had for itself. */
  expectOne(): void {
    const ids = (world: AuthorityWorld) =>
      world.roots.filter(({ replacedMs, of }) => replacedMs === 0 || of !== '').map(({ id }) => id)
    expect(ids(this.secondary).at(-1)).toBe(this.primary.active.id)
    expect(views.trustDomainOf(this.secondary.server.read())).toBe(trustDomain)
  }
}

function here(world: AuthorityWorld, domain = trustDomain): Promise<ReturnType<typeof granted>> {
  return world.signRequest(world.csr([`spiffe://${domain}/ns/default/dc/dc2/svc/web`])).then(granted)
}

describe('a secondary datacenter', () => {
  it('[FED-009] joins the mesh of the primary one at once where all know of it, and its leaves hold there', async () => {
    const both = new TwoDatacenters()
    await both.begin()
    both.expectOne()
    const leaf = await here(both.secondary)
    expect(leaf.rootId).toBe(both.primary.active.id)
    expect(refusal(leaf, both.primary.roots, both.primary.nowMs)).toBeUndefined()
    expect(refusal(granted(await both.primary.sign('web')), both.secondary.roots, both.primary.nowMs)).toBeUndefined()
  })

  it('[FED-001] [FED-007] has an authority of its own until every server of both knows of it', async () => {
    const both = new TwoDatacenters()
    both.missing = [old]
    await both.begin()
    const [own] = both.secondary.roots
    expect(own?.id).not.toBe(both.primary.active.id)
    const before = await here(both.secondary, '99999999-2222-3333-4444-555555555555.svc')
    await both.advance(10 * minuteMs)
    expect(both.secondary.roots).toEqual([own])
    both.missing = []
    await both.advance(3 * minuteMs)
    both.expectOne()
    // Who knows only the own root until now accepts what is signed below that of the primary.
    const leaf = await here(both.secondary)
    const trusted = own === undefined ? [] : [own]
    expect(refusal(leaf, trusted, both.primary.nowMs, {})).toBeUndefined()
    expect(both.secondary.roots.map(({ id }) => id)).toContain(before.rootId)
    await both.advance(5 * hourMs)
    expect(both.secondary.roots.map(({ id }) => id)).toEqual([both.primary.active.id])
  })

  it('[FED-010] follows the rotations of the primary one, whose old root stays for what was signed elsewhere', async () => {
    const both = new TwoDatacenters()
    await both.begin()
    const before = await here(both.secondary)
    await both.primary.update({ LeafCertTTL: '4h', PrivateKey: anotherKey() })
    const early = await here(both.secondary)
    for (const root of both.primary.roots.slice(0, 1))
      expect(refusal(early, [root], both.primary.nowMs)).toBeUndefined()
    await both.advance(3 * minuteMs)
    both.expectOne()
    const after = await here(both.secondary)
    for (const root of both.primary.roots) expect(refusal(after, [root], both.primary.nowMs)).toBeUndefined()
    await both.advance(before.notAfterMs - both.primary.nowMs)
    expect(both.primary.roots).toHaveLength(2)
    await both.advance(9 * hourMs)
    expect(both.primary.roots).toHaveLength(1)
    expect(both.secondary.roots).toHaveLength(1)
  })

  it('looks at the primary one every two minutes, whatever its leader does in between', async () => {
    const both = new TwoDatacenters()
    await both.begin()
    await both.advance(minuteMs)
    expect(await both.secondary.update({ LeafCertTTL: '2h' })).toEqual(ok(true))
    await both.primary.update({ LeafCertTTL: '4h', PrivateKey: anotherKey() })
    await both.advance(minuteMs)
    both.expectOne()
  })

  it('signs on while the primary one is out of reach, and nothing that outlives what it signs with', async () => {
    const both = new TwoDatacenters()
    await both.begin()
    both.cut()
    await both.advance(7 * hourMs)
    const leaf = await here(both.secondary)
    expect(refusal(leaf, both.primary.roots, both.primary.nowMs)).toBeUndefined()
    expect(both.secondary.forecast()).toMatchObject({ state: 'degraded' })
    await both.advance(5 * hourMs)
    const late = await both.secondary.signRequest(
      both.secondary.csr([`spiffe://${trustDomain}/ns/default/dc/dc2/svc/web`]),
    )
    expect(late).toMatchObject({ ok: false })
    both.join()
    await both.advance(3 * minuteMs)
    expect(refusal(await here(both.secondary), both.primary.roots, both.primary.nowMs)).toBeUndefined()
  })

  it('changes no root by its configuration, only how long leaves live', async () => {
    const both = new TwoDatacenters()
    await both.begin()
    expect(await both.secondary.update({ LeafCertTTL: '2h', PrivateKey: anotherKey() })).toEqual(ok(true))
    both.expectOne()
    const leaf = await here(both.secondary)
    expect(leaf.notAfterMs - leaf.notBeforeMs).toBe(2 * hourMs)
  })

  it('joins once, and renews what signs as seldom as it can, where its leaves are to live longer than those there', async () => {
    const both = new TwoDatacenters({ LeafCertTTL: '1h' }, { LeafCertTTL: '72h' })
    await both.begin()
    await both.advance(30 * minuteMs)
    expect(both.secondary.committed.filter((kind) => kind === 'connect.federate')).toHaveLength(1)
    await both.advance(6 * hourMs)
    expect(refusal(await here(both.secondary), both.primary.roots, both.primary.nowMs)).toBeUndefined()
    expect(both.secondary.committed.filter((kind) => kind === 'connect.federate').length).toBeLessThan(10)
  })

  it('signs on when the root expires from which the primary one has rotated', async () => {
    const both = new TwoDatacenters({ LeafCertTTL: '1h', ...rootUntil(3 * hourMs) }, { LeafCertTTL: '1h' })
    await both.begin()
    await both.advance(2.5 * hourMs)
    await both.primary.update({ LeafCertTTL: '1h', PrivateKey: anotherKey() })
    for (let minutes = 0; minutes < 90; minutes += 5) {
      await both.advance(5 * minuteMs)
      expect(refusal(await here(both.secondary), [both.primary.active], both.primary.nowMs)).toBeUndefined()
    }
    expect(both.primary.roots).toHaveLength(1)
  })
})

describe('a request for the authority of another datacenter', () => {
  it('is refused where it names anything but the mesh', async () => {
    const world = await AuthorityWorld.begun()
    const ask = (uris: readonly string[]) =>
      world.server.context.writeElsewhere(
        signIntermediateEndpoint,
        { csr: world.csr(uris, true), datacenter: 'dc2' },
        { datacenter: 'dc1', token: '' },
      )
    world.server.peers.set('dc1', world.server)
    for (const uris of [[], ['spiffe://else.svc'], [`spiffe://${trustDomain}/ns/default/dc/dc2/svc/web`]]) {
      expect(await ask(uris)).toMatchObject({ ok: false, error: { kind: 'bad-request' } })
    }
    expect(await ask([`spiffe://${trustDomain}`])).toMatchObject({ ok: true })
  })
})

function rootUntil(ms: number): ProviderOptions {
  const key = hostCrypto.makeSigningKey()
  const notBeforeMs = new TwoDatacenters().primary.nowMs - minuteMs
  const wishes = { serial: 77n, commonName: 'Short', uri: `spiffe://${trustDomain}` }
  const der = signRoot(hostCrypto, key, { ...wishes, notBeforeMs, notAfterMs: notBeforeMs + minuteMs + ms })
  return { PrivateKey: key.privateKeyPem, RootCert: certificatePem(der) }
}
