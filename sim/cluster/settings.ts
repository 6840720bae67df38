import type { AgentConfig } from '../../src/agent/settings/agent-config.ts'
import { formatDuration } from '../../src/base/duration.ts'
import { err, ok, type Result } from '../../src/base/result.ts'
import { normalize } from '../../src/config/normalize.ts'
import type { FileConfig } from '../../src/config/schema.ts'
import { validateDocument } from '../../src/config/validate.ts'
import type { Machine } from '../../src/env/process.ts'
import type { Release } from '../../src/model/release.ts'
import { areJoined, dnsPort, httpPort, lanPort, type NodeIdentity, serverPort, wanPort } from './node-identity.ts'

/** Settings of Raft and membership that no configuration file has. */
export type Tuning = Pick<AgentConfig['raft'], 'limits'> &
  Partial<Pick<AgentConfig['raft'], 'trailingLogs' | 'logSegmentBytes' | 'logBytesMax'>> &
  Pick<AgentConfig['pool'], 'firstIncarnation'> & { readonly gossipLimits?: AgentConfig['pool']['limits'] } & Pick<
    AgentConfig,
    'keyCare'
  > & { readonly mesh?: MeshTuning }

interface MeshTuning {
  /** The initial TTL of leaves, and the minimum to which it may be changed. */
  readonly leafTtlMs: number | undefined
  readonly skewMs: number | undefined
}

/**
 * The configuration of one simulated node: the scenario's settings, in the names and with the checks of a real
 * configuration file, and the settings that make it this node of this cluster. `nodes`: all nodes.
 */
export function nodeConfig(
  identity: NodeIdentity,
  nodes: readonly NodeIdentity[],
  settings: FileConfig,
  machine: Machine,
  release: Release,
  tuning: Tuning = {},
): Result<AgentConfig, string> {
  const servers = nodes.filter((node) => node.kind === 'server' && node.datacenter === identity.datacenter)
  const isServer = identity.kind === 'server'
  const isFirst = servers[0]?.name === identity.name
  const elsewhere = nodes.filter((node) => node.datacenter !== identity.datacenter && areJoined(node, identity))
  const others = firstServers(elsewhere)
  const file: FileConfig = {
    ...settings,
    server: isServer,
    node_name: settings.node_name ?? identity.name,
    node_id: identity.id,
    datacenter: identity.called ?? identity.datacenter,
    bind_addr: identity.host,
    client_addr: identity.host,
    data_dir: '/data',
    ports: {
      http: httpPort,
      server: serverPort,
      serf_lan: lanPort,
      serf_wan: others.length > 0 ? wanPort : -1,
      dns: dnsPort,
    },
    ...(isServer ? { bootstrap_expect: servers.filter(({ spare }) => spare !== true).length } : {}),
    // The other servers learn of them from the servers of their datacenter.
    ...(isFirst ? { retry_join_wan: others.map((server) => `${server.host}:${wanPort}`) } : {}),
    retry_join:
      settings.retry_join ??
      servers.filter((server) => server.name !== identity.name).map((server) => `${server.host}:${lanPort}`),
  }
  const read = readSettings(file, release)
  if (!read.ok) return read
  const normalized = normalize(read.value, false, machine, undefined, release)
  if (!normalized.ok) return err(normalized.error.map((problem) => problem.message).join('; '))
  const { config } = normalized.value
  const { firstIncarnation, gossipLimits, keyCare, mesh, ...raft } = tuning
  const pool = {
    ...config.pool,
    ...(firstIncarnation === undefined ? {} : { firstIncarnation }),
    ...(gossipLimits === undefined ? {} : { limits: gossipLimits }),
  }
  const tuned = { pool, mesh: meshSettings(config.mesh, mesh), raft: { ...config.raft, ...raft } }
  return ok({ ...config, ...tuned, ...(keyCare === undefined ? {} : { keyCare }) })
}

function meshSettings(
  settings: AgentConfig['mesh'],
  { leafTtlMs, skewMs }: Partial<MeshTuning> = {},
): AgentConfig['mesh'] {
  const options = leafTtlMs === undefined ? {} : { LeafCertTTL: formatDuration(leafTtlMs) }
  return {
    ...settings,
    options: { ...settings.options, ...options },
    ...(leafTtlMs === undefined ? {} : { leafTtlMinMs: leafTtlMs }),
    ...(skewMs === undefined ? {} : { skewMs }),
  }
}

/**
 * Settings as an agent of this release reads them in a file: by their old names, if it uses those. Settings of later
 * releases apply as well, because they describe the scenario's agents, whatever their release.
 */
export function readSettings(settings: FileConfig, release: Release): Result<FileConfig, string> {
  const read = validateDocument({ file: 'settings', value: settings, placeOf: () => 'settings' }, release, [])
  return read.ok
    ? ok(read.value.config)
    : err(read.error.map(({ message, remedy }) => `${message}: ${remedy}`).join('; '))
}

/** One server of each datacenter. */
function firstServers(nodes: readonly NodeIdentity[]): readonly NodeIdentity[] {
  const first = new Map<string, NodeIdentity>()
  for (const node of nodes) if (node.kind === 'server' && !first.has(node.datacenter)) first.set(node.datacenter, node)
  return [...first.values()]
}
