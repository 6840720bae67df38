import { z } from 'zod'
import { textOfByteString } from '../../base/bytes.ts'
import {
  badRequest,
  declared,
  failed,
  failedRead,
  type Handle,
  type Route,
  type RouteRequest,
  type RouteResponse,
} from '../contract/route.ts'
import type { WithPools, WithQueries, WithSelf, WithServerCalls, WithWrites } from '../contract/route-context.ts'
import { coordinateFields } from '../discovery/nearness.ts'
import {
  done,
  emptyAnswer,
  indexHeaders,
  jsonAnswer,
  listOf,
  parameter,
  readParameters,
  textAnswer,
} from '../http/declared.ts'
import { decodeBody, float, list, nullable, object, text } from '../http/json-body.ts'
import { callIn, parseReadOptions, type ReadName } from '../http/read-options.ts'
import { datacentersEndpoint, nodeEndpoint, nodesEndpoint, updateEndpoint } from './endpoint.ts'
import { coordinateRowJson, coordinateRowShape } from './model.ts'

/** The part of the route context that these routes use. */
type CoordinateContext = WithWrites & WithQueries & WithServerCalls & WithSelf & WithPools

const updateBody = object({
  Datacenter: text,
  Node: text,
  Segment: text,
  Coord: nullable(object({ Vec: list(float), Error: float, Adjustment: float, Height: float })),
})

const datacenterShape = z.strictObject({
  Datacenter: z.string(),
  AreaID: z.literal('wan'),
  Coordinates: listOf(coordinateRowShape),
})

const segment = parameter('segment', z.string(), 'Only of this network segment.')
const disabled = textAnswer(401, 'This agent keeps no coordinates.')

/** Reference: coordinates.md#endpoints. */
export const coordinateRoutes: readonly Route<CoordinateContext>[] = [
  {
    path: '/v1/coordinate/datacenters',
    since: 'coordinates',
    operations: {
      GET: declared({
        summary: 'Coordinates of the servers of all datacenters',
        access: { open: 'servers are public: every agent measures how far they are' },
        query: readParameters,
        answers: [jsonAnswer('By datacenter.', listOf(datacenterShape)), disabled],
        handle: unlessDisabled(readDatacenters),
      }),
    },
  },
  {
    path: '/v1/coordinate/nodes',
    since: 'coordinates',
    operations: {
      GET: declared({
        summary: 'Coordinates of all nodes',
        access: { asks: 'node:read of each' },
        query: [...readParameters, segment],
        answers: [jsonAnswer('Coordinates.', listOf(coordinateRowShape), indexHeaders), disabled],
        handle: unlessDisabled(readNodes),
      }),
    },
  },
  {
    path: '/v1/coordinate/node/',
    since: 'coordinates',
    rest: { name: 'node', about: 'Name of a node.' },
    operations: {
      GET: declared({
        summary: 'The coordinate of a node',
        access: { asks: 'node:read' },
        query: readParameters,
        answers: [
          jsonAnswer('One, in a list.', listOf(coordinateRowShape), indexHeaders),
          disabled,
          emptyAnswer(404, 'The node has none.'),
        ],
        handle: unlessDisabled(readNode),
      }),
    },
  },
  {
    path: '/v1/coordinate/update',
    since: 'coordinates',
    operations: {
      PUT: declared({
        summary: 'Update the coordinate of a node',
        access: { asks: 'node:write' },
        body: { about: 'A node and its coordinate.', required: true, json: updateBody.accepts },
        answers: [done, disabled],
        handle: unlessDisabled(update),
      }),
    },
  },
]

function unlessDisabled<Name extends string, Context>(
  handle: Handle<Name, Context>,
): Handle<Name, Context & WithPools & WithSelf> {
  return (context, request) => {
    if (context.lan.coordinateOf(context.self().nodeName) !== undefined) return handle(context, request)
    return Promise.resolve({ kind: 'text', status: 401, text: 'Coordinate support disabled' })
  }
}

async function readDatacenters(
  context: WithServerCalls & WithSelf,
  request: RouteRequest<ReadName>,
): Promise<RouteResponse> {
  const options = parseReadOptions(context, request.query)
  if (!options.ok) return failed(options.error)
  const answer = await context.ask(datacentersEndpoint, {}, options.value, request.call)
  if (!answer.ok) return failed(answer.error)
  const value = answer.value.map(({ datacenter, coordinates }) => ({
    Datacenter: datacenter,
    AreaID: 'wan',
    Coordinates: coordinates.map(coordinateRowJson),
  }))
  return { kind: 'json', value }
}

async function readNodes(
  context: WithQueries & WithSelf,
  request: RouteRequest<ReadName | 'segment'>,
): Promise<RouteResponse> {
  const options = parseReadOptions(context, request.query)
  if (!options.ok) return failed(options.error)
  const segment = request.query.get('segment') ?? ''
  const answer = await context.query(nodesEndpoint, { segment }, options.value, request.call)
  if (!answer.ok) return failedRead(answer.error)
  return { kind: 'json', value: answer.value.value.map(coordinateRowJson), meta: answer.value.meta }
}

async function readNode(context: WithQueries & WithSelf, request: RouteRequest<ReadName>): Promise<RouteResponse> {
  const options = parseReadOptions(context, request.query)
  if (!options.ok) return failed(options.error)
  const node = textOfByteString(request.rest)
  const answer = await context.query(nodeEndpoint, { node }, options.value, request.call)
  if (!answer.ok) return failedRead(answer.error)
  const { value: row, meta } = answer.value
  return row === null ? { kind: 'empty', status: 404 } : { kind: 'json', value: [coordinateRowJson(row)], meta }
}

async function update(context: WithWrites & WithSelf, request: RouteRequest): Promise<RouteResponse> {
  const body = decodeBody(request.body, updateBody)
  if (!body.ok) return failed(body.error)
  const { Datacenter: datacenter, Node: node, Segment: segment, Coord: given } = body.value
  if (node === '' || given === null) return badRequest('Must provide Node and Coord')
  const { Vec: vec, Error: error, Adjustment: adjustment, Height: height } = given
  const coordinate = coordinateFields.safeParse({ vec, error, adjustment, height })
  if (!coordinate.success) return badRequest('incompatible coordinate')
  const call = callIn(request, { datacenter: datacenter === context.self().datacenter ? '' : datacenter })
  const written = await context.write(updateEndpoint, { node, segment, coordinate: coordinate.data }, call)
  return written.ok ? { kind: 'empty', status: 200 } : failed(written.error)
}
