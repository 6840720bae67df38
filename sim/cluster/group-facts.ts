import type { Server } from '../../src/raft/core/types.ts'
import type { Cluster } from './cluster.ts'
import { areJoined, isReplacement, type NodeIdentity } from './node-identity.ts'

/**
 * It left in order, but was not taken out of the group, and without it some server that runs goes by a configuration of
 * whose voters no majority runs.
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

/** Whether a machine that replaced a lost one is a voter, according to the leader of that datacenter. */
export function hasReplacedVoter(cluster: Cluster, datacenter?: string): boolean {
  const leader = cluster.leader(datacenter)
  const members = leader === undefined ? [] : membersKnownTo(cluster, leader)
  return members.some(({ id, suffrage }) => suffrage === 'voter' && isReplacement(id))
}

/** What agents call this datacenter. */
export function calledName(cluster: Cluster, datacenter: string): string {
  return someoneIn(cluster, datacenter)?.called ?? datacenter
}

/** Whether this agent can be asked, with ?dc=, for what is in that datacenter; its own it always can. */
export function knowsOf(cluster: Cluster, node: string, datacenter: string): boolean {
  const there = someoneIn(cluster, datacenter)
  return there !== undefined && areJoined(cluster.identityOf(node), there)
}

function someoneIn(cluster: Cluster, datacenter: string): NodeIdentity | undefined {
  const name = cluster.serverNames.find((server) => cluster.datacenterOf(server) === datacenter)
  return name === undefined ? undefined : cluster.identityOf(name)
}

function membersKnownTo(cluster: Cluster, server: string): readonly Server[] {
  return cluster.agentOf(server)?.raft?.status().configuration.servers ?? []
}

/**
 * A server that left while no majority could remove it from the Raft configuration may be one that the others need:
 * such servers are started again, as an operator would do.
 */
export function startMissed(cluster: Cluster): void {
  for (const server of cluster.serverNames) if (isMissed(cluster, server)) cluster.start(server)
}

/** One datacenter of a cluster, as if there were no other: everything else is the cluster's own. */
export function oneDatacenter(cluster: Cluster, datacenter: string): Cluster {
  const isHere = (node: string): boolean => cluster.datacenterOf(node) === datacenter
  const own: Readonly<Record<string, unknown>> = {
    serverNames: cluster.serverNames.filter(isHere),
    clientNames: cluster.clientNames.filter(isHere),
    nodeNames: cluster.nodeNames.filter(isHere),
    datacenterNames: [datacenter],
    leaders: () => cluster.leaders().filter(isHere),
    leader: () => cluster.leader(datacenter),
  }
  return new Proxy(cluster, {
    get(target, key) {
      if (typeof key === 'string' && Object.hasOwn(own, key)) return own[key]
      const member: unknown = Reflect.get(target, key, target)
      return typeof member === 'function' ? member.bind(target) : member
    },
  })
}
