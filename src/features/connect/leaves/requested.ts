import type { Authorizer } from '../../../access/authorizer.ts'
import { lowerAscii } from '../../../base/letter-case.ts'
import { err, ok, type Result } from '../../../base/result.ts'
import type { Env } from '../../../env/env.ts'
import type { Failure } from '../../../model/failure.ts'
import { readRequest } from '../../../pki/request.ts'
import { readSpiffeId, serviceUri } from '../../../pki/spiffe.ts'
import { denied } from '../../contract/access.ts'
import { meshSpellings } from '../../contract/names.ts'

/** The parts of a signing request that are used. */
export interface RequestedLeaf {
  readonly publicKey: Uint8Array
  /** For providers that accept only whole requests. */
  readonly requestPem: string
  readonly service: string
  readonly uri: string
  /** The trust domain of the URI: that of the mesh when the request came. */
  readonly trustDomain: string
}

export interface Asking {
  readonly env: Env
  readonly authorizer: Authorizer
  readonly trustDomain: string
  readonly datacenter: string
}

/** The namespace of services: it is the only one. Reference: mesh.md#spiffe-service. */
const namespace = 'default'

/**
 * Parses a signing request, and checks the caller's right to the leaf. Reference:
 * mesh.md#what-a-signing-request-may-ask-for.
 */
export function requestedLeaf(requestPem: string, asking: Asking): Result<RequestedLeaf, Failure> {
  const { env, authorizer, trustDomain, datacenter } = asking
  const request = readRequest(requestPem, env.crypto)
  if (!request.ok) return mistaken(`failed to parse CSR: ${request.error}`)
  const { uris, publicKey, wantsAuthority } = request.value
  const [uri, second] = uris
  if (uri === undefined || second !== undefined) return mistaken(`CSR must have one SPIFFE ID, and has ${uris.length}`)
  const id = readSpiffeId(uri)
  if (!id.ok) return mistaken(id.error)
  const named = id.value
  if (named.kind !== 'service') return mistaken('SPIFFE ID in CSR must be a service ID')
  if (named.service.trim() === '') return mistaken('SPIFFE ID in CSR names no service')
  for (const name of meshSpellings(named.service)) {
    const ask = { resource: 'service', name, right: 'write' } as const
    if (!authorizer.allows(ask.resource, name, ask.right)) return err(denied(env, authorizer, ask, 'ConnectCA.Sign'))
  }
  if (named.trustDomain !== trustDomain) return different('trust domain', named.trustDomain, trustDomain)
  if (lowerAscii(named.datacenter) !== lowerAscii(datacenter))
    return different('datacenter', named.datacenter, datacenter)
  if (named.namespace !== namespace) return different('namespace', named.namespace, namespace)
  if (wantsAuthority) return mistaken('CSR asks for a certificate of an authority')
  const { service } = named
  const own = serviceUri({ trustDomain, namespace, datacenter, service })
  return ok({ publicKey, requestPem, service, uri: own, trustDomain })
}

/**
 * Why a request that was fit when it came is not fit for the authority that is to sign it; undefined if it is: the
 * datacenter may have joined another mesh while the request waited.
 */
export function outgrown({ trustDomain }: RequestedLeaf, present: string): Result<never, Failure> | undefined {
  return trustDomain === present ? undefined : different('trust domain', trustDomain, present)
}

function different(what: string, theirs: string, ours: string): Result<never, Failure> {
  return mistaken(`SPIFFE ID in CSR from a different ${what}: ${theirs}, we are ${ours}`)
}

function mistaken(message: string): Result<never, Failure> {
  return err({ kind: 'bad-request', message })
}
