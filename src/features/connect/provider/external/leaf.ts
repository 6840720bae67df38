import { equalBytes } from '../../../../base/bytes.ts'
import { err, ok, type Result } from '../../../../base/result.ts'
import { type Certificate, readCertificates } from '../../../../pki/certificate.ts'
import { verifyChain } from '../../../../pki/chain.ts'
import type { LeafWish, SignedCertificate } from '../provider.ts'
import { type CallFailure, refused, unavailable } from './call-failure.ts'
import { type IntermediateWork, leafRole } from './intermediate.ts'
import type { Called, Deadline, ManagerAnswer } from './manager-client.ts'

/** A leaf must end at least this long before its intermediate: the secrets manager refuses a longer one as a whole. */
const marginMs = 60_000
/** A host name; any other common name is refused. RFC 1123, section 2.1. */
const hostName = /^[A-Za-z0-9]([A-Za-z0-9-]{0,61}[A-Za-z0-9])?(\.[A-Za-z0-9]([A-Za-z0-9-]{0,61}[A-Za-z0-9])?)*$/

/**
 * Lets the intermediate sign the leaf, and checks the result: its lifetime may have been cut silently, and its chain
 * may differ.
 */
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
  const half = err(unavailable('sign', 'the connection ended in the middle of the answer', options.token))
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

/** The leaf must have the requested key and the one requested name, and no others, whatever the request contained. */
function leafProblem(leaf: Certificate, wish: LeafWish): string | undefined {
  if (!equalBytes(leaf.publicKey, wish.publicKey)) return 'another key'
  if (leaf.uris.length !== 1 || leaf.uris[0] !== wish.spiffeId) return 'another name'
  if (leaf.dnsNames.length + leaf.otherNames > 0) return 'further names'
  if (leaf.authority) return 'an authority'
  return undefined
}
