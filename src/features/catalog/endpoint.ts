import { z } from 'zod'
import { err, ok, type Result } from '../../base/result.ts'
import type {
  CatalogNode,
  DeregisterRequest,
  RegisterAllRequest,
  RegisterRequest,
  ServiceFacts,
} from '../../model/catalog.ts'
import type { Failure } from '../../model/failure.ts'
import { registerOffersMax } from '../../model/limits.ts'
import { greater } from '../../model/log-position.ts'
import { hasBehaviour, newestRelease } from '../../model/release.ts'
import { asks, filters, keptOf, open } from '../contract/access.ts'
import type { WriteIdentity } from '../contract/command.ts'
import type { QueryEndpoint, ServerEndpoint, WriteEndpoint } from '../contract/endpoint.ts'
import { textPairs } from '../contract/fields.ts'
import { flagReply, isText, listOfAll, orNull, replyWith, textsReply } from '../contract/reply.ts'
import type { WithDatacenters, WithPlace, WithProposals } from '../contract/server-context.ts'
import { measured, type WithEnv, type WithRelease } from '../contract/surroundings.ts'
import { byRow, newestOf, oneForAll } from '../contract/visible-index.ts'
import { datacentersByDistance } from '../discovery/datacenters.ts'
import { nearestFirst } from '../discovery/nearness.ts'
import { checksSeenBy, nodesSeenBy, placedSeenBy, seesNode, seesService, servicesSeenBy } from '../discovery/sight.ts'
import { discoveryCounts, tagFilterFields, tagsRead } from '../discovery/tag-filter.ts'
import {
  catalogDeregister,
  catalogRegister,
  catalogRegisterAll,
  catalogRegisterAllMesh,
  catalogRegisterMesh,
} from './commands.ts'
import { catalogFields } from './fields.ts'
import type { NodeDump, NodeServices, PlacedService, ServiceName, ServicePlace } from './model.ts'
import { isCatalogNode, isNodeDump, isNodeServices, isPlacedService, isServiceName, isServicePlace } from './replies.ts'
import { deregistrationRefused, registrationRefused } from './rights.ts'
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

/** The server as far as these endpoints use it. */
type CatalogServer = WithEnv & WithRelease & WithProposals

const fields = catalogFields('dropped')

/**
 * The leader refuses a registration that does not fit the present catalog as the caller's mistake. Returns true when it
 * is applied.
 */
export const registerEndpoint: WriteEndpoint<RegisterRequest, boolean, CatalogServer> = {
  method: 'Catalog.Register',
  kind: 'write',
  args: fields.registerRequest,
  reply: flagReply,
  access: asks(registrationRefused),
  serve: register,
}

async function register(
  server: CatalogServer,
  args: RegisterRequest,
  identity: WriteIdentity | undefined,
): Promise<Result<boolean, Failure>> {
  const known = { ...args, service: serviceKnown(server, args.service) }
  const command = isOfMesh(known) ? catalogRegisterMesh : catalogRegister
  const outcome = await measured(server, 'catalog.register', () => server.propose(command, known, identity))
  if (!outcome.ok) return outcome
  return outcome.value.refusal === null ? ok(true) : err({ kind: 'bad-request', message: outcome.value.refusal })
}

/** For each offer, why the leader refused it; null if it was applied. */
export const registerAllEndpoint: WriteEndpoint<RegisterAllRequest, readonly (string | null)[], CatalogServer> = {
  method: 'Catalog.RegisterAll',
  kind: 'write',
  args: fields.registerAllRequest.refine(({ offers }) => offers.length <= registerOffersMax, 'too many offers'),
  reply: replyWith(listOfAll(orNull(isText))),
  access: asks((authorizer, { node, skipNodeUpdate, offers }, tx) => {
    // The request may bring nothing but the node.
    for (const offer of offers.length === 0 ? [{ service: null, checks: [] }] : offers) {
      const refused = registrationRefused(authorizer, { node, skipNodeUpdate, ...offer }, tx)
      if (refused !== undefined) return refused
    }
    return undefined
  }),
  serve: (server, args, identity) => {
    const offers = args.offers.map((offer) => ({ ...offer, service: serviceKnown(server, offer.service) }))
    const command = offers.some(isOfMesh) ? catalogRegisterAllMesh : catalogRegisterAll
    return measured(server, 'catalog.register', () => server.propose(command, { ...args, offers }, identity))
  },
}

function isOfMesh({ service }: Pick<RegisterRequest, 'service'>): boolean {
  return service?.mesh !== undefined
}

/** A server of a release without the mesh ignores its members, like all members that it does not know. */
function serviceKnown({ release }: WithRelease, service: ServiceFacts | null): ServiceFacts | null {
  if (service?.mesh === undefined || hasBehaviour(release, 'mesh')) return service
  const { mesh: _mesh, ...known } = service
  return known
}

/** Returns true, also if there was nothing to remove. */
export const deregisterEndpoint: WriteEndpoint<DeregisterRequest, boolean, WithEnv & WithProposals> = {
  method: 'Catalog.Deregister',
  kind: 'write',
  args: fields.deregisterRequest,
  reply: flagReply,
  access: asks(deregistrationRefused),
  serve: (server, args, identity) =>
    measured(server, 'catalog.deregister', () => server.propose(catalogDeregister, args, identity)),
}

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

/** Instances whose own address is one of these texts, for reverse lookups. At most one of each service on a node. */
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
    for (const { address, node, service } of allServices(tx)) {
      if (!addresses.includes(address)) continue
      const last = places[places.length - 1]
      if (last?.node !== node || last.service !== service) places.push({ node, service })
    }
    return { index: servicesIndex(tx), value: places }
  },
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
