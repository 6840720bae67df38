import type { Cluster } from '../cluster/cluster.ts'
import { clientHost } from '../cluster/node-identity.ts'
import { filled } from './answers.ts'
import { type DrivenExchange, Driver } from './driver.ts'
import type { RunContext } from './run-context.ts'

/** The driver of a run: the checkers learn what its requests permit and what came of them. */
export function driverOf(run: RunContext, onExchange: (exchange: DrivenExchange) => void): Driver {
  return new Driver(run.simulation, {
    host: clientHost(1),
    operatorToken: () => (run.scenario.operator === undefined ? '' : filled(run, run.scenario.operator.token)),
    onRequest: (to, target, body) => {
      const asked = run.cluster.nodeNames.find((name) => run.cluster.identityOf(name).host === to.host)
      if (asked !== undefined) allowRemovals(run.cluster, asked, { target, body })
    },
    onExchange,
  })
}

/** The part of a request that names the agents that it removes. */
interface Asking {
  readonly target: string
  /** Asked for only where the target removes what the body names. */
  readonly body: () => string | undefined
}

type Removing = Pick<Cluster, 'nodeNames' | 'identityOf' | 'agentNameOf'> & {
  readonly orders: Pick<Cluster['orders'], 'mayGo'>
}

/** A client takes agents out by a request to one of them: the invariants do not miss those agents. */
function allowRemovals(cluster: Removing, asked: string, asking: Asking): void {
  const why = pathOf(asking.target) === '/v1/agent/leave' ? 'left' : 'operator'
  for (const node of cluster.nodeNames) if (takesOut(cluster, node, asked, asking)) cluster.orders.mayGo(node, why)
}

/** Whether the request removes the node from the catalog or the pool, or makes it leave. */
function takesOut(cluster: Removing, node: string, asked: string, { target, body }: Asking): boolean {
  const path = pathOf(target)
  if (path === '/v1/agent/leave') return node === asked
  // In the pool of all datacenters a name ends with that of its datacenter.
  const name = cluster.agentNameOf(node)
  if (`${path}.`.startsWith(`/v1/agent/force-leave/${name}.`)) return true
  const { id, host } = cluster.identityOf(node)
  if (path === '/v1/operator/raft/peer') return target.includes(id) || target.includes(`=${host}:`)
  const isByBody = path === '/v1/catalog/deregister' || path === '/v1/txn'
  return isByBody && body()?.includes(`"${name}"`) === true
}

function pathOf(target: string): string {
  return target.split('?')[0] ?? target
}
