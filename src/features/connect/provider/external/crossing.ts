import { equalBytes } from '../../../../base/bytes.ts'
import { err, ok, type Result } from '../../../../base/result.ts'
import { type Certificate, readCertificates } from '../../../../pki/certificate.ts'
import { signCrossing } from '../../../../pki/mesh-certificates.ts'
import { certificatePem } from '../../../../pki/pem.ts'
import { makeRequest, requestPem } from '../../../../pki/request.ts'
import { signingUri } from '../../../../pki/spiffe.ts'
import type { CrossingWish, SignedCertificate } from '../provider.ts'
import { type CallFailure, refused, unavailable } from './call-failure.ts'
import type { IntermediateWork } from './intermediate.ts'
import type { Called, Deadline } from './manager-client.ts'
import { authorityName, authorityProblem } from './root.ts'

/**
 * The next root, signed by this one. If both keys are of the same type, the secrets manager signs directly. It keeps
 * the algorithm of the given certificate, and therefore refuses to cross between RSA and elliptic curves, and it
 * requires a right (sudo) that a token may lack. In these cases:
 * 1. It signs an authority for a key that is generated here, which it does for any pair of keys (`sign-intermediate`).
 * 2. That key signs the new root's name and key, once, and is forgotten: it is stored nowhere.
 * 3. Both certificates come with every leaf: [new root by the bridge, bridge by the old root]. Signing the new root's
 *    intermediate by the old root is no alternative, as recordings show: leaves would come with two certificates of one
 *    intermediate, of which clients take the first, and clients that trust only the root of the other one refuse.
 */
export async function crossBy(work: IntermediateWork, wish: CrossingWish, until: Deadline): Called<SignedCertificate> {
  const read = readCertificates(wish.rootCertificate)
  const next = read.ok ? read.value[0] : undefined
  if (next === undefined) return err(refused('the root that is to follow cannot be read'))
  if (next.keyKind === work.root.keyKind) {
    const direct = await signedDirectly(work, next, until)
    if (direct.ok || direct.error.kind === 'unavailable') return direct
    work.env.log.write('info', 'connect', 'the old root crosses the new one by way of a bridge', {
      error: direct.error.message,
    })
  }
  return signedByBridge(work, next, wish, until)
}

/** Keeps the name, key, dates and serial number of the new root. */
async function signedDirectly(work: IntermediateWork, next: Certificate, until: Deadline): Called<SignedCertificate> {
  const { client, options } = work
  const path = `${options.rootPath}/root/sign-self-issued`
  const signed = await client.call('PUT', path, { certificate: next.pem }, until)
  if (!signed.ok) return signed
  const certificate = signed.value.data?.['certificate']
  return typeof certificate === 'string'
    ? crossingIn(work, next, certificate, [])
    : err(unavailable(path, 'the connection ended in the middle of the answer', options.token))
}

async function signedByBridge(
  work: IntermediateWork,
  next: Certificate,
  wish: CrossingWish,
  until: Deadline,
): Called<SignedCertificate> {
  const { env, client, options, mesh, root } = work
  const key = await env.crypto.generateKey('ec-256', 'crossing')
  const uris = [signingUri(mesh.trustDomain)]
  const csr = requestPem(makeRequest(key, { commonName: authorityName(env, mesh, 'Bridge'), uris, authority: true }))
  const endMs = Math.min(wish.notAfterMs, root.notAfterMs)
  const ttl = Math.ceil((endMs - env.clock.wallMs()) / 1000)
  if (ttl <= 0) return err(refused('the crossing would have ended before it begins'))
  const path = `${options.rootPath}/root/sign-intermediate`
  const body = { csr, use_csr_values: true, ttl, format: 'pem' }
  const signed = await client.call('PUT', path, body, until)
  if (!signed.ok) return signed
  const given = signed.value.data?.['certificate']
  const bridges = typeof given === 'string' ? readCertificates(given) : undefined
  const bridge = bridges?.ok === true ? bridges.value[0] : undefined
  if (bridge === undefined)
    return err(unavailable(path, 'the connection ended in the middle of the answer', options.token))
  const notAfterMs = Math.min(endMs, bridge.notAfterMs, next.notAfterMs)
  const term = { serial: BigInt(wish.serial), notBeforeMs: wish.notBeforeMs, notAfterMs }
  const crossing = signCrossing(env.crypto, { key, certificate: bridge }, next, term)
  return crossingIn(work, next, certificatePem(crossing), [bridge])
}

/** A crossing is used only if it leads from the new root's name and key to the signing root. */
function crossingIn(
  { env, root }: IntermediateWork,
  next: Certificate,
  pem: string,
  bridges: readonly Certificate[],
): Result<SignedCertificate, CallFailure> {
  const read = readCertificates(pem)
  const crossing = read.ok ? read.value[0] : undefined
  if (crossing === undefined) return err(refused('the crossing cannot be read'))
  const same = equalBytes(crossing.publicKey, next.publicKey) && equalBytes(crossing.subject, next.subject)
  if (!same) return err(refused('the crossing is of another root'))
  const atMs = env.clock.wallMs()
  for (const [at, each] of [crossing, ...bridges].entries()) {
    const problem = authorityProblem(env.crypto, each, bridges[at] ?? root, atMs)
    if (problem !== undefined) return err(refused(`the crossing does not lead to the root that signed it: ${problem}`))
  }
  const notAfterMs = Math.min(crossing.notAfterMs, root.notAfterMs, ...bridges.map((bridge) => bridge.notAfterMs))
  const behind = bridges.map((bridge) => bridge.pem)
  return ok({ certificate: crossing.pem, serial: crossing.serial.toString(), notAfterMs, behind })
}
