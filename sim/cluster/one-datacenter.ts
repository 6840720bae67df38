import type { Cluster } from './cluster.ts'

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
