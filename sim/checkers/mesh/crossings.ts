import type { ListedRoot, SeenCertificate } from './mesh-facts.ts'

/**
 * Identifies a root by key and name: an operator may provide one key for two roots, which then differ in their names.
 */
export function bearerOf({ keyId, subject }: SeenCertificate): string {
  return `${keyId} ${subject}`
}

export function signerOf({ issuerKeyId, issuer }: SeenCertificate): string {
  return `${issuerKeyId} ${issuer}`
}

/** Crossings that lead from one root to another; undefined: there is no such path. */
export function pathBetween(
  { certificate, between }: ListedRoot,
  to: ListedRoot,
): readonly SeenCertificate[] | undefined {
  const path: SeenCertificate[] = []
  let at = certificate
  while (signerOf(at) !== bearerOf(to.certificate) || at === certificate) {
    // A root that was active before may become active again. The certificates behind its leaves then lead round to it,
    // and on from there by its earlier crossing.
    const next = between.find((each) => {
      const wanted = at === certificate ? bearerOf(at) : signerOf(at)
      return bearerOf(each) === wanted && !path.includes(each)
    })
    if (next === undefined) return undefined
    path.push(next)
    at = next
  }
  return path
}
