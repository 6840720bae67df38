import { equalBytes, hex } from '../../../../base/bytes.ts'
import { done, err, ok, type Result } from '../../../../base/result.ts'
import type { Crypto } from '../../../../env/crypto.ts'
import type { Env } from '../../../../env/env.ts'
import { type Certificate, readCertificates } from '../../../../pki/certificate.ts'
import { pemBlocks } from '../../../../pki/pem.ts'
import { signingUri } from '../../../../pki/spiffe.ts'
import { otherDomainOf } from '../facts.ts'
import type { MeshIdentity } from '../provider.ts'
import { type CallFailure, gone, misread, refused } from './call-failure.ts'
import type { Called, Deadline, ManagerClient } from './manager-client.ts'
import type { ManagerOptions } from './options.ts'

/** The state of a mount: missing, without a certificate authority yet, or the authority's PEM. */
type MountState = 'missing' | 'empty' | { readonly pem: string }

const hourSeconds = 3_600

/**
 * Needs only the right to the path, so success proves nothing about the token's other rights. Recordings: mounts,
 * errors.
 */
export async function readMount(client: ManagerClient, path: string, until: Deadline): Called<MountState> {
  const read = await client.call('GET', `${path}/ca/pem`, undefined, until)
  if (read.ok && read.value.status === 204) return ok('empty')
  if (read.ok) {
    const { text } = read.value
    const blocks = pemBlocks(text)
    return blocks.ok && blocks.value.length > 0 ? ok({ pem: text }) : err(misread(`GET ${path}/ca/pem`, 'no whole PEM'))
  }
  const { status, complaint } = read.error
  if (status === 404 && complaint === 'not-mounted') return ok('missing')
  if (status !== 403) return read
  // The secrets manager checks the policy first: without a rule for the mount, its existence remains unknown.
  return err(refused(`${read.error.message}: the token must have rights on the mount ${path}`))
}

/** Another leader or an operator may have created the mount meanwhile, which is as good. */
export async function mountPki(
  client: ManagerClient,
  { title }: MeshNames,
  path: string,
  leaseHours: number,
  until: Deadline,
): Called<undefined> {
  const config = { max_lease_ttl: `${leaseHours}h` }
  const body = { type: 'pki', description: `${title.toLowerCase()} mesh CA`, config }
  const mounted = await client.call('POST', `sys/mounts/${path}`, body, until)
  if (mounted.ok) return done
  const { status, complaint } = mounted.error
  return status === 400 && complaint === 'already-mounted' ? done : mounted
}

/**
 * A mount that an operator created with defaults allows leases of 32 days, and silently shortens a root to that: a
 * longer lifetime needs this first.
 */
export async function allowLease(
  client: ManagerClient,
  path: string,
  leaseHours: number,
  until: Deadline,
): Called<undefined> {
  const tune = await client.call('GET', `sys/mounts/${path}/tune`, undefined, until)
  if (tune.ok) {
    const allowed = tune.value.data?.['max_lease_ttl']
    if (typeof allowed === 'number' && allowed >= leaseHours * hourSeconds) return done
  } else if (tune.error.kind === 'unavailable') return tune
  const tuned = await client.call('POST', `sys/mounts/${path}/tune`, { max_lease_ttl: `${leaseHours}h` }, until)
  if (tuned.ok || tuned.error.kind === 'unavailable') return tuned.ok ? done : tuned
  return err(refused(`${tuned.error.message}: tune the mount ${path} to a max lease of ${leaseHours}h`))
}

/** Ten years, like a built-in root. Without a `ttl` it would be 32 days, whatever the mount allows. */
const rootHours = 87_600

/**
 * The root of these options: the mount's present one, or one that is generated there, whose key never leaves the mount.
 */
