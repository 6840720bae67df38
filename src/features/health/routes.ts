import { err, ok, type Result } from '../../base/result.ts'
import { checkJson } from '../catalog/model.ts'
import { discoveryRead, nearOf, nodeMetaOf } from '../discovery-reads.ts'
import type { AgentContext, QueryParameters, Route, RouteRequest, RouteResponse } from '../manifest.ts'
import { shownNodes } from '../node-view.ts'
import { badRequest } from '../responses.ts'
import { nodeChecksEndpoint, serviceChecksEndpoint, serviceHealthEndpoint, stateChecksEndpoint } from './endpoint.ts'
import { allPassing, healthEntryJson } from './model.ts'

/** Reference: HTTP API 3. */
export const healthRoutes: readonly Route[] = [
  { methods: ['GET'], path: '/v1/health/node/', handle: readNode },
  { methods: ['GET'], path: '/v1/health/checks/', handle: readChecks },
  { methods: ['GET'], path: '/v1/health/service/', handle: (agent, request) => readService(agent, request, false) },
  { methods: ['GET'], path: '/v1/health/connect/', handle: (agent, request) => readService(agent, request, true) },
  { methods: ['GET'], path: '/v1/health/state/', handle: readState },
]

function readNode(agent: AgentContext, request: RouteRequest): Promise<RouteResponse> {
  return discoveryRead(agent, request, {
    missing: 'Missing node name',
    endpoint: nodeChecksEndpoint,
    args: (node) => ({ node }),
    json: (checks) => checks.map(checkJson),
  })
}

function readChecks(agent: AgentContext, request: RouteRequest): Promise<RouteResponse> {
  return discoveryRead(agent, request, {
    missing: 'Missing service name',
    endpoint: serviceChecksEndpoint,
    args: (service) => ({ service, ...nodeMetaOf(request.query), ...nearOf(agent, request.query) }),
    json: (checks) => checks.map(checkJson),
  })
}

/** Who does not pass is left out here, after the read: a blocking read is woken by changes of those, too. */
async function readService(agent: AgentContext, request: RouteRequest, connect: boolean): Promise<RouteResponse> {
  const passing = passingOnly(request.query)
  if (!passing.ok) return badRequest(passing.error)
  const { datacenter, seen } = shownNodes(agent, request.query)
  return discoveryRead(agent, request, {
    missing: 'Missing service name',
    endpoint: serviceHealthEndpoint,
    args: (service) => ({
      service,
      tags: request.query.all('tag'),
      connect,
      ...nodeMetaOf(request.query),
      ...nearOf(agent, request.query),
    }),
    cacheable: true,
    form: passing.value ? 'passing' : 'all',
    json: (entries) =>
      entries
        .filter((entry) => !passing.value || allPassing(entry))
        .map((entry) => healthEntryJson({ ...entry, node: seen(entry.node) }, datacenter)),
  })
}

const truths: ReadonlySet<string> = new Set(['', '1', 't', 'T', 'TRUE', 'true', 'True'])
const untruths: ReadonlySet<string> = new Set(['0', 'f', 'F', 'FALSE', 'false', 'False'])

function passingOnly(query: QueryParameters): Result<boolean, string> {
  const given = query.get('passing')
  if (given === undefined || untruths.has(given)) return ok(false)
  return truths.has(given) ? ok(true) : err('Invalid value for ?passing')
}

function readState(agent: AgentContext, request: RouteRequest): Promise<RouteResponse> {
  return discoveryRead(agent, request, {
    missing: 'Missing check state',
    endpoint: stateChecksEndpoint,
    args: (state) => ({ state, ...nodeMetaOf(request.query), ...nearOf(agent, request.query) }),
    json: (checks) => checks.map(checkJson),
  })
}
