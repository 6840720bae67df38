import type { PoolLimits } from '../../src/gossip/pool.ts'
import { type KeyCare, keyCare } from '../../src/model/limits.ts'
import type { RaftLimits } from '../../src/raft/core/options.ts'
import type { ClusterPlan } from '../cluster/cluster-plan.ts'
import type { Tuning } from '../cluster/settings.ts'
import type { WorkloadKey } from '../workload/kinds.ts'
import type { Decisions } from '../world/decisions/decisions.ts'
import type { Draws } from '../world/decisions/draws.ts'
import type { Scenario } from './language/scenario-schema.ts'

/** The cluster of one seed: draws everything that the scenario leaves to chance. */
export function drawnCluster(scenario: Scenario, decisions: Decisions): ClusterPlan {
  const datacenters = Object.entries(scenario.cluster).map(([name, { servers, clients, config, ...rest }]) => {
    const drawsOf = (what: string): Draws => decisions.draws('cluster', name, what)
    const over = oneOf(rest['drawn config'], drawsOf('config'))
    const plan = {
      ...(rest.datacenter === undefined ? {} : { datacenter: rest.datacenter }),
      ...(rest.apart === undefined ? {} : { apart: rest.apart }),
      ...(rest.certificates === undefined ? {} : { certificates: rest.certificates }),
      servers: { ...servers, count: countOf(servers.count, drawsOf('servers')) },
      ...(clients === undefined ? {} : { clients: { ...clients, count: countOf(clients.count, drawsOf('clients')) } }),
      config: { ...config, ...over },
    }
    return [name, plan] as const
  })
  return Object.fromEntries(datacenters)
}

/**
 * Whether a group of clients takes part in the run of this seed. Groups that compete for every turn hide what any of
 * them alone would show, so each seed has some and lacks others; those of keys stay, for something must go on.
 */
export function takesPart(
  { swarm }: Pick<Scenario, 'swarm'>,
  decisions: Decisions,
  { key, name }: { readonly key: WorkloadKey; readonly name: string },
): boolean {
  return swarm === undefined || key === 'workload' || !decisions.draws('swarm', key, name).chance(swarm)
}

/** The seed's settings that have no key in configuration files. */
export function drawnTuning({ knobs, mesh }: Scenario, decisions: Decisions): Tuning {
  const trailing = oneOf(knobs?.['trailing logs'], decisions.draws('knobs', 'trailing logs'))
  const segment = oneOf(knobs?.['log segment'], decisions.draws('knobs', 'log segment'))
  const logBytes = oneOf(knobs?.['log bytes'], decisions.draws('knobs', 'log bytes'))
  const care = drawnCare(knobs, decisions)
  const incarnation = oneOf(knobs?.['first incarnation'], decisions.draws('knobs', 'first incarnation'))
  return {
    limits: drawnLimits(raftLimitOf, knobs, decisions),
    ...(mesh === undefined ? {} : { mesh: { leafTtlMs: mesh['leaf ttl'], skewMs: mesh.skew } }),
    ...(care === undefined ? {} : { keyCare: care }),
    ...(trailing === undefined ? {} : { trailingLogs: trailing }),
    ...(segment === undefined ? {} : { logSegmentBytes: segment }),
    ...(logBytes === undefined ? {} : { logBytesMax: logBytes }),
    ...(incarnation === undefined ? {} : { firstIncarnation: incarnation }),
    gossipLimits: drawnLimits(gossipLimitOf, knobs, decisions),
  }
}

type Knob = keyof NonNullable<Scenario['knobs']>

/** The knobs that limit what a server sends and queues. */
const raftLimitOf = {
  'append entries': 'appendEntriesMax',
  'append bytes': 'appendBytesMax',
  'appends in flight': 'appendsInFlightMax',
  'append bytes in flight': 'appendBytesInFlightMax',
  'uncommitted entries': 'uncommittedEntriesMax',
  'pending reads': 'pendingReadsMax',
  'held messages': 'heldMessagesMax',
  'persists under way': 'persistsMax',
  'snapshot chunk': 'snapshotChunkBytes',
} as const satisfies Partial<Record<Knob, keyof RaftLimits>>

/** Those that limit what an agent remembers of gossip, and handles at once. */
const gossipLimitOf = {
  'times remembered': 'timesMax',
  'news queued': 'newsMax',
  'merged at once': 'mergedAtOnce',
} as const satisfies Partial<Record<Knob, keyof PoolLimits>>

function drawnLimits<Limit extends string>(
  limits: Partial<Record<Knob, Limit>>,
  knobs: Scenario['knobs'],
  decisions: Decisions,
): Partial<Record<Limit, number>> {
  const drawn = Object.entries(limits).flatMap(([knob, limit]) => {
    const value = oneOf(knobs?.[knob as Knob], decisions.draws('knobs', knob))
    return value === undefined ? [] : [[limit, value] as const]
  })
  return Object.fromEntries(drawn) as Partial<Record<Limit, number>>
}

/** Undefined: that of production. */
function drawnCare(knobs: Scenario['knobs'], decisions: Decisions): KeyCare | undefined {
  const life = oneOf(knobs?.['tombstone life'], decisions.draws('knobs', 'tombstone life'))
  const kept = oneOf(knobs?.['lock delays kept'], decisions.draws('knobs', 'lock delays kept'))
  const batchMax = oneOf(knobs?.['care batch'], decisions.draws('knobs', 'care batch'))
  if (life === undefined && kept === undefined && batchMax === undefined) return undefined
  return {
    ...keyCare,
    ...(life === undefined ? {} : { tombstoneTtlMs: life, tombstoneGranularityMs: life / 5 }),
    ...(kept === undefined ? {} : { lockDelayMaxMs: kept, forgetEveryMs: kept / 2 }),
    ...(batchMax === undefined ? {} : { batchMax }),
  }
}

function countOf(count: number | readonly number[], draw: Draws): number {
  return typeof count === 'number' ? count : (oneOf(count, draw) as number)
}

/** Draws nothing if there is no choice. */
function oneOf<T>(values: readonly T[] | undefined, draw: Draws): T | undefined {
  if (values === undefined || values.length < 2) return values?.[0]
  return values[draw.below(values.length)]
}
