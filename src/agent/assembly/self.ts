import { utcText } from '../../base/utc-text.ts'
import type { Env } from '../../env/env.ts'
import type { AgentSelf } from '../../features/contract/route-context.ts'
import type { Pool } from '../../gossip/pool.ts'
import { serversService } from '../../model/naming/names.ts'
import { knownRaftProtocols, type Release, releaseText } from '../../model/release.ts'
import { readCertificates } from '../../pki/certificate.ts'
import type { RaftStatus } from '../../raft/raft.ts'
import type { RunningLocalServices } from '../local/parts.ts'
import { type AccessMode, serverOf } from '../pool/pool-servers.ts'
import type { AgentConfig } from '../settings/agent-config.ts'
import type { TlsMaterial } from '../settings/tls-settings.ts'
import type { StartOptions } from './agent.ts'
import type { Ground, Part } from './ground.ts'

type Section = Readonly<Record<string, string>>

/** Commit of the build; empty for a build from a working copy. */
const revision = ''

export interface SelfParts {
  readonly env: Env
  readonly config: AgentConfig
  readonly release: Release
  readonly nodeId: string
  readonly part: Part
  readonly pool: Pool
  readonly wan: Pool | undefined
  readonly local: Pick<RunningLocalServices, 'stats' | 'nodeFacts'>
  /** A reload may renew the material. */
  readonly tls: Ground['tls']
  readonly debugConfig: StartOptions['debugConfig']
}

/**
 * The agent's description of itself; parts that change are collected at each request. Reference: agent.md#agent-self.
 */
export function describeSelf(parts: SelfParts): AgentSelf {
  const { config, release, nodeId, local, debugConfig } = parts
  return {
    nodeName: config.nodeName,
    nodeId,
    datacenter: config.datacenter,
    server: config.server,
    version: releaseText(release),
    revision,
    translatesAddresses: config.wan.translatesAddresses,
    advertise: { host: config.advertiseAddress, port: config.ports.server },
    // A reload may change it.
    get nodeMeta() {
      return Object.fromEntries(local.nodeFacts().meta ?? [])
    },
    isDebugged: config.isDebugged,
    get debugConfig() {
      // The agent may have drawn its ID, or read it from its data directory.
      return { ...debugConfig?.(), NodeID: nodeId }
    },
    get stats() {
      return statsOf(parts)
    },
  }
}

function statsOf({ env, config, release, part, pool, wan, local, tls }: SelfParts): AgentSelf['stats'] {
  const status = part.raft?.status()
  return {
    agent: local.stats(),
    build: { prerelease: '', revision, version: releaseText(release) },
    ...(status === undefined ? {} : { raft: raftSection(config, status) }),
    runtime: runtimeSection(env),
    serf_lan: poolSection(pool),
    ...(wan === undefined ? {} : { serf_wan: poolSection(wan) }),
    [serversService(config.naming)]:
      status === undefined ? clientSection(part) : serverSection(config, status, wan, modeOf(part)),
    ...tlsSection(tls.material),
  }
}

/** When the first certificate of the agent's chain expires, which its peers refuse from then on. */
function tlsSection({ identity }: TlsMaterial): Readonly<Record<string, Section>> {
  if (identity === undefined) return {}
  const chain = readCertificates(identity.certificateChainPem)
  if (!chain.ok) return { tls: { certificate_expires: 'unknown' } }
  return { tls: { certificate_expires: utcText(Math.min(...chain.value.map(({ notAfterMs }) => notAfterMs))) } }
}

function clientSection(part: Part): Section {
  return { acl: modeOf(part), known_servers: String(part.serverCount()), server: 'false' }
}

function serverSection(config: AgentConfig, status: RaftStatus, wan: Pool | undefined, acl: AccessMode): Section {
  return {
    acl,
    bootstrap: String(config.bootstrap),
    known_datacenters: String(wan === undefined ? 1 : knownDatacenters(wan)),
    leader: String(status.role === 'leader'),
    leader_addr: status.leader?.address ?? '',
    server: 'true',
  }
}

function modeOf({ access }: Part): AccessMode {
  return access?.mode() ?? 'disabled'
}

function knownDatacenters(wan: Pool): number {
  return new Set(wan.members().flatMap((member) => serverOf(member)?.datacenter ?? [])).size
}

/** User events and queries share one queue with everything else that is gossiped. */
function poolSection(pool: Pool): Section {
  const stats = pool.stats()
  return {
    coordinate_resets: String(stats.coordinateResets),
    encrypted: String(pool.isEncrypted),
    event_queue: '0',
    event_time: String(stats.eventTime),
    failed: String(stats.failed),
    health_score: String(stats.healthScore),
    intent_queue: '0',
    left: String(stats.left),
    member_time: String(stats.memberTime),
    members: String(stats.members),
    query_queue: '0',
    query_time: String(stats.queryTime),
  }
}

function raftSection(config: AgentConfig, status: RaftStatus): Section {
  const servers = status.configuration.servers
    .map(
      ({ id, address, suffrage }) =>
        `{Suffrage:${suffrage === 'voter' ? 'Voter' : 'Nonvoter'} ID:${id} Address:${address}}`,
    )
    .join(' ')
  const others =
    servers === '' ? 0 : status.configuration.servers.filter((server) => server.suffrage === 'voter').length - 1
  return {
    applied_index: String(status.appliedIndex),
    commit_index: String(status.commitIndex),
    fsm_pending: String(status.commitIndex - status.appliedIndex),
    last_contact:
      status.role === 'leader'
        ? '0'
        : status.lastContactMs === undefined
          ? 'never'
          : `${Math.round(status.lastContactMs)}ms`,
    last_log_index: String(status.lastIndex),
    last_log_term: String(status.lastTerm),
    last_snapshot_index: String(status.snapshotIndex),
    last_snapshot_term: String(status.snapshotTerm),
    latest_configuration: `[${servers}]`,
    latest_configuration_index: String(status.configurationIndex),
    num_peers: String(Math.max(0, others)),
    protocol_version: String(config.raft.protocol),
    protocol_version_max: String(knownRaftProtocols.max),
    protocol_version_min: String(knownRaftProtocols.min),
    snapshot_version_max: '1',
    snapshot_version_min: '0',
    state: stateText[status.role],
    term: String(status.term),
  }
}

const stateText = {
  follower: 'Follower',
  'pre-candidate': 'Candidate',
  candidate: 'Candidate',
  leader: 'Leader',
} as const

/** The simulator has neither a process for an agent nor a runtime with a release. */
function runtimeSection({ machine }: Env): Section {
  return {
    arch: machine.architecture,
    cpu_count: String(machine.cpuCount),
    goroutines: String(machine.process?.().pendingWork ?? 0),
    max_procs: '1',
    os: machine.operatingSystem,
    version: machine.runtimeVersion ?? '',
  }
}
