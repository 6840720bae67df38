import { equalBytes } from '../../../base/bytes.ts'
import { lowerAscii } from '../../../base/letter-case.ts'
import { err, ok, type Result } from '../../../base/result.ts'
import type { Env } from '../../../env/env.ts'
import { type Certificate, readCertificates } from '../../../pki/certificate.ts'
import { colonHex } from '../../../pki/key-id.ts'
import { readSpiffeId } from '../../../pki/spiffe.ts'
import { type CrossingFacts, keptOf, type RootFacts } from '../fields.ts'
import type { ProvidedRoot, ProviderFailure, ProviderKind, SignedCertificate } from './provider.ts'

/** Parses the certificates of a provider for the replicated state, and refuses malformed ones. */

type Read<T> = Result<T, ProviderFailure>

export function rootFactsOf(env: Pick<Env, 'crypto'>, kind: ProviderKind, provided: ProvidedRoot): Read<RootFacts> {
  const root = oneCertificate(provided.certificate, 'the root')
  if (!root.ok) return root
  const { value } = root
  if (!value.authority) return refused('the root is not a CA certificate')
  const ends = [value.notAfterMs]
  for (const intermediate of provided.intermediates) {
    const read = oneCertificate(intermediate, 'an intermediate of the provider')
    if (!read.ok) return read
    ends.push(read.value.notAfterMs)
  }
  return ok({
    id: rootIdOf(env, value),
    name: `${kind.title} CA Root Cert`,
    serialNumber: String(BigInt.asUintN(64, value.serial)),
    signingKeyId: value.authorityKeyId === undefined ? '' : colonHex(value.authorityKeyId),
    notBeforeMs: value.notBeforeMs,
    notAfterMs: value.notAfterMs,
    certificate: provided.certificate,
    provider: kind.name,
    ownIntermediates: provided.intermediates,
    chainEndMs: Math.min(...ends),
    ...keptOf(provided.state),
  })
}

/** Reference: mesh.md#root-id. */
function rootIdOf({ crypto }: Pick<Env, 'crypto'>, { der }: Certificate): string {
  return colonHex(crypto.sha1(der))
}

/** The trust domain of another mesh that the authority names; undefined: it names none, or this one. */
export function otherDomainOf({ uris }: Pick<Certificate, 'uris'>, trustDomain: string): string | undefined {
  const domains = uris.flatMap((uri) => {
    const id = readSpiffeId(uri)
    return id.ok ? [id.value.trustDomain] : []
  })
  return domains.find((domain) => domain !== lowerAscii(trustDomain))
}

/** The facts of a crossing that certifies this root, and nothing else. */
export function crossingFactsOf(signed: SignedCertificate, rootCertificate: string): Read<CrossingFacts> {
  const certificates = [signed.certificate, ...(signed.behind ?? [])]
  const all: Certificate[] = []
  for (const pem of certificates) {
    const read = oneCertificate(pem, 'the crossing')
    if (!read.ok) return read
    all.push(read.value)
  }
  const root = oneCertificate(rootCertificate, 'the new root')
  if (!root.ok) return root
  const [crossing] = all
  if (crossing === undefined || !equalBytes(crossing.publicKey, root.value.publicKey)) {
    return refused('the crossing has another key than the new root')
  }
  if (!crossing.authority) return refused('the crossing is not a CA certificate')
  return ok({
    certificates,
    notBeforeMs: Math.max(...all.map(({ notBeforeMs }) => notBeforeMs)),
    notAfterMs: Math.min(...all.map(({ notAfterMs }) => notAfterMs)),
  })
}

function oneCertificate(pem: string, what: string): Read<Certificate> {
  const read = readCertificates(pem)
  if (!read.ok) return refused(`${what}: ${read.error}`)
  const [first, second] = read.value
  return first === undefined || second !== undefined ? refused(`${what}: not one certificate`) : ok(first)
}

function refused(message: string): Read<never> {
  return err({ kind: 'refused', message })
}
