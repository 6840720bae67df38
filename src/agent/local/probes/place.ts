import { base64, utf8 } from '../../../base/bytes.ts'
import { err, ok, type Result } from '../../../base/result.ts'
import type { Env } from '../../../env/env.ts'
import type { HttpClientFailure } from '../../../env/http.ts'
import type { LookupFailure } from '../../../env/names.ts'
import type { Endpoint, TlsOptions } from '../../../env/net.ts'

/** Addresses to try in order: a name can have several. */
type Places = readonly [Endpoint, ...Endpoint[]]

/** Maximum number of addresses of a name that are tried. */
const placesMax = 16

/**
 * Resolves `10.0.0.1:80`, `[::1]:80`, `localhost:80`, `:80` or `db.internal:80`. Without a port, the given one is used. A
 * name is looked up each time, within this time limit.
 */
export async function placesAt(
  env: Env,
  authority: string,
  timeoutMs: number,
  defaultPort?: number,
): Promise<Result<Places, string>> {
  const [, host = '', digits] = /^(\[[^\]]*\]|[^:]*)(?::(\d{1,5}))?$/.exec(authority) ?? []
  if (host === '' && digits === undefined) return err(`address ${authority}: not a host and a port`)
  const port = digits === undefined ? defaultPort : Number(digits)
  if (port === undefined) return err(`address ${authority}: missing port in address`)
  if (port < 1 || port > 65_535) return err(`address ${authority}: invalid port`)
  if (isThisMachine(host)) return ok(loopbacks.map((each) => ({ host: each, port })) as [Endpoint, Endpoint])
  const address = addressOf(host)
  if (address !== undefined) return ok([{ host: address, port }])
  const found = await env.names.lookup(host, timeoutMs)
  if (!found.ok) return err(`lookup ${host}: ${lookupText(found.error)}`)
  const [first, ...others] = found.value.slice(0, placesMax).map((each) => ({ host: each, port }))
  return first === undefined ? err(`lookup ${host}: no such host`) : ok([first, ...others])
}

/** As in the field: an empty host is this machine, and a program may listen at only one of its loopback addresses. */
const loopbacks = ['127.0.0.1', '::1'] as const

function isThisMachine(host: string): boolean {
  return host === '' || host.toLowerCase() === 'localhost'
}

/** Undefined if the host is a name. */
function addressOf(host: string): string | undefined {
  if (isThisMachine(host)) return loopbacks[0]
  if (/^\d{1,3}(\.\d{1,3}){3}$/.test(host)) return host
  return /^\[[0-9a-f:.]+\]$/i.test(host) ? host.slice(1, -1) : undefined
}

/** Why a lookup failed, in the field's own words. */
function lookupText({ kind, message }: LookupFailure): string {
  if (kind === 'not-found') return 'no such host'
  return kind === 'timeout' ? 'i/o timeout' : message
}

/** The result of the first address that can be reached; if none can, the failure of the first one, as in the field. */
export async function firstReached<T>(
  [first, ...others]: Places,
  ask: (to: Endpoint) => Promise<Result<T, HttpClientFailure>>,
): Promise<Result<T, HttpClientFailure>> {
  const answer = await ask(first)
  if (!isAway(answer)) return answer
  for (const to of others) {
    const later = await ask(to)
    if (!isAway(later)) return later
  }
  return answer
}

function isAway(answer: Result<unknown, HttpClientFailure>): boolean {
  return !answer.ok && (answer.error.kind === 'refused' || answer.error.kind === 'unreachable')
}

/**
 * TLS options of a check. With `skipVerify` any certificate of the target is accepted; otherwise it must be for
 * `serverName`. `own` holds the agent's certificate and trusted authorities, if its checks use them.
 */
export function probeTls(serverName: string, skipVerify: boolean, own: TlsOptions | undefined): TlsOptions {
  const asAnybody: TlsOptions = { trustedPems: [], trust: 'system' }
  return { serverName, ...(own ?? asAnybody), ...(skipVerify ? { trust: 'anyone' } : {}) }
}

