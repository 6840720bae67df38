import { equalBytes } from '../base/bytes.ts'
import { err, ok, type Result } from '../base/result.ts'
import type { Crypto } from '../env/crypto.ts'
import type { Certificate } from './certificate.ts'
import { readSpiffeId } from './spiffe.ts'

export interface ChainQuestion {
  readonly atMs: number
  /** Which end presents the leaf: the listener (`server`) or the dialling end (`client`). */
  readonly usage: 'server' | 'client'
  /** If given, the leaf must have a service ID of this domain, and no authority may have an ID of another one. */
  readonly trustDomain?: string
}

/**
 * Maximum number of certificates in one chain, including root and leaf: no fewer than an agent sends (features/connect,
 * `rootsMax`).
 */
export const chainMax = 24
/** Maximum number of signatures verified for one chain: a peer may send many certificates of one name. */
const signaturesMax = 32

type Verifying = Pick<Crypto, 'verify'>

interface Search {
  readonly crypto: Verifying
  readonly intermediates: readonly Certificate[]
  readonly roots: readonly Certificate[]
  readonly question: ChainQuestion
  signaturesLeft: number
  /** Why the longest chain that was tried ended. */
  furthest: { readonly length: number; readonly reason: string }
}

/**
 * Returns the chain from the leaf to one of the roots, including both, or why there is none. RFC 5280, section 6,
 * without policies and name constraints (a certificate that requires either is refused), and stricter for leaves: they
 * must not be authorities. Independent of the code that creates certificates, because it checks that code.
 */
export function verifyChain(
  crypto: Verifying,
  leaf: Certificate,
  intermediates: readonly Certificate[],
  roots: readonly Certificate[],
  question: ChainQuestion,
): Result<readonly Certificate[], string> {
  const problem = leafProblem(leaf, question)
  if (problem !== undefined) return err(problem)
  const furthest = { length: 0, reason: '' }
  const search = { crypto, intermediates, roots, question, signaturesLeft: signaturesMax, furthest }
  const chain = completed(search, [leaf])
  return chain === undefined ? err(search.furthest.reason) : ok(chain)
}

function completed(search: Search, chain: readonly Certificate[]): readonly Certificate[] | undefined {
  const last = chain.at(-1)
  if (last === undefined) return undefined
  const ended = (reason: string): undefined => {
    if (search.furthest.length < chain.length) search.furthest = { length: chain.length, reason }
    return undefined
  }
  const isIssuer = (each: Certificate): boolean => equalBytes(each.subject, last.issuer)
  const [trusted, between] = [search.roots.filter(isIssuer), search.intermediates.filter(isIssuer)]
  if (trusted.length + between.length === 0) return ended(`the issuer of ${title(last)} is unknown`)
  if (chain.length >= chainMax) return ended(`the chain is longer than ${chainMax} certificates`)
  for (const issuer of trusted) {
    const problem = linkProblem(search, chain, last, issuer)
    if (problem === undefined) return [...chain, issuer]
    ended(problem)
  }
  for (const issuer of between) {
    // A certificate that is already in the chain does not lead to another root.
    if (chain.some((each) => equalBytes(each.der, issuer.der))) continue
    const problem = linkProblem(search, chain, last, issuer)
    const whole = problem === undefined ? completed(search, [...chain, issuer]) : ended(problem)
    if (whole !== undefined) return whole
  }
  return ended(`no chain leads from ${title(last)} to a trusted root`)
}

function leafProblem(leaf: Certificate, { atMs, usage, trustDomain }: ChainQuestion): string | undefined {
  const { keyUsages, extendedUses } = leaf
  const problem = commonProblem(leaf, atMs)
  if (problem !== undefined) return problem
  if (leaf.authority || keyUsages?.includes('keyCertSign') === true) {
    return `${title(leaf)} is a certificate authority, not a leaf`
  }
  if (keyUsages?.includes('digitalSignature') === false) {
    return `the key usage of ${title(leaf)} does not allow digital signatures`
  }
  if (!allows(extendedUses, usage)) return `the extended key usage of ${title(leaf)} does not allow use as a ${usage}`
  return trustDomain === undefined ? undefined : strangerProblem(leaf, trustDomain)
}

/** Checks that the leaf is for a service of this trust domain. */
function strangerProblem(leaf: Certificate, trustDomain: string): string | undefined {
  const [uri, second] = leaf.uris
  if (uri === undefined || second !== undefined) {
    return `${title(leaf)} does not have exactly one URI as subject alternative name`
  }
  const id = readSpiffeId(uri)
  if (!id.ok) return `${title(leaf)}: ${id.error}`
  if (id.value.kind !== 'service') return `the SPIFFE ID of ${title(leaf)} does not name a service`
  const isOurs = id.value.trustDomain === trustDomain.toLowerCase()
  return isOurs ? undefined : `${title(leaf)} belongs to another trust domain: ${id.value.trustDomain}`
}

