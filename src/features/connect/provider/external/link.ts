import { equalBytes } from '../../../../base/bytes.ts'
import type { Crypto } from '../../../../env/crypto.ts'
import type { Certificate } from '../../../../pki/certificate.ts'

/**
 * Why `certificate` is not an authority directly below `issuer` (or `issuer` itself, for a root); undefined if it is.
 * The clock of the secrets manager may be fast, so a certificate that is not valid yet is accepted. Chains of leaves
 * are verified by `pki`.
 */
export function authorityProblem(
  crypto: Pick<Crypto, 'verify'>,
  certificate: Certificate,
  issuer: Certificate,
  atMs: number,
): string | undefined {
  for (const each of [certificate, issuer]) {
    const usages = each.keyUsages
    if (!each.authority || usages?.includes('keyCertSign') === false) return 'it is no authority'
    if (atMs > each.notAfterMs) return 'it has expired'
  }
  if (!equalBytes(certificate.issuer, issuer.subject)) return 'it was issued by another'
  const { authorityKeyId: named, signatureAlgorithm: algorithm, signedBytes, signature } = certificate
  const own = issuer.subjectKeyId
  if (named !== undefined && own !== undefined && !equalBytes(named, own)) return 'it names another key'
  if (algorithm === undefined) return 'it is signed in a way that is not verified here'
  return crypto.verify(issuer.publicKey, algorithm, signedBytes, signature) ? undefined : 'its signature is wrong'
}