export async function findOrMakeRoot(
  env: Env,
  client: ManagerClient,
  options: ManagerOptions,
  mesh: MeshNames,
  until: Deadline,
): Called<Certificate> {
  const { rootPath } = options
  const before = await readMount(client, rootPath, until)
  if (!before.ok) return before
  if (typeof before.value === 'object') return rootOfMesh(env, rootPath, before.value.pem, mesh)
  const ready =
    before.value === 'missing'
      ? await mountPki(client, mesh, rootPath, rootHours, until)
      : await allowLease(client, rootPath, rootHours, until)
  if (!ready.ok) return ready
  const generated = await client.call(
    'POST',
    `${rootPath}/root/generate/internal`,
    generation(env, options, mesh),
    until,
  )
  if (!generated.ok) return generated
  // If another client created a root meanwhile, the manager generates none and the answer has no data: use the present
  // one.
  return readRoot(env, client, rootPath, until)
}

function generation(env: Env, options: ManagerOptions, mesh: MeshNames): Readonly<Record<string, string | number>> {
  const common = { common_name: authorityName(env, mesh, 'Root'), uri_sans: signingUri(mesh.trustDomain) }
  return { ...common, key_type: options.keyType, key_bits: options.keyBits, ttl: `${rootHours}h` }
}

type MeshNames = Pick<MeshIdentity, 'trustDomain' | 'title'>

/** Names of authorities are unique: some clients look for an issuer by name alone. */
export function authorityName(env: Env, { title }: MeshNames, what: string): string {
  return `${title} Mesh ${what} ${hex(env.crypto.randomBytes(4, 'authority', what))}`
}

/** The present root; never creates one. */
export async function readRoot(
  env: Env,
  client: ManagerClient,
  rootPath: string,
  until: Deadline,
): Called<Certificate> {
  const found = await readMount(client, rootPath, until)
  if (!found.ok) return found
  if (typeof found.value === 'object') return rootIn(env, rootPath, found.value.pem)
  return err(gone(`${rootPath} has no root: it is ${found.value === 'missing' ? 'not mounted' : 'empty'}`))
}

/** Nothing is made below the root of another mesh. */
function rootOfMesh(env: Env, path: string, pem: string, { trustDomain }: MeshNames): Result<Certificate, CallFailure> {
  const root = rootIn(env, path, pem)
  const foreign = root.ok ? otherDomainOf(root.value, trustDomain) : undefined
  if (foreign === undefined) return root
  const remedy = 'name another RootPKIPath, or the cluster_id of that mesh if it is this one'
  return err({ ...refused(`the root in ${path} belongs to another trust domain: ${foreign}: ${remedy}`), foreign })
}

/** Clients trust a root by itself, so an intermediate in its place is refused. */
function rootIn(env: Env, path: string, pem: string): Result<Certificate, CallFailure> {
  const read = readCertificates(pem)
  const root = read.ok ? read.value[0] : undefined
  if (root === undefined) return err(refused(`${path} has a root that cannot be read`))
  const problem = authorityProblem(env.crypto, root, root, env.clock.wallMs())
  return problem === undefined ? ok(root) : err(refused(`the certificate of ${path} is no root: ${problem}`))
}

/**
 * Why `certificate` is not an authority directly below `issuer` (or `issuer` itself, for a root); undefined if it is.
 * The clock of the secrets manager may be fast, so a certificate that is not valid yet is accepted. Chains of leaves
 * are verified by `pki`.
 */
export function authorityProblem(
  crypto: Pick<Crypto, 'verify'>,
  certificate: Certificate,
  issuer: Certificate,
  atMs: number,
): string | undefined {
  for (const each of [certificate, issuer]) {
    const usages = each.keyUsages
    if (!each.authority || usages?.includes('keyCertSign') === false) return 'it is not a certificate authority'
    if (atMs > each.notAfterMs) return 'it has expired'
  }
  if (!equalBytes(certificate.issuer, issuer.subject)) return 'it was issued by another'
  const { authorityKeyId: named, signatureAlgorithm: algorithm, signedBytes, signature } = certificate
  const own = issuer.subjectKeyId
  if (named !== undefined && own !== undefined && !equalBytes(named, own)) return 'it names another key'
  if (algorithm === undefined) return 'its signature algorithm is not supported'
  return crypto.verify(issuer.publicKey, algorithm, signedBytes, signature) ? undefined : 'its signature is wrong'
}
