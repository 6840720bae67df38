import { providerOf } from '../../agent/pool/discovery/providers.ts'
import { isDiscovery, parseDiscovery } from '../../agent/pool/discovery/request.ts'
import { endpointText } from '../../env/net.ts'
import { isAddress, isHostName, parseEndpoint } from '../../rpc/address.ts'
import type { FileConfig } from '../schema.ts'
import type { Report } from './values.ts'

type JoinKey = 'start_join' | 'retry_join' | 'start_join_wan' | 'retry_join_wan'

/** Reports an entry that has no effect; the agent starts without it. */
type Warn = (key: JoinKey, message: string) => void

/** Reads the addresses of one key; `port` applies to an address without one. */
export type Join = (key: JoinKey, port: number) => readonly string[]

/**
 * Parses addresses where other agents gossip, as `host:port`; a host may be a name, which is looked up at each attempt.
 * An entry without a port gets the agent's own gossip port. Requests to providers in `retry_join` stay as they are
 * written; an unsupported one is dropped with a warning, because an old configuration may name a cloud besides
 * addresses; so is an entry of `retry_join` that is no address: the field tries it again and again, and starts.
 * Reference: configuration.md#addresses-to-join.
 */
export function joinReader(file: FileConfig, problem: Report, warn: Warn): Join {
  const mayRun = file.enable_retry_join_exec ?? false
  return (key, port) =>
    (file[key] ?? []).flatMap((written, index) => {
      const entry = written.trim()
      const endpoint = endpointOf(entry, port)
      if (endpoint !== undefined) return [endpoint]
      if (isDiscovery(entry) && key.startsWith('retry_')) return askable(key, entry, mayRun, warn)
      const what = isDiscovery(entry)
        ? 'a provider can be asked by retry_join alone'
        : `entry ${index + 1} is not an address`
      if (key.startsWith('retry_')) warn(key, `${key}: ${what}: it is skipped`)
      else problem(`${key}: ${what}`, 'write an address or a host name, with or without a port', key)
      return []
    })
}

function endpointOf(entry: string, port: number): string | undefined {
  const endpoint = parseEndpoint(entry, port) ?? (isHostName(entry) ? { host: entry, port } : undefined)
  if (endpoint === undefined || endpoint.port === 0) return undefined
  return isAddress(endpoint.host) || isHostName(endpoint.host) ? endpointText(endpoint) : undefined
}

/**
 * Any entry may contain the keys of a cloud account, however its `provider=` is misspelled. So no entry is shown in a
 * message, and of a request to a provider no value.
 */
function askable(key: JoinKey, entry: string, mayRun: boolean, warn: Warn): readonly string[] {
  const request = parseDiscovery(entry)
  const provider = request.ok ? providerOf(request.value) : request
  const isExec = request.ok && request.value.get('provider') === 'exec'
  const why = !provider.ok
    ? provider.error
    : isExec && !mayRun
      ? 'provider exec runs a program of this machine: set enable_retry_join_exec to true to allow that'
      : undefined
  if (why === undefined) return [entry]
  warn(key, `${key}: discover: ${why}: the entry is skipped`)
  return []
}
