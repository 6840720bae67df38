import { lowerAscii } from '../base/letter-case.ts'

/** Whose certificates count in a mesh, in lower case. */
export interface TrustDomains {
  /** The trust domain of everything that is signed now; empty: the authority has not begun yet. */
  readonly current: string
  /**
   * IDs of meshes that one of the trusted roots is of, and that are not this one: what their trust domains begin with.
   */
  readonly formerIds: readonly string[]
}

/**
 * `clusterIds`: of the roots that are trusted. A trust domain is `CLUSTERID.DOMAIN`.
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
 * Whether names of this trust domain are of the mesh. A datacenter that joins the mesh of another takes over its trust
 * domain at one moment, and its leaves come to be of it one after the other: those of its own former mesh count for as
 * long as the root is trusted that signed them, or each would be refused until it has been replaced. Nobody else has a
 * certificate of such a name below a root that is trusted: an authority signs for its own trust domain alone.
 */
export function isOfMesh({ current, formerIds }: TrustDomains, trustDomain: string): boolean {
  if (current === '') return false
  return trustDomain === current || formerIds.includes(idIn(trustDomain))
}

function idIn(trustDomain: string): string {
  return trustDomain.split('.', 1)[0] ?? ''
}
