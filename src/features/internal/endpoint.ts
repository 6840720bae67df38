import { z } from 'zod'
import type { CatalogNode } from '../../model/catalog.ts'
import type { ReadTransaction } from '../../store/types.ts'
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
import type { QueryEndpoint } from '../manifest.ts'
import type { NodeOverview } from './model.ts'

const noArgs = z.object({})

/** Every node with all that is on it, by name. */
export const overviewEndpoint: QueryEndpoint<z.infer<typeof noArgs>, readonly NodeOverview[]> = {
  method: 'Internal.Overview',
  kind: 'query',
  args: noArgs,
  query: (tx) => {
    const index = Math.max(nodesIndex(tx), servicesIndex(tx), checksIndex(tx))
    return { index, value: [...allNodes(tx)].map((node) => overviewOf(tx, node)) }
  },
}

const nodeArgs = z.object({ node: z.string() })

/** One node, which is named. */
export const nodeOverviewEndpoint: QueryEndpoint<z.infer<typeof nodeArgs>, NodeOverview | null> = {
  method: 'Internal.NodeOverview',
  kind: 'query',
  args: nodeArgs,
  query: (tx, { node: name }) =>
    ofNode(tx, name, (read) => {
      const node = nodeByName(read, name)
      return node === undefined ? null : overviewOf(read, node)
    }),
}

function overviewOf(tx: ReadTransaction, node: CatalogNode): NodeOverview {
  return { node, services: [...servicesOfNode(tx, node.node)], checks: [...checksOfNode(tx, node.node)] }
}
