import type { SigningKey } from '../../../src/env/crypto.ts'
import type { Env } from '../../../src/env/env.ts'
import type { ProviderOptions } from '../../../src/features/connect/model.ts'
import type { LeafWish, MeshIdentity } from '../../../src/features/connect/provider/provider.ts'
import { makeRequest, requestPem } from '../../../src/pki/request.ts'
import { serviceUri } from '../../../src/pki/spiffe.ts'

export const hourMs = 3_600_000

export const mesh: MeshIdentity = {
  clusterId: '11111111-2222-3333-4444-555555555555',
  trustDomain: '11111111-2222-3333-4444-555555555555.svc',
  datacenter: 'dc1',
  title: 'Svc',
  skewMs: 60_000,
}

export const managerToken = 's.token-of-the-mesh'

export function managerOptions(address: string, more: ProviderOptions = {}): ProviderOptions {
  const paths = { RootPKIPath: 'mesh-root', IntermediatePKIPath: 'mesh-intermediate' }
  return { Address: address, Token: managerToken, ...paths, ...more }
}

export interface WishedLeaf {
  readonly wish: LeafWish
  readonly key: SigningKey
}

/** What the authority asks for on behalf of a service, with the key that an agent would keep. */
export async function leafWish(env: Env, service = 'web', lifeMs = 72 * hourMs, serial = '100'): Promise<WishedLeaf> {
  const key = await env.crypto.generateKey('ec-256')
  const { trustDomain, datacenter } = mesh
  const spiffeId = serviceUri({ trustDomain, namespace: 'default', datacenter, service })
  const request = makeRequest(key, { commonName: service, uris: [spiffeId] })
  const nowMs = Math.floor(env.clock.wallMs() / 1000) * 1000
  const times = { notBeforeMs: nowMs - mesh.skewMs, notAfterMs: nowMs + lifeMs }
  const wish = {
    publicKey: key.publicKey,
    requestPem: requestPem(request),
    commonName: service,
    spiffeId,
    serial,
    ...times,
  }
  return { key, wish }
}

export function must<T>(
  result: { readonly ok: true; readonly value: T } | { readonly ok: false; readonly error: unknown },
): T {
  if (!result.ok) throw new Error(JSON.stringify(result.error))
  return result.value
}
