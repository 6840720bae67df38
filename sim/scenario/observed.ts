import { heldOtherwise, heldState } from '../checkers/held-state.ts'
import type { Invariants } from '../checkers/invariants.ts'
import { acknowledgedWrites } from '../checkers/keys/acknowledged-writes.ts'
import { meshLaws } from '../checkers/mesh/mesh-laws.ts'
import { leadership } from '../checkers/raft/leadership.ts'
import type { Cluster } from '../cluster/cluster.ts'
import type { Observed, ObservedMesh } from './conditions/condition.ts'
import type { RunContext } from './run-context.ts'

/** The state of a run for conditions, as of the moment when they are judged. */
export function observedOf(run: RunContext & { readonly invariantsOf: ReadonlyMap<string, Invariants> }): Observed {
  const { cluster, invariantsOf } = run
  return {
    servers: cluster.serverNames,
    nodes: cluster.nodeNames,
    memberStatus: (observer, member) =>
      cluster
        .agentOf(observer)
        ?.lan.members()
        .find(({ name }) => name === (cluster.nodeNames.includes(member) ? cluster.agentNameOf(member) : member))
        ?.status,
    isRunning: (server) => cluster.isRunning(server),
    leaders: () => cluster.leaders(),
    appliedIndex: (server) => cluster.appliedIndex(server),
    get elections() {
      return sumOf(invariantsOf.values(), (checks) => checks.of(leadership).electionCount)
    },
    get writesAcknowledged() {
      return sumOf(invariantsOf.values(), (checks) => checks.of(acknowledgedWrites).count)
    },
    mesh: (datacenter) => observedMesh(run, datacenter),
    tunnels: run.tunnels,
    heldOtherwise: (name) => otherwise(run, name),
    select: (selector) => run.select(selector),
  }
}

/** For the first datacenter, where the state was remembered. */
function otherwise(
  { cluster, remembered }: Pick<RunContext, 'cluster' | 'remembered'>,
  name: string,
): string | undefined {
  const before = remembered.get(name)
  if (before === undefined) return `nothing was remembered as '${name}'`
  for (const server of serversBeside(cluster, cluster.serverNames[0] ?? '')) {
    const state = cluster.stateOf(server)
    const found = state === undefined ? undefined : heldOtherwise(before, heldState(state))
    if (found !== undefined) return `the state of ${server} is not that of '${name}': ${found}`
  }
  return undefined
}

/** Servers of an agent's own datacenter. */
export function serversBeside(cluster: Cluster, agent: string): readonly string[] {
  const place = cluster.datacenterOf(agent)
  return cluster.serverNames.filter((server) => cluster.datacenterOf(server) === place)
}

export function sumOf<T>(items: Iterable<T>, amount: (item: T) => number): number {
  let sum = 0
  for (const item of items) sum += amount(item)
  return sum
}

/**
 * The authority of one datacenter, the first if none is named, and its proxies, or all; undefined: there is no mesh to
 * observe.
 */
function observedMesh(run: RunContext, datacenter: string | undefined): ObservedMesh | undefined {
  const mesh = (datacenter === undefined ? run.invariants : run.checksOf(datacenter)).of(meshLaws)
  if (mesh === undefined) return undefined
  return {
    roots: mesh.rootsListed,
    rotation: mesh.rotation.step ?? 'none',
    rotations: mesh.rotation.completed,
    connections: mesh.meetings.connectionsMade,
    leaves: mesh.leavesSeen,
    behind: () => run.workload.proxiesBehind(datacenter),
  }
}
