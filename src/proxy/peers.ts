import { lowerAscii } from '../base/letter-case.ts'
import type { PeerCertificate } from '../env/net.ts'
import { readSpiffeId, type ServiceId } from '../pki/spiffe.ts'
import { isOfMesh, type TrustDomains } from '../pki/trust-domains.ts'

/** The service that a proxy must find at the other end. */
export interface Expected {
  readonly service: string
  readonly datacenter: string
}

/** The one service of this mesh that a certificate is for; undefined: it is for none, for several, or for one of another mesh. */
export function serviceOf(
  peer: PeerCertificate | undefined,
  domains: TrustDomains,
): { readonly uri: string; readonly id: ServiceId } | undefined {
  const [uri, ...others] = peer?.uris ?? []
  if (uri === undefined || others.length > 0) return undefined
  const id = readSpiffeId(uri)
  if (!id.ok || id.value.kind !== 'service' || !isOfMesh(domains, id.value.trustDomain)) return undefined
  return { uri, id: id.value }
}

/** Names are compared without case, as in the catalog. */
export function isSameName(a: string, b: string): boolean {
  return lowerAscii(a) === lowerAscii(b)
}

export function isExpected({ namespace, datacenter, service }: ServiceId, expected: Expected): boolean {
  if (namespace !== 'default') return false
  return isSameName(datacenter, expected.datacenter) && isSameName(service, expected.service)
}
