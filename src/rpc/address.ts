import type { Env } from '../env/env.ts'
import type { Endpoint } from '../env/net.ts'

/**
 * `10.0.0.1:8300` or `[::1]:8300`; with a default port also `10.0.0.1`, `::1` and `[::1]`. Undefined if the text is
 * none of these.
 */
export function parseEndpoint(text: string, defaultPort?: number): Endpoint | undefined {
  const match = /^(?:\[([0-9A-Fa-f:.%]+)\]|([^:\s[\]]+)):(\d{1,5})$/.exec(text)
  const host = match?.[1] ?? match?.[2]
  if (host === undefined) return defaultPort === undefined ? undefined : bareAddress(text, defaultPort)
  const port = Number(match?.[3])
  return port > 65_535 ? undefined : { host, port }
}

function bareAddress(text: string, port: number): Endpoint | undefined {
  const match = /^(?:(\d{1,3}(?:\.\d{1,3}){3})|\[?([0-9A-Fa-f]*:[0-9A-Fa-f]*:[0-9A-Fa-f:.%]*)\]?)$/.exec(text)
  const host = match?.[1] ?? match?.[2]
  return host === undefined ? undefined : { host, port }
}

/** Whether the text is an IPv4 or IPv6 address. */
export function isAddress(text: string): boolean {
  return isIpv4(text) || isIpv6(text)
}

function isIpv4(text: string): boolean {
  const parts = text.split('.')
  return parts.length === 4 && parts.every((part) => /^(0|[1-9]\d{0,2})$/.test(part) && Number(part) <= 255)
}

function isIpv6(text: string): boolean {
  if (!/^[0-9A-Fa-f:]*(\d+\.\d+\.\d+\.\d+)?$/.test(text) || !text.includes(':')) return false
  const halves = text.split('::')
  if (halves.length > 2) return false
  const groups = halves.flatMap((half) => (half === '' ? [] : half.split(':')))
  const count = groups.reduce((sum, group) => sum + (isIpv4(group) ? 2 : /^[0-9A-Fa-f]{1,4}$/.test(group) ? 1 : 99), 0)
  return halves.length === 2 ? count <= 7 : count === 8
}

/** RFC 1123, section 2.1; with underscores, as hosts use them. A name of only digits and dots is a mistyped address. */
export function isHostName(text: string): boolean {
  const name = text.replace(/\.$/, '')
  const labels = name.split('.')
  if (name.length > 253 || /^[\d.]+$/.test(name)) return false
  return labels.every((label) => /^[A-Za-z0-9_]([A-Za-z0-9_-]{0,61}[A-Za-z0-9_])?$/.test(label))
}

/** Whether this can be the address of an agent: an IP address or a host name, each with or without a port. */
export function isAddressText(text: string): boolean {
  if (isZonedIpv6(text)) return true
  const match = /^(?:\[([^[\]]*)\]|([^:[\]]*))(?::(\d{1,5}))?$/.exec(text)
  if (match === null) return false
  const [, bracketed, host = '', port] = match
  if (port !== undefined && (Number(port) < 1 || Number(port) > 65_535)) return false
  return bracketed === undefined ? isIpv4(host) || isHostName(host) : isZonedIpv6(bracketed)
}

/** Whether it is an IPv6 address with a zone, which names the interface for an address of one link. */
function isZonedIpv6(text: string): boolean {
  return isIpv6(text.replace(/%[\w.-]{1,32}$/, ''))
}

/** Time limit for the lookup of a name. */
const receiverLookupMs = 5_000

/** The present address of a receiver; undefined if its name cannot be resolved. */
export async function placeOf(env: Env, { host, port }: Endpoint): Promise<Endpoint | undefined> {
  if (isAddress(host)) return { host, port }
  const found = await env.names.lookup(host, receiverLookupMs)
  const first = found.ok ? found.value[0] : undefined
  return first === undefined ? undefined : { host: first, port }
}
