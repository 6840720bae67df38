import type { Agent } from '../../src/agent/assembly/agent.ts'
import type { FileConfig } from '../../src/config/schema.ts'
import { newestRelease, type Release } from '../../src/model/release.ts'
import type { SimNode } from '../world/node.ts'
import type { PlannedNode } from './cluster-plan.ts'
import { type NodeIdentity, serverPort } from './node-identity.ts'

/** One simulated machine and the agent on it. */
export interface ClusterNode {
  identity: NodeIdentity
  readonly node: SimNode
  /** A process that stopped itself is started again after this long. */
  readonly restartAfterMs: number | undefined
  /** Of its clocks, when nothing is wrong with them. */
  readonly rate: number
  settings: FileConfig
  release: Release
  /** Its machine has files of certificates. */
  readonly certified: boolean
  /** Text of a `peers.json` that its next process shall find. */
  peersJson: string | undefined
  /** Of the running process, once it is up. */
  agent: Agent | undefined
  /** Why the last process ended by itself. */
  ended: string | undefined
  /** It left the pool in order, and was not started since. */
  left: boolean
  /** Its process has been asked to leave. */
  leaving: boolean
  /** What it keeps is damaged: it is not to start, but to be replaced. */
  damaged: boolean
}

/** As a plan has it: its machine is there, and its process was never started. */
export function clusterNode(
  { identity, plan, settings, certified }: PlannedNode,
  node: SimNode,
  rate: number,
): ClusterNode {
  return {
    identity,
    node,
    rate,
    restartAfterMs: plan['restart after'],
    settings,
    certified,
    release: plan.release ?? newestRelease,
    peersJson: undefined,
    agent: undefined,
    ended: undefined,
    left: identity.spare === true,
    leaving: false,
    damaged: false,
  }
}

/** Its RPC address, which is its name in consensus below Raft protocol 3. */
export function serverAddress({ identity }: Pick<ClusterNode, 'identity'>): string {
  return `${identity.host}:${serverPort}`
}

/** Of servers and their terms, the one with the highest. */
export function highest(leading: ReadonlyMap<string, number>): string | undefined {
  let best: string | undefined
  let bestTerm = -1
  for (const [server, term] of leading) {
    if (term > bestTerm) {
      best = server
      bestTerm = term
    }
  }
  return best
}