/** An absolute HTTP URL, as far as a check needs it. */
export interface WebUrl {
  readonly scheme: 'http' | 'https'
  /** User information as written, such as `name:password`; empty if the URL has no user. */
  readonly user: string
  /** Host, with the port if the URL has one. */
  readonly authority: string
  /** Path and query, as written; at least `/`. */
  readonly target: string
}

/** Characters that must be percent-encoded in a request line. RFC 3986, section 2. */
const unsendable = /[^\x21-\x7e]|["<>\\^`{|}]/

/** Strict: refuses what is not an http or https URL by RFC 3986. */
export function parseWebUrl(text: string): Result<WebUrl, string> {
  const [, scheme = '', user = '', authority = '', path = '', query = ''] =
    /^([a-z][a-z0-9+.-]*):\/\/(?:([^/?#]*)@)?([^/?#@]*)([^?#]*)(\?[^#]*)?(?:#.*)?$/i.exec(text) ?? []
  const known = scheme.toLowerCase()
  if (scheme === '') return err('not an absolute URL')
  if (known !== 'http' && known !== 'https') return err(`unsupported protocol scheme ${JSON.stringify(known)}`)
  if (authority === '') return err('no Host in request URL')
  if (unsendable.test(user + authority + path + query)) return err('invalid character in URL')
  if (basicCredentials(user) === undefined) return err('the user in the URL is not percent-encoded')
  return ok({ scheme: known, user, authority, target: `${path === '' ? '/' : path}${query}` })
}

/** User information as RFC 7617 has it in the header Authorization; undefined if it is not percent-encoded text. */
export function basicCredentials(user: string): string | undefined {
  const [, name = '', password = ''] = /^([^:]*):?(.*)$/.exec(user) ?? []
  try {
    return `Basic ${base64(utf8(`${decodeURIComponent(name)}:${decodeURIComponent(password)}`))}`
  } catch {
    return undefined
  }
}

/** A URL for people and other services to read, whether it is valid or not. */
export function withoutPassword(url: string): string {
  return url.replace(/^([a-z][a-z0-9+.-]*:\/\/[^/?#:@]*):[^/?#]*@/i, '$1:***@')
}

/** The host of an authority, as certificates name it. */
export function hostOf(authority: string): string {
  return authority.replace(/:\d+$/, '').replace(/^\[(.*)\]$/, '$1')
}

/** Whether a URL leads to the same host and port as another, or to a name below that host's name at the same port. */
export function isWithin(url: WebUrl, other: WebUrl, ports: Readonly<Record<WebUrl['scheme'], number>>): boolean {
  const place = (of: WebUrl): string =>
    `${hostOf(of.authority).toLowerCase()} ${/:(\d+)$/.exec(of.authority)?.[1] ?? ports[of.scheme]}`
  if (place(url) === place(other)) return true
  return addressOf(hostOf(other.authority)) === undefined && place(url).endsWith(`.${place(other)}`)
}

export function urlText({ scheme, user, authority, target }: WebUrl): string {
  return withoutPassword(`${scheme}://${user === '' ? '' : `${user}@`}${authority}${target}`)
}

/** Resolves a `Location` header. RFC 3986, section 5, without dot segments. */
export function resolveLocation(base: WebUrl, location: string): Result<WebUrl, string> {
  if (/^[a-z][a-z0-9+.-]*:/i.test(location)) return parseWebUrl(location)
  if (location.startsWith('//')) return parseWebUrl(`${base.scheme}:${location}`)
  const [path = ''] = base.target.split('?')
  const directory = path.slice(0, path.lastIndexOf('/') + 1)
  const target = location.startsWith('/') ? location : location.startsWith('?') ? path + location : directory + location
  const resolved = parseWebUrl(`${base.scheme}://${base.authority}${target}`)
  return resolved.ok ? ok({ ...resolved.value, user: base.user }) : resolved
}
