import { z } from 'zod'
import type { CatalogService } from '../../model/catalog.ts'
import { noChange } from '../../model/log-position.ts'
import type { ReadOptions } from '../contract/reading.ts'
import { declared, failed, type Route, type RouteRequest, type RouteResponse } from '../contract/route.ts'
import type {
  WithCachedReads,
  WithQueries,
  WithSelf,
  WithServerCalls,
  WithTelemetry,
  WithWrites,
} from '../contract/route-context.ts'
import type { WithEnv, WithNaming, WithRelease } from '../contract/surroundings.ts'
import { shownNodes } from '../discovery/datacenters.ts'
import { instancesAsked, instancesRoute } from '../discovery/instances.ts'
import { type DiscoveryName, discoveryRead, entriesRead, nearOf, nodeMetaOf } from '../discovery/reads.ts'
import { counted } from '../http/counted.ts'
import {
  discoveryHeaders,
  discoveryParameters,
  filter,
  jsonAnswer,
  listOf,
  near,
  nodeMeta,
  tag,
  textList,
} from '../http/declared.ts'
import { entryTypeOf } from '../http/entry-type.ts'
import {
  datacentersEndpoint,
  nodeServicesEndpoint,
  nodesEndpoint,
  serviceNodesEndpoint,
  servicesEndpoint,
} from './endpoint.ts'
import { allInstancesEndpoint } from './instances-endpoint.ts'
import {
  nodeJson,
  nodeServiceJson,
  nodeServiceShape,
  nodeServicesShape,
  nodeShape,
  placedServiceJson,
  placedServiceShape,
} from './model.ts'
import { registrationRoutes } from './registration-routes.ts'

/** The part of the route context that these routes use. */
type CatalogContext = WithEnv &
  WithTelemetry &
  WithNaming &
  WithRelease &
  WithWrites &
  WithQueries &
  WithCachedReads &
  WithServerCalls &
  WithSelf

const namesOfDatacenters = 'names of datacenters: a caller must be able to find the one it uses'

const nodeType = entryTypeOf(nodeShape)
const placedServiceType = entryTypeOf(placedServiceShape)
const nodeServiceType = entryTypeOf(nodeServiceShape)

const instances = {
  query: [...discoveryParameters, tag, near, nodeMeta, filter],
  shape: placedServiceShape,
  handle: readService,
} as const

/** Reference: catalog.md#endpoints. */
export const catalogRoutes: readonly Route<CatalogContext>[] = [
  ...registrationRoutes,
  {
    path: '/v1/catalog/datacenters',
    operations: {
      GET: declared({
        summary: 'Names of all datacenters, the nearest first',
        access: { open: namesOfDatacenters },
        answers: [jsonAnswer('Names.', textList)],
        handle: (context, request) => counted(context, 'catalog_datacenters', readDatacenters(context, request)),
      }),
    },
  },
  {
    path: '/v1/catalog/nodes',
    operations: {
      GET: declared({
        summary: 'All nodes',
        access: { asks: 'node:read of each' },
        query: [...discoveryParameters, near, nodeMeta, filter],
        answers: [jsonAnswer('Nodes.', listOf(nodeShape), discoveryHeaders)],
        handle: (context, request) => counted(context, 'catalog_nodes', readNodes(context, request)),
      }),
    },
  },
  {
    path: '/v1/catalog/services',
    operations: {
      GET: declared({
        summary: 'Names of all services, with their tags; a filter is for instances, as those of catalog/service',
        access: { asks: 'service:read of each; with a filter, node:read of their nodes as well' },
        query: [...discoveryParameters, nodeMeta, filter],
        answers: [jsonAnswer('Tags by name.', z.record(z.string(), textList), discoveryHeaders)],
        handle: (context, request) => counted(context, 'catalog_services', readServices(context, request)),
      }),
    },
  },
  instancesRoute('/v1/catalog/service/', 'Instances of a service', false, instances),
  instancesRoute(
    '/v1/catalog/connect/',
    'Instances of a service that can be reached through the mesh',
    true,
    instances,
  ),
  {
    path: '/v1/catalog/node/',
    rest: { name: 'node', about: 'Name of a node.' },
    operations: {
      GET: declared({
        summary: 'A node and its services; a filter is for the services',
        access: { asks: 'node:read, and service:read of each service' },
        query: [...discoveryParameters, filter],
        answers: [jsonAnswer('Null where there is no such node.', nodeServicesShape.nullable(), discoveryHeaders)],
        handle: (context, request) => counted(context, 'catalog_node_services', readNode(context, request)),
      }),
    },
  },
]

