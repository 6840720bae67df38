import { textOfByteString } from '../../base/bytes.ts'
import { err, type Result } from '../../base/result.ts'
import type { Failure } from '../../model/failure.ts'
import { hasBehaviour } from '../../model/release.ts'
import { nothingRead } from '../discovery-reads.ts'
import type { AgentContext, Route, RouteRequest, RouteResponse } from '../manifest.ts'
import { parseReadOptions, writingCall } from '../read-options.ts'
import { badRequest, failed } from '../responses.ts'
import { queryGiven, queryIdOf } from './body.ts'
import { createEndpoint, deleteEndpoint, getEndpoint, listEndpoint, updateEndpoint } from './endpoint.ts'
import { execute, explain } from './execute-routes.ts'
import { queryJson } from './model.ts'

const executeEnd = '/execute'
const explainEnd = '/explain'

/** Reference: HTTP API 10. */
export const queryRoutes: readonly Route[] = [
  {
    methods: ['GET', 'POST'],
    path: '/v1/query',
    handle: whereKnown((agent, request) => (request.method === 'GET' ? list(agent, request) : create(agent, request))),
  },
  {
    methods: ['GET', 'PUT', 'DELETE'],
    path: '/v1/query/',
    methodsOf: (rest) => (rest.endsWith(executeEnd) || rest.endsWith(explainEnd) ? ['GET'] : ['GET', 'PUT', 'DELETE']),
    handle: whereKnown((agent, request) => {
      const rest = textOfByteString(request.rest)
      if (rest.endsWith(executeEnd)) return execute(agent, request, rest.slice(0, -executeEnd.length))
      if (rest.endsWith(explainEnd)) return explain(agent, request, rest.slice(0, -explainEnd.length))
      if (request.method === 'GET') return read(agent, request, rest)
      return request.method === 'PUT' ? update(agent, request, rest) : remove(agent, request, rest)
    }),
  },
]

/** There is nothing at these paths on an agent of a release before they came. */
function whereKnown(handle: Route['handle']): Route['handle'] {
  return async (agent, request) =>
    hasBehaviour(agent.release, 'prepared-queries') ? handle(agent, request) : { kind: 'empty', status: 404 }
}

async function list(agent: AgentContext, request: RouteRequest): Promise<RouteResponse> {
  const options = parseReadOptions(agent, request.query)
  if (!options.ok) return failed(options.error)
  const answer = await agent.query(listEndpoint, {}, options.value, request.call)
  if (!answer.ok) return { kind: 'failure', failure: answer.error, meta: nothingRead }
  const { value, meta } = answer.value
  return { kind: 'json', value: value.map(queryJson), meta, consistency: options.value.consistency }
}

async function read(agent: AgentContext, request: RouteRequest, given: string): Promise<RouteResponse> {
  const options = parseReadOptions(agent, request.query)
  if (!options.ok) return failed(options.error)
  const id = queryIdOf(given)
  if (!id.ok) return badRequest(id.error)
  const answer = await agent.query(getEndpoint, { id: id.value }, options.value, request.call)
  if (!answer.ok) return { kind: 'failure', failure: answer.error, meta: nothingRead }
  const { value, meta } = answer.value
  if (value === null) return failed({ kind: 'not-found', message: 'Query not found' })
  return { kind: 'json', value: [queryJson(value)], meta, consistency: options.value.consistency }
}

async function create(agent: AgentContext, request: RouteRequest): Promise<RouteResponse> {
  const call = writingCall(agent, request)
  if (!call.ok) return failed(call.error)
  const given = queryGiven(request.body)
  if (!given.ok) return failed(given.error)
  if (given.value.id !== '') return badRequest('ID must be empty when creating a new prepared query')
  const created = await agent.write(createEndpoint, given.value.definition, call.value)
  return created.ok ? { kind: 'json', value: { ID: created.value } } : failed(created.error)
}

/** The path names the query, whatever the body says. */
async function update(agent: AgentContext, request: RouteRequest, given: string): Promise<RouteResponse> {
  const call = writingCall(agent, request)
  if (!call.ok) return failed(call.error)
  const body = queryGiven(request.body)
  if (!body.ok) return failed(body.error)
  const id = idToChange(given)
  if (!id.ok) return failed(id.error)
  return done(await agent.write(updateEndpoint, { ...body.value.definition, id: id.value }, call.value))
}

async function remove(agent: AgentContext, request: RouteRequest, given: string): Promise<RouteResponse> {
  const call = writingCall(agent, request)
  if (!call.ok) return failed(call.error)
  const id = idToChange(given)
  if (!id.ok) return failed(id.error)
  return done(await agent.write(deleteEndpoint, { id: id.value }, call.value))
}

function idToChange(given: string): Result<string, Failure> {
  const id = queryIdOf(given)
  return id.ok ? id : err({ kind: 'bad-request', message: `Prepared Query lookup failed: ${id.error}` })
}

function done(outcome: Result<string, Failure>): RouteResponse {
  return outcome.ok ? { kind: 'empty', status: 200 } : failed(outcome.error)
}
