import { z } from 'zod'
import { greater } from '../../model/log-position.ts'
import { filters } from '../contract/access.ts'
import type { QueryEndpoint } from '../contract/endpoint.ts'
import { textPairs } from '../contract/fields.ts'
import { listOfAll, replyWith } from '../contract/reply.ts'
import { placedSeenBy } from '../discovery/sight.ts'
import type { PlacedService } from './model.ts'
import { isPlacedService } from './replies.ts'
import { allInstancesSight } from './sight.ts'
import { allServices, hasMeta, nodeByName, nodesIndex, servicesIndex } from './views.ts'

const allInstancesArgs = z.object({
  /** Only instances on nodes that have all of these metadata pairs; none given: all of them. */
  nodeMeta: textPairs.optional(),
})

/**
 * Every instance of every service with its node, for an agent that sums up those which a filter keeps. Servers of builds
 * before it say that they do not know it, and only a request with such a filter fails.
 */
export const allInstancesEndpoint: QueryEndpoint<z.infer<typeof allInstancesArgs>, readonly PlacedService[]> = {
  method: 'Catalog.ListInstances',
  kind: 'query',
  args: allInstancesArgs,
  reply: replyWith(listOfAll(isPlacedService)),
  access: filters(placedSeenBy, allInstancesSight),
  query: (tx, { nodeMeta: wanted = [] }) => {
    const value: PlacedService[] = []
    for (const service of allServices(tx)) {
      const node = nodeByName(tx, service.node)
      if (node !== undefined && hasMeta(node, wanted)) value.push({ node, service })
    }
    return { index: greater(nodesIndex(tx), servicesIndex(tx)), value }
  },
}
