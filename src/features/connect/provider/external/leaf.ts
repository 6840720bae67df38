import { equalBytes } from '../../../../base/bytes.ts'
import { err, ok, type Result } from '../../../../base/result.ts'
import { type Certificate, readCertificates } from '../../../../pki/certificate.ts'
import { verifyChain } from '../../../../pki/chain.ts'
import type { LeafWish, SignedCertificate } from '../provider.ts'
import { type CallFailure, refused, unavailable } from './call-failure.ts'
import { type IntermediateWork, leafRole } from './intermediate.ts'
import type { Called, Deadline, ManagerAnswer } from './manager-client.ts'

/** A leaf ends this long before its intermediate at least: beyond that the whole request is refused, not cut. */
const marginMs = 60_000
/** A host's name; what is none is refused as a common name. RFC 1123, section 2.1. */
const hostName = /^[A-Za-z0-9]([A-Za-z0-9-]{0,61}[A-Za-z0-9])?(\.[A-Za-z0-9]([A-Za-z0-9-]{0,61}[A-Za-z0-9])?)*$/

/** Has the intermediate sign it, and looks at what came: the time may be cut without a word, and the chain be another. */
export async function signLeafBy(
  work: IntermediateWork,
  intermediate: Certificate,
  wish: LeafWish,
  until: Deadline,
): Called<SignedCertificate> {
  const { env, client, options } = work
  const endMs = Math.min(wish.notAfterMs, intermediate.notAfterMs - marginMs)
  const ttl = Math.floor((endMs - env.clock.wallMs()) / 1000)
  if (ttl <= 0) return err(refused('the intermediate of the secrets manager has ended'))
  const name = wish.commonName.length <= 64 && hostName.test(wish.commonName) ? { common_name: wish.commonName } : {}
  const body = { csr: wish.requestPem, ttl, exclude_cn_from_sans: true, ...name }
  const path = `${options.intermediatePath}/sign/${leafRole}`
  const signed = await client.call('PUT', path, body, until, { finishes: true })
  return signed.ok ? leafIn(work, wish, signed.value) : signed
}

function leafIn(work: IntermediateWork, wish: LeafWish, answer: ManagerAnswer): Result<SignedCertificate, CallFailure> {
  const { env, options, root } = work
  const { certificate, issuing_ca: issuer, ca_chain: chain } = answer.data ?? {}
  const half = err(unavailable('sign', 'half an answer', options.token))
  if (typeof certificate !== 'string' || typeof issuer !== 'string') return half
  const leaf = readCertificates(certificate)
  const above = readCertificates([issuer, ...(Array.isArray(chain) ? chain : [])].join('\n'))
  if (!leaf.ok || leaf.value[0] === undefined || !above.ok) return half
  const [signed] = leaf.value
  const problem = leafProblem(signed, wish)
  if (problem !== undefined) return err(refused(`the secrets manager signed something else: ${problem}`))
  const atMs = Math.max(env.clock.wallMs(), signed.notBeforeMs)
  const verified = verifyChain(env.crypto, signed, above.value, [root], {
    atMs,
    usage: 'server',
    trustDomain: work.mesh.trustDomain,
  })
  if (!verified.ok) return err(refused(`a leaf of the secrets manager does not lead to its root: ${verified.error}`))
  const behind = verified.value.slice(1, -1).map(({ pem }) => pem)
  const { pem, serial, notAfterMs } = signed
  return ok({ certificate: pem, serial: serial.toString(), notAfterMs, behind })
}

/** The key and the one name that were asked for, and no further name: whatever else stood in the request, it is not signed. */
function leafProblem(leaf: Certificate, wish: LeafWish): string | undefined {
  if (!equalBytes(leaf.publicKey, wish.publicKey)) return 'another key'
  if (leaf.uris.length !== 1 || leaf.uris[0] !== wish.spiffeId) return 'another name'
  if (leaf.dnsNames.length + leaf.otherNames > 0) return 'further names'
  if (leaf.authority) return 'an authority'
  return undefined
}
