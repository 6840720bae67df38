import type { Server } from '../../src/raft/core/types.ts'
import type { Cluster } from './cluster.ts'
import { isReplacement } from './node-identity.ts'

/**
 * It left in order, but was not taken out of the group, and without it some server that runs goes by a configuration of whose
 * voters no majority runs.
 */
export function isMissed(cluster: Cluster, node: string): boolean {
  if (!cluster.hasLeft(node)) return false
  const { id } = cluster.identityOf(node)
  const running = new Set(cluster.serverNames.filter((server) => cluster.isRunning(server)))
  const runningIds = new Set([...running].map((server) => cluster.identityOf(server).id))
  return [...running].some((server) => {
    const voters = membersKnownTo(cluster, server).filter(({ suffrage }) => suffrage === 'voter')
    const heard = voters.filter((voter) => runningIds.has(voter.id)).length
    return voters.some((voter) => voter.id === id) && heard * 2 <= voters.length
  })
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
