import { type Failure, failureText } from '../../../model/failure.ts'
import { type Certificate, readCertificates } from '../../../pki/certificate.ts'
import { makeRequest, requestPem } from '../../../pki/request.ts'
import { signingUri } from '../../../pki/spiffe.ts'
import type { ReadTransaction } from '../../../store/types.ts'
import type { MeshFederation } from '../../contract/mesh.ts'
import { takeSerialNumbers } from '../commands.ts'
import type { CrossingFacts } from '../fields.ts'
import { wholeSecond } from '../forecast.ts'
import { rootWithinMs } from '../limits.ts'
import type { RootRow, RootsList } from '../model.ts'
import { type AuthorityParts, failedBy, notReplicated, type Step } from '../parts.ts'
import { crossingFactsOf } from '../provider/facts.ts'
import type { OpenProviders } from '../provider/open-providers.ts'
import { providedWithin } from '../provider/provider.ts'
import type { SignerRow } from '../tables.ts'
import { signIntermediateEndpoint } from './intermediates.ts'

/**
 * Creates the signer of this datacenter: a key of this server with a certificate by the primary datacenter. `behind` is
 * the chain back to the primary's root.
 */
export async function authorityBelow(
  { server }: AuthorityParts,
  federation: MeshFederation,
  { trustDomain, roots, activeRootId }: RootsList,
  behindRoot: readonly string[],
): Promise<Omit<SignerRow, 'rootId' | 'rootCertificate'> | Step> {
  const { env, datacenter, naming } = server
  const key = await env.crypto.generateKey('ec-256', 'intermediate')
  const wishes = {
    commonName: `${naming.title} CA ${datacenter}`.slice(0, 64),
    uris: [signingUri(trustDomain)],
    authority: true,
  }
  const csr = requestPem(makeRequest(key, wishes))
  const to = { datacenter: federation.primaryDatacenter, token: federation.token() }
  const signed = await server.writeElsewhere(signIntermediateEndpoint, { csr, datacenter }, to)
  if (!signed.ok) return notJoined(signed.error)
  const { rootId, certificate, behind } = signed.value
  const active = roots.find(({ id }) => id === activeRootId)
  if (active === undefined || rootId !== active.id)
    return failedBy({ kind: 'unavailable', message: 'the root of the primary datacenter has changed meanwhile' })
  const ownIntermediates = [certificate, ...behind, ...behindRoot]
  const ends = certificatesIn(ownIntermediates).map(({ notAfterMs }) => notAfterMs)
  if (ends.length < ownIntermediates.length) {
    return failedBy({
      kind: 'refused',
      message: 'the certificate that the primary datacenter has signed cannot be read',
    })
  }
  return { ownIntermediates, chainEndMs: Math.min(active.notAfterMs, ...ends), privateKeyPem: key.privateKeyPem }
}

/** Lets verifiers that trust only this datacenter's own root accept what is signed below that of the primary. */
export async function crossedByOwn(
  { server, skewMs }: AuthorityParts,
  providers: OpenProviders,
  tx: ReadTransaction,
  { own, active }: { readonly own: RootRow; readonly active: RootRow },
): Promise<CrossingFacts | Step> {
  const signer = await providers.active(tx)
  if (!signer.ok) return failedBy(signer.error)
  const serial = await server.propose(takeSerialNumbers, { count: 1 })
  if (!serial.ok) return notReplicated(serial.error)
  const wish = {
    rootCertificate: active.certificate,
    serial: serial.value.first,
    notBeforeMs: wholeSecond(server.env.clock.wallMs() - skewMs),
    notAfterMs: Math.min(own.notAfterMs, active.notAfterMs),
  }
  const signed = await providedWithin(server.env, rootWithinMs, signer.value.provider.crossSign(wish))
  if (!signed.ok) return failedBy(signed.error)
  const facts = crossingFactsOf(signed.value, active.certificate)
  return facts.ok ? facts.value : failedBy(facts.error)
}

export function certificatesIn(pems: readonly string[]): readonly Certificate[] {
  return pems.flatMap((pem) => {
    const read = readCertificates(pem)
    return read.ok ? read.value : []
  })
}

export function notJoined(failure: Failure): Step {
  return { kind: 'failed', by: 'replication', message: `the primary datacenter: ${failureText(failure)}` }
}
