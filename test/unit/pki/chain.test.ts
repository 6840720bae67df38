import { X509Certificate } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import type { KeyKind } from '../../../src/env/crypto.ts'
import { hostCrypto } from '../../../src/host/crypto.ts'
import type { Certificate } from '../../../src/pki/certificate.ts'
import { verifyChain } from '../../../src/pki/chain.ts'
import { opensslIsThere } from '../../contract/host/tls-material.ts'
import { type End, handshakeProblem, opensslSays } from './judges.ts'
import { type Authority, crossing, keyOf, type Leaf, leafBy, rootBy, trustDomain } from './mesh.ts'

const openssl = opensslIsThere()

function ourWord(leaf: Certificate, between: readonly Certificate[], roots: readonly Certificate[]) {
  const verdicts = (['server', 'client'] as const).map((usage) =>
    verifyChain(hostCrypto, leaf, between, roots, { atMs: Date.now(), usage, trustDomain }),
  )
  expect(verdicts.map(({ ok }) => ok)).toEqual([verdicts[0]?.ok, verdicts[0]?.ok])
  const [verdict] = verdicts
  return verdict?.ok === true ? undefined : verdict?.error
}

/** All that are not empty. */
function subsets<T>(items: readonly T[]): readonly (readonly T[])[] {
  const count = 2 ** items.length
  return Array.from({ length: count - 1 }, (_, mask) => items.filter((__, at) => ((mask + 1) >> at) & 1))
}

/** Roots one after the other, the crossings from the newest back, and leaves of each kind of key under the newest. */
async function rotated(kinds: readonly KeyKind[]) {
  const roots: Authority[] = []
  for (const [at, kind] of kinds.entries()) roots.push(rootBy(await keyOf(kind, at)))
  const crossings = roots.slice(1).map((root, at) => crossing(root, roots[at] ?? root))
  const newest = roots.at(-1) ?? rootBy(await keyOf('ec-256'))
  const leaves = [leafBy(newest, await keyOf('ec-256')), leafBy(newest, await keyOf('rsa-2048', 3), 'db')]
  return { roots, crossings: crossings.toReversed(), leaves }
}

const generations: readonly (readonly KeyKind[])[] = [
  ['ec-256'],
  ['ec-384'],
  ['ec-521'],
  ['rsa-2048'],
  ['rsa-4096'],
  ['ec-256', 'ec-384'],
  ['ec-256', 'rsa-2048'],
  ['rsa-4096', 'ec-521'],
  ['ec-256', 'ec-256', 'rsa-2048'],
  ['rsa-2048', 'rsa-4096', 'ec-384'],
]

