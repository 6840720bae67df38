import { z } from 'zod'
import { textOfByteString } from '../../base/bytes.ts'
import { err, type Result } from '../../base/result.ts'
import type { Failure } from '../../model/failure.ts'
import { hasBehaviour } from '../../model/release.ts'
import type { CallOptions } from '../contract/call.ts'
import {
  badRequest,
  declared,
  failed,
  failedRead,
  type Route,
  type RouteRequest,
  type RouteResponse,
} from '../contract/route.ts'
import type {
  WithAccess,
  WithCachedReads,
  WithQueries,
  WithSelf,
  WithServerCalls,
  WithWrites,
} from '../contract/route-context.ts'
import type { WithEnv, WithNaming, WithRelease } from '../contract/surroundings.ts'
import { cacheControl, done, indexHeaders, jsonAnswer, listOf, readParameters, textAnswer } from '../http/declared.ts'
import { parseReadOptions, type ReadName, writingCall } from '../http/read-options.ts'
import { queryBody, queryGiven, queryIdOf } from './body.ts'
import { createEndpoint, deleteEndpoint, getEndpoint, listEndpoint, updateEndpoint } from './endpoint.ts'
import { execute, executeParameters, explain, forwardedFor } from './execute-routes.ts'
import { executionShape, explanationShape } from './execution-json.ts'
import { type QueryDefinition, queryJson, queryShape } from './model.ts'
import { noSuchQuery } from './views.ts'

/** The part of the route context that these routes use. */
type QueryContext = WithNaming &
  WithEnv &
  WithRelease &
  WithWrites &
  WithQueries &
  WithCachedReads &
  WithServerCalls &
  WithAccess &
  WithSelf

const unknownQuery = textAnswer(404, 'There is no such query.')
const definitionAbout = 'The query. Names of members may have their letters in any case.'
/** Only reads have a `consistency`. */
const readHeaders = [...indexHeaders, 'effectiveConsistency'] as const

/** Reference: prepared-queries.md#endpoints. */
export const queryRoutes: readonly Route<QueryContext>[] = [
  {
    path: '/v1/query',
    since: 'prepared-queries',
    operations: {
      GET: declared({
        summary: 'All prepared queries',
        access: { asks: 'query:read of each; acl:write for those without a name, and to see tokens' },
        query: readParameters,
        answers: [jsonAnswer('Queries.', listOf(queryShape), readHeaders)],
        handle: list,
      }),
      POST: declared({
        summary: 'Make a prepared query',
        access: { asks: 'query:write, where it has a name' },
        query: readParameters,
        body: { about: definitionAbout, required: true, json: queryBody.accepts },
        answers: [jsonAnswer('Its ID.', z.strictObject({ ID: z.string() }))],
        handle: create,
      }),
    },
  },
  {
    path: '/v1/query/',
    since: 'prepared-queries',
    rest: { name: 'query', about: 'ID of a query; to execute or explain it, its name does as well.' },
    operations: {
      GET: declared({
        summary: 'Read a prepared query',
        access: { asks: 'query:read, where it has a name; acl:write to see its token' },
        query: readParameters,
        answers: [jsonAnswer('The query, in a list.', listOf(queryShape), readHeaders), unknownQuery],
        handle: read,
      }),
      PUT: declared({
        summary: 'Replace a prepared query',
        access: { asks: 'query:write of the old and the new name, where there is one' },
        query: readParameters,
        body: { about: definitionAbout, required: true, json: queryBody.accepts },
        answers: [done, unknownQuery],
        handle: update,
      }),
      DELETE: declared({
        summary: 'Delete a prepared query',
        access: { asks: 'query:write, where it has a name' },
        query: readParameters,
        answers: [done, unknownQuery],
        handle: remove,
      }),
    },
    endings: {
      '/execute': {
        GET: declared({
          summary: 'Execute a prepared query',
          access: { asks: 'node:read and service:read of what it finds: of the token of the query, if it has one' },
          query: executeParameters,
          headers: [cacheControl, forwardedFor],
          answers: [
            jsonAnswer('The instances found, and their datacenter.', executionShape, [
              ...readHeaders,
              'cache?',
              'age?',
            ]),
            unknownQuery,
          ],
          handle: execute,
        }),
      },
      '/explain': {
        GET: declared({
          summary: 'Which query would be executed',
          access: { asks: 'query:read' },
          query: readParameters,
          answers: [jsonAnswer('The query, completed.', explanationShape, readHeaders), unknownQuery],
          handle: explain,
        }),
      },
    },
  },
]

