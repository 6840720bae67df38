import { err, ok, type Result } from '../../../base/result.ts'
import type { Env } from '../../../env/env.ts'
import type { HttpClientFailure } from '../../../env/http.ts'
import type { LookupFailure } from '../../../env/names.ts'
import type { Endpoint } from '../../../env/net.ts'

/** Addresses to try in order: a name can have several. */
export type Places = readonly [Endpoint, ...Endpoint[]]

/** Maximum number of addresses of a name that are tried. */
const placesMax = 16

/**
 * Resolves `10.0.0.1:80`, `[::1]:80`, `localhost:80` or `db.internal:80`. Without a port, the given one is used. A name
 * is looked up each time, within this time limit.
 */
export async function placesAt(
  env: Env,
  authority: string,
  timeoutMs: number,
  defaultPort?: number,
): Promise<Result<Places, string>> {
  const [, host = '', digits] = /^(\[[^\]]*\]|[^:]*)(?::(\d{1,5}))?$/.exec(authority) ?? []
  if (host === '') return err(`address ${authority}: not a host and a port`)
  const port = digits === undefined ? defaultPort : Number(digits)
  if (port === undefined) return err(`address ${authority}: missing port in address`)
  if (port < 1 || port > 65_535) return err(`address ${authority}: invalid port`)
  const address = addressOf(host)
  if (address !== undefined) return ok([{ host: address, port }])
  const found = await env.names.lookup(host, timeoutMs)
  if (!found.ok) return err(`lookup ${host}: ${lookupText(found.error)}`)
  const [first, ...others] = found.value.slice(0, placesMax).map((each) => ({ host: each, port }))
  return first === undefined ? err(`lookup ${host}: no such host`) : ok([first, ...others])
}

/** Undefined if the host is a name. */
function addressOf(host: string): string | undefined {
  if (host.toLowerCase() === 'localhost') return '127.0.0.1'
  if (/^\d{1,3}(\.\d{1,3}){3}$/.test(host)) return host
  return /^\[[0-9a-f:.]+\]$/i.test(host) ? host.slice(1, -1) : undefined
}

/** Why a lookup failed, in the field's own words. */
function lookupText({ kind, message }: LookupFailure): string {
  if (kind === 'not-found') return 'no such host'
  return kind === 'timeout' ? 'i/o timeout' : message
}

/** The result of the first address that can be reached. */
export async function firstReached<T>(
  [to, ...others]: Places,
  ask: (to: Endpoint) => Promise<Result<T, HttpClientFailure>>,
): Promise<Result<T, HttpClientFailure>> {
  const answer = await ask(to)
  const isAway = !answer.ok && (answer.error.kind === 'refused' || answer.error.kind === 'unreachable')
  const [next, ...rest] = others
  return isAway && next !== undefined ? firstReached([next, ...rest], ask) : answer
}
