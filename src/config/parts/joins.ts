import { endpointText } from '../../env/net.ts'
import { isAddress, isHostName, parseEndpoint } from '../../rpc/address.ts'
import { discoveryProblem, parseDiscovery } from './discovery.ts'
import type { Report } from './quantities.ts'

/**
 * Where other agents gossip, as `host:port`; a host may be a name, which is looked up at each attempt. An entry without a
 * port takes the own one of gossip. Reference: configuration 11.
 */
export function joinAddresses(
  key: 'start_join' | 'retry_join' | 'start_join_wan' | 'retry_join_wan',
  entries: readonly string[] | undefined,
  port: number,
  problem: Report,
): readonly string[] {
  return (entries ?? []).map((entry, index) => {
    const endpoint = endpointOf(entry.trim(), port)
    if (endpoint !== undefined) return endpoint
    refuse(key, entry, index, problem)
    return entry
  })
}

function endpointOf(entry: string, port: number): string | undefined {
  const endpoint = parseEndpoint(entry, port) ?? (isHostName(entry) ? { host: entry, port } : undefined)
  if (endpoint === undefined || endpoint.port === 0) return undefined
  return isAddress(endpoint.host) || isHostName(endpoint.host) ? endpointText(endpoint) : undefined
}

const remedy = 'write an address or a host name, with or without a port'

/**
 * Any entry may hold the keys of a cloud account, however its `provider=` is misspelled: none is repeated, and of what is
 * asked of a provider no value.
 */
function refuse(key: string, entry: string, index: number, problem: Report): void {
  if (!entry.includes('=')) return problem(`${key}: entry ${index + 1} is not an address`, remedy)
  if (!key.startsWith('retry_')) return problem(`${key}: a provider can be asked by retry_join alone`, remedy)
  const request = parseDiscovery(entry)
  problem(`${key}: discover: ${request.ok ? discoveryProblem(request.value) : request.error}`, remedy)
}