describe('a chain after no, one and two rotations', () => {
  it.each(generations.map((kinds) => ({ kinds, names: kinds.join(', then ') })))(
    'is accepted by a verifier that trusts any of its roots: $names',
    async ({ kinds }) => {
      const made = await rotated(kinds)
      for (const trusted of subsets(made.roots)) {
        const roots = trusted.map(({ certificate }) => certificate)
        for (const { certificate } of made.leaves) expect(ourWord(certificate, made.crossings, roots)).toBeUndefined()
        if (openssl) {
          const words = opensslSays(certificates(made.leaves), made.crossings, roots)
          expect(words).toEqual([undefined, undefined])
        }
        const ends = made.leaves.map((leaf): End => ({ leaf, intermediates: made.crossings, roots }))
        const [listener, dialler] = ends as [End, End]
        expect(await handshakeProblem(listener, dialler)).toBeUndefined()
      }
    },
  )

  it('is the shortest that leads to a trusted root', async () => {
    const { roots, crossings, leaves } = await rotated(['ec-256', 'ec-384', 'ec-521'])
    const leaf = leaves[0]?.certificate as Certificate
    for (const [at, { certificate }] of roots.entries()) {
      const question = { atMs: Date.now(), usage: 'server', trustDomain } as const
      const verdict = verifyChain(hostCrypto, leaf, crossings, [certificate], question)
      const between = crossings.slice(0, roots.length - 1 - at)
      expect(verdict).toEqual({ ok: true, value: [leaf, ...between, certificate] })
    }
  })

  it('is accepted from one that has an older root by one that has a newer, and the other way', async () => {
    const { roots, crossings, leaves } = await rotated(['ec-256', 'rsa-2048', 'ec-384'])
    const [oldest, , newest] = roots.map(({ certificate }) => certificate) as [Certificate, Certificate, Certificate]
    const old = leafBy(roots[0] as Authority, await keyOf('ec-256'))
    const [fresh] = leaves as [Leaf]
    // The old leaf is shown to a verifier that has the new root and still trusts the old one.
    const before: End = { leaf: old, intermediates: [], roots: [oldest] }
    const after: End = { leaf: fresh, intermediates: crossings, roots: [newest, oldest] }
    expect(await handshakeProblem(before, after)).toBeUndefined()
    expect(await handshakeProblem(after, before)).toBeUndefined()
    // A verifier that trusts only the new one no longer accepts it: so the old root is removed last.
    expect(await handshakeProblem(before, { ...after, roots: [newest] })).toMatch(/./)
    expect(ourWord(old.certificate, crossings, [newest])).toMatch(/issuer of "web" .* is unknown/)
  })

  it('loses its holders without the crossings', async () => {
    const { roots, crossings, leaves } = await rotated(['ec-256', 'ec-384', 'ec-521'])
    const [oldest] = roots.map(({ certificate }) => certificate) as [Certificate]
    const [leaf] = leaves as [Leaf]
    for (const between of [[], crossings.slice(0, 1), crossings.slice(1)]) {
      expect(ourWord(leaf.certificate, between, [oldest])).toMatch(/is unknown|to a trusted root/)
      if (openssl) expect(opensslSays([leaf.certificate], between, [oldest])).toEqual([expect.stringMatching(/issuer/)])
    }
  })
})

function certificates(leaves: readonly Leaf[]): readonly Certificate[] {
  return leaves.map(({ certificate }) => certificate)
}

describe('what is read of a certificate', () => {
  it.each(generations.slice(0, 5).flat())('is what Node reads of it: %s', async (kind) => {
    const made = await rotated([kind])
    for (const { certificate } of [...made.roots, ...made.leaves]) {
      const node = new X509Certificate(certificate.pem)
      expect(certificate.serial.toString(16).toUpperCase()).toBe(node.serialNumber.replace(/^0(?=.)/, ''))
      expect(new Date(certificate.notBeforeMs)).toEqual(new Date(node.validFrom))
      expect(new Date(certificate.notAfterMs)).toEqual(new Date(node.validTo))
      expect(`CN=${certificate.commonName}`).toBe(node.subject)
      expect(certificate.uris.map((uri) => `URI:${uri}`).join(', ')).toBe(node.subjectAltName)
      expect(certificate.authority).toBe(node.ca)
      expect(certificate.publicKey).toEqual(new Uint8Array(node.publicKey.export({ type: 'spki', format: 'der' })))
      expect(certificate.der).toEqual(new Uint8Array(node.raw))
      expect(certificate.pem).toBe(node.toString())
      const { asymmetricKeyType, asymmetricKeyDetails } = node.publicKey
      expect(certificate.keyKind).toBe(asymmetricKeyType)
      if (certificate.keyKind === 'rsa') expect(certificate.keyBits).toBe(asymmetricKeyDetails?.modulusLength)
    }
  })

  it('names the key of each by the hash of its own, in bytes, and the authority by the name that its root has', async () => {
    const made = await rotated(['ec-256', 'rsa-2048'])
    const newest = made.roots.at(-1)?.certificate as Certificate
    const idOf = ({ publicKey }: Certificate): Uint8Array => hostCrypto.sha256(publicKey).slice(0, 20)
    for (const { certificate } of made.leaves) {
      expect(certificate.subjectKeyId).toEqual(idOf(certificate))
      expect(certificate.authorityKeyId).toEqual(newest.subjectKeyId)
    }
    const [between] = made.crossings as [Certificate]
    expect([between.subjectKeyId, newest.subjectKeyId]).toEqual([idOf(newest), idOf(newest)])
    expect(between.authorityKeyId).toEqual(made.roots[0]?.certificate.subjectKeyId)
  })
})
