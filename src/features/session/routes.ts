import { z } from 'zod'
import { textOfByteString } from '../../base/bytes.ts'
import { err, ok, type Result } from '../../base/result.ts'
import type { Failure } from '../../model/failure.ts'
import type { CallOptions } from '../contract/call.ts'
import type { QueryEndpoint } from '../contract/endpoint.ts'
import {
  badRequest,
  declared,
  failed,
  failedRead,
  type Route,
  type RouteRequest,
  type RouteResponse,
} from '../contract/route.ts'
import type { WithQueries, WithSelf, WithWrites } from '../contract/route-context.ts'
import { indexHeaders, jsonAnswer, listOf, readParameters, taken, textAnswer } from '../http/declared.ts'
import { parseReadOptions, type ReadName, writingCall } from '../http/read-options.ts'
import { createArgsOf, createBody } from './create-body.ts'
import { createEndpoint, destroyEndpoint, infoEndpoint, listEndpoint, nodeEndpoint, renewEndpoint } from './endpoint.ts'
import { type SessionRow, sessionIdOf, sessionJson, sessionShape } from './model.ts'

/** The part of the route context that these routes use. */
type SessionContext = WithWrites & WithQueries & WithSelf

const sessionId = { name: 'session', about: 'ID of a session.', secret: true } as const
const found = jsonAnswer('Sessions.', listOf(sessionShape), indexHeaders)

/** Reference: keys.md#session-endpoints. */
export const sessionRoutes: readonly Route<SessionContext>[] = [
  {
    path: '/v1/session/create',
    operations: {
      PUT: declared({
        summary: 'Begin a session',
        access: { asks: 'session:write of its node' },
        query: readParameters,
        body: {
          about: 'The node, checks and settings of the session; absent ones have their defaults.',
          required: false,
          json: createBody.accepts,
        },
        answers: [jsonAnswer('Its ID.', z.strictObject({ ID: z.string() }))],
        handle: create,
      }),
    },
  },
  {
    path: '/v1/session/destroy/',
    rest: sessionId,
    operations: {
      PUT: declared({
        summary: 'End a session',
        access: { asks: 'session:write of its node' },
        query: readParameters,
        answers: [taken],
        handle: destroy,
      }),
    },
  },
  {
    path: '/v1/session/renew/',
    rest: sessionId,
    operations: {
      PUT: declared({
        summary: 'Renew a session that would expire',
        access: { asks: 'session:write of its node' },
        query: readParameters,
        answers: [
          jsonAnswer('The session, in a list.', listOf(sessionShape)),
          textAnswer(404, 'There is no such session.'),
        ],
        handle: renew,
      }),
    },
  },
  {
    path: '/v1/session/info/',
    rest: sessionId,
    operations: {
      GET: declared({
        summary: 'Read a session',
        access: { asks: 'session:read of its node' },
        query: readParameters,
        answers: [found],
        handle: readSession,
      }),
    },
  },
  {
    path: '/v1/session/node/',
    rest: { name: 'node', about: 'Name of a node.' },
    operations: {
      GET: declared({
        summary: 'Sessions of a node',
        access: { asks: 'session:read of the node' },
        query: readParameters,
        answers: [found],
        handle: readNode,
      }),
    },
  },
  {
    path: '/v1/session/list',
    operations: {
      GET: declared({
        summary: 'All sessions',
        access: { asks: 'session:read of the node of each' },
        query: readParameters,
        answers: [found],
        handle: readAll,
      }),
    },
  },
]

type SessionRequest = RouteRequest<ReadName>

async function create(context: WithWrites & WithSelf, request: SessionRequest): Promise<RouteResponse> {
  const call = writingCall(context, request)
  if (!call.ok) return failed(call.error)
  const args = createArgsOf(request.body, context.self().nodeName)
  if (!args.ok) return failed(args.error)
  const created = await context.write(createEndpoint, args.value, call.value)
  return created.ok ? { kind: 'json', value: { ID: created.value } } : failed(created.error)
}

async function destroy(context: WithWrites & WithSelf, request: SessionRequest): Promise<RouteResponse> {
  const change = changeOf(context, request)
  if (!change.ok) return failed(change.error)
  const { id, call } = change.value
  const done = await context.write(destroyEndpoint, { id }, call)
  return done.ok ? { kind: 'json', value: done.value } : failed(done.error)
}

async function renew(context: WithWrites & WithSelf, request: SessionRequest): Promise<RouteResponse> {
  const change = changeOf(context, request)
  if (!change.ok) return failed(change.error)
  const { id, call } = change.value
  const renewed = await context.write(renewEndpoint, { id }, call)
  if (!renewed.ok) return failed(renewed.error)
  if (renewed.value !== null) return { kind: 'json', value: [sessionJson(renewed.value)] }
  return failed({ kind: 'not-found', message: `Session id '${id}' not found` })
}

async function readSession(context: WithQueries & WithSelf, request: SessionRequest): Promise<RouteResponse> {
  const id = sessionIdOf(textOfByteString(request.rest))
  if (!id.ok) return badRequest(id.error)
  return read(context, request, infoEndpoint, { id: id.value }, (session) => (session === null ? [] : [session]))
}

async function readNode(context: WithQueries & WithSelf, request: SessionRequest): Promise<RouteResponse> {
  if (request.rest === '') return badRequest('Missing node name')
  return read(context, request, nodeEndpoint, { node: textOfByteString(request.rest) }, (sessions) => sessions)
}

function readAll(context: WithQueries & WithSelf, request: SessionRequest): Promise<RouteResponse> {
  return read(context, request, listEndpoint, {}, (sessions) => sessions)
}

async function read<Args, Reply>(
  context: WithQueries & WithSelf,
  request: SessionRequest,
  endpoint: QueryEndpoint<Args, Reply>,
  args: Args,
  sessions: (reply: Reply) => readonly SessionRow[],
): Promise<RouteResponse> {
  const options = parseReadOptions(context, request.query)
  if (!options.ok) return failed(options.error)
  const answer = await context.query(endpoint, args, options.value, request.call)
  if (!answer.ok) return failedRead(answer.error)
  const { value, meta } = answer.value
  return { kind: 'json', value: sessions(value).map(sessionJson), meta }
}

/** The session to be changed, and its datacenter. */
function changeOf(
  context: WithSelf,
  request: SessionRequest,
): Result<{ readonly id: string; readonly call: CallOptions }, Failure> {
  const call = writingCall(context, request)
  if (!call.ok) return call
  const id = sessionIdOf(textOfByteString(request.rest))
  return id.ok ? ok({ id: id.value, call: call.value }) : err({ kind: 'bad-request', message: id.error })
}
