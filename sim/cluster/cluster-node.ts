import type { Agent } from '../../src/agent/assembly/agent.ts'
import { utf8 } from '../../src/base/bytes.ts'
import { invariant } from '../../src/base/invariant.ts'
import type { FileConfig } from '../../src/config/schema.ts'
import type { Env } from '../../src/env/env.ts'
import { newestRelease, type Release } from '../../src/model/release.ts'
import type { SimNode } from '../simulation/node.ts'
import type { PlannedNode } from './cluster-plan.ts'
import { type NodeIdentity, serverPort } from './node-identity.ts'

/** Signals that stop an agent gracefully. */
export type EndingSignal = 'SIGTERM' | 'SIGINT'

/** One simulated machine and the agent on it. */
export interface ClusterNode {
  identity: NodeIdentity
  /** Its address at first. */
  readonly plannedHost: string
  readonly node: SimNode
  /** A process that stopped itself is restarted after this time. */
  readonly restartAfterMs: number | undefined
  /** Rate of its undisturbed clocks. */
  readonly rate: number
  settings: FileConfig
  /** Names that its agent has had, and has no longer. */
  readonly formerNames: Set<string>
  release: Release
  /** Whether its machine has files of certificates. */
  readonly certified: boolean
  /** Text of the `peers.json` that its next process finds. */
  peersJson: string | undefined
  /** The running process's agent, once it is up. */
  agent: Agent | undefined
  /** Why the last process ended by itself. */
  ended: string | undefined
  /** It left the pool gracefully, and was not started since. */
  left: boolean
  /** Sends a signal to the running process, once it is up. */
  signal: ((signal: EndingSignal) => void) | undefined
  /** Its process has received a signal, and is ending. */
  signalled: boolean
  /** Its agent has left the pool on request, and its process is ending. */
  isLeft: boolean
  /** It is to be started again as soon as its process has ended. */
  isAwaited: boolean
  /** Its process has been asked to leave. */
  leaving: boolean
  /** Its data are damaged: it must not start, but be replaced. */
  damaged: boolean
}

/** A planned node: its machine exists, and its process was never started. */
export function clusterNode(
  { identity, plan, settings, certified }: PlannedNode,
  node: SimNode,
  rate: number,
): ClusterNode {
  return {
    identity,
    plannedHost: identity.host,
    node,
    rate,
    restartAfterMs: plan['restart after'],
    settings,
    formerNames: new Set(),
    certified,
    release: plan.release ?? newestRelease,
    peersJson: undefined,
    agent: undefined,
    ended: undefined,
    left: identity.spare === true,
    signal: undefined,
    signalled: false,
    isLeft: false,
    isAwaited: false,
    leaving: false,
    damaged: false,
  }
}

/** What other agents and the catalog call its agent. */
export function agentName({ identity, settings }: Pick<ClusterNode, 'identity' | 'settings'>): string {
  return settings.node_name ?? identity.name
}

/** Its RPC address, which is its Raft server ID below Raft protocol 3. */
export function serverAddress({ identity }: Pick<ClusterNode, 'identity'>): string {
  return `${identity.host}:${serverPort}`
}

/** Among servers and their terms, the one with the highest term. */
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

/** Writes a `peers.json` into the data directory, as an operator does before the start of a server. */
export async function plantPeersJson({ disk }: Pick<Env, 'disk'>, text: string): Promise<void> {
  const file = await disk.open('/data/raft/peers.json', 'create')
  invariant(file.ok, 'peers.json is for a server that has run before')
  await file.value.write(0, utf8(text))
  await file.value.sync()
  await file.value.close()
  await disk.syncDirectory('/data/raft')
}

/** The text of a `peers.json` that names these servers. */
export function peersJsonText(named: readonly Pick<ClusterNode, 'identity'>[], form: 'ids' | 'addresses'): string {
  if (form === 'addresses') return JSON.stringify(named.map(serverAddress))
  return JSON.stringify(named.map((server) => ({ id: server.identity.id, address: serverAddress(server) })))
}
