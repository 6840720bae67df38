import { describe, expect, it } from 'vitest'
import { hostCrypto } from '../../../src/host/crypto.ts'
import type { Certificate } from '../../../src/pki/certificate.ts'
import { type CertificateParts, writeCertificate } from '../../../src/pki/certificate-writer.ts'
import { chainMax, verifyChain } from '../../../src/pki/chain.ts'
import { type Der, parsed } from '../../../src/pki/der.ts'
import * as extension from '../../../src/pki/extensions.ts'
import { keyIdOf } from '../../../src/pki/key-id.ts'
import { signIntermediate } from '../../../src/pki/mesh-certificates.ts'
import { nameOf } from '../../../src/pki/name.ts'
import { opensslIsThere } from '../../contract/host/tls-material.ts'
import { handshakeProblem, opensslSays } from './judges.ts'
import {
  type Authority,
  certificateOf,
  crossing,
  dayMs,
  keyOf,
  leafBy,
  rootBy,
  serviceId,
  signingId,
  term,
  trustDomain,
} from './mesh.ts'

const openssl = opensslIsThere()
const [rootKey, otherKey, leafKey, middleKey] = (await Promise.all(
  Array.from({ length: 4 }, () => keyOf('ec-256')),
)) as [Authority['key'], Authority['key'], Authority['key'], Authority['key']]
const root = rootBy(rootKey)
const other = rootBy(otherKey)
const leaf = leafBy(root, leafKey)

/** A leaf of the root, with one thing about it changed. */
function leafWith(change: Partial<CertificateParts>, extensions: Readonly<Record<number, Der>> = {}, by = rootKey) {
  const { serial, ...times } = term(dayMs)
  const usual = [
    extension.keyUsage(['digitalSignature', 'keyAgreement']),
    extension.extendedUses(['client', 'server']),
    extension.basicConstraints(false),
    extension.subjectKeyId(keyIdOf(hostCrypto, leafKey.publicKey)),
    extension.authorityKeyId(keyIdOf(hostCrypto, rootKey.publicKey)),
    extension.subjectNames({ uris: [serviceId('web')] }),
  ]
  const parts = {
    ...times,
    serial: Uint8Array.of(Number(serial)),
    issuer: parsed(root.certificate.subject),
    subject: nameOf('web'),
    publicKey: leafKey.publicKey,
    extensions: usual.map((each, at) => extensions[at] ?? each),
    ...change,
  }
  return certificateOf(writeCertificate(parts, by))
}

function authorityBelow(
  by: Authority,
  name: string,
  pathLength: number | undefined,
  change: Partial<CertificateParts> = {},
) {
  const { serial, ...times } = term(dayMs)
  const parts = {
    ...times,
    serial: Uint8Array.of(Number(serial)),
    issuer: parsed(by.certificate.subject),
    subject: nameOf(name),
    publicKey: middleKey.publicKey,
    extensions: [
      extension.keyUsage(extension.usesOfAuthority),
      extension.basicConstraints(true, pathLength),
      extension.subjectKeyId(keyIdOf(hostCrypto, middleKey.publicKey)),
      extension.authorityKeyId(keyIdOf(hostCrypto, by.key.publicKey)),
    ],
    ...change,
  }
  return { key: middleKey, certificate: certificateOf(writeCertificate(parts, by.key)) }
}

const at = (change: {
  readonly atMs?: number
  readonly trustDomain?: string
  readonly usage?: 'server' | 'client'
}) => ({
  atMs: Date.now(),
  usage: 'server' as const,
  trustDomain,
  ...change,
})

function refusal(
  certificate: Certificate,
  between: readonly Certificate[] = [],
  roots: readonly Certificate[] = [root.certificate],
  change: Parameters<typeof at>[0] = {},
): string | undefined {
  const verdict = verifyChain(hostCrypto, certificate, between, roots, at(change))
  return verdict.ok ? undefined : verdict.error
}

const weekAgo = { notBeforeMs: Date.now() - 7 * dayMs, notAfterMs: Date.now() - dayMs }
const tomorrow = { notBeforeMs: Date.now() + dayMs, notAfterMs: Date.now() + 2 * dayMs }
const narrow = authorityBelow(root, 'Narrow', 0)
const below = authorityBelow(narrow, 'Below', 0)
const noAuthority = { key: leafKey, certificate: leafWith({}) }

