import { expect } from 'vitest'
import { equalBytes } from '../../../src/base/bytes.ts'
import type { Env } from '../../../src/env/env.ts'
import type { ProviderOptions } from '../../../src/features/connect/model.ts'
import type { ProvidedRoot, Provider, ProviderKind } from '../../../src/features/connect/provider/provider.ts'
import { type Certificate, readCertificates } from '../../../src/pki/certificate.ts'
import { verifyChain } from '../../../src/pki/chain.ts'
import { makeRequest, requestPem } from '../../../src/pki/request.ts'
import { hourMs, leafWish, mesh, must } from './provider-world.ts'

/** Where a law is looked at: one kind of provider, in one world. */
export interface ProviderPlace {
  readonly env: Env
  readonly kind: ProviderKind
  /** What roots are made of here: each number is another root, of that kind of key. */
  options(root: number, keyType: 'ec' | 'rsa'): ProviderOptions
  /** Kinds of keys that it is worth making here: RSA takes seconds on real machines. */
  readonly keyTypes: readonly ('ec' | 'rsa')[]
  /** Another judge of the same chain, where there is one: throws where it does not hold. */
  judge?(leaf: string, behind: readonly string[], root: string): void
}

export type Law = (title: string, law: (place: ProviderPlace) => Promise<void>) => void

/** What the authority relies on, with every provider. */
export function providerLaws(law: Law): void {
  rootLaws(law)
  leafLaws(law)
  crossingLaws(law)
}

interface Opened {
  readonly provider: Provider
  readonly root: ProvidedRoot
}

async function opened(place: ProviderPlace, number = 1, keyType: 'ec' | 'rsa' = 'ec'): Promise<Opened> {
  const options = place.options(number, keyType)
  expect(place.kind.problem(options)).toBeUndefined()
  const provider = place.kind.open(place.env, options, mesh)
  return { provider, root: must(await provider.root(undefined, String(number))) }
}

function onlyOne(pem: string): Certificate {
  const read = must(readCertificates(pem))
  expect(read).toHaveLength(1)
  return read[0] as Certificate
}

function rootLaws(law: Law): void {
  law('has a root of the mesh that signs itself and lives for years', async (place) => {
    const { provider, root } = await opened(place)
    const certificate = onlyOne(root.certificate)
    expect(certificate.authority).toBe(true)
    expect(certificate.pathLength).toBeUndefined()
    expect(certificate.uris).toEqual([`spiffe://${mesh.trustDomain}`])
    expect(equalBytes(certificate.subject, certificate.issuer)).toBe(true)
    const signature = [certificate.signedBytes, certificate.signature] as const
    const { publicKey, signatureAlgorithm } = certificate
    expect(
      signatureAlgorithm !== undefined && place.env.crypto.verify(publicKey, signatureAlgorithm, ...signature),
    ).toBe(true)
    expect(certificate.notBeforeMs).toBeLessThanOrEqual(place.env.clock.wallMs())
    expect(certificate.notAfterMs).toBeGreaterThan(place.env.clock.wallMs() + 5 * 8_760 * hourMs)
    provider.close()
  })

  law('has the same root again where its state says so, and asked twice', async (place) => {
    const { provider, root } = await opened(place)
    provider.close()
    const next = place.kind.open(place.env, place.options(1, 'ec'), mesh)
    const again = must(await next.root(root.state, '7'))
    expect(again.certificate).toBe(root.certificate)
    expect(again.intermediates).toEqual(root.intermediates)
    const { key, wish } = await leafWish(place.env)
    const leaf = must(await next.signLeaf(wish))
    expect(equalBytes(onlyOne(leaf.certificate).publicKey, key.publicKey)).toBe(true)
    expectTrusted(place, leaf.certificate, leaf.behind ?? again.intermediates, root.certificate)
    next.close()
  })

  law('finds nothing to mend where nobody changed anything', async (place) => {
    const { provider, root } = await opened(place)
    if (provider.review !== undefined) {
      expect(must(await provider.review(root))).toEqual({ intermediates: root.intermediates, problem: undefined })
    }
    provider.close()
  })

  law('says which options are of one root', async ({ kind, options }) => {
    expect(kind.sameRoot(options(1, 'ec'), { ...options(1, 'ec'), LeafCertTTL: '24h' })).toBe(true)
    expect(kind.sameRoot(options(1, 'ec'), options(2, 'ec'))).toBe(false)
  })
}

function expectTrusted(place: ProviderPlace, leaf: string, behind: readonly string[], root: string): void {
  const between = behind.flatMap((each) => must(readCertificates(each)))
  const atMs = place.env.clock.wallMs()
  for (const usage of ['server', 'client'] as const) {
    const question = { atMs, usage, trustDomain: mesh.trustDomain }
    must(verifyChain(place.env.crypto, onlyOne(leaf), between, [onlyOne(root)], question))
  }
  place.judge?.(leaf, behind, root)
}

