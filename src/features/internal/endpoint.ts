import { z } from 'zod'
import type { Authorizer } from '../../access/authorizer.ts'
import type { CatalogNode } from '../../model/catalog.ts'
import { greater } from '../../model/log-position.ts'
import type { ReadTransaction } from '../../store/types.ts'
import { isCatalogCheck, isCatalogNode, isCatalogService } from '../catalog/replies.ts'
import { nodeSight, overviewSight } from '../catalog/sight.ts'
import {
  allNodes,
  checksIndex,
  checksOfNode,
  nodeByName,
  nodesIndex,
  ofNode,
  servicesIndex,
  servicesOfNode,
} from '../catalog/views.ts'
import { filters } from '../contract/access.ts'
import type { QueryEndpoint } from '../contract/endpoint.ts'
import { listOfAll, membersAre, orNull, replyWith } from '../contract/reply.ts'
import { checksSeenBy, seesNode, servicesSeenBy } from '../discovery/sight.ts'
import type { NodeOverview } from './model.ts'

const isOverview = membersAre<NodeOverview>({
  node: isCatalogNode,
  services: listOfAll(isCatalogService),
  checks: listOfAll(isCatalogCheck),
})

const noArgs = z.object({})

/** Every node with everything on it, in order of name. */
export const overviewEndpoint: QueryEndpoint<z.infer<typeof noArgs>, readonly NodeOverview[]> = {
  method: 'Internal.Overview',
  kind: 'query',
  args: noArgs,
  reply: replyWith(listOfAll(isOverview)),
  access: filters((authorizer, nodes) => {
    const seen = nodes.flatMap((each) => seenOf(authorizer, each) ?? [])
    return seen.length === nodes.length && seen.every((each, at) => each === nodes[at]) ? nodes : seen
  }, overviewSight),
  query: (tx) => {
    const index = greater(nodesIndex(tx), servicesIndex(tx), checksIndex(tx))
    return { index, value: [...allNodes(tx)].map((node) => overviewOf(tx, node)) }
  },
}

const nodeArgs = z.object({ node: z.string() })

/** The named node. */
export const nodeOverviewEndpoint: QueryEndpoint<z.infer<typeof nodeArgs>, NodeOverview | null> = {
  method: 'Internal.NodeOverview',
  kind: 'query',
  args: nodeArgs,
  reply: replyWith(orNull(isOverview)),
  access: filters((authorizer, found) => (found === null ? null : seenOf(authorizer, found)), nodeSight),
  query: (tx, { node: name }) =>
    ofNode(tx, name, (read) => {
      const node = nodeByName(read, name)
      return node === undefined ? null : overviewOf(read, node)
    }),
}

function overviewOf(tx: ReadTransaction, node: CatalogNode): NodeOverview {
  return { node, services: [...servicesOfNode(tx, node.node)], checks: [...checksOfNode(tx, node.node)] }
}

/** The part of a node that a token may see; null: not even its existence. */
function seenOf(authorizer: Authorizer, overview: NodeOverview): NodeOverview | null {
  if (!seesNode(authorizer, overview.node.node)) return null
  const services = servicesSeenBy(authorizer, overview.services)
  const checks = checksSeenBy(authorizer, overview.checks)
  return services === overview.services && checks === overview.checks ? overview : { ...overview, services, checks }
}
