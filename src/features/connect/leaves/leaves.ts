import { equalBytes } from '../../../base/bytes.ts'
import { err, ok, type Result } from '../../../base/result.ts'
import type { Failure } from '../../../model/failure.ts'
import { greater } from '../../../model/log-position.ts'
import { isBuiltInProvider } from '../../../model/naming/names.ts'
import { type Certificate, readCertificates } from '../../../pki/certificate.ts'
import { verifyChain } from '../../../pki/chain.ts'
import { serialHex } from '../../../pki/key-id.ts'
import { wholeSecond } from '../forecast.ts'
import { leafWithinMs } from '../limits.ts'
import type { IssuedLeaf } from '../model.ts'
import type { AuthorityParts } from '../parts.ts'
import type { ActiveSigner } from '../provider/open-providers.ts'
import { providedWithin, type SignedCertificate } from '../provider/provider.ts'
import type { Chain } from '../views.ts'
import { endToAskFor, recordLonger } from './ends.ts'
import type { RequestedLeaf } from './requested.ts'

/** The recorded terms of one batch of leaves. */
export interface Recorded {
  readonly signer: ActiveSigner
  readonly chain: Chain
  readonly notBeforeMs: number
  readonly expiresMs: number
}

/** Maximum length of a common name in X.520. */
const commonNameMax = 64

/** Signs one recorded leaf, and checks the result before it is handed out. */
export async function signRecorded(
  parts: AuthorityParts,
  recorded: Recorded,
  { publicKey, requestPem, service, uri }: RequestedLeaf,
  serial: string,
): Promise<Result<IssuedLeaf, Failure>> {
  const { env } = parts.server
  const { signer, chain, notBeforeMs, expiresMs } = recorded
  const commonName = service.slice(0, commonNameMax)
  const lastMs = endToAskFor(signer.kind, chain.endMs, { nowMs: env.clock.wallMs(), ...parts })
  const notAfterMs = wholeSecond(Math.min(expiresMs, lastMs))
  const wish = { publicKey, requestPem, commonName, spiffeId: uri, serial, notBeforeMs, notAfterMs }
  const signed = await providedWithin(env, leafWithinMs, signer.provider.signLeaf(wish))
  if (!signed.ok) {
    env.metrics.count('connect.ca.provider.failed')
    return refused(signed.error.message)
  }
  const leaf = read([signed.value.certificate])
  const behind = signed.value.behind === undefined ? undefined : read(signed.value.behind)
  if (!leaf.ok || behind?.ok === false) return refused('the certificate that the provider has signed cannot be read')
  const [certificate] = leaf.value
  if (certificate === undefined) return refused('the provider has signed nothing')
  const endMs = Math.min(chain.endMs, ...(behind?.value ?? []).map(({ notAfterMs }) => notAfterMs))
  const problem =
    leafProblem(certificate, { publicKey, uri, endMs }) ?? chainProblem(parts, recorded, certificate, signed.value)
  if (problem !== undefined) return refused(`the provider has signed something other than the request: ${problem}`)
  const { datacenter } = parts.server
  const longer = { rootId: signer.root.id, datacenter, endMs: expiresMs, signedUntilMs: certificate.notAfterMs }
  const late = await recordLonger(parts.server, longer)
  if (late !== undefined) return err(late)
  env.metrics.count('connect.ca.leaf.signed')
  return ok(issued(recorded, signed.value, certificate, { service, serviceUri: uri }))
}

function leafProblem(
  leaf: Certificate,
  wish: { readonly publicKey: Uint8Array; readonly uri: string; readonly endMs: number },
): string | undefined {
  if (!equalBytes(leaf.publicKey, wish.publicKey)) return 'it has another key'
  if (leaf.uris.length !== 1 || leaf.uris[0] !== wish.uri || leaf.dnsNames.length > 0) return 'it is of another service'
  if (leaf.authority) return 'it is an authority'
  return leaf.notAfterMs > wish.endMs ? 'it expires after the certificate that signed it' : undefined
}

/** A leaf from an external provider must lead to the trusted root; one that this server signed itself always does. */
function chainProblem(
  { server }: AuthorityParts,
  { signer }: Recorded,
  leaf: Certificate,
  { behind = signer.ownIntermediates }: SignedCertificate,
): string | undefined {
  if (isBuiltInProvider(signer.kind.name)) return undefined
  const { crypto, clock } = server.env
  const [between, roots] = [read(behind), read([signer.root.certificate])]
  if (!between.ok || !roots.ok) return 'a certificate of its chain cannot be read'
  const { trustDomain } = signer.authority
  const question = { atMs: clock.wallMs(), usage: 'server', trustDomain } as const
  const chain = verifyChain(crypto, leaf, between.value, roots.value, question)
  return chain.ok ? undefined : chain.error
}

function issued(
  { signer, chain }: Recorded,
  { certificate, behind }: SignedCertificate,
  leaf: Certificate,
  { service, serviceUri }: { readonly service: string; readonly serviceUri: string },
): IssuedLeaf {
  const { authority, root, ownIntermediates } = signer
  const crossings = chain.behind.slice(ownIntermediates.length)
  const all = [certificate, ...(behind ?? ownIntermediates), ...crossings]
  return {
    serialNumber: serialHex(leaf.serial),
    certificates: all.map((pem) => (pem.endsWith('\n') ? pem : `${pem}\n`)).join(''),
    rootId: root.id,
    service,
    serviceUri,
    notBeforeMs: leaf.notBeforeMs,
    notAfterMs: leaf.notAfterMs,
    createIndex: authority.createIndex,
    // In a secondary datacenter roots change without the configuration. A caller that knows the state at this index
    // knows the root.
    modifyIndex: greater(authority.modifyIndex, root.createIndex),
  }
}

function read(pems: readonly string[]): Result<readonly Certificate[], string> {
  const all: Certificate[] = []
  for (const pem of pems) {
    const certificates = readCertificates(pem)
    if (!certificates.ok) return certificates
    all.push(...certificates.value)
  }
  return ok(all)
}

function refused(message: string): Result<never, Failure> {
  return err({ kind: 'refused', message })
}
