import { describe, expect, it } from 'vitest'
import { err, ok } from '../../../src/base/result.ts'
import { signAuthority, signIntermediateEndpoint } from '../../../src/features/connect/federation/intermediates.ts'
import { partsOf } from '../../../src/features/connect/parts.ts'
import { builtInKindOf } from '../../../src/features/connect/provider/built-in.ts'
import { OpenProviders } from '../../../src/features/connect/provider/open-providers.ts'
import type { Provider, ProviderKind } from '../../../src/features/connect/provider/provider.ts'
import * as views from '../../../src/features/connect/views.ts'
import { hostCrypto } from '../../../src/host/crypto.ts'
import { svcNaming } from '../../../src/model/naming/naming.ts'
import { signCrossing, signRoot } from '../../../src/pki/mesh-certificates.ts'
import { certificatePem } from '../../../src/pki/pem.ts'
import { readRequest } from '../../../src/pki/request.ts'
import { AuthorityWorld, anotherKey, certificatesOf, granted, hourMs, refusal, trustDomain } from './authority-world.ts'
import { here, knownThere, minuteMs, old, rootUntil, TwoDatacenters } from './two-datacenters.ts'

const builtInKind = builtInKindOf(svcNaming)

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
    // A verifier that knows only the own root until now accepts what is signed below that of the primary.
    const leaf = await here(both.secondary)
    const trusted = own === undefined ? [] : [own]
    expect(refusal(leaf, trusted, both.primary.nowMs, {})).toBeUndefined()
    expect(both.secondary.roots.map(({ id }) => id)).toContain(before.rootId)
    await both.advance(5 * hourMs)
    expect(both.secondary.roots.map(({ id }) => id)).toEqual([both.primary.active.id])
  })

  it('signs no name of its former mesh below the root of the primary one, for requests that wait while it joins', async () => {
    const both = new TwoDatacenters(undefined, { LeafCertTTL: '4h', CSRMaxPerSecond: 1 })
    both.missing = [old]
    await both.begin()
    const { secondary } = both
    const former = views.trustDomainOf(secondary.server.read())
    const csr = secondary.csr([`spiffe://${former}/ns/default/dc/dc2/svc/web`])
    const asked = [1, 2, 3, 4, 5, 6].map(() => secondary.signRequest(csr))
    both.missing = []
    const answers = await Promise.all(asked)
    both.expectOne()
    expect(answers[0]).toMatchObject({ ok: true })
    const refused = `SPIFFE ID in CSR from a different trust domain: ${former}, we are ${trustDomain}`
    expect(answers.at(-1)).toEqual({ ok: false, error: { kind: 'bad-request', message: refused } })
    const ofPrimary = secondary.active.id
    for (const answer of answers) if (answer.ok) expect(answer.value.rootId).not.toBe(ofPrimary)
  })

  it('[FED-002] keeps its own where that is switched off; one that has joined stays, for nothing else can sign there', async () => {
    const both = new TwoDatacenters()
    both.switch(false)
    await both.begin()
    const [own] = both.secondary.roots
    await both.advance(10 * minuteMs)
    expect(both.secondary.roots).toEqual([own])
    expect(both.secondary.forecast()).toMatchObject({ state: 'ready' })
    both.switch(true)
    both.secondary.change()
    await both.advance(minuteMs)
    both.expectOne()
    both.switch(false)
    both.secondary.change()
    await both.primary.update({ LeafCertTTL: '4h', PrivateKey: anotherKey() })
    await both.advance(14 * hourMs)
    both.expectOne()
    expect(refusal(await here(both.secondary), both.primary.roots, both.primary.nowMs)).toBeUndefined()
  })

  it('leaves its configuration at its index while it takes over other roots of the same mesh', async () => {
    const both = new TwoDatacenters()
    await both.begin()
    const before = views.authorityOf(both.secondary.server.read())?.modifyIndex
    await both.primary.update({ PrivateKey: anotherKey() })
    await both.advance(5 * minuteMs)
    both.expectOne()
    expect(both.secondary.roots.length).toBeGreaterThan(1)
    expect(views.authorityOf(both.secondary.server.read())?.modifyIndex).toBe(before)
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

  it('begins no authority while the primary one has none, says so, and joins when it has', async () => {
    const both = new TwoDatacenters()
    both.secondary.lead()
    await both.secondary.rest()
    await both.secondary.advance(5 * minuteMs)
    expect(both.secondary.roots).toEqual([])
    const none = 'the primary datacenter has no certificate authority yet'
    expect(both.secondary.forecast()).toMatchObject({ state: 'degraded', problem: none })
    expect(both.secondary.logged.map(({ fields }) => fields)).toContainEqual(expect.objectContaining({ why: none }))
    expect(both.secondary.metrics).toContain('connect.ca.healthy 0')
    const csr = both.secondary.csr([`spiffe://${trustDomain}/ns/default/dc/dc2/svc/web`])
    expect(await both.secondary.signRequest(csr)).toMatchObject({ ok: false, error: { kind: 'refused' } })
    both.primary.lead()
    await both.primary.rest()
    await both.secondary.advance(2 * minuteMs)
    both.expectOne()
    expect(both.secondary.forecast()).toMatchObject({ state: 'ready', problem: '' })
  })

  it('rests for a while whatever is left until it looks again: less than a clock counts would be no time at all', async () => {
    const both = new TwoDatacenters()
    await both.begin()
    await both.secondary.advance(2 * minuteMs - 0.0004)
    const { timers } = both.secondary.server.context.env
    const rests: number[] = []
    const after: typeof timers.after = (delayMs, use) => {
      rests.push(delayMs)
      return timers.after(delayMs, use)
    }
    Object.assign(both.secondary.server.context.env, { timers: { ...timers, after } })
    expect(await both.secondary.update({ LeafCertTTL: '2h' })).toEqual(ok(true))
    await both.secondary.rest()
    expect(rests.filter((ms) => ms > 0 && ms < 100)).toEqual([])
    expect(rests).toContain(100)
  })

  it('looks when two minutes are over by a clock on which they are a little less than that, as they are taken away', async () => {
    const ms = 242_792.796
    expect(ms + 2 * minuteMs - ms).toBeLessThan(2 * minuteMs)
    const both = new TwoDatacenters()
    await both.secondary.clock.advance(ms)
    await both.begin()
    await both.primary.update({ LeafCertTTL: '4h', PrivateKey: anotherKey() })
    await both.secondary.advance(2 * minuteMs + 1_000)
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
    expect(late).toMatchObject({ ok: false, error: { message: expect.stringContaining('must be renewed in dc1') } })
    expect(both.secondary.forecast().problem).toMatch(/^the primary datacenter: /)
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
  function asks(world: AuthorityWorld) {
    world.server.peers.set('dc1', world.server)
    world.server.wanView = knownThere
    return (uris: readonly string[], datacenter = 'dc2') =>
      world.server.context.writeElsewhere(
        signIntermediateEndpoint,
        { csr: world.csr(uris, true), datacenter },
        { datacenter: 'dc1', token: '' },
      )
  }

  it('is refused where it names anything but the mesh', async () => {
    const ask = asks(await AuthorityWorld.begun())
    for (const uris of [[], ['spiffe://else.svc'], [`spiffe://${trustDomain}/ns/default/dc/dc2/svc/web`]]) {
      expect(await ask(uris)).toMatchObject({ ok: false, error: { kind: 'bad-request' } })
    }
    expect(await ask([`spiffe://${trustDomain}`])).toMatchObject({ ok: true })
  })

  it('is refused where it cannot be recorded, for the reason of the log', async () => {
    const world = await AuthorityWorld.begun()
    const ask = asks(world)
    const failure = { kind: 'overloaded', message: 'the log is full' } as const
    world.server.failNext = failure
    expect(await ask([`spiffe://${trustDomain}`])).toEqual(err(failure))
  })

  it('is for a datacenter that is known: its name is kept with the root', async () => {
    const world = await AuthorityWorld.begun()
    const ask = asks(world)
    for (const name of ['dc9', 'dc1', 'DC2']) {
      const message = `no other datacenter of the name ${JSON.stringify(name)} is known here`
      expect(await ask([`spiffe://${trustDomain}`], name)).toEqual(err({ kind: 'bad-request', message }))
    }
    world.server.wanView = undefined
    expect(await ask([`spiffe://${trustDomain}`])).toMatchObject({ ok: false })
    expect([...views.leavesOf(world.server.read(), world.active.id)]).toEqual([])
  })

  it.each([
    ['it could sign further authorities', { pathLength: 1 }],
    ['it could sign further authorities', { unbounded: true as const }],
    ['it is of another mesh', { uri: 'spiffe://else.svc' }],
  ])('is refused where the provider signs more than was asked for: %s, %j', async (why, change) => {
    const generous: ProviderKind = {
      ...builtInKind,
      open: (...args) => {
        const provider = builtInKind.open(...args)
        const signIntermediate: Provider['signIntermediate'] = async (pem, serial, notAfterMs) =>
          ok({ certificate: signedFor(pem, { notAfterMs, ...change }), serial, notAfterMs })
        return Object.assign(Object.create(provider) as Provider, {
          signIntermediate,
          root: provider.root.bind(provider),
        })
      },
    }
    const world = await AuthorityWorld.begun()
    asks(world)
    const parts = partsOf(world.server.context, [generous])
    const asked = { csr: world.csr([`spiffe://${trustDomain}`], true), datacenter: 'dc2' }
    const message = `the provider has signed something other than the request: ${why}`
    expect(await signAuthority(parts, new OpenProviders(parts), asked)).toEqual(err({ kind: 'refused', message }))
  })
})

/** A signed authority for the caller, as requested, by any key. */
function signedFor(
  pem: string,
  { notAfterMs, pathLength = 0, uri = `spiffe://${trustDomain}`, ...rest }: Generous,
): string {
  const request = readRequest(pem, hostCrypto)
  const key = hostCrypto.makeSigningKey()
  const term = { serial: 5n, notBeforeMs: notAfterMs - hourMs, notAfterMs }
  const [certificate] = certificatesOf(certificatePem(signRoot(hostCrypto, key, { commonName: 'X', uri, ...term })))
  if (!request.ok || certificate === undefined) throw new Error('cannot be read')
  const { publicKey, subject } = request.value
  const length = Object.hasOwn(rest, 'unbounded') ? undefined : pathLength
  const wanted = { ...certificate, subjectKeyId: undefined, publicKey, subject, uris: [uri], pathLength: length }
  return certificatePem(signCrossing(hostCrypto, { key, certificate }, wanted, term))
}

interface Generous {
  readonly notAfterMs: number
  readonly pathLength?: number
  readonly unbounded?: true
  readonly uri?: string
}