/** Why this issuer does not certify the last certificate of the chain. */
function linkProblem(
  search: Search,
  chain: readonly Certificate[],
  last: Certificate,
  issuer: Certificate,
): string | undefined {
  const { crypto, question } = search
  const problem = authorityProblem(chain, issuer, question)
  if (problem !== undefined) return problem
  const [named, own] = [last.authorityKeyId, issuer.subjectKeyId]
  if (named !== undefined && own !== undefined && !equalBytes(named, own)) {
    return `the authority key identifier of ${title(last)} is not that of ${title(issuer)}`
  }
  if (last.signatureAlgorithm === undefined || issuer.keyKind === 'unknown') {
    return `the signature of ${title(last)} cannot be verified: unsupported key or algorithm`
  }
  if (search.signaturesLeft-- <= 0) {
    return `the search for a chain stopped after ${signaturesMax} signatures were verified`
  }
  const isSigned = crypto.verify(issuer.publicKey, last.signatureAlgorithm, last.signedBytes, last.signature)
  return isSigned ? undefined : `${title(last)} is not signed by ${title(issuer)}`
}

function authorityProblem(
  chain: readonly Certificate[],
  issuer: Certificate,
  { atMs, usage, trustDomain }: ChainQuestion,
): string | undefined {
  const problem = commonProblem(issuer, atMs) ?? useProblem(issuer, usage)
  if (problem !== undefined) return problem
  // Self-issued authorities are not counted. RFC 5280, section 4.2.1.9.
  const below = chain.slice(1).filter(({ subject, issuer: by }) => !equalBytes(subject, by)).length
  if (issuer.pathLength !== undefined && below > issuer.pathLength) {
    return `${title(issuer)} allows at most ${issuer.pathLength} certificate authorities below it, but there are ${below}`
  }
  return trustDomain === undefined ? undefined : foreignAuthority(issuer, trustDomain)
}

/**
 * Why no verifier would accept this certificate, at any time, as an authority for servers and clients of a mesh;
 * undefined if verifiers would.
 */
export function meshAuthorityProblem(authority: Certificate, trustDomain?: string): string | undefined {
  const problem = unknownProblem(authority) ?? useProblem(authority, 'server') ?? useProblem(authority, 'client')
  if (problem !== undefined || trustDomain === undefined) return problem
  return foreignAuthority(authority, trustDomain)
}

function useProblem(issuer: Certificate, usage: ChainQuestion['usage']): string | undefined {
  if (!issuer.authority) return `${title(issuer)} is not a certificate authority`
  if (issuer.keyUsages?.includes('keyCertSign') === false) {
    return `the key usage of ${title(issuer)} does not allow it to sign certificates`
  }
  return allows(issuer.extendedUses, usage)
    ? undefined
    : `the extended key usage of ${title(issuer)} does not allow certificates for a ${usage} below it`
}

/** An authority need not name its trust domain; if it does, it must be this one. */
function foreignAuthority(issuer: Certificate, trustDomain: string): string | undefined {
  for (const uri of issuer.uris) {
    const id = readSpiffeId(uri)
    if (id.ok && id.value.trustDomain !== trustDomain.toLowerCase()) {
      return `${title(issuer)} belongs to another trust domain: ${id.value.trustDomain}`
    }
  }
  return undefined
}

function commonProblem(certificate: Certificate, atMs: number): string | undefined {
  const { notBeforeMs, notAfterMs } = certificate
  if (atMs < notBeforeMs) return `${title(certificate)} is not valid yet`
  // A certificate is valid through its last second.
  if (atMs >= notAfterMs + 1000) return `${title(certificate)} has expired`
  return unknownProblem(certificate)
}

function unknownProblem(certificate: Certificate): string | undefined {
  const [unknown] = certificate.unknownCritical
  return unknown === undefined
    ? undefined
    : `${title(certificate)} has a critical extension that is not supported: ${unknown}`
}

function allows(extendedUses: readonly string[] | undefined, usage: string): boolean {
  return extendedUses === undefined || extendedUses.includes(usage) || extendedUses.includes('any')
}

/**
 * Names a certificate in messages. Its common name comes from others, so it is quoted, without characters that a
 * terminal would obey or hide.
 */
function title({ commonName, serial }: Certificate): string {
  const name = commonName.slice(0, titleMax).replace(/[^ -~]/gu, '?')
  return `${JSON.stringify(name)} (serial ${serial.toString(16)})`
}

const titleMax = 64
