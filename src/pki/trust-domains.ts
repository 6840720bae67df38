import { lowerAscii } from '../base/letter-case.ts'

/** The trust domains whose certificates count in a mesh, in lower case. */
export interface TrustDomains {
  /** The trust domain of everything that is signed now; empty while the certificate authority has not begun. */
  readonly current: string
  /** Cluster IDs of other, former meshes to which trusted roots belong: their trust domains begin with these. */
  readonly formerIds: readonly string[]
}

/**
 * `clusterIds`: the cluster IDs of the trusted roots. A trust domain is `CLUSTERID.DOMAIN`.
 * Reference: mesh.md#root-trustdomain, mesh.md#root-externaltrustdomain.
 */
export function trustDomainsOf(trustDomain: string, clusterIds: readonly string[]): TrustDomains {
  const current = lowerAscii(trustDomain)
  const formerIds = new Set(clusterIds.map(lowerAscii))
  formerIds.delete('')
  formerIds.delete(idIn(current))
  return { current, formerIds: [...formerIds] }
}

/**
 * Whether names of this trust domain belong to the mesh.
 * 1. A datacenter that joins the mesh of another takes over its trust domain at one moment, but its leaves are replaced
 *    one after the other.
 * 2. Leaves of its own former mesh therefore count for as long as the root that signed them is trusted. Otherwise each
 *    would be refused until it has been replaced.
 * 3. This admits no one else: an authority signs only for its own trust domain, so only members of the former mesh have
 *    a certificate of such a name below a trusted root.
 */
export function isOfMesh({ current, formerIds }: TrustDomains, trustDomain: string): boolean {
  if (current === '') return false
  return trustDomain === current || formerIds.includes(idIn(trustDomain))
}

function idIn(trustDomain: string): string {
  return trustDomain.split('.', 1)[0] ?? ''
}
