import { done, err, ok, type Result } from '../../../../base/result.ts'
import { utcText } from '../../../../base/utc-text.ts'
import type { Env } from '../../../../env/env.ts'
import { type Certificate, readCertificates } from '../../../../pki/certificate.ts'
import { makeRequest, requestPem } from '../../../../pki/request.ts'
import { signingUri } from '../../../../pki/spiffe.ts'
import type { MeshIdentity, SignedCertificate } from '../provider.ts'
import { type CallFailure, refused, unavailable } from './call-failure.ts'
import type { Called, Deadline, ManagerClient } from './manager-client.ts'
import type { ManagerOptions } from './options.ts'
import { allowLease, authorityName, authorityProblem, mountPki, readMount } from './root.ts'

/** A year: no leaf lives longer. */
const intermediateHours = 8_760
const hourMs = 3_600_000
/** The only role of the mount; writing it again each time is no error. */
export const leafRole = 'leaf-cert'

/** The parameters of a mesh's intermediate. */
export interface IntermediateWork {
  readonly env: Env
  readonly client: ManagerClient
  readonly options: ManagerOptions
  readonly mesh: MeshIdentity
  readonly root: Certificate
}

/** What signs leaves, and why it is not renewed, if it should be. */
export interface FoundIntermediate {
  readonly certificate: Certificate
  readonly problem?: string
}

/**
 * The intermediate that signs leaves below this root: the mount's present one, or a new one if the mount has none, if
 * less than a third of its lifetime is left, or if it is out of use (`broken`: a request for a certificate was made and
 * never answered, since when the mount signs nothing). An intermediate below another root is left alone, because
 * another cluster may be using it.
 */
export async function findOrMakeIntermediate(
  work: IntermediateWork,
  broken: boolean,
  until: Deadline,
): Called<FoundIntermediate> {
  const { client, options } = work
  const path = options.intermediatePath
  const before = await readMount(client, path, until)
  if (!before.ok) return before
  if (typeof before.value === 'object') {
    const found = intermediateIn(work, before.value.pem)
    if (!found.ok) return found
    const role = await writeRole(work, until)
    if (!role.ok) return role
    if (broken) return makeIntermediate(work, until)
    return isEnding(work, found.value) ? renewed(work, found.value, until) : ok({ certificate: found.value })
  }
  const ready =
    before.value === 'missing'
      ? await mountPki(client, work.mesh, path, intermediateHours, until)
      : await allowLease(client, path, intermediateHours, until)
  if (!ready.ok) return ready
  const role = await writeRole(work, until)
  return role.ok ? makeIntermediate(work, until) : role
}

/**
 * Has the root sign a trial first, which is used for nothing: from the request for another intermediate on, the mount
 * signs nothing until it has that one. If the root signs none, the present intermediate is used for as long as it lasts.
 */
async function renewed(work: IntermediateWork, present: Certificate, until: Deadline): Called<FoundIntermediate> {
  const { env, client, options, mesh } = work
  const key = await env.crypto.generateKey('ec-256', 'trial')
  const wishes = {
    commonName: authorityName(env, mesh, 'Trial'),
    uris: [signingUri(mesh.trustDomain)],
    authority: true,
  }
  const wish = { csr: requestPem(makeRequest(key, wishes)), format: 'pem_bundle', use_csr_values: true, ttl: '60s' }
  const trial = await client.call('PUT', `${options.rootPath}/root/sign-intermediate`, wish, until)
  if (trial.ok) return makeIntermediate(work, until)
  const problem = `the intermediate certificate ends ${utcText(present.notAfterMs)}, and is not renewed: ${trial.error.message}`
  return ok({ certificate: present, problem })
}

function isEnding({ env, root }: IntermediateWork, intermediate: Certificate): boolean {
  const lifeMs = intermediate.notAfterMs - intermediate.notBeforeMs
  // An intermediate that ends with its root cannot be extended.
  return intermediate.notAfterMs - env.clock.wallMs() < lifeMs / 3 && intermediate.notAfterMs < root.notAfterMs - hourMs
}

function intermediateIn({ env, options, root }: IntermediateWork, pem: string): Result<Certificate, CallFailure> {
  const path = options.intermediatePath
  const read = readCertificates(pem)
  const found = read.ok ? read.value[0] : undefined
  if (found === undefined) return err(refused(`${path} has a certificate that cannot be read`))
  if (authorityProblem(env.crypto, found, root, Math.min(env.clock.wallMs(), found.notAfterMs)) === undefined)
    return ok(found)
  const remedy = 'name another IntermediatePKIPath, or unmount it'
  return err(refused(`${path} has an authority that the root of ${options.rootPath} has not signed: ${remedy}`))
}