function leafLaws(law: Law): void {
  law('signs a leaf for the key and the service that were asked for, which leads to its root', async (place) => {
    const { provider, root } = await opened(place)
    const { key, wish } = await leafWish(place.env, 'web')
    const signed = must(await provider.signLeaf(wish))
    const leaf = onlyOne(signed.certificate)
    expect(equalBytes(leaf.publicKey, key.publicKey)).toBe(true)
    expect(leaf.uris).toEqual([wish.spiffeId])
    expect(leaf.dnsNames).toEqual([])
    expect(leaf.authority).toBe(false)
    expect(leaf.keyUsages).toEqual(['digitalSignature', 'keyAgreement'])
    expect(leaf.extendedUses?.toSorted()).toEqual(['client', 'server'])
    expectTrusted(place, signed.certificate, signed.behind ?? root.intermediates, root.certificate)
    provider.close()
  })

  law('tells serial number and end of a leaf as they are in it', async (place) => {
    const { provider } = await opened(place)
    const { wish } = await leafWish(place.env, 'web', 2 * hourMs)
    const signed = must(await provider.signLeaf(wish))
    const leaf = onlyOne(signed.certificate)
    expect(signed.serial).toBe(leaf.serial.toString())
    expect(signed.notAfterMs).toBe(leaf.notAfterMs)
    // A provider has a clock of its own.
    expect(Math.abs(leaf.notAfterMs - wish.notAfterMs)).toBeLessThan(mesh.skewMs)
    expect(leaf.notBeforeMs).toBeLessThanOrEqual(place.env.clock.wallMs() - mesh.skewMs / 2)
    provider.close()
  })

  law('gives no two leaves one serial number', async (place) => {
    const { provider } = await opened(place)
    const serials = new Set<string>()
    for (const serial of ['21', '22', '23']) {
      const { wish } = await leafWish(place.env, 'web', hourMs, serial)
      serials.add(must(await provider.signLeaf(wish)).serial)
    }
    expect(serials.size).toBe(3)
    provider.close()
  })

  law('signs no leaf that outlives what signed it', async (place) => {
    const { provider, root } = await opened(place)
    const { wish } = await leafWish(place.env, 'web', 20 * 8_760 * hourMs)
    const signed = await provider.signLeaf(wish)
    if (signed.ok) {
      const ends = [root.certificate, ...(signed.value.behind ?? root.intermediates)].map(
        (each) => onlyOne(each).notAfterMs,
      )
      expect(signed.value.notAfterMs).toBeLessThanOrEqual(Math.min(...ends))
    }
    provider.close()
  })

  law('takes services whose names are no names of hosts', async (place) => {
    const { provider, root } = await opened(place)
    for (const service of ['my_service', 'a b', 'x'.repeat(128), 'ö']) {
      const { wish } = await leafWish(place.env, service)
      const signed = must(await provider.signLeaf(wish))
      expect(onlyOne(signed.certificate).uris).toEqual([wish.spiffeId])
      expectTrusted(place, signed.certificate, signed.behind ?? root.intermediates, root.certificate)
    }
    provider.close()
  })

  law('signs keys of every kind', async (place) => {
    const { provider, root } = await opened(place)
    for (const kind of place.keyTypes.includes('rsa') ? (['ec-384', 'rsa-2048'] as const) : (['ec-384'] as const)) {
      const key = await place.env.crypto.generateKey(kind)
      const { wish } = await leafWish(place.env)
      const request = makeRequest(key, { commonName: 'web', uris: [wish.spiffeId] })
      const asked = { ...wish, publicKey: key.publicKey, requestPem: requestPem(request) }
      const signed = must(await provider.signLeaf(asked))
      expect(equalBytes(onlyOne(signed.certificate).publicKey, key.publicKey)).toBe(true)
      expectTrusted(place, signed.certificate, signed.behind ?? root.intermediates, root.certificate)
    }
    provider.close()
  })
}

function crossingLaws(law: Law): void {
  law(
    'crosses a new root so that its leaves are valid for verifiers with the old root, the new one, or both',
    async (place) => {
      let number = 1
      for (const [from, to] of pairsOf(place.keyTypes)) {
        const old = await opened(place, number++, from)
        const next = await opened(place, number++, to)
        const nowMs = Math.floor(place.env.clock.wallMs() / 1000) * 1000
        const terms = { serial: '77', notBeforeMs: nowMs - mesh.skewMs, notAfterMs: nowMs + 30 * 24 * hourMs }
        const crossing = must(await old.provider.crossSign({ rootCertificate: next.root.certificate, ...terms }))
        expect(crossing.notAfterMs).toBeGreaterThanOrEqual(terms.notAfterMs)
        const { wish } = await leafWish(place.env)
        const leaf = must(await next.provider.signLeaf(wish))
        const own = leaf.behind ?? next.root.intermediates
        const behind = [...own, crossing.certificate, ...(crossing.behind ?? [])]
        for (const root of [old.root, next.root]) expectTrusted(place, leaf.certificate, behind, root.certificate)
        place.judge?.(leaf.certificate, behind, `${old.root.certificate.trimEnd()}\n${next.root.certificate}`)
        old.provider.close()
        next.provider.close()
      }
    },
  )

  law('signs an authority for another datacenter, below which no further one stands', async (place) => {
    const { provider, root } = await opened(place)
    const key = await place.env.crypto.generateKey('ec-256')
    const uris = [`spiffe://${mesh.trustDomain}`]
    const request = requestPem(makeRequest(key, { commonName: 'Svc dc2', uris, authority: true }))
    const endMs = place.env.clock.wallMs() + 8_760 * hourMs
    const signed = must(await provider.signIntermediate(request, '31', endMs))
    const below = onlyOne(signed.certificate)
    expect(below.pathLength).toBe(0)
    expect(below.authority).toBe(true)
    expect(equalBytes(below.publicKey, key.publicKey)).toBe(true)
    expect(equalBytes(below.issuer, onlyOne(root.certificate).subject)).toBe(true)
    expect(signed.notAfterMs).toBe(below.notAfterMs)
    expect(below.notAfterMs).toBeLessThanOrEqual(endMs + mesh.skewMs)
    provider.close()
  })
}

function pairsOf(kinds: readonly ('ec' | 'rsa')[]): readonly (readonly ['ec' | 'rsa', 'ec' | 'rsa'])[] {
  return kinds.flatMap((from) => kinds.map((to) => [from, to] as const))
}
