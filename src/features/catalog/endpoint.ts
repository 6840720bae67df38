import { z } from 'zod'
import { ok } from '../../base/result.ts'
import { addressRecordOf } from '../../dns-wire/ip-address.ts'
import type { CatalogNode } from '../../model/catalog.ts'
import { greater } from '../../model/log-position.ts'
import { hasBehaviour, newestRelease } from '../../model/release.ts'
import { filters, keptOf, open } from '../contract/access.ts'
import type { QueryEndpoint, ServerEndpoint } from '../contract/endpoint.ts'
import { textPairs } from '../contract/fields.ts'
import { listOfAll, orNull, replyWith, textsReply } from '../contract/reply.ts'
import type { WithDatacenters, WithPlace } from '../contract/server-context.ts'
import { byRow, newestOf, oneForAll } from '../contract/visible-index.ts'
import { datacentersByDistance } from '../discovery/datacenters.ts'
import { nearestFirst } from '../discovery/nearness.ts'
import { checksSeenBy, nodesSeenBy, placedSeenBy, seesNode, seesService, servicesSeenBy } from '../discovery/sight.ts'
import { discoveryCounts, tagFilterFields, tagsRead } from '../discovery/tag-filter.ts'
import type { NodeDump, NodeServices, PlacedService, ServiceName, ServicePlace } from './model.ts'
import { isCatalogNode, isNodeDump, isNodeServices, isPlacedService, isServiceName, isServicePlace } from './replies.ts'
import { instancesSight, nodeOrIdSight, nodeSight } from './sight.ts'
import {
  allNodes,
  allServices,
  checksOfNode,
  departuresIndex,
  hasMeta,
  nodeByName,
  nodeByNameOrId,
  nodeIndexByNameOrId,
  nodesIndex,
  ofNode,
  ofService,
  ofWaysTo,
  placedInstances,
  servicesIndex,
  servicesOfNode,
} from './views.ts'

/** Only nodes that have all of these metadata pairs; none given: all nodes. */
const nodeMeta = textPairs.optional()

/** A node: results nearer to it come first. */
const near = z.string().optional()

const nodesArgs = z.object({ nodeMeta, near })

/** By name. */
export const nodesEndpoint: QueryEndpoint<z.infer<typeof nodesArgs>, readonly CatalogNode[]> = {
  method: 'Catalog.ListNodes',
  kind: 'query',
  args: nodesArgs,
  reply: replyWith(listOfAll(isCatalogNode)),
  access: filters(
    nodesSeenBy,
    byRow({
      all: (authorizer) => authorizer.readsAll('node'),
      newest: (authorizer, state) => newestOf(nodesSeenBy(authorizer, [...allNodes(state)])),
      floor: departuresIndex,
    }),
  ),
  query: (tx, args) => {
    const wanted = args.nodeMeta ?? []
    const nodes = [...allNodes(tx)].filter((node) => hasMeta(node, wanted))
    return { index: nodesIndex(tx), value: nearestFirst(tx, args.near, nodes, ({ node }) => node) }
  },
}

const servicesArgs = z.object({ nodeMeta })

/** Names in the order in which their first instances are met; the tags of a name likewise. */
export const servicesEndpoint: QueryEndpoint<z.infer<typeof servicesArgs>, readonly ServiceName[]> = {
  method: 'Catalog.ListServices',
  kind: 'query',
  args: servicesArgs,
  reply: replyWith(listOfAll(isServiceName)),
  access: filters(
    servicesSeenBy,
    byRow({
      all: (authorizer) => authorizer.readsAll('service'),
      newest: (authorizer, state) => newestOf(servicesSeenBy(authorizer, [...allServices(state)])),
      // Metadata of hidden nodes count as well: no index may reveal which.
      floor: (state, args) =>
        (args.nodeMeta ?? []).length > 0 ? greater(nodesIndex(state), servicesIndex(state)) : departuresIndex(state),
    }),
  ),
  query: (tx, args) => {
    const wanted = args.nodeMeta ?? []
    const tags = new Map<string, Set<string>>()
    for (const service of allServices(tx)) {
      if (wanted.length > 0) {
        const node = nodeByName(tx, service.node)
        if (node === undefined || !hasMeta(node, wanted)) continue
      }
      const known = tags.get(service.service) ?? new Set()
      tags.set(service.service, known)
      for (const tag of service.tags) known.add(tag)
    }
    const index = wanted.length > 0 ? greater(nodesIndex(tx), servicesIndex(tx)) : servicesIndex(tx)
    return { index, value: [...tags].map(([service, all]) => ({ service, tags: [...all] })) }
  },
}

const serviceNodesArgs = z.object({
  service: z.string(),
  ...tagFilterFields,
  /** The instances through which the service is reached over the mesh, for which tags have no meaning. */
  connect: z.boolean().optional(),
  nodeMeta,
  near,
})