/**
 * Makes three calls. Between the first and the last, a mount that was in use signs nothing: leaves requested meanwhile
 * fail as `unavailable`. After an interruption in between, the next leaf finds the mount `broken`.
 */
async function makeIntermediate(work: IntermediateWork, until: Deadline): Called<FoundIntermediate> {
  const { env, client, options, mesh, root } = work
  const path = options.intermediatePath
  const { keyType: key_type, keyBits: key_bits } = options
  const names = { common_name: authorityName(env, mesh, 'Intermediate'), uri_sans: signingUri(mesh.trustDomain) }
  const asked = await client.call(
    'POST',
    `${path}/intermediate/generate/internal`,
    { ...names, key_type, key_bits },
    until,
  )
  if (!asked.ok) return asked
  const csr = asked.value.data?.['csr']
  if (typeof csr !== 'string')
    return err(unavailable(path, 'the connection ended in the middle of the answer', options.token))
  const leftHours = Math.floor((root.notAfterMs - env.clock.wallMs()) / hourMs)
  if (leftHours < 1) return err(refused(`the root of ${options.rootPath} ends within the hour`))
  const ttl = `${Math.min(intermediateHours, leftHours)}h`
  const wish = { csr, format: 'pem_bundle', use_csr_values: true, ttl }
  const signed = await client.call('PUT', `${options.rootPath}/root/sign-intermediate`, wish, until)
  if (!signed.ok) return signed
  const certificate = signed.value.data?.['certificate']
  if (typeof certificate !== 'string')
    return err(unavailable(options.rootPath, 'the connection ended in the middle of the answer', options.token))
  const made = intermediateIn(work, certificate)
  if (!made.ok) return made
  const set = await client.call('PUT', `${path}/intermediate/set-signed`, { certificate: made.value.pem }, until)
  if (set.ok) return ok({ certificate: made.value })
  // Another leader has made a request after ours: the mount has its key now, and its certificate will follow.
  return set.error.complaint === 'key-mismatch' ? err({ ...set.error, kind: 'unavailable' }) : set
}

/** The role takes names from parameters and URIs from the request; the caller must check the result. */
async function writeRole({ client, options, mesh }: IntermediateWork, until: Deadline): Called<undefined> {
  const role = {
    allow_any_name: true,
    allowed_uri_sans: `spiffe://${mesh.trustDomain}/*`,
    key_type: 'any',
    // Without encipherment, which elliptic-curve keys do not support.
    key_usage: ['DigitalSignature', 'KeyAgreement'],
    max_ttl: `${Math.ceil(options.leafTtlMs / hourMs)}h`,
    no_store: true,
    not_before_duration: Math.ceil(mesh.skewMs / 1000),
    require_cn: false,
    use_csr_common_name: false,
  }
  const written = await client.call('PUT', `${options.intermediatePath}/roles/${leafRole}`, role, until)
  return written.ok ? done : written
}

/** An authority for another datacenter, below this root, that signs leaves and no further authority. */
export async function signBelow(
  { env, client, options, root }: IntermediateWork,
  requestPem: string,
  notAfterMs: number,
  until: Deadline,
): Called<SignedCertificate> {
  const ttl = Math.floor((Math.min(notAfterMs, root.notAfterMs) - env.clock.wallMs()) / 1000)
  if (ttl <= 0) return err(refused('the authority would have ended before it begins'))
  const path = `${options.rootPath}/root/sign-intermediate`
  const body = { csr: requestPem, use_csr_values: true, ttl, max_path_length: 0 }
  const signed = await client.call('PUT', path, body, until)
  if (!signed.ok) return signed
  const given = signed.value.data?.['certificate']
  const read = typeof given === 'string' ? readCertificates(given) : undefined
  const made = read?.ok === true ? read.value[0] : undefined
  if (made === undefined)
    return err(unavailable(path, 'the connection ended in the middle of the answer', options.token))
  const problem = authorityProblem(env.crypto, made, root, env.clock.wallMs())
  if (problem !== undefined) return err(refused(`the authority does not lead to the root: ${problem}`))
  return ok({ certificate: made.pem, serial: made.serial.toString(), notAfterMs: made.notAfterMs })
}
