import type { FileConfig } from '../../src/config/schema.ts'
import type { Release } from '../../src/model/release.ts'
import { clientIdentity, type NodeIdentity, serverIdentity } from './node-identity.ts'

/** Nodes of one kind in one datacenter. */
export interface NodePlan {
  readonly count: number
  /** Number of further nodes that are not started at first, and for which no group waits. */
  readonly spare?: number | undefined
  readonly 'restart after'?: number | undefined
  /** Their release at first; the newest if absent. */
  readonly release?: Release | undefined
  /** Settings of these nodes only, over those of the datacenter. */
  readonly config?: FileConfig | undefined
}

/** The parts of a cluster by datacenter, each under the name that the scenario gives it. */
export interface ClusterPlan {
  readonly [datacenter: string]: {
    readonly servers: NodePlan
    readonly clients?: NodePlan | undefined
    readonly config?: FileConfig | undefined
    /** The name that its agents use, if it differs from the scenario's. */
    readonly datacenter?: string | undefined
    /** It knows no other datacenter, and no other knows it. */
    readonly apart?: boolean | undefined
    /** Whether its machines have files of certificates. */
    readonly certificates?: boolean | undefined
  }
}

/** One node of a plan. */
export interface PlannedNode {
  readonly identity: NodeIdentity
  /** Whether its machine has files of certificates. */
  readonly certified: boolean
  readonly plan: NodePlan
  /** The datacenter's settings, overridden by its own. */
  readonly settings: FileConfig
}

/** Every node of a plan: the servers of all datacenters, numbered consecutively, then the clients. */
export function plannedNodes(plan: ClusterPlan): readonly PlannedNode[] {
  const servers: PlannedNode[] = []
  const clients: PlannedNode[] = []
  for (const [at, [name, datacenter]] of Object.entries(plan).entries()) {
    const own = { called: datacenter.datacenter, apart: datacenter.apart }
    const certified = datacenter.certificates === true
    const { count, spare = 0 } = datacenter.servers
    for (let i = 0; i < count + spare; i++) {
      const identity = { ...serverIdentity(servers.length + 1, name, at + 1), ...own, spare: i >= count }
      servers.push({ identity, certified, ...plannedAs(datacenter.servers, datacenter.config) })
    }
    for (let i = 0; i < (datacenter.clients?.count ?? 0); i++) {
      const identity = { ...clientIdentity(clients.length + 1, name, at + 1), ...own }
      clients.push({ identity, certified, ...plannedAs(datacenter.clients as NodePlan, datacenter.config) })
    }
  }
  return [...servers, ...clients]
}

function plannedAs(plan: NodePlan, config: FileConfig | undefined): Pick<PlannedNode, 'plan' | 'settings'> {
  return { plan, settings: { ...config, ...plan.config } }
}
