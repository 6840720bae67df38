import type { Server } from '../../src/raft/core/types.ts'
import type { Cluster } from './cluster.ts'
import { isReplacement } from './node-identity.ts'

/** It left in order, but somebody who runs still counts on it for consensus: who took it out was never heard. */
export function isMissed(cluster: Cluster, node: string): boolean {
  if (!cluster.hasLeft(node)) return false
  const { id } = cluster.identityOf(node)
  return cluster.serverNames.some((server) => membersKnownTo(cluster, server).some((member) => member.id === id))
}

/** A machine that took the place of a lost one votes, by the word of whoever leads. */
export function hasReplacedVoter(cluster: Cluster): boolean {
  const leader = cluster.leader()
  const members = leader === undefined ? [] : membersKnownTo(cluster, leader)
  return members.some(({ id, suffrage }) => suffrage === 'voter' && isReplacement(id))
}

function membersKnownTo(cluster: Cluster, server: string): readonly Server[] {
  return cluster.agentOf(server)?.raft?.status().configuration.servers ?? []
}
