import { createPrivateKey, X509Certificate } from 'node:crypto'
import { isIP } from 'node:net'
import type { PeerCertificate, TlsOptions } from '../../src/env/net.ts'
import type { TlsCheck } from '../world/platform.ts'

/** Longer chains are refused. */
const chainMax = 8

/**
 * Why the certificate that one end presents is not to be trusted by the other. A small path validation (RFC 5280, section
 * 6, without policies and name constraints): signatures up to a trusted root, validity by the verifier's own clock, the
 * name. It must agree with Node's own verification for what a cluster presents; the contract suite compares the two.
 */
export function certificateProblem({ verifier, presented, expectedName, wallMs }: TlsCheck): string | undefined {
  if (presented?.certificateChainPem === undefined || presented.privateKeyPem === undefined) {
    return 'the peer presents no certificate'
  }
  const unusable = pairProblem(presented)
  if (unusable !== undefined || verifier.trust === 'anyone') return unusable
  try {
    const chain = certificatesIn(presented.certificateChainPem)
    const [leaf] = chain
    if (leaf === undefined) return 'the peer presents no certificate'
    const roots = verifier.trustedPems.flatMap(certificatesIn)
    return pathProblem(leaf, chain.slice(1), roots, wallMs) ?? nameProblem(leaf, expectedName)
  } catch {
    // What OpenSSL says of it differs by version, and so would the trace.
    return 'a certificate or key cannot be read'
  }
}

/** Why an end cannot show this certificate, or trust these. */
export function identityProblem(tls: TlsOptions): string | undefined {
  const unusable = pairProblem(tls)
  if (unusable !== undefined || tls.trustedPems.every(isReadable)) return unusable
  return 'a trusted certificate is damaged or cut off'
}

/** As production looks at them: each block that begins is whole, and a certificate. */
function isReadable(pem: string): boolean {
  try {
    return certificatesIn(pem).length === pem.split('-----BEGIN CERTIFICATE-----').length - 1
  } catch {
    return false
  }
}

function pairProblem({ certificateChainPem, privateKeyPem }: TlsOptions): string | undefined {
  if (certificateChainPem === undefined || privateKeyPem === undefined) return undefined
  try {
    const [leaf] = certificatesIn(certificateChainPem)
    if (leaf === undefined) return 'no certificate is given'
    return leaf.checkPrivateKey(createPrivateKey(privateKeyPem)) ? undefined : "the key is not the certificate's"
  } catch {
    return 'a certificate or key cannot be read'
  }
}

/** The DNS names of the certificate that this end presents, as production reads them. */
export function peerOf(presented: TlsOptions | undefined): PeerCertificate | undefined {
  const [leaf] = certificatesIn(presented?.certificateChainPem ?? '')
  const names = leaf?.subjectAltName?.split(', ') ?? []
  return { names: names.flatMap((each) => (/^DNS:[^"]/.test(each) ? [each.slice(4).toLowerCase()] : [])) }
}

function certificatesIn(pem: string): X509Certificate[] {
  const found = pem.match(/-----BEGIN CERTIFICATE-----[\s\S]*?-----END CERTIFICATE-----/g) ?? []
  return found.map((text) => new X509Certificate(text))
}

function pathProblem(
  leaf: X509Certificate,
  between: readonly X509Certificate[],
  roots: readonly X509Certificate[],
  wallMs: number,
): string | undefined {
  let current = leaf
  for (let depth = 0; depth < chainMax; depth++) {
    if (wallMs < Date.parse(current.validFrom)) return 'certificate is not yet valid'
    if (wallMs > Date.parse(current.validTo)) return 'certificate has expired'
    if (roots.some((root) => root.raw.equals(current.raw))) return undefined
    const issuer = [...roots, ...between].find((each) => isIssuedBy(current, each))
    if (issuer === undefined || issuer.raw.equals(current.raw)) return 'unable to get issuer certificate'
    if (!issuer.ca) return 'invalid CA certificate'
    current = issuer
  }
  return 'certificate chain too long'
}

function isIssuedBy(certificate: X509Certificate, issuer: X509Certificate): boolean {
  return certificate.checkIssued(issuer) && certificate.verify(issuer.publicKey)
}

function nameProblem(leaf: X509Certificate, expectedName: string | undefined): string | undefined {
  if (expectedName === undefined) return undefined
  const fits = isIP(expectedName) === 0 ? leaf.checkHost(expectedName) : leaf.checkIP(expectedName)
  return fits === undefined ? `the certificate is not for ${expectedName}` : undefined
}
