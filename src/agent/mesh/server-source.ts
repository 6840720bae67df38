import { ok } from '../../base/result.ts'
import type { Env } from '../../env/env.ts'
import { rootsEndpoint } from '../../features/connect/read-endpoints.ts'
import { signEndpoint } from '../../features/connect/write-endpoints.ts'
import type { CallOptions } from '../../features/contract/call.ts'
import { olderKeyPem } from '../../pki/private-key.ts'
import { makeRequest, requestPem } from '../../pki/request.ts'
import { serviceUri } from '../../pki/spiffe.ts'
import type { Calls } from '../asking/calls.ts'
import type { LeafSource } from './leaf-source.ts'

export interface ServerSourceOptions {
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
      const key = await env.crypto.generateKey('ec-256')
      const uris = [serviceUri({ trustDomain, namespace: 'default', datacenter, service })]
      const request = makeRequest(key, { commonName: service, uris })
      return { requestPem: requestPem(request), privateKeyPem: olderKeyPem(key.privateKeyPem) }
    },
    sign: (csr, token) => calls.write(signEndpoint, { csr }, { token }),
    memberCount,
  }
}
