import type { Agent } from '../../src/agent/assembly/agent.ts'
import { compareText } from '../../src/base/bytes.ts'
import { hideUuids } from '../../src/base/uuid.ts'
import { releaseText } from '../../src/model/release.ts'
import type { RaftStatus } from '../../src/raft/raft.ts'
import { parkedReads } from '../checkers/clients/parked-reads.ts'
import { type Membership, membership } from '../checkers/pool/membership.ts'
import { durableTerms } from '../checkers/raft/durable-terms.ts'
import { serverPort } from '../cluster/node-identity.ts'
import type { ScenarioRun } from '../scenario/run.ts'
import type { OpenRequest } from '../world/boot.ts'
import { type ReplicatedState, replicatedState } from './replicated.ts'

/** One node at a moment of a run, as plain data. */
export interface NodeState {
  readonly node: string
  readonly kind: 'server' | 'client'
  readonly datacenter: string
  readonly process: ProcessState
  /** For a running server. */
  readonly consensus?: ConsensusState
  /** The pools of its agent, as the agent sees them. */
  readonly pools: Readonly<Record<string, PoolState>>
  /** The replicated state of a running server. */
  readonly replicated?: ReplicatedState
  /** Services and checks that were registered at this agent. */
  readonly registered: { readonly services: readonly string[]; readonly checks: Readonly<Record<string, string>> }
  /** Certificates of services that this agent holds, by serial number: `web of root 3f:1a:90:0c, for 259200 s`. */
  readonly leaves: Readonly<Record<string, string>>
  readonly waits: WaitingState
  readonly disk: DiskState
}

interface ProcessState {
  readonly is: 'running' | 'starting' | 'paused' | 'down' | 'left'
  /** Why it ended by itself. */
  readonly why?: string
  /** Number of processes that this machine has started. */
  readonly boot: number
  readonly release: string
  readonly clock: {
    /** How far its wall clock is ahead of true time, in milliseconds. */
    readonly aheadMs: number
    /** Rate of its undisturbed clock relative to true time. */
    readonly rate: number
  }
}

interface ConsensusState {
  readonly role: string
  readonly term: number
  /** On its disk. Undefined: it has not voted. */
  readonly votedFor?: string
  readonly leader?: string
  readonly log: {
    readonly snapshot: number
    readonly last: number
    readonly lastTerm: number
    readonly committed: number
    readonly applied: number
  }
  /** By server: `voter at 10.0.0.1:8300`. A server that the cluster has lost is named by its ID. */
  readonly configuration: Readonly<Record<string, string>>
  readonly configurationIndex: number
  readonly proposalsWaiting: number
  readonly diskIsFull: boolean
  /** Time since it heard from a leader, in milliseconds. */
  readonly lastContactMs?: number
}

interface PoolState {
  readonly incarnation: number
  /** Lifeguard's score of its local health: 0 is healthy. */
  readonly health: number
  readonly members: Readonly<Record<string, MemberState>>
}

interface MemberState {
  readonly status: string
  readonly incarnation: number
  readonly suspicion?: { readonly from: readonly string[]; readonly sinceMs: number; readonly endsInMs: number }
}

interface WaitingState {
  /** Parked reads of a server: their content, the index that they wait to exceed, and their number. */
  readonly reads: readonly string[]
  /** HTTP requests that this agent has not answered yet. */
  readonly requests: readonly string[]
}

interface DiskState {
  readonly files: number
  readonly bytes: number
  /** Files with unsynced writes, and the number of these writes. */
  readonly unsynced: Readonly<Record<string, number>>
  readonly isStalled: boolean
}

/** Reads the state of one node between two events, and changes nothing. */
export function nodeState(run: ScenarioRun, node: string): NodeState {
  const { cluster } = run
  const agent = cluster.agentOf(node)
  const { kind, datacenter } = cluster.identityOf(node)
  const consensus = consensusOf(run, node)
  const state = cluster.stateOf(node)
  return {
    node,
    kind,
    datacenter,
    process: processState(run, node),
    ...(consensus === undefined ? {} : { consensus }),
    pools: poolStates(run, node),
    ...(state === undefined ? {} : { replicated: replicatedState(state, cluster.stateDigest(node)) }),
    registered: registeredAt(agent),
    leaves: leavesAt(agent),
    waits: {
      reads: run.checksOf(datacenter).of(parkedReads).waitingAt(node),
      requests: [...cluster.nodeOf(node).openRequests].map(requestText).toSorted(compareText),
    },
    disk: diskState(run, node),
  }
}

/** A server's Raft state; undefined: the node does not run, or is not a server. */
export function consensusOf(run: ScenarioRun, node: string): ConsensusState | undefined {
  const status = run.cluster.agentOf(node)?.raft?.status()
  return status === undefined ? undefined : consensusState(run, node, status)
}

/** The method and the beginning of the path: the rest may contain an ID, which may be a secret. */
function requestText({ method, target }: OpenRequest): string {
  const [path = ''] = target.split('?')
  return hideUuids(`${method} ${path.split('/').slice(0, 4).join('/')}`)
}

