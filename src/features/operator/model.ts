import { z } from 'zod'
import { formatDuration } from '../../base/duration.ts'
import { utcText } from '../../base/utc-text.ts'
import { namingNames } from '../../model/naming/naming.ts'
import type { ClusterHealth } from '../../model/server-health.ts'
import { indexValue, listOf } from '../http/declared.ts'

/** The naming of the cluster since it was formed. */
export const clusterNamesRow = z.strictObject({
  names: z.enum(namingNames),
  createIndex: z.number().int().positive(),
  modifyIndex: z.number().int().positive(),
})
export type ClusterNamesRow = z.infer<typeof clusterNamesRow>

/** One server of the Raft configuration, as the asked server knows it. */
export interface RaftServer {
  readonly id: string
  /** `(unknown)` if only the configuration knows the server. */
  readonly node: string
  readonly address: string
  readonly leader: boolean
  readonly protocolVersion: string
  readonly voter: boolean
}

export interface RaftConfiguration {
  readonly servers: readonly RaftServer[]
  /** Index of the log entry with the configuration. */
  readonly index: number
}

/** Reference: operator.md#get-v1-operator-raft. */
export const raftConfigurationShape = z.strictObject({
  Servers: listOf(
    z.strictObject({
      ID: z.string(),
      Node: z.string(),
      Address: z.string(),
      Leader: z.boolean(),
      ProtocolVersion: z.string(),
      Voter: z.boolean(),
    }),
  ),
  Index: indexValue,
})

export function raftConfigurationJson(configuration: RaftConfiguration): z.infer<typeof raftConfigurationShape> {
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

/** Reference: operator.md#autopilot-health. */
export const clusterHealthShape = z.strictObject({
  Healthy: z.boolean(),
  FailureTolerance: z.number().int(),
  Servers: listOf(
    z.strictObject({
      ID: z.string(),
      Name: z.string(),
      Address: z.string(),
      SerfStatus: z.string(),
      Version: z.string(),
      Leader: z.boolean(),
      LastContact: z.string(),
      LastTerm: indexValue,
      LastIndex: indexValue,
      Healthy: z.boolean(),
      Voter: z.boolean(),
      StableSince: z.string(),
    }),
  ),
})

/** A server that never heard from the leader has the field's -1 as its last contact. */
export function clusterHealthJson(health: ClusterHealth): z.infer<typeof clusterHealthShape> {
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