/** Any server answers, because the list is the same everywhere. */
const anyServer: ReadOptions = { consistency: 'stale', minIndex: noChange, waitMs: 0, maxStaleMs: 0, datacenter: '' }

async function readDatacenters(context: WithServerCalls, request: RouteRequest): Promise<RouteResponse> {
  const names = await context.ask(datacentersEndpoint, {}, anyServer, request.call)
  return names.ok ? { kind: 'json', value: names.value } : failed(names.error)
}

function readNodes(
  context: CatalogContext,
  request: RouteRequest<DiscoveryName | 'near' | 'node-meta' | 'filter'>,
): Promise<RouteResponse> {
  const { datacenter, seen } = shownNodes(context, request.query)
  return entriesRead(context, request, {
    endpoint: nodesEndpoint,
    args: () => ({ ...nodeMetaOf(request.query), ...nearOf(context, request.query) }),
    entryType: nodeType,
    entries: (nodes) => nodes,
    entryJson: (node) => nodeJson(seen(node), datacenter),
  })
}

function readServices(
  context: CatalogContext,
  request: RouteRequest<DiscoveryName | 'node-meta' | 'filter'>,
): Promise<RouteResponse> {
  if ((request.query.get('filter') ?? '') !== '') return readSomeServices(context, request)
  return discoveryRead(context, request, {
    endpoint: servicesEndpoint,
    args: () => nodeMetaOf(request.query),
    json: (services) => Object.fromEntries(services.map(({ service, tags }) => [service, tags])),
  })
}

/** A filter chooses among instances, before their tags are gathered. */
function readSomeServices(
  context: CatalogContext,
  request: RouteRequest<DiscoveryName | 'node-meta' | 'filter'>,
): Promise<RouteResponse> {
  const { datacenter, seen } = shownNodes(context, request.query)
  return entriesRead(context, request, {
    endpoint: allInstancesEndpoint,
    args: () => nodeMetaOf(request.query),
    entryType: placedServiceType,
    entries: (instances) => instances,
    entryJson: ({ node, service }) => placedServiceJson({ node: seen(node), service }, datacenter),
    whole: (_, instances) => tagsByName(instances.map(([{ service }]) => service)),
  })
}

function readService(
  context: CatalogContext,
  request: RouteRequest<DiscoveryName | 'tag' | 'near' | 'node-meta' | 'filter'>,
  connect: boolean,
): Promise<RouteResponse> {
  const { datacenter, seen } = shownNodes(context, request.query)
  const found = entriesRead(context, request, {
    missing: 'Missing service name',
    endpoint: serviceNodesEndpoint,
    cacheable: true,
    args: (service) => instancesAsked(context, request.query, service, connect),
    entryType: placedServiceType,
    entries: (instances) => instances,
    entryJson: ({ node, service }) => placedServiceJson({ node: seen(node), service }, datacenter),
  })
  return counted(context, connect ? 'catalog_connect_service_nodes' : 'catalog_service_nodes', found)
}

function readNode(context: CatalogContext, request: RouteRequest<DiscoveryName | 'filter'>): Promise<RouteResponse> {
  const { datacenter, seen } = shownNodes(context, request.query)
  return entriesRead(context, request, {
    missing: 'Missing node name',
    endpoint: nodeServicesEndpoint,
    args: (node) => ({ node }),
    entryType: nodeServiceType,
    entries: (found) => found?.services ?? [],
    entryJson: nodeServiceJson,
    whole: (found, services) => {
      if (found === null) return null
      const byId = services.map(([service, json]) => [service.id, json] as const)
      return { Node: nodeJson(seen(found.node), datacenter), Services: Object.fromEntries(byId) }
    },
  })
}

/** Names in the order in which their first instances are met; the tags of a name likewise. */
function tagsByName(instances: readonly CatalogService[]): Readonly<Record<string, readonly string[]>> {
  const tags = new Map<string, Set<string>>()
  for (const { service, tags: own } of instances) {
    const known = tags.get(service) ?? new Set()
    tags.set(service, known)
    for (const tag of own) known.add(tag)
  }
  return Object.fromEntries(Array.from(tags, ([service, all]) => [service, [...all]]))
}
