import { formatDuration } from '../../../src/base/duration.ts'
import { countPool, poolFaults, poolViews } from '../../checkers/pool/pool-views.ts'
import type { Cluster } from '../../cluster/cluster.ts'
import type { RunContext } from '../run-context.ts'

const lookEveryMs = 1_000

/**
 * At rest the servers of all datacenters that know one another agree on the members of their pool (M1, M2), within the
 * time limit of the pool's timing.
 */
export async function meetAgain(run: RunContext): Promise<void> {
  const { wan } = run.invariants
  if (wan === undefined || new Set(joinedServers(run).map((server) => run.cluster.datacenterOf(server))).size < 2)
    return
  const fromUs = run.simulation.nowUs
  while (!run.hasFailed()) {
    const looked = lookAtWan(run)
    const faults = poolFaults(...looked)
    const withinMs = Math.ceil(wan.boundMsFor(faults))
    const isOver = run.simulation.nowUs >= fromUs + withinMs * 1000
    if (faults.length === 0 || isOver) countPool(run.invariants.of(poolViews), ...looked)
    if (faults.length === 0) return wan.atRest()
    if (isOver) {
      const bound = `among all datacenters, ${formatDuration(withinMs)} after the last fault`
      for (const { code, message } of faults) run.invariants.report(code, `${bound}, ${message}`)
      return
    }
    await run.pass(lookEveryMs)
  }
}

function joinedServers({ cluster }: RunContext): readonly string[] {
  return cluster.serverNames.filter((server) => cluster.identityOf(server).apart !== true)
}

function lookAtWan(run: RunContext): Parameters<typeof poolFaults> {
  const { cluster } = run
  const named = (isGone: boolean): readonly string[] =>
    joinedServers(run)
      .filter((server) => cluster.hasLeft(server) === isGone)
      .map((name) => wanName(cluster, name))
  const views = joinedServers(run).flatMap((server) => {
    const members = cluster.agentOf(server)?.wan?.members()
    if (members === undefined) return []
    const observer = wanName(cluster, server)
    return [{ observer, members: new Map(members.map(({ name, status }) => [name, status])) }]
  })
  return [views, named(false), named(true)]
}

function wanName(cluster: Cluster, server: string): string {
  const { datacenter, called = datacenter } = cluster.identityOf(server)
  return `${cluster.agentNameOf(server)}.${called}`
}
