import { done, err, ok } from '../../../../base/result.ts'
import { refused } from './call-failure.ts'
import type { Called, Deadline, ManagerClient } from './manager-client.ts'

/** The state of a mount: missing, without a certificate authority yet, or the authority's PEM. */
export type MountState = 'missing' | 'empty' | { readonly pem: string }

const hourSeconds = 3_600

/**
 * Needs only the right to the path, so success proves nothing about the token's other rights. Recordings: mounts,
 * errors.
 */
export async function readMount(client: ManagerClient, path: string, until: Deadline): Called<MountState> {
  const read = await client.call('GET', `${path}/ca/pem`, undefined, until)
  if (read.ok) return ok(read.value.status === 204 ? 'empty' : { pem: read.value.text })
  const { status, complaint } = read.error
  if (status === 404 && complaint === 'not-mounted') return ok('missing')
  if (status !== 403) return read
  // The secrets manager checks the policy first: without a rule for the mount, its existence remains unknown.
  return err(refused(`${read.error.message}: the token must have rights on the mount ${path}`))
}

/** Another leader or an operator may have created the mount meanwhile, which is as good. */
export async function mountPki(
  client: ManagerClient,
  path: string,
  leaseHours: number,
  until: Deadline,
): Called<undefined> {
  const config = { max_lease_ttl: `${leaseHours}h` }
  const body = { type: 'pki', description: 'svc mesh CA', config }
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
