import type { Cluster } from '../cluster/cluster.ts'

/** The part of a request that names the agents that it removes. */
interface Asking {
  readonly target: string
  /** Asked for only where the target removes what the body names. */
  readonly body: () => string | undefined
}

type Removing = Pick<Cluster, 'nodeNames' | 'identityOf'> & { readonly orders: Pick<Cluster['orders'], 'mayGo'> }

/** A client takes agents out by a request to one of them: the invariants do not miss those agents. */
export function allowRemovals(cluster: Removing, asked: string, asking: Asking): void {
  const why = pathOf(asking.target) === '/v1/agent/leave' ? 'left' : 'operator'
  for (const node of cluster.nodeNames) if (takesOut(cluster, node, asked, asking)) cluster.orders.mayGo(node, why)
}

/** Whether the request removes the node from the catalog or the pool, or makes it leave. */
function takesOut(cluster: Removing, node: string, asked: string, { target, body }: Asking): boolean {
  const path = pathOf(target)
  if (path === '/v1/agent/leave') return node === asked
  // In the pool of all datacenters a name ends with that of its datacenter.
  if (`${path}.`.startsWith(`/v1/agent/force-leave/${node}.`)) return true
  const { id, host } = cluster.identityOf(node)
  if (path === '/v1/operator/raft/peer') return target.includes(id) || target.includes(`=${host}:`)
  const isByBody = path === '/v1/catalog/deregister' || path === '/v1/txn'
  return isByBody && body()?.includes(`"${node}"`) === true
}

function pathOf(target: string): string {
  return target.split('?')[0] ?? target
}
