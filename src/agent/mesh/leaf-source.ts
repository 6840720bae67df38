import { ok, type Result } from '../../base/result.ts'
import type { Env } from '../../env/env.ts'
import type { IssuedLeaf, RootsList } from '../../features/connect/model.ts'
import { rootsEndpoint } from '../../features/connect/read-endpoints.ts'
import { signEndpoint } from '../../features/connect/write-endpoints.ts'
import type { CallOptions } from '../../features/contract/call.ts'
import type { Failure } from '../../model/failure.ts'
import type { ModifyIndex } from '../../model/log-position.ts'
import { olderKeyPem } from '../../pki/private-key.ts'
import { makeRequest, requestPem } from '../../pki/request.ts'
import { serviceUri } from '../../pki/spiffe.ts'
import type { Calls } from '../requests/asking/calls.ts'

/** The roots as of an index. */
export interface RootsView {
  readonly list: RootsList
  readonly index: ModifyIndex
}

/** A key that was generated here, and the signing request for it. */
export interface LeafRequest {
  /** `CERTIFICATE REQUEST` in PEM. */
  readonly requestPem: string
  /** `EC PRIVATE KEY` in PEM. Only the caller that requested the leaf receives it. */
  readonly privateKeyPem: string
}

/** Where an agent's leaves come from: its servers sign, the keys stay here. */
export interface LeafSource {
  /** Waits for roots newer than the index, as blocking reads do; 0: the leader's present roots. */
  roots(minIndex: ModifyIndex, onAbort: (use: () => void) => void): Promise<Result<RootsView, Failure>>
  /** Generates a new key each time. */
  request(service: string, trustDomain: string): Promise<LeafRequest>
  sign(requestPem: string, token: string): Promise<Result<IssuedLeaf, Failure>>
  /** Number of agents in the datacenter, as far as this one knows. */
  memberCount(): number
}

/**
 * Prefix of the metrics of leaves, which contains the product's name twice. Reference: telemetry.md#metric-svc-cache.
 */
export const cacheName = 'svc.cache.connect-ca-leaf'

/** Whether the token has no right to the leaf, or has lost it. */
export function isRefusal({ kind }: Failure): boolean {
  return kind === 'permission-denied' || kind === 'token-not-found'
}

interface ServerSourceOptions {
  readonly env: Pick<Env, 'crypto'>
  readonly calls: Pick<Calls, 'query' | 'write'>
  readonly datacenter: string
  readonly memberCount: () => number
}

/** Requests leaves from the servers of the datacenter, for keys that are generated here. */
export function serverSource({ env, calls, datacenter, memberCount }: ServerSourceOptions): LeafSource {
  const wait = { waitMs: 0, maxStaleMs: 0, datacenter: '' }
  return {
    async roots(minIndex, onAbort) {
      const call: CallOptions = { onAbort }
      const read = { ...wait, minIndex, consistency: minIndex === 0 ? 'default' : 'stale' } as const
      const answer = await calls.query(rootsEndpoint, {}, read, call)
      return answer.ok ? ok({ list: answer.value.value, index: answer.value.meta.index }) : answer
    },
    async request(service, trustDomain) {
      const key = await env.crypto.generateKey('ec-256', 'leaf', service)
      const uris = [serviceUri({ trustDomain, namespace: 'default', datacenter, service })]
      const request = makeRequest(key, { commonName: service, uris })
      return { requestPem: requestPem(request), privateKeyPem: olderKeyPem(key.privateKeyPem) }
    },
    sign: (csr, token) => calls.write(signEndpoint, { csr }, { token }),
    memberCount,
  }
}
