import type { ListedRoot, SeenCertificate } from './mesh-facts.ts'

/** An operator may give one key for two roots, which then differ in their names. */
export function bearerOf({ keyId, subject }: SeenCertificate): string {
  return `${keyId} ${subject}`
}

export function signerOf({ issuerKeyId, issuer }: SeenCertificate): string {
  return `${issuerKeyId} ${issuer}`
}

/** Crossings that lead from one root to another; undefined: they do not. */
export function pathBetween(
  { certificate, between }: ListedRoot,
  to: ListedRoot,
): readonly SeenCertificate[] | undefined {
  const path: SeenCertificate[] = []
  let at = certificate
  while (signerOf(at) !== bearerOf(to.certificate) || at === certificate) {
    // A root that was active before may be so again: then what goes out leads round to it, and on from there by its
    // earlier crossing.
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
