import { hex, utf8 } from '../base/bytes.ts'
import { err, ok, type Result } from '../base/result.ts'

/** A service of a mesh. `trustDomain` is in lower case; the other names are unencoded, unlike in the URI. */
export interface ServiceId {
  readonly kind: 'service'
  readonly trustDomain: string
  readonly namespace: string
  readonly datacenter: string
  readonly service: string
}

/** The certificate authority of a mesh. */
export interface SigningId {
  readonly kind: 'signing'
  readonly trustDomain: string
}

export type SpiffeId = ServiceId | SigningId

/** Longer IDs are refused unread. The SPIFFE standard, section 2.3. */
const uriMax = 2_048

/** Parses `spiffe://TRUSTDOMAIN/ns/NAMESPACE/dc/DC/svc/SERVICE`, or says why the URI is not of this form. */
export function readSpiffeId(uri: string): Result<SpiffeId, string> {
  if (uri.length > uriMax) return err(`SPIFFE ID is longer than ${uriMax} characters`)
  const found = /^spiffe:\/\/([a-z0-9._-]{1,255})(\/[\x21-\x7e]*)?$/i.exec(uri)
  if (found === null) return err('SPIFFE ID must be of the form spiffe://TRUSTDOMAIN/...')
  const [, host = '', path] = found
  const trustDomain = host.toLowerCase()
  if (path === undefined) {
    return host.includes('.')
      ? ok({ kind: 'signing', trustDomain })
      : err('the trust domain of the SPIFFE ID has no dot')
  }
  const names = /^\/ns\/([^/?#]+)\/dc\/([^/?#]+)\/svc\/([^/?#]+)$/.exec(path)?.slice(1).map(decoded)
  const [namespace, datacenter, service] = names ?? []
  if (namespace === undefined || datacenter === undefined || service === undefined) {
    return err('SPIFFE ID is not in the expected format: spiffe://TRUSTDOMAIN/ns/NAMESPACE/dc/DC/svc/SERVICE')
  }
  return ok({ kind: 'service', trustDomain, namespace, datacenter, service })
}

function decoded(segment: string): string | undefined {
  try {
    return decodeURIComponent(segment)
  } catch {
    // decodeURIComponent throws if percent-encoded bytes are not UTF-8.
    return undefined
  }
}

export function serviceUri(id: Omit<ServiceId, 'kind'>): string {
  const { trustDomain, namespace, datacenter, service } = id
  return `spiffe://${trustDomain}/ns/${segment(namespace)}/dc/${segment(datacenter)}/svc/${segment(service)}`
}

export function signingUri(trustDomain: string): string {
  return `spiffe://${trustDomain}`
}

/**
 * Encodes a name as one segment of a URI's path. RFC 3986, section 3.3; like other implementations, it encodes some of
 * the marks that need no encoding.
 */
function segment(name: string): string {
  return name.replace(/[^A-Za-z0-9\-_.~$&+,:;=@]/gu, (char) =>
    (hex(utf8(char)).match(/../g) ?? []).map((byte) => `%${byte.toUpperCase()}`).join(''),
  )
}
