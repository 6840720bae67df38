import type { FileConfig } from '../../src/config/schema.ts'
import type { Release } from '../../src/model/release.ts'
import { clientIdentity, type NodeIdentity, serverIdentity } from './node-identity.ts'

/** Nodes of one kind in one datacenter. */
export interface NodePlan {
  readonly count: number
  /** So many more, which are not started at first, and which no group waits for. */
  readonly spare?: number | undefined
  readonly 'restart after'?: number | undefined
  /** What they run as at first; the newest if absent. */
  readonly release?: Release | undefined
  /** Settings of these nodes alone, over those of the datacenter. */
  readonly config?: FileConfig | undefined
}

/** What a cluster is made of, by datacenter, each under the name that the scenario gives it. */
export interface ClusterPlan {
  readonly [datacenter: string]: {
    readonly servers: NodePlan
    readonly clients?: NodePlan | undefined
    readonly config?: FileConfig | undefined
    /** What its agents call it, if not as the scenario does. */
    readonly datacenter?: string | undefined
    /** It knows no other datacenter, and no other knows it. */
    readonly apart?: boolean | undefined
    /** Its machines have files of certificates. */
    readonly certificates?: boolean | undefined
  }
}

/** One node of a plan. */
export interface PlannedNode {
  readonly identity: NodeIdentity
  /** Its machine has files of certificates. */
  readonly certified: boolean
  readonly plan: NodePlan
  /** Its datacenter's, with its own over them. */
  readonly settings: FileConfig
}

/** Every node of a plan: the servers of all datacenters, numbered through, then the clients. */
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
