import { err, ok, type Result } from '../../../base/result.ts'

/** An absolute HTTP URL, as far as a check needs it. */
export interface WebUrl {
  readonly scheme: 'http' | 'https'
  /** Host, with the port if the URL has one. */
  readonly authority: string
  /** Path and query, as written; at least `/`. */
  readonly target: string
}

/** Characters that must be percent-encoded in a request line. RFC 3986, section 2. */
const unsendable = /[^\x21-\x7e]|["<>\\^`{|}]/

/** Strict: refuses what is not an http or https URL by RFC 3986, and a URL with user information. */
export function parseWebUrl(text: string): Result<WebUrl, string> {
  const [, scheme = '', authority = '', path = '', query = ''] =
    /^([a-z][a-z0-9+.-]*):\/\/([^/?#]*)([^?#]*)(\?[^#]*)?(?:#.*)?$/i.exec(text) ?? []
  const known = scheme.toLowerCase()
  if (scheme === '') return err('not an absolute URL')
  if (known !== 'http' && known !== 'https') return err(`unsupported protocol scheme ${JSON.stringify(known)}`)
  if (authority === '') return err('no Host in request URL')
  if (authority.includes('@')) return err('a user in the URL is not supported')
  if (unsendable.test(authority + path + query)) return err('invalid character in URL')
  return ok({ scheme: known, authority, target: `${path === '' ? '/' : path}${query}` })
}

/** The host of an authority, as certificates name it. */
export function hostOf(authority: string): string {
  return authority.replace(/:\d+$/, '').replace(/^\[(.*)\]$/, '$1')
}

export function urlText({ scheme, authority, target }: WebUrl): string {
  return `${scheme}://${authority}${target}`
}

/** Resolves a `Location` header. RFC 3986, section 5, without dot segments. */
export function resolveLocation(base: WebUrl, location: string): Result<WebUrl, string> {
  if (/^[a-z][a-z0-9+.-]*:/i.test(location)) return parseWebUrl(location)
  if (location.startsWith('//')) return parseWebUrl(`${base.scheme}:${location}`)
  const [path = ''] = base.target.split('?')
  const directory = path.slice(0, path.lastIndexOf('/') + 1)
  const target = location.startsWith('/') ? location : location.startsWith('?') ? path + location : directory + location
  return parseWebUrl(`${base.scheme}://${base.authority}${target}`)
}