/** Each is refused by OpenSSL and Node, too. */
const refused: readonly (readonly [string, RegExp, Certificate, readonly Certificate[], (readonly Certificate[])?])[] =
  [
    ['that has expired', /^"web" .* has expired$/, leafWith(weekAgo), []],
    ['that is not valid yet', /is not valid yet$/, leafWith(tomorrow), []],
    [
      'that names another key of its authority',
      /the authority key identifier of "web" .* is not that of "Svc CA/,
      leafWith({}, { 4: extension.authorityKeyId(keyIdOf(hostCrypto, otherKey.publicKey)) }),
      [],
    ],
    ['that another key has signed', /is not signed by "Svc CA/, leafWith({}, {}, otherKey), []],
    ['of another root', /the issuer of "web" .* is unknown$/, leaf.certificate, [], [other.certificate]],
    [
      'that what is no authority has signed',
      /^"web" .* is not a certificate authority$/,
      leafBy(noAuthority, leafKey, 'db').certificate,
      [noAuthority.certificate],
    ],
    [
      'below more authorities than one of them allows',
      /^"Narrow" .* allows at most 0 certificate authorities below it, but there are 1$/,
      leafBy(below, leafKey).certificate,
      [below.certificate, narrow.certificate],
    ],
    [
      'below one that may not sign certificates',
      /does not allow it to sign certificates$/,
      leafBy(authorityBelow(root, 'Mute', 0), leafKey).certificate,
      [
        authorityBelow(root, 'Mute', 0, {
          extensions: [
            extension.keyUsage(['digitalSignature']),
            extension.basicConstraints(true, 0),
            extension.subjectKeyId(keyIdOf(hostCrypto, middleKey.publicKey)),
            extension.authorityKeyId(keyIdOf(hostCrypto, rootKey.publicKey)),
          ],
        }).certificate,
      ],
    ],
    [
      'below an authority that has expired',
      /^"Late" .* has expired$/,
      leafBy(authorityBelow(root, 'Late', 0), leafKey).certificate,
      [authorityBelow(root, 'Late', 0, weekAgo).certificate],
    ],
    [
      'that is for dialling alone, shown by a listener',
      /does not allow use as a server$/,
      leafWith({}, { 1: extension.extendedUses(['client']) }),
      [],
    ],
    [
      'that insists on what nobody knows',
      /has a critical extension that is not supported: 1\.2\.3\.4$/,
      leafWith({}, { 1: unknownExtension() }),
      [],
    ],
  ]

function unknownExtension(): Der {
  // An extension of its own kind has no writer: this is one whose identifier is changed.
  const [, critical, value] = extension.basicConstraints(false).parts as [Der, Der, Der]
  const id: Der = { tag: 0x06, parts: [], content: '\x2a\x03\x04' }
  return { tag: 0x30, parts: [id, critical, value], content: '' }
}

describe('a leaf', () => {
  const cases = refused.map(([what, ...rest]) => ({ what, rest }))
  it.each(cases)('$what is refused', async ({ rest: [reason, certificate, between, roots = [root.certificate]] }) => {
    expect(refusal(certificate, between, roots)).toMatch(reason)
    if (openssl) expect(opensslSays([certificate], between, roots)).toEqual([expect.stringMatching(/error/)])
    const wrong = { leaf: { ...leaf, certificate }, intermediates: between, roots: [root.certificate] }
    const right = { leaf, intermediates: [], roots }
    expect(await handshakeProblem(wrong, right)).toMatch(/./)
  })

  it('as it should be is accepted by all judges: what is refused here is refused for its one fault', async () => {
    const certificate = leafWith({})
    expect(refusal(certificate)).toBeUndefined()
    const below = leafBy(narrow, leafKey)
    expect(refusal(below.certificate, [narrow.certificate])).toBeUndefined()
    if (openssl) {
      expect(opensslSays([certificate, below.certificate], [narrow.certificate], [root.certificate])).toEqual([
        undefined,
        undefined,
      ])
    }
    const end = { leaf: { ...leaf, certificate }, intermediates: [], roots: [root.certificate] }
    expect(await handshakeProblem(end, end)).toBeUndefined()
  })

  it('of an intermediate for another datacenter is accepted, and no authority below that one', async () => {
    const request = { publicKey: middleKey.publicKey, subject: below.certificate.subject }
    const signed = signIntermediate(hostCrypto, root, request, { ...term(365 * dayMs), uri: signingId })
    const second = { key: middleKey, certificate: certificateOf(signed) }
    expect(second.certificate).toMatchObject({ commonName: 'Below', authority: true, pathLength: 0, uris: [signingId] })
    const certificate = leafBy(second, leafKey).certificate
    expect(refusal(certificate, [second.certificate])).toBeUndefined()
    if (openssl) expect(opensslSays([certificate], [second.certificate], [root.certificate])).toEqual([undefined])
    const third = authorityBelow(second, 'Third', undefined)
    expect(refusal(leafBy(third, leafKey).certificate, [third.certificate, second.certificate])).toMatch(
      /allows at most 0/,
    )
  })

  it('holds through its last second and from its first on', () => {
    const { certificate } = leaf
    expect(refusal(certificate, [], undefined, { atMs: certificate.notBeforeMs })).toBeUndefined()
    expect(refusal(certificate, [], undefined, { atMs: certificate.notBeforeMs - 1 })).toMatch(/not valid yet/)
    expect(refusal(certificate, [], undefined, { atMs: certificate.notAfterMs + 999 })).toBeUndefined()
    expect(refusal(certificate, [], undefined, { atMs: certificate.notAfterMs + 1000 })).toMatch(/has expired/)
  })

  it.each([
    ['of another trust domain', [serviceId('web', 'other.svc')], /belongs to another trust domain: other\.svc$/],
    [
      'of two services',
      [serviceId('web'), serviceId('db')],
      /does not have exactly one URI as subject alternative name$/,
    ],
    ['of no service', [], /does not have exactly one URI as subject alternative name$/],
    ['that is the ID of an authority', [signingId], /^the SPIFFE ID of .* does not name a service$/],
    ['of a URI of another kind', ['https://web.svc/'], /SPIFFE ID must be of the form/],
  ])('%s is refused where a trust domain is asked for', (_, uris, reason) => {
    const names = uris.length === 0 ? extension.subjectNames({ dnsNames: ['web'] }) : extension.subjectNames({ uris })
    const certificate = leafWith({}, { 5: names })
    expect(refusal(certificate)).toMatch(reason)
    const { atMs, usage } = at({})
    expect(verifyChain(hostCrypto, certificate, [], [root.certificate], { atMs, usage }).ok).toBe(true)
  })

  it('below an authority of another trust domain is refused', () => {
    expect(
      refusal(leafWith({}, { 5: extension.subjectNames({ uris: [serviceId('web', 'a.b')] }) }), [], undefined, {
        trustDomain: 'a.b',
      }),
    ).toMatch(/^"Svc CA .* belongs to another trust domain: 11111111/)
    expect(refusal(leaf.certificate, [], undefined, { trustDomain: trustDomain.toUpperCase() })).toBeUndefined()
  })

  it('is named in the reason without what a terminal would obey', () => {
    const certificate = leafWith({ ...weekAgo, subject: nameOf('a"\n\u001b[31m\u007f\u202eü') })
    expect(refusal(certificate)).toMatch(/^"a\\"\?\?\[31m\?\?\?" \(serial [0-9a-f]+\) has expired$/)
  })

  it('that is an authority is refused as a leaf', () => {
    expect(refusal(narrow.certificate)).toMatch(/is a certificate authority, not a leaf$/)
    expect(refusal(root.certificate)).toMatch(/is a certificate authority, not a leaf$/)
  })

  it('with more signatures above it than any chain needs is refused soon', () => {
    // Many authorities of one name: each signature has to be looked at, and none is right.
    const many = Array.from({ length: 60 }, () => authorityBelow(root, 'Narrow', 0, { publicKey: otherKey.publicKey }))
    const keyless = leafBy(narrow, leafKey)
    const wrong = { ...keyless.certificate, authorityKeyId: undefined }
    let verified = 0
    const counting = {
      verify: (...words: Parameters<typeof hostCrypto.verify>) => {
        verified++
        return hostCrypto.verify(...words)
      },
    }
    const between = many.map(({ certificate }) => certificate)
    expect(verifyChain(counting, wrong, between, [root.certificate], at({})).ok).toBe(false)
    expect(verified).toBeLessThanOrEqual(32)
  })

  it('of authorities that certify each other in a ring is refused', async () => {
    const [one, two] = [rootBy(await keyOf('ec-256')), rootBy(await keyOf('ec-256'))]
    const ring = [crossing(one, two), crossing(two, one)]
    expect(refusal(leafBy(one, leafKey).certificate, ring)).toMatch(/to a trusted root|is unknown/)
  })

  it('at the end of a chain that is too long is refused', () => {
    const chain: Authority[] = [root]
    for (let at = 0; at < chainMax; at++) {
      const by = chain.at(-1) ?? root
      const own = authorityBelow(by, `Link ${at}`, undefined)
      chain.push(own)
    }
    const between = chain.slice(1).map(({ certificate }) => certificate)
    const end = (at: number) => leafBy(chain[at] ?? root, leafKey).certificate
    expect(refusal(end(chainMax - 2), between)).toBeUndefined()
    expect(refusal(end(chainMax - 1), between)).toContain(`the chain is longer than ${chainMax} certificates`)
  })
})
