import { err, ok, type Result } from '../../base/result.ts'
import { hasBehaviour, type Release } from '../../model/release.ts'
import { checkJson, checkShape } from '../catalog/model.ts'
import {
  badRequest,
  declared,
  type NamesOf,
  type QueryParameters,
  type Route,
  type RouteRequest,
  type RouteResponse,
} from '../contract/route.ts'
import type { WithCachedReads, WithQueries, WithSelf } from '../contract/route-context.ts'
import type { WithEnv, WithRelease } from '../contract/surroundings.ts'
import { shownNodes } from '../discovery/datacenters.ts'
import { instancesAsked, instancesRoute } from '../discovery/instances.ts'
import { type DiscoveryName, entriesRead, nearOf, nodeMetaOf } from '../discovery/reads.ts'
import {
  discoveryHeaders,
  discoveryParameters,
  filter,
  jsonAnswer,
  listOf,
  near,
  nodeMeta,
  parameter,
  tag,
  truthText,
} from '../http/declared.ts'
import { entryTypeOf } from '../http/entry-type.ts'
import { nodeChecksEndpoint, serviceChecksEndpoint, serviceHealthEndpoint, stateChecksEndpoint } from './endpoint.ts'
import { allPassing, healthEntryJson, healthEntryShape } from './model.ts'

/** The part of the route context that these routes use. */
type HealthContext = WithEnv & WithRelease & WithQueries & WithCachedReads & WithSelf

const passing = parameter('passing', truthText, 'Only instances of which every check passes.')
const serviceParameters = [...discoveryParameters, passing, tag, near, nodeMeta, filter] as const

const checkType = entryTypeOf(checkShape)
const healthEntryType = entryTypeOf(healthEntryShape)

const checksAnswer = jsonAnswer('Checks.', listOf(checkShape), discoveryHeaders)

const instances = { query: serviceParameters, shape: healthEntryShape, handle: readService } as const

/** Reference: health.md#endpoints. */
export const healthRoutes: readonly Route<HealthContext>[] = [
  {
    path: '/v1/health/node/',
    rest: { name: 'node', about: 'Name of a node.' },
    operations: {
      GET: declared({
        summary: 'All checks of a node',
        access: { asks: 'node:read, and service:read of the service of each' },
        query: [...discoveryParameters, filter],
        answers: [checksAnswer],
        handle: readNode,
      }),
    },
  },
  {
    path: '/v1/health/checks/',
    rest: { name: 'service', about: 'Name of a service.' },
    operations: {
      GET: declared({
        summary: 'All checks of a service',
        access: { asks: 'service:read, and node:read of the node of each' },
        query: [...discoveryParameters, near, nodeMeta, filter],
        answers: [checksAnswer],
        handle: readChecks,
      }),
    },
  },
  instancesRoute('/v1/health/service/', 'Instances of a service with their health', false, instances),
  instancesRoute('/v1/health/connect/', 'The same of those that can be reached through the mesh', true, instances),
  {
    path: '/v1/health/state/',
    rest: { name: 'state', about: '`passing`, `warning`, `critical` or `any`.' },
    operations: {
      GET: declared({
        summary: 'All checks in a state',
        access: { asks: 'node:read and service:read of each' },
        query: [...discoveryParameters, near, nodeMeta, filter],
        answers: [checksAnswer],
        handle: readState,
      }),
    },
  },
]

type NearRequest = RouteRequest<DiscoveryName | 'near' | 'node-meta' | 'filter'>

function readNode(context: HealthContext, request: RouteRequest<DiscoveryName | 'filter'>): Promise<RouteResponse> {
  return entriesRead(context, request, {
    missing: 'Missing node name',
    endpoint: nodeChecksEndpoint,
    args: (node) => ({ node }),
    entryType: checkType,
    entries: (checks) => checks,
    entryJson: checkJson,
  })
}

function readChecks(context: HealthContext, request: NearRequest): Promise<RouteResponse> {
  return entriesRead(context, request, {
    missing: 'Missing service name',
    endpoint: serviceChecksEndpoint,
    args: (service) => ({ service, ...nodeMetaOf(request.query), ...nearOf(context, request.query) }),
    entryType: checkType,
    entries: (checks) => checks,
    entryJson: checkJson,
  })
}

/** Instances that are not passing are removed here, after the read: their changes wake a blocking read, too. */
async function readService(
  context: HealthContext,
  request: RouteRequest<NamesOf<typeof serviceParameters>>,
  connect: boolean,
): Promise<RouteResponse> {
  const passing = passingOnly(request.query, context.release)
  if (!passing.ok) return badRequest(passing.error)
  const { datacenter, seen } = shownNodes(context, request.query)
  return entriesRead(context, request, {
    missing: 'Missing service name',
    endpoint: serviceHealthEndpoint,
    args: (service) => instancesAsked(context, request.query, service, connect),
    cacheable: true,
    form: passing.value ? 'passing' : 'all',
    entryType: healthEntryType,
    entries: (entries) => (passing.value ? entries.filter(allPassing) : entries),
    entryJson: (entry) => healthEntryJson({ ...entry, node: seen(entry.node) }, datacenter),
  })
}

const truths: ReadonlySet<string> = new Set(['', '1', 't', 'T', 'TRUE', 'true', 'True'])
const untruths: ReadonlySet<string> = new Set(['0', 'f', 'F', 'FALSE', 'false', 'False'])

function passingOnly(query: QueryParameters<'passing'>, release: Release): Result<boolean, string> {
  const given = query.get('passing')
  if (!hasBehaviour(release, 'passing-has-a-value')) return ok(given !== undefined)
  if (given === undefined || untruths.has(given)) return ok(false)
  return truths.has(given) ? ok(true) : err('Invalid value for ?passing')
}

function readState(context: HealthContext, request: NearRequest): Promise<RouteResponse> {
  return entriesRead(context, request, {
    missing: 'Missing check state',
    endpoint: stateChecksEndpoint,
    args: (state) => ({ state, ...nodeMetaOf(request.query), ...nearOf(context, request.query) }),
    entryType: checkType,
    entries: (checks) => checks,
    entryJson: checkJson,
  })
}
