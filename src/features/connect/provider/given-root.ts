import { equalBytes } from '../../../base/bytes.ts'
import type { Crypto } from '../../../env/crypto.ts'
import { type Certificate, readCertificates } from '../../../pki/certificate.ts'

/** A root certificate that an operator gives to the built-in provider. Reference: mesh.md#option-rootcert. */

/** Why the text is not a root; undefined if it is one, as far as it shows by itself. */
export function rootProblem(pem: string): string | undefined {
  const read = readCertificates(pem)
  if (!read.ok) return `RootCert: ${read.error}`
  const [root, second] = read.value
  if (root === undefined || second !== undefined) return 'RootCert: not one certificate'
  if (!root.authority) return 'RootCert: not a CA certificate'
  if (root.pathLength !== undefined) return 'RootCert: a path length in it would keep rotations from leading back to it'
  return equalBytes(root.subject, root.issuer)
    ? undefined
    : 'RootCert: not a root, because another certificate signed it'
}

/**
 * Whether the key of the certificate signed it. A crossing from a root to another one of the same name is not signed by
 * its own key: other programs look for its issuer instead of trusting it. A signature by an algorithm that is not
 * supported (many old roots have SHA-1) is not verified here, and other programs do not verify that of a root
 * either; then the key identifiers decide.
 */
export function isSignedByItself(crypto: Pick<Crypto, 'verify'>, certificate: Certificate): boolean {
  const {
    authorityKeyId: named,
    subjectKeyId: own,
    signatureAlgorithm,
    publicKey,
    signedBytes,
    signature,
  } = certificate
  if (named !== undefined && own !== undefined && !equalBytes(named, own)) return false
  return signatureAlgorithm === undefined || crypto.verify(publicKey, signatureAlgorithm, signedBytes, signature)
}

/** Lines of its own for the beginning, the end, and base64 between them. */
const inLines =
  /(?:^|\n)-----BEGIN CERTIFICATE-----[ \t]*\r?\n(?:[ \t]*[A-Za-z0-9+/=][A-Za-z0-9+/= \t]*\r?\n)+-----END CERTIFICATE-----[ \t]*(?:\r?\n|$)/

/**
 * The text as it was given, if every program finds the certificate in it; otherwise the certificate alone. OpenSSL and
 * Go need lines, for example, that are not indented, as those in YAML and in heredocs of HCL may be: an agent's clients
 * would refuse the root that servers accept here.
 */
export function spelledForAll(given: string, certificate: Certificate): string {
  return inLines.test(given) ? given : certificate.pem
}