function processState({ cluster, simulation }: ScenarioRun, node: string): ProcessState {
  const { clock, paused, boots } = cluster.nodeOf(node)
  const why = cluster.whyDown(node)
  const trueMs = simulation.startWallMs + simulation.nowMs
  return {
    is: isNow({ cluster }, node, paused),
    ...(why === undefined ? {} : { why }),
    boot: boots,
    release: releaseText(cluster.releaseOf(node)),
    clock: { aheadMs: Math.round(clock.wallUs() / 1000 - trueMs), rate: cluster.rateOf(node) },
  }
}

function isNow({ cluster }: Pick<ScenarioRun, 'cluster'>, node: string, paused: boolean): ProcessState['is'] {
  if (paused) return 'paused'
  if (!cluster.isRunning(node)) return cluster.hasLeft(node) ? 'left' : 'down'
  return cluster.agentOf(node) === undefined ? 'starting' : 'running'
}

function consensusState(run: ScenarioRun, node: string, status: RaftStatus): ConsensusState {
  const votedFor = run.checksOf(run.cluster.datacenterOf(node)).of(durableTerms).voteOf(node, status.term)
  const nameOf = (id: string): string => serverNamed(run, id) ?? id
  const { leader, lastContactMs } = status
  return {
    role: status.role,
    term: status.term,
    ...(votedFor === undefined ? {} : { votedFor: nameOf(votedFor) }),
    ...(leader === undefined ? {} : { leader: nameOf(leader.id) }),
    log: {
      snapshot: status.snapshotIndex,
      last: status.lastIndex,
      lastTerm: status.lastTerm,
      committed: status.commitIndex,
      applied: status.appliedIndex,
    },
    configuration: Object.fromEntries(
      status.configuration.servers.map(({ id, suffrage, address }) => [nameOf(id), `${suffrage} at ${address}`]),
    ),
    configurationIndex: status.configurationIndex,
    proposalsWaiting: status.pendingProposals,
    diskIsFull: status.diskIsFull,
    ...(lastContactMs === undefined ? {} : { lastContactMs: Math.round(lastContactMs) }),
  }
}

/** The server with this Raft server ID: its node ID, or its address below Raft protocol 3. */
function serverNamed({ cluster }: ScenarioRun, id: string): string | undefined {
  return cluster.serverNames.find((name) => {
    const identity = cluster.identityOf(name)
    return identity.id === id || `${identity.host}:${serverPort}` === id
  })
}

function poolStates(run: ScenarioRun, node: string): Readonly<Record<string, PoolState>> {
  const checks = run.checksOf(run.cluster.datacenterOf(node))
  const lan = poolState(run, checks.of(membership), node)
  const wan = checks.wan === undefined ? undefined : poolState(run, checks.wan, node)
  return { ...(lan === undefined ? {} : { lan }), ...(wan === undefined ? {} : { wan }) }
}

function poolState({ cluster }: ScenarioRun, pool: Membership, node: string): PoolState | undefined {
  const core = pool.coreOf(node)
  if (core === undefined) return undefined
  const nowMs = cluster.nodeOf(node).clock.monoUs() / 1000
  const members = [...core.members.values()].toSorted((a, b) => compareText(a.name, b.name))
  return {
    incarnation: core.self.incarnation,
    health: core.health,
    members: Object.fromEntries(
      members.map((member): [string, MemberState] => {
        const suspicion = core.suspects.get(member)
        const { incarnation, state, status } = member
        const seen = { status: state === 'suspect' ? 'suspect' : status, incarnation }
        if (suspicion === undefined) return [member.name, seen]
        const { from, sinceMs, dueMs } = suspicion
        const times = { sinceMs: Math.round(nowMs - sinceMs), endsInMs: Math.round(dueMs - nowMs) }
        return [member.name, { ...seen, suspicion: { from: [...from].toSorted(compareText), ...times } }]
      }),
    ),
  }
}

function registeredAt(agent: Agent | undefined): NodeState['registered'] {
  if (agent === undefined) return { services: [], checks: {} }
  return {
    services: agent.local.services().map(({ id }) => id),
    checks: Object.fromEntries(agent.local.checks().map(({ checkId, status }) => [checkId, status])),
  }
}

/** Leaves that are named; an agent keeps more. */
const leavesNamedMax = 100

/** The beginnings of numbers and fingerprints tell them apart. */
function leavesAt(agent: Agent | undefined): NodeState['leaves'] {
  const held = agent?.mesh?.held() ?? []
  return Object.fromEntries(
    held.slice(0, leavesNamedMax).map(({ serialNumber, service, rootId, notBeforeMs, notAfterMs }) => {
      const lifetime = `${Math.round((notAfterMs - notBeforeMs) / 1000)} s`
      return [serialNumber.slice(0, 11), `${service} of root ${rootId.slice(0, 11)}, for ${lifetime}`]
    }),
  )
}

function diskState({ cluster }: ScenarioRun, node: string): DiskState {
  const { disk } = cluster.nodeOf(node)
  const files = [...disk.tree.files()]
  return {
    files: files.length,
    bytes: disk.usedBytes,
    unsynced: Object.fromEntries(
      files.flatMap(([path, { unsynced }]) => (unsynced === 0 ? [] : [[path, unsynced] as const])),
    ),
    isStalled: disk.isStalled,
  }
}
