import { lowerAscii } from '../../base/letter-case.ts'

/** Of the certificate of a service that connects. Reference: mesh 4. */
export interface ClientId {
  readonly trustDomain: string
  readonly namespace: string
  readonly datacenter: string
  readonly service: string
}

/** `signing`: of an authority. Undefined: of nobody. */
export function readClientId(uri: string): ClientId | 'signing' | undefined {
  const [, trustDomain, path = ''] = /^spiffe:\/\/([^/?#@]+)(\/[^?#]*)?$/i.exec(uri) ?? []
  if (trustDomain === undefined) return undefined
  if (path === '' || path === '/') return trustDomain.includes('.') ? 'signing' : undefined
  const parts = /^\/ns\/([^/]+)\/dc\/([^/]+)\/svc\/([^/]+)$/.exec(path)
  const [namespace, datacenter, service] = (parts?.slice(1) ?? []).map(decoded)
  if (namespace === undefined || datacenter === undefined || service === undefined) return undefined
  return { trustDomain: lowerAscii(trustDomain), namespace, datacenter, service }
}

function decoded(segment: string): string | undefined {
  try {
    return decodeURIComponent(segment)
  } catch {
    return undefined
  }
}
