import { textOfByteString } from '../../base/bytes.ts'
import type { Json } from '../../base/json.ts'
import type { Result } from '../../base/result.ts'
import type { Failure } from '../../model/failure.ts'
import type { QueryEndpoint } from '../contract/endpoint.ts'
import type { Answer } from '../contract/reading.ts'
import {
  answered,
  badRequest,
  declared,
  failed,
  failedRead,
  type Route,
  type RouteRequest,
  type RouteResponse,
} from '../contract/route.ts'
import type { WithQueries, WithSelf } from '../contract/route-context.ts'
import type { WithEnv, WithRelease } from '../contract/surroundings.ts'
import { shownNodes } from '../discovery/datacenters.ts'
import { healthEntryJson, healthEntryShape } from '../health/model.ts'
import { emptyAnswer, filter, indexHeaders, jsonAnswer, listOf, readParameters } from '../http/declared.ts'
import { entryTypeOf } from '../http/entry-type.ts'
import { answeredEntries, filterOf } from '../http/filtering.ts'
import { parseReadOptions, type ReadName } from '../http/read-options.ts'
import { nodeOverviewEndpoint, overviewEndpoint } from './endpoint.ts'
import { instancesIn, type NodeOverview, overviewJson, overviewShape, summariesJson, summaryShape } from './model.ts'

/** The part of the route context that these routes use. */
type InternalContext = WithEnv & WithRelease & WithQueries & WithSelf

const overviewType = entryTypeOf(overviewShape)
const instanceType = entryTypeOf(healthEntryShape)

/** Reference: operator.md#web-interface-endpoints. */
export const internalRoutes: readonly Route<InternalContext>[] = [
  {
    path: '/v1/internal/ui/nodes',
    operations: {
      GET: declared({
        summary: 'All nodes with what is on them',
        access: { asks: 'node:read and service:read of each' },
        query: [...readParameters, filter],
        answers: [jsonAnswer('Nodes.', listOf(overviewShape), indexHeaders)],
        handle: readNodes,
      }),
    },
  },
  {
    path: '/v1/internal/ui/node/',
    rest: { name: 'node', about: 'Name of a node.' },
    operations: {
      GET: declared({
        summary: 'A node with what is on it',
        access: { asks: 'node:read, and service:read of each' },
        query: readParameters,
        answers: [jsonAnswer('The node.', overviewShape, indexHeaders), emptyAnswer(404, 'There is no such node.')],
        handle: readNode,
      }),
    },
  },
  {
    path: '/v1/internal/ui/services',
    operations: {
      GET: declared({
        summary: 'All services in short; a filter is for instances, as those of health/service',
        access: { asks: 'node:read and service:read of each' },
        query: [...readParameters, filter],
        answers: [jsonAnswer('Services.', listOf(summaryShape), indexHeaders)],
        handle: readServices,
      }),
    },
  },
]

type FilteredRequest = RouteRequest<ReadName | 'filter'>

async function readNodes(context: InternalContext, request: FilteredRequest): Promise<RouteResponse> {
  const { datacenter } = shownNodes(context, request.query)
  const entryJson = (each: NodeOverview): Json => overviewJson(each, datacenter)
  const filter = filterOf(request.query, overviewType)
  if (!filter.ok) return failed(filter.error)
  const answer = await read(context, request, overviewEndpoint, {})
  if (!answer.ok) return unread(answer.error)
  return answeredEntries(context, answer.value, filter.value, { form: 'nodes', entries: (nodes) => nodes, entryJson })
}

/** A filter chooses among instances, before they are counted. */
async function readServices(context: InternalContext, request: FilteredRequest): Promise<RouteResponse> {
  const { datacenter } = shownNodes(context, request.query)
  const filter = filterOf(request.query, instanceType)
  if (!filter.ok) return failed(filter.error)
  const answer = await read(context, request, overviewEndpoint, {})
  if (!answer.ok) return unread(answer.error)
  if (filter.value === undefined) return answered(answer.value, 'services', summariesJson)
  return answeredEntries(context, answer.value, filter.value, {
    form: 'services',
    entries: (nodes) => Array.from(instancesIn(nodes)),
    entryJson: (entry) => healthEntryJson(entry, datacenter),
    whole: (_, entries) =>
      summariesJson(entries.map(([{ node, service, checks }]) => ({ node, services: [service], checks }))),
  })
}

async function readNode(context: InternalContext, request: RouteRequest<ReadName>): Promise<RouteResponse> {
  if (request.rest === '') return badRequest('Missing node name')
  const { datacenter } = shownNodes(context, request.query)
  const answer = await read(context, request, nodeOverviewEndpoint, { node: textOfByteString(request.rest) })
  if (!answer.ok) return unread(answer.error)
  const { value, meta } = answer.value
  if (value === null) return { kind: 'empty', status: 404 }
  return { kind: 'json', value: overviewJson(value, datacenter), meta }
}

/** What is wrong with the request itself is found before the state is asked. */
function unread(failure: Failure): RouteResponse {
  return failure.kind === 'bad-request' ? failed(failure) : failedRead(failure)
}

/** For a web page, old data are better than none: without a leader, any server answers. */
async function read<Args, Reply>(
  context: WithQueries & WithSelf,
  request: RouteRequest<ReadName>,
  endpoint: QueryEndpoint<Args, Reply>,
  args: Args,
): Promise<Result<Answer<Reply>, Failure>> {
  const options = parseReadOptions(context, request.query)
  if (!options.ok) return options
  const answer = await context.query(endpoint, args, options.value, request.call)
  if (answer.ok || answer.error.kind !== 'no-leader') return answer
  return context.query(endpoint, args, { ...options.value, consistency: 'stale', maxStaleMs: 0 }, request.call)
}
