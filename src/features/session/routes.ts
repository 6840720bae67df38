import { textOfByteString } from '../../base/bytes.ts'
import { err, ok, type Result } from '../../base/result.ts'
import type { Failure } from '../../model/failure.ts'
import type { AgentContext, CallOptions, QueryEndpoint, Route, RouteRequest, RouteResponse } from '../manifest.ts'
import { parseReadOptions, writingCall } from '../read-options.ts'
import { badRequest, failed } from '../responses.ts'
import { sessionIdOf } from '../session-id.ts'
import { createArgsOf } from './create-body.ts'
import { createEndpoint, destroyEndpoint, infoEndpoint, listEndpoint, nodeEndpoint, renewEndpoint } from './endpoint.ts'
import { type SessionRow, sessionJson } from './model.ts'

/** Reference: HTTP API 6. */
export const sessionRoutes: readonly Route[] = [
  {
    methods: ['PUT'],
    path: '/v1/session/create',
    handle: async (agent, request) => {
      const call = writingCall(agent, request)
      if (!call.ok) return failed(call.error)
      const args = createArgsOf(request.body, agent.self().nodeName)
      if (!args.ok) return failed(args.error)
      const created = await agent.write(createEndpoint, args.value, call.value)
      return created.ok ? { kind: 'json', value: { ID: created.value } } : failed(created.error)
    },
  },
  {
    methods: ['PUT'],
    path: '/v1/session/destroy/',
    handle: async (agent, request) => {
      const change = changeOf(agent, request)
      if (!change.ok) return failed(change.error)
      const { id, call } = change.value
      const done = await agent.write(destroyEndpoint, { id }, call)
      return done.ok ? { kind: 'json', value: done.value } : failed(done.error)
    },
  },
  {
    methods: ['PUT'],
    path: '/v1/session/renew/',
    handle: async (agent, request) => {
      const change = changeOf(agent, request)
      if (!change.ok) return failed(change.error)
      const { id, call } = change.value
      const renewed = await agent.write(renewEndpoint, { id }, call)
      if (!renewed.ok) return failed(renewed.error)
      if (renewed.value !== null) return { kind: 'json', value: [sessionJson(renewed.value)] }
      return failed({ kind: 'not-found', message: `Session id '${id}' not found` })
    },
  },
  {
    methods: ['GET'],
    path: '/v1/session/info/',
    handle: (agent, request) => {
      const id = sessionIdOf(textOfByteString(request.rest))
      if (!id.ok) return Promise.resolve(badRequest(id.error))
      return read(agent, request, infoEndpoint, { id: id.value }, (session) => (session === null ? [] : [session]))
    },
  },
  {
    methods: ['GET'],
    path: '/v1/session/node/',
    handle: (agent, request) => {
      if (request.rest === '') return Promise.resolve(badRequest('Missing node name'))
      return read(agent, request, nodeEndpoint, { node: textOfByteString(request.rest) }, (sessions) => sessions)
    },
  },
  {
    methods: ['GET'],
    path: '/v1/session/list',
    handle: (agent, request) => read(agent, request, listEndpoint, {}, (sessions) => sessions),
  },
]

async function read<Args, Reply>(
  agent: AgentContext,
  request: RouteRequest,
  endpoint: QueryEndpoint<Args, Reply>,
  args: Args,
  sessions: (reply: Reply) => readonly SessionRow[],
): Promise<RouteResponse> {
  const options = parseReadOptions(agent, request.query)
  if (!options.ok) return failed(options.error)
  const answer = await agent.query(endpoint, args, options.value, request.call)
  if (!answer.ok) return failed(answer.error)
  const { value, meta } = answer.value
  return { kind: 'json', value: sessions(value).map(sessionJson), meta }
}

/** The session that is to be changed, and where. */
function changeOf(
  agent: AgentContext,
  request: RouteRequest,
): Result<{ readonly id: string; readonly call: CallOptions }, Failure> {
  const call = writingCall(agent, request)
  if (!call.ok) return call
  const id = sessionIdOf(textOfByteString(request.rest))
  return id.ok ? ok({ id: id.value, call: call.value }) : err({ kind: 'bad-request', message: id.error })
}
