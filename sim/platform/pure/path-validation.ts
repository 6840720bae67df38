import type { PeerCertificate, TlsOptions } from '../../../src/env/net.ts'
import type { TlsCheck, TlsProblem } from '../../world/platform.ts'

/** What a path validation needs of a certificate. Each platform reads certificates with a library of its own. */
export interface PlatformCertificate {
  readonly validFromMs: number
  readonly validToMs: number
  /** It may issue certificates. */
  readonly isAuthority: boolean
  /** The names by which it identifies its owner. */
  readonly peer: PeerCertificate
  /** It is the same certificate, byte for byte. */
  equals(other: PlatformCertificate): boolean
  /** The issuer's name, its key and its signature fit this certificate. */
  isIssuedBy(issuer: PlatformCertificate): boolean
  /** It is valid for this name of a host, or this address. */
  isFor(name: string): boolean
  /** Throws if the key cannot be read. */
  hasKey(privateKeyPem: string): boolean
}

/** Reads one certificate from its block of PEM. Throws if it is malformed. */
export type ReadCertificate = (pem: string) => PlatformCertificate

/** Longer chains are refused. */
const chainMax = 24
/**
 * Maximum number of parsed texts that are kept: a cluster presents the same few at every connection, and parsing one
 * takes half a millisecond.
 */
const keptMax = 256

/**
 * Decides for one run which certificates an end trusts. A small path validation (RFC 5280, section 6, without policies
 * and name constraints): signatures up to a trusted root, validity by the verifier's own clock, the name. It must agree
 * with Node's own verification for what a cluster presents; the contract suite compares the two.
 *
 * Parsed texts are cached. Parsing is pure, so the cache changes no outcome, whichever node parsed a text first.
 */
export class PathValidation {
  readonly #read: ReadCertificate
  readonly #certificates = new Map<string, readonly PlatformCertificate[]>()
  readonly #pairs = new Map<string, string | undefined>()
  /** For a pair of certificates, whether the second issued the first. It lives as long as their texts are kept. */
  readonly #issued = new WeakMap<PlatformCertificate, WeakMap<PlatformCertificate, boolean>>()

  constructor(read: ReadCertificate) {
    this.#read = read
  }

  /** Why one end must not trust the certificate that the other presents; undefined if it may. */
  certificateProblem({ verifier, presented, expectedName, wallMs }: TlsCheck): TlsProblem | undefined {
    if (presented?.certificateChainPem === undefined || presented.privateKeyPem === undefined) {
      return bad('the peer presents no certificate')
    }
    const unusable = this.#pairProblem(presented)
    if (unusable !== undefined) return bad(unusable)
    if (verifier.trust === 'anyone') return undefined
    try {
      const chain = this.#certificatesIn(presented.certificateChainPem)
      const [leaf] = chain
      if (leaf === undefined) return bad('the peer presents no certificate')
      const roots = verifier.trustedPems.flatMap((pem) => this.#certificatesIn(pem))
      return this.#pathProblem(leaf, chain.slice(1), roots, wallMs) ?? nameProblem(leaf, expectedName)
    } catch {
      // The library's text about it differs by version, and so would the trace.
      return bad('a certificate or key cannot be read')
    }
  }

  /** Why an end cannot present this certificate, or trust these. */
  identityProblem(tls: TlsOptions): string | undefined {
    const unusable = this.#pairProblem(tls)
    if (unusable !== undefined || tls.trustedPems.every((pem) => this.#isReadable(pem))) return unusable
    return 'a trusted certificate is damaged or cut off, or does not begin a line'
  }

  /** The identity in the certificate that this end presents, as production parses it. */
  peerOf(presented: TlsOptions | undefined): PeerCertificate {
    const [leaf] = this.#certificatesIn(presented?.certificateChainPem ?? '')
    return leaf?.peer ?? { names: [], uris: [] }
  }

  #pathProblem(
    leaf: PlatformCertificate,
    between: readonly PlatformCertificate[],
    roots: readonly PlatformCertificate[],
    wallMs: number,
  ): TlsProblem | undefined {
    let current = leaf
    for (let depth = 0; depth < chainMax; depth++) {
      if (wallMs < current.validFromMs) return { fault: 'expired', message: 'certificate is not yet valid' }
      if (wallMs > current.validToMs) return { fault: 'expired', message: 'certificate has expired' }
      if (roots.some((root) => root.equals(current))) return undefined
      const issuer = [...roots, ...between].find((each) => this.#isIssuedBy(current, each))
      if (issuer === undefined || issuer.equals(current)) {
        return { fault: 'unknown-authority', message: 'unable to get issuer certificate' }
      }
      if (!issuer.isAuthority) return bad('invalid CA certificate')
      current = issuer
    }
    return bad('certificate chain too long')
  }

  /** Verifying a signature takes a quarter of a millisecond, and is asked for at every connection. */
  #isIssuedBy(certificate: PlatformCertificate, issuer: PlatformCertificate): boolean {
    const known = this.#issued.get(certificate) ?? new WeakMap<PlatformCertificate, boolean>()
    const isIssued = known.get(issuer) ?? certificate.isIssuedBy(issuer)
    known.set(issuer, isIssued)
    this.#issued.set(certificate, known)
    return isIssued
  }

  /** Throws if one of them is malformed. */
  #certificatesIn(text: string): readonly PlatformCertificate[] {
    return kept(this.#certificates, text, () => blocksIn(text).map(this.#read))
  }

  #pairProblem(tls: TlsOptions): string | undefined {
    const text = `${tls.certificateChainPem ?? ''}\n${tls.privateKeyPem ?? ''}`
    return kept(this.#pairs, text, () => this.#readPairProblem(tls))
  }

  #readPairProblem({ certificateChainPem, privateKeyPem }: TlsOptions): string | undefined {
    if (certificateChainPem === undefined || privateKeyPem === undefined) return undefined
    try {
      const [leaf] = blocksIn(certificateChainPem).map(this.#read)
      if (leaf === undefined) return 'no certificate is given'
      return leaf.hasKey(privateKeyPem) ? undefined : "the key is not the certificate's"
    } catch {
      return 'a certificate or key cannot be read'
    }
  }

  /** As in production: each block that begins is complete, a certificate, and at the beginning of a line. */
  #isReadable(text: string): boolean {
    try {
      return this.#certificatesIn(text).length === text.split('-----BEGIN CERTIFICATE-----').length - 1
    } catch {
      return false
    }
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

function blocksIn(text: string): readonly string[] {
  return text.match(/^\ufeff?-----BEGIN CERTIFICATE-----[\s\S]*?-----END CERTIFICATE-----/gm) ?? []
}

function nameProblem(leaf: PlatformCertificate, expectedName: string | undefined): TlsProblem | undefined {
  if (expectedName === undefined || leaf.isFor(expectedName)) return undefined
  return { fault: 'wrong-name', message: `the certificate is not for ${expectedName}` }
}

function bad(message: string): TlsProblem {
  return { fault: 'certificate', message }
}
