import type { Env } from '../env/env.ts'
import type { AgentSelf } from '../features/manifest.ts'
import { productName } from '../model/names.ts'
import { type Release, raftProtocol, releaseText } from '../model/release.ts'
import type { Raft, RaftStatus } from '../raft/raft.ts'
import type { AgentConfig } from './agent-config.ts'

type Section = Readonly<Record<string, string>>

/** Commit the build was made from; empty for a build from a working copy. */
const revision = ''

/** What an agent says of itself. Reference: HTTP API 4.6. */
export function describeSelf(env: Env, config: AgentConfig, release: Release, nodeId: string, raft: Raft): AgentSelf {
  const status = raft.status()
  return {
    nodeName: config.nodeName,
    nodeId,
    datacenter: config.datacenter,
    server: config.server,
    version: releaseText(release),
    revision,
    advertise: { host: config.advertiseAddress, port: config.ports.server },
    nodeMeta: { ...config.nodeMeta, [`${productName}-network-segment`]: '' },
    debugConfig: config.debug,
    stats: {
      agent: { check_monitors: '0', check_ttls: '0', checks: '0', services: '0' },
      build: { prerelease: '', revision, version: releaseText(release) },
      raft: raftSection(config, status),
      runtime: runtimeSection(env),
      [productName]: {
        acl: 'disabled',
        bootstrap: String(config.bootstrap),
        known_datacenters: '1',
        leader: String(status.role === 'leader'),
        leader_addr: status.leader?.address ?? '',
        server: String(config.server),
      },
    },
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
    protocol_version_max: String(raftProtocol.max),
    protocol_version_min: String(raftProtocol.min),
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

function runtimeSection(env: Env): Section {
  const { machine } = env
  return {
    arch: machine.architecture,
    cpu_count: String(machine.cpuCount),
    max_procs: '1',
    os: machine.operatingSystem,
  }
}
