import { endpointText } from '../env/net.ts'
import { parseEndpoint } from '../rpc/address.ts'
import { isAddress } from './addresses.ts'
import type { Report } from './quantities.ts'

/**
 * Addresses where other agents gossip, as `host:port`. An entry without a port takes the own one of gossip. Reference:
 * configuration 11, of which templates, host names and discovery by a provider are not there yet.
 */
export function joinAddresses(
  key: 'start_join' | 'retry_join' | 'start_join_wan' | 'retry_join_wan',
  entries: readonly string[] | undefined,
  port: number,
  problem: Report,
): readonly string[] {
  return (entries ?? []).map((entry) => {
    const endpoint = parseEndpoint(entry.trim(), port)
    if (endpoint !== undefined && endpoint.port !== 0 && isAddress(endpoint.host)) return endpointText(endpoint)
    refuse(key, entry, problem)
    return entry
  })
}

const remedy = 'write an IP address, with or without a port'

function refuse(key: string, entry: string, problem: Report): void {
  const provider = /provider\s*=\s*"?([\w-]*)/.exec(entry)
  // The rest of such an entry may hold the keys of a cloud account: it is not repeated.
  if (provider !== null) {
    return problem(`${key} provider=${provider[1]}: discovery through a cloud provider is not there yet`, remedy)
  }
  if (entry.includes('{{')) return problem(`${key} "${entry}": address templates are not there yet`, remedy)
  const host = /^([^:\s]+)(:\d{1,5})?$/.exec(entry.trim())?.[1]
  if (host !== undefined && /[a-z]/i.test(host)) {
    return problem(`${key} "${entry}": host names need a resolver, which is not there yet`, remedy)
  }
  problem(`${key} "${entry}" is not an address`, remedy)
}