type QueryRequest = RouteRequest<ReadName>

async function list(context: WithQueries & WithSelf, request: QueryRequest): Promise<RouteResponse> {
  const options = parseReadOptions(context, request.query)
  if (!options.ok) return failed(options.error)
  const answer = await context.query(listEndpoint, {}, options.value, request.call)
  if (!answer.ok) return failedRead(answer.error)
  const { value, meta } = answer.value
  return { kind: 'json', value: value.map(queryJson), meta, consistency: options.value.consistency }
}

async function read(context: WithQueries & WithSelf, request: QueryRequest): Promise<RouteResponse> {
  const options = parseReadOptions(context, request.query)
  if (!options.ok) return failed(options.error)
  const id = queryIdOf(textOfByteString(request.rest))
  if (!id.ok) return badRequest(id.error)
  const answer = await context.query(getEndpoint, { id: id.value }, options.value, request.call)
  if (!answer.ok) return failedRead(answer.error)
  const { value, meta } = answer.value
  if (value === null) return failed(noSuchQuery)
  return { kind: 'json', value: [queryJson(value)], meta, consistency: options.value.consistency }
}

async function create(context: QueryContext, request: QueryRequest): Promise<RouteResponse> {
  const call = writingCall(context, request)
  if (!call.ok) return failed(call.error)
  const given = queryGiven(request.body)
  if (!given.ok) return failed(given.error)
  if (given.value.id !== '') return badRequest('ID must be empty when creating a new prepared query')
  const definition = withToken(context, given.value.definition, call.value)
  const created = await context.write(createEndpoint, definition, call.value)
  return created.ok ? { kind: 'json', value: { ID: created.value } } : failed(created.error)
}

/** The path names the query, and the body's ID is ignored. */
async function update(context: QueryContext, request: QueryRequest): Promise<RouteResponse> {
  const call = writingCall(context, request)
  if (!call.ok) return failed(call.error)
  const body = queryGiven(request.body)
  if (!body.ok) return failed(body.error)
  const id = idToChange(request.rest)
  if (!id.ok) return failed(id.error)
  const definition = withToken(context, body.value.definition, call.value)
  return changed(await context.write(updateEndpoint, { ...definition, id: id.value }, call.value))
}

/** Release: `query-tokens-as-given`. */
function withToken(
  { release, accessControl }: WithRelease & WithAccess,
  definition: QueryDefinition,
  call: CallOptions,
): QueryDefinition {
  if (hasBehaviour(release, 'query-tokens-as-given') || accessControl === undefined) return definition
  return { ...definition, token: call.token || accessControl.defaultToken() }
}

async function remove(context: WithWrites & WithSelf, request: QueryRequest): Promise<RouteResponse> {
  const call = writingCall(context, request)
  if (!call.ok) return failed(call.error)
  const id = idToChange(request.rest)
  if (!id.ok) return failed(id.error)
  return changed(await context.write(deleteEndpoint, { id: id.value }, call.value))
}

function idToChange(rest: string): Result<string, Failure> {
  const id = queryIdOf(textOfByteString(rest))
  return id.ok ? id : err({ kind: 'bad-request', message: `Prepared Query lookup failed: ${id.error}` })
}

function changed(outcome: Result<string, Failure>): RouteResponse {
  return outcome.ok ? { kind: 'empty', status: 200 } : failed(outcome.error)
}
