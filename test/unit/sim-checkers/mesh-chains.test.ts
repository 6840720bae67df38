import { X509Certificate } from 'node:crypto'
import { afterAll, describe, expect, it } from 'vitest'
import { PkiChains } from '../../../sim/checkers/mesh/mesh-chains.ts'
import { createPlatform } from '../../../sim/platform/platform.ts'
import type { SigningKey } from '../../../src/env/crypto.ts'
import { readCertificate } from '../../../src/pki/certificate.ts'
import { signCrossing, signLeaf, signRoot } from '../../../src/pki/mesh-certificates.ts'
import { certificatePem } from '../../../src/pki/pem.ts'
import type { Issuer } from '../../../src/pki/tls-certificate.ts'

const startMs = 1_767_225_600_000
const hour = 3_600_000
const platform = createPlatform()
afterAll(() => platform.close())
const uri = 'spiffe://mesh.svc'

let serials = 0n
function term(fromH: number, toH: number) {
  return { serial: ++serials, notBeforeMs: startMs + fromH * hour, notAfterMs: startMs + toH * hour }
}

function key(seed: number, kind: 'ec-256' | 'ec-384' = 'ec-256'): SigningKey {
  return platform.ecKey(kind, new Uint8Array(64).fill(seed))
}

function read(der: Uint8Array) {
  const certificate = readCertificate(der)
  if (!certificate.ok) throw new Error(certificate.error)
  return certificate.value
}

function authority(seed: number, kind?: 'ec-384'): Issuer {
  const own = key(seed, kind)
  return {
    key: own,
    certificate: read(signRoot(platform, own, { ...term(-1, 100), commonName: `Svc CA ${seed}`, uri })),
  }
}

const [first, second, third] = [authority(1), authority(2, 'ec-384'), authority(3)]
const pems = {
  'root 1': certificatePem(first.certificate.der),
  'root 2': certificatePem(second.certificate.der),
  'root 3': certificatePem(third.certificate.der),
  'root 2 by 1': certificatePem(signCrossing(platform, first, second.certificate, term(-1, 20))),
  'root 3 by 2': certificatePem(signCrossing(platform, second, third.certificate, term(-1, 30))),
  'leaf by 1': certificatePem(leafOf(first)),
  'leaf by 2': certificatePem(leafOf(second)),
  'leaf by 3': certificatePem(leafOf(third)),
}
type Name = keyof typeof pems

function leafOf(issuer: Issuer): Uint8Array {
  const { publicKey } = key(9)
  return signLeaf(platform, issuer, {
    ...term(-1, 10),
    publicKey,
    keyKind: 'ec',
    commonName: 'web',
    uri: `${uri}/ns/default/dc/dc1/svc/web`,
  })
}

/** What Node thinks of it: issuer by issuer, as it checks names, key identifiers and signatures, and dates by hand. */
function nodeAccepts(leaf: Name, between: readonly Name[], roots: readonly Name[], atMs: number): boolean {
  const certificates = (names: readonly Name[]) => names.map((name) => new X509Certificate(pems[name]))
  const isNow = (each: X509Certificate) => Date.parse(each.validFrom) <= atMs && atMs <= Date.parse(each.validTo)
  const climbs = (at: X509Certificate, left: readonly X509Certificate[]): boolean => {
    if (!isNow(at)) return false
    const isBy = (issuer: X509Certificate) => issuer.ca && at.checkIssued(issuer) && at.verify(issuer.publicKey)
    if (certificates(roots).some((root) => isNow(root) && isBy(root))) return true
    return left.some(
      (each) =>
        isBy(each) &&
        climbs(
          each,
          left.filter((other) => other !== each),
        ),
    )
  }
  return climbs(new X509Certificate(pems[leaf]), certificates(between))
}

function pathOf(leaf: Name, between: readonly Name[], roots: readonly Name[], atMs: number) {
  const chains = new PkiChains(platform)
  const seen = (names: readonly Name[]) => names.flatMap((name) => chains.read(pems[name]) ?? [])
  const [own] = seen([leaf])
  if (own === undefined) throw new Error('unreadable')
  return chains.path(own, seen(between), seen(roots), atMs)
}

const crossings: readonly (readonly Name[])[] = [[], ['root 2 by 1'], ['root 3 by 2'], ['root 3 by 2', 'root 2 by 1']]
const stores: readonly (readonly Name[])[] = [
  ['root 1'],
  ['root 2'],
  ['root 3'],
  ['root 1', 'root 2'],
  ['root 2', 'root 3'],
]
const cases = (['leaf by 1', 'leaf by 2', 'leaf by 3'] as const).flatMap((leaf) =>
  crossings.flatMap((between) =>
    stores.flatMap((roots) => [-2, 5, 11].map((atH) => ({ leaf, between, roots, atMs: startMs + atH * hour }))),
  ),
)

describe('chains as the checkers verify them', () => {
  it('are accepted exactly where Node accepts them', () => {
    const ours = cases.map(({ leaf, between, roots, atMs }) => pathOf(leaf, between, roots, atMs).ok)
    const nodes = cases.map(({ leaf, between, roots, atMs }) => nodeAccepts(leaf, between, roots, atMs))
    expect(ours).toEqual(nodes)
    expect(ours.filter((each) => each).length).toBeGreaterThan(20)
    expect(ours.filter((each) => !each).length).toBeGreaterThan(20)
  })

  it('hold as long as every certificate of the path', () => {
    const atMs = startMs + hour
    expect(pathOf('leaf by 2', [], ['root 2'], atMs)).toMatchObject({
      ok: true,
      value: { fromMs: startMs - hour, toMs: startMs + 10 * hour },
    })
  })

  it('tell why there is none', () => {
    expect(pathOf('leaf by 3', ['root 3 by 2'], ['root 1'], startMs)).toMatchObject({
      ok: false,
      error: expect.stringContaining('Svc CA 3'),
    })
  })

  it('are read once, and what is none is nothing', () => {
    const chains = new PkiChains(platform)
    expect(chains.read(pems['root 1'])).toBe(chains.read(pems['root 1']))
    expect(chains.read('-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n')).toBeUndefined()
  })
})
