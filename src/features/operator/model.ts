import { formatDuration } from '../../base/duration.ts'
import type { Json } from '../../base/json.ts'
import { utcText } from '../../base/utc-text.ts'
import type { ClusterHealth } from '../../model/server-health.ts'

/** One server of the Raft configuration, as the asked server knows it. */
export interface RaftServer {
  readonly id: string
  /** `(unknown)` where nothing but the configuration speaks of it. */
  readonly node: string
  readonly address: string
  readonly leader: boolean
  readonly protocolVersion: string
  readonly voter: boolean
}

export interface RaftConfiguration {
  readonly servers: readonly RaftServer[]
  /** Index of the entry that brought the configuration. */
  readonly index: number
}

/** Reference: HTTP API 12. */
export function raftConfigurationJson(configuration: RaftConfiguration): Json {
  return {
    Servers: configuration.servers.map((server) => ({
      ID: server.id,
      Node: server.node,
      Address: server.address,
      Leader: server.leader,
      ProtocolVersion: server.protocolVersion,
      Voter: server.voter,
    })),
    Index: configuration.index,
  }
}

/** Reference: HTTP API 12. A server that never heard from the leader has the field's -1 for its last contact. */
export function clusterHealthJson(health: ClusterHealth): Json {
  return {
    Healthy: health.healthy,
    FailureTolerance: health.failureTolerance,
    Servers: health.servers.map((server) => ({
      ID: server.id,
      Name: server.name,
      Address: server.address,
      SerfStatus: server.poolStatus,
      Version: server.release,
      Leader: server.leader,
      LastContact: server.lastContactMs === undefined ? '-1ns' : formatDuration(server.lastContactMs),
      LastTerm: server.lastTerm,
      LastIndex: server.lastIndex,
      Healthy: server.healthy,
      Voter: server.voter,
      StableSince: utcText(server.stableSinceMs),
    })),
  }
}
