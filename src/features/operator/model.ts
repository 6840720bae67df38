import type { Json } from '../../base/json.ts'

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
