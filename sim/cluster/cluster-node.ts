import type { Agent } from '../../src/agent/assembly/agent.ts'
import { utf8 } from '../../src/base/bytes.ts'
import { invariant } from '../../src/base/invariant.ts'
import type { FileConfig } from '../../src/config/schema.ts'
import type { Env } from '../../src/env/env.ts'
import { newestRelease, type Release } from '../../src/model/release.ts'
import type { SimNode } from '../simulation/node.ts'
import type { PlannedNode } from './cluster-plan.ts'
import { type NodeIdentity, serverPort } from './node-identity.ts'

/** Signals by which an agent is stopped in order. */
export type EndingSignal = 'SIGTERM' | 'SIGINT'

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
  /** What a signal does to the running process, once it is up. */
  signal: ((signal: EndingSignal) => void) | undefined
  /** Its process has had a signal, and ends as that makes it. */
  signalled: boolean
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
    signal: undefined,
    signalled: false,
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

/** Puts a `peers.json` into the data directory, as an operator does before the start of a server. */
export async function plantPeersJson({ disk }: Pick<Env, 'disk'>, text: string): Promise<void> {
  const file = await disk.open('/data/raft/peers.json', 'create')
  invariant(file.ok, 'peers.json is for a server that has run before')
  await file.value.write(0, utf8(text))
  await file.value.sync()
  await file.value.close()
  await disk.syncDirectory('/data/raft')
}

/** What it says when it names these servers. */
export function peersJsonText(named: readonly Pick<ClusterNode, 'identity'>[], form: 'ids' | 'addresses'): string {
  if (form === 'addresses') return JSON.stringify(named.map(serverAddress))
  return JSON.stringify(named.map((server) => ({ id: server.identity.id, address: serverAddress(server) })))
}
