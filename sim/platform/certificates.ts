import { createPrivateKey, X509Certificate } from 'node:crypto'
import { isIP } from 'node:net'
import { altNamesIn } from '../../src/base/alt-names.ts'
import type { PeerCertificate, TlsOptions } from '../../src/env/net.ts'
import type { TlsCheck, TlsProblem } from '../world/platform.ts'

/** Longer chains are refused. */
const chainMax = 24
/**
 * Maximum number of parsed texts that are kept: a cluster presents the same few at every connection, and parsing one
 * takes half a millisecond.
 */
const keptMax = 256

/**
 * Caches parsed PEM texts of one run. Parsing is pure, so the cache changes no outcome, whichever node parsed a text
 * first.
 */
export class ReadPems {
  readonly #certificates = new Map<string, X509Certificate[]>()
  readonly #pairs = new Map<string, string | undefined>()

  /** Throws if one of them is malformed. */
  certificatesIn(pem: string): X509Certificate[] {
    return kept(this.#certificates, pem, () => certificatesIn(pem))
  }

  pairProblem(tls: TlsOptions): string | undefined {
    const text = `${tls.certificateChainPem ?? ''}\n${tls.privateKeyPem ?? ''}`
    return kept(this.#pairs, text, () => pairProblem(tls))
  }
}

function kept<T>(known: Map<string, T>, text: string, read: () => T): T {
  const before = known.get(text)
  if (before !== undefined || known.has(text)) return before as T
  const value = read()
  if (known.size >= keptMax) known.clear()
  known.set(text, value)
  return value
}

/**
 * Why one end must not trust the certificate that the other presents. A small path validation (RFC 5280, section 6,
 * without policies and name constraints): signatures up to a trusted root, validity by the verifier's own clock, the
 * name. It must agree with Node's own verification for what a cluster presents; the contract suite compares the two.
 */
export function certificateProblem(
  read: ReadPems,
  { verifier, presented, expectedName, wallMs }: TlsCheck,
): TlsProblem | undefined {
  if (presented?.certificateChainPem === undefined || presented.privateKeyPem === undefined) {
    return bad('the peer presents no certificate')
  }
  const unusable = read.pairProblem(presented)
  if (unusable !== undefined) return bad(unusable)
  if (verifier.trust === 'anyone') return undefined
  try {
    const chain = read.certificatesIn(presented.certificateChainPem)
    const [leaf] = chain
    if (leaf === undefined) return bad('the peer presents no certificate')
    const roots = verifier.trustedPems.flatMap((pem) => read.certificatesIn(pem))
    return pathProblem(leaf, chain.slice(1), roots, wallMs) ?? nameProblem(leaf, expectedName)
  } catch {
    // OpenSSL's text about it differs by version, and so would the trace.
    return bad('a certificate or key cannot be read')
  }
}

/** Why an end cannot present this certificate, or trust these. */
export function identityProblem(read: ReadPems, tls: TlsOptions): string | undefined {
  const unusable = read.pairProblem(tls)
  if (unusable !== undefined || tls.trustedPems.every((pem) => isReadable(read, pem))) return unusable
  return 'a trusted certificate is damaged or cut off'
}

/** As in production: each block that begins is complete, and a certificate. */
function isReadable(read: ReadPems, pem: string): boolean {
  try {
    return read.certificatesIn(pem).length === pem.split('-----BEGIN CERTIFICATE-----').length - 1
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

/** The identity in the certificate that this end presents, as production parses it. */
export function peerOf(read: ReadPems, presented: TlsOptions | undefined): PeerCertificate | undefined {
  const [leaf] = read.certificatesIn(presented?.certificateChainPem ?? '')
  return altNamesIn(leaf?.subjectAltName)
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
): TlsProblem | undefined {
  let current = leaf
  for (let depth = 0; depth < chainMax; depth++) {
    if (wallMs < Date.parse(current.validFrom)) return { fault: 'expired', message: 'certificate is not yet valid' }
    if (wallMs > Date.parse(current.validTo)) return { fault: 'expired', message: 'certificate has expired' }
    if (roots.some((root) => root.raw.equals(current.raw))) return undefined
    const issuer = [...roots, ...between].find((each) => isIssuedBy(current, each))
    if (issuer === undefined || issuer.raw.equals(current.raw)) {
      return { fault: 'unknown-authority', message: 'unable to get issuer certificate' }
    }
    if (!issuer.ca) return bad('invalid CA certificate')
    current = issuer
  }
  return bad('certificate chain too long')
}

function isIssuedBy(certificate: X509Certificate, issuer: X509Certificate): boolean {
  return certificate.checkIssued(issuer) && certificate.verify(issuer.publicKey)
}

function nameProblem(leaf: X509Certificate, expectedName: string | undefined): TlsProblem | undefined {
  if (expectedName === undefined) return undefined
  const fits = isIP(expectedName) === 0 ? leaf.checkHost(expectedName) : leaf.checkIP(expectedName)
  return fits === undefined ? { fault: 'wrong-name', message: `the certificate is not for ${expectedName}` } : undefined
}

function bad(message: string): TlsProblem {
  return { fault: 'certificate', message }
}
