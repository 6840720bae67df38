import {
  type CatalogNode,
  type CheckFacts,
  membershipCheckId,
  membershipCheckName,
  type NodeFacts,
  type ServiceFacts,
} from '../../model/catalog.ts'
import { productName } from '../../model/names.ts'
import type { PoolServer } from '../pool/pool-servers.ts'

/** Keeps what the agent on the node registered about itself. */
export function known(node: CatalogNode | undefined): Pick<NodeFacts, 'taggedAddresses' | 'meta'> {
  return { taggedAddresses: node?.taggedAddresses ?? null, meta: node?.meta ?? null }
}

/** The service under which servers are listed. Reference: catalog.md#service-of-the-servers. */
export function ownService(server: PoolServer): ServiceFacts {
  return {
    kind: '',
    id: productName,
    service: productName,
    tags: [],
    address: '',
    meta: null,
    port: Number(server.address.slice(server.address.lastIndexOf(':') + 1)),
    weights: { passing: 1, warning: 1 },
    enableTagOverride: false,
  }
}

/** The check of a node that shows its agent's state in the pool. */
export function membershipCheck(node: string, status: 'passing' | 'critical', output: string): CheckFacts {
  return {
    node,
    checkId: membershipCheckId,
    name: membershipCheckName,
    status,
    notes: '',
    output,
    serviceId: '',
    serviceName: '',
    serviceTags: [],
    definition: null,
  }
}