/** Instances that have every requested tag. The index is that of the service, whatever the filters leave of it. */
export const serviceNodesEndpoint: QueryEndpoint<z.infer<typeof serviceNodesArgs>, readonly PlacedService[]> = {
  method: 'Catalog.ServiceNodes',
  kind: 'query',
  counts: discoveryCounts('catalog'),
  args: serviceNodesArgs,
  reply: replyWith(listOfAll(isPlacedService)),
  access: filters(
    (authorizer, placed, { service, connect }) =>
      connect === true && !seesService(authorizer, service) ? [] : placedSeenBy(authorizer, placed),
    instancesSight((args) => args, { checks: false }),
  ),
  query: (tx, { service, connect, nodeMeta: wanted, near: place, ...filter }, release = newestRelease) => {
    const tags = connect === true ? [] : tagsRead(filter, release, !hasBehaviour(release, 'catalog-reads-one-tag'))
    const looked = { tags, nodeMeta: wanted ?? [], connect: connect === true }
    const of = connect === true ? ofWaysTo : ofService
    const found = of(tx, service, (read) => placedInstances(read, service, looked), release)
    return { index: found.index, value: nearestFirst(tx, place, found.value, ({ node }) => node.node) }
  },
}

const serviceAtArgs = z.object({ addresses: z.array(z.string()) })

/** Instances at one of these addresses, for reverse lookups. At most one of each service on a node. */
export const servicesAtEndpoint: QueryEndpoint<z.infer<typeof serviceAtArgs>, readonly ServicePlace[]> = {
  method: 'Internal.ServicesAt',
  kind: 'query',
  args: serviceAtArgs,
  reply: replyWith(listOfAll(isServicePlace)),
  access: filters(
    (authorizer, places) =>
      keptOf(places, ({ node, service }) => seesNode(authorizer, node) && seesService(authorizer, service)),
    oneForAll('it is that of all services, whichever address was asked for'),
  ),
  query: (tx, { addresses }) => {
    const places: ServicePlace[] = []
    const isWanted = isOneOf(addresses)
    for (const { address, node, service } of allServices(tx)) {
      if (!isWanted(address)) continue
      const last = places[places.length - 1]
      if (last?.node !== node || last.service !== service) places.push({ node, service })
    }
    return { index: servicesIndex(tx), value: places }
  },
}

/**
 * Whether a text is one of these addresses. An IPv6 address has many texts: `fd00::0:36` is `fd00::36`. Of thousands of
 * instances only those are taken apart whose last group is a wanted one.
 */
function isOneOf(addresses: readonly string[]): (text: string) => boolean {
  const canonical = (text: string): string | undefined => addressRecordOf(text)?.address
  const values = new Set(addresses.map(canonical))
  const groups = new Set(addresses.map(lastGroup))
  return (text) => {
    if (addresses.includes(text)) return true
    if (!text.includes(':') || !groups.has(lastGroup(text))) return false
    const value = canonical(text)
    return value !== undefined && values.has(value)
  }
}

/** As a number; NaN for an IPv4 address, written alone or as the end of an IPv6 address. */
function lastGroup(address: string): number {
  return Number(`0x${address.slice(address.lastIndexOf(':') + 1) || '0'}`)
}

const nodeArgs = z.object({ node: z.string() })
type NodeArgs = z.infer<typeof nodeArgs>

/** `node` is a name, a UUID, or a unique prefix of a UUID. */
export const nodeServicesEndpoint: QueryEndpoint<NodeArgs, NodeServices | null> = {
  method: 'Catalog.NodeServices',
  kind: 'query',
  args: nodeArgs,
  reply: replyWith(orNull(isNodeServices)),
  access: filters((authorizer, found) => {
    if (found === null || !seesNode(authorizer, found.node.node)) return null
    const services = servicesSeenBy(authorizer, found.services)
    return services === found.services ? found : { ...found, services }
  }, nodeOrIdSight),
  query: (tx, args) => {
    const index = nodeIndexByNameOrId(tx, args.node)
    const node = nodeByNameOrId(tx, args.node)
    return { index, value: node === undefined ? null : { node, services: [...servicesOfNode(tx, node.node)] } }
  },
}

const nothingThere: NodeDump = { node: null, services: [], checks: [] }

/** Everything on the named node. */
export const nodeDumpEndpoint: QueryEndpoint<NodeArgs, NodeDump> = {
  method: 'Internal.NodeDump',
  kind: 'query',
  args: nodeArgs,
  reply: replyWith(isNodeDump),
  access: filters((authorizer, dump) => {
    if (dump.node === null) return dump
    if (!seesNode(authorizer, dump.node.node)) return nothingThere
    const services = servicesSeenBy(authorizer, dump.services)
    const checks = checksSeenBy(authorizer, dump.checks)
    return services === dump.services && checks === dump.checks ? dump : { ...dump, services, checks }
  }, nodeSight),
  query: (tx, { node: name }) =>
    ofNode(tx, name, (read) => ({
      node: nodeByName(read, name) ?? null,
      services: [...servicesOfNode(read, name)],
      checks: [...checksOfNode(read, name)],
    })),
}

const noArgs = z.object({})

/** Names, the nearest first; only this datacenter if there is no pool of all datacenters. */
export const datacentersEndpoint: ServerEndpoint<
  z.infer<typeof noArgs>,
  readonly string[],
  WithPlace & WithDatacenters
> = {
  method: 'Catalog.ListDatacenters',
  kind: 'server',
  args: noArgs,
  reply: textsReply,
  access: open('names of datacenters: a caller must be able to find the one it uses'),
  leader: false,
  serve: async (server) => {
    const wan = server.wan()
    return ok(wan === undefined ? [server.datacenter] : datacentersByDistance(wan, server.datacenter))
  },
}
