import type { Endpoint } from '../../env/net.ts'
import { isAddress, isHostName, parseEndpoint } from '../../rpc/address.ts'
import type { Report } from './quantities.ts'

/** Where something is sent: an address or a name, and a port, which may be left out where there is a usual one. */
export function receiverOf(
  key: string,
  text: string | undefined,
  problem: Report,
  usualPort?: number,
): Endpoint | undefined {
  if (text === undefined || text === '') return undefined
  const bare = usualPort !== undefined && isHostName(text) ? { host: text, port: usualPort } : undefined
  const named = parseEndpoint(text, usualPort) ?? bare
  const endpoint = named?.host.toLowerCase() === 'localhost' ? { host: '127.0.0.1', port: named.port } : named
  if (endpoint !== undefined && endpoint.port > 0 && (isAddress(endpoint.host) || isHostName(endpoint.host))) {
    return endpoint
  }
  const example = `127.0.0.1:${usualPort ?? 8125}`
  problem(
    `${key} "${text}": is not a host and a port`,
    `write an address or a name and a port, such as ${example}`,
    key,
  )
  return undefined
}
