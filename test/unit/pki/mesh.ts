import { rsaPool } from '../../../sim/platform/pure/rsa-pool.ts'
import type { Result } from '../../../src/base/result.ts'
import type { KeyKind, SigningKey } from '../../../src/env/crypto.ts'
import { hostCrypto } from '../../../src/host/crypto.ts'
import { type Certificate, readCertificate } from '../../../src/pki/certificate.ts'
import { signCrossing, signLeaf, signRoot } from '../../../src/pki/mesh-certificates.ts'
import { type CertificateRequest, makeRequest, readRequest } from '../../../src/pki/request.ts'
import { serviceUri, signingUri } from '../../../src/pki/spiffe.ts'

export const trustDomain = '11111111-2222-3333-4444-555555555555.svc'
export const signingId = signingUri(trustDomain)
export const serviceId = (service: string, domain = trustDomain): string =>
  serviceUri({ trustDomain: domain, namespace: 'default', datacenter: 'dc1', service })

const minuteMs = 60_000
const hourMs = 3_600_000
export const dayMs = 24 * hourMs

export function got<T>(result: Result<T, string>): T {
  if (!result.ok) throw new Error(result.error)
  return result.value
}

export const certificateOf = (der: Uint8Array): Certificate => got(readCertificate(der))

/** Of RSA the n-th that is committed: finding one takes seconds. */
export async function keyOf(kind: KeyKind, nth = 0): Promise<SigningKey> {
  if (kind !== 'rsa-2048' && kind !== 'rsa-4096') return hostCrypto.generateKey(kind)
  const pool = rsaPool[kind]
  const key = hostCrypto.readSigningKey(pool[nth % pool.length] ?? '')
  if (key === undefined) throw new Error('the key of the pool is not read')
  return key
}

let serial = 0n

/** From a minute ago; each call has another serial number. */
export function term(lastsMs: number) {
  const nowMs = Date.now()
  serial += 1n
  return { serial, notBeforeMs: nowMs - minuteMs, notAfterMs: nowMs + lastsMs }
}

export interface Authority {
  readonly key: SigningKey
  readonly certificate: Certificate
}

export function rootBy(key: SigningKey): Authority {
  const wishes = { ...term(3650 * dayMs), uri: signingId }
  const signed = signRoot(hostCrypto, key, { ...wishes, commonName: `Svc CA ${wishes.serial}` })
  return { key, certificate: certificateOf(signed) }
}

export function crossing(of: Authority, by: Authority): Certificate {
  return certificateOf(signCrossing(hostCrypto, by, of.certificate, term(7 * dayMs)))
}

/** A leaf as one gets it: by a request. */
export interface Leaf {
  readonly key: SigningKey
  readonly request: CertificateRequest
  readonly certificate: Certificate
}

export function leafBy(authority: Authority, key: SigningKey, service = 'web'): Leaf {
  const uri = serviceId(service)
  const request = got(readRequest(makeRequest(key, { commonName: service, uris: [uri] }), hostCrypto))
  const { publicKey, keyKind } = request
  const wishes = { ...term(3 * dayMs), publicKey, keyKind, commonName: service, uri }
  return { key, request, certificate: certificateOf(signLeaf(hostCrypto, authority, wishes)) }
}
