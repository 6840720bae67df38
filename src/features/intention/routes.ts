import { z } from 'zod'
import { textOfByteString } from '../../base/bytes.ts'
import { err, ok, type Result } from '../../base/result.ts'
import type { Failure } from '../../model/failure.ts'
import type { CallOptions } from '../contract/call.ts'
import { badRequest, declared, failed, type Route, type RouteRequest, type RouteResponse } from '../contract/route.ts'
import type { WithAliases, WithQueries, WithSelf, WithServerCalls, WithWrites } from '../contract/route-context.ts'
import type { WithEnv, WithNaming } from '../contract/surroundings.ts'
import { filter, jsonAnswer, listOf, readParameters, textAnswer } from '../http/declared.ts'
import { entryTypeOf } from '../http/entry-type.ts'
import { filterOf, shownOf } from '../http/filtering.ts'
import { decodeBody } from '../http/json-body.ts'
import { parseReadOptions, type ReadName, writingCall } from '../http/read-options.ts'
import { applyEndpoint } from './apply-endpoint.ts'
import { type AuthorizeContext, authorizeRoute } from './authorize.ts'
import { intentionBody, intentionIdOf, saidIn } from './body.ts'
import { checkEndpoint, getEndpoint, listEndpoint, matchEndpoint } from './endpoint.ts'
import { intentionJson, intentionShape } from './model.ts'
import { checkParameters, checkQuestion, matchParameters, matchQuestion } from './questions.ts'

/** The part of the route context that these routes use. */
type IntentionContext = WithEnv & WithNaming & WithAliases & WithWrites & WithQueries & WithServerCalls & WithSelf

const intentionType = entryTypeOf(intentionShape)
const intention = { name: 'intention', about: 'ID of an intention.' } as const
const written = jsonAnswer('Its ID.', z.strictObject({ ID: z.string() }))
const givenAbout = 'The intention. Names of members may have their letters in any case.'
const writeAsks = { asks: 'service:intentions=write of its destination' } as const

/** Answers wait for a change, like the field's, but have no index. Reference: mesh.md#intention-calls. */
export const intentionRoutes: readonly Route<IntentionContext & AuthorizeContext>[] = [
  {
    path: '/v1/connect/intentions',
    since: 'mesh',
    operations: {
      GET: declared({
        summary: 'All intentions',
        access: { asks: 'service:intentions=read of the destination of each' },
        query: [...readParameters, filter],
        answers: [jsonAnswer('Intentions, in order of precedence.', listOf(intentionShape))],
        handle: list,
      }),
      POST: declared({
        summary: 'Make an intention',
        access: writeAsks,
        query: readParameters,
        body: { about: givenAbout, required: true, json: intentionBody.accepts },
        answers: [written],
        handle: create,
      }),
    },
  },
  {
    path: '/v1/connect/intentions/match',
    since: 'mesh',
    operations: {
      GET: declared({
        summary: 'Intentions that apply to a service',
        access: { asks: 'service:intentions=read of each name' },
        query: [...readParameters, ...matchParameters],
        answers: [
          jsonAnswer(
            'By the requested names: intentions in order of precedence, null where there are none.',
            z.record(z.string(), listOf(intentionShape).nullable()),
          ),
        ],
        handle: match,
      }),
    },
  },
  {
    path: '/v1/connect/intentions/check',
    since: 'mesh',
    operations: {
      GET: declared({
        summary: 'Whether one service may connect to another',
        access: { asks: 'service:read of the destination' },
        query: [...readParameters, ...checkParameters],
        answers: [jsonAnswer('Whether it may.', z.strictObject({ Allowed: z.boolean() }))],
        handle: check,
      }),
    },
  },
  {
    path: '/v1/connect/intentions/',
    since: 'mesh',
    rest: intention,
    operations: {
      GET: declared({
        summary: 'Read an intention',
        access: { asks: 'service:intentions=read of its destination' },
        query: readParameters,
        answers: [jsonAnswer('The intention.', intentionShape), textAnswer(404, 'There is no such intention.')],
        handle: read,
      }),
      PUT: declared({
        summary: 'Replace an intention',
        access: { asks: 'service:intentions=write of the old and the new destination' },
        query: readParameters,
        body: { about: givenAbout, required: true, json: intentionBody.accepts },
        answers: [written],
        handle: update,
      }),
      DELETE: declared({
        summary: 'Delete an intention',
        access: writeAsks,
        query: readParameters,
        answers: [jsonAnswer('Always true.', z.literal(true))],
        handle: remove,
      }),
    },
  },
  authorizeRoute,
]

type IntentionRequest = RouteRequest<ReadName>

async function list(
  context: WithEnv & WithNaming & WithQueries & WithSelf,
  request: RouteRequest<ReadName | 'filter'>,
): Promise<RouteResponse> {
  const options = parseReadOptions(context, request.query)
  if (!options.ok) return failed(options.error)
  const filter = filterOf(request.query, intentionType)
  if (!filter.ok) return failed(filter.error)
  const answer = await context.query(listEndpoint, {}, options.value, request.call)
  if (!answer.ok) return failed(answer.error)
  const shown = await shownOf(context, filter.value, answer.value.value, (row) => intentionJson(row, context.naming))
  return shown.ok ? { kind: 'json', value: shown.value } : failed(shown.error)
}

async function read(context: WithQueries & WithSelf & WithNaming, request: IntentionRequest): Promise<RouteResponse> {
  const options = parseReadOptions(context, request.query)
  if (!options.ok) return failed(options.error)
  const id = intentionIdOf(textOfByteString(request.rest))
  if (!id.ok) return badRequest(`Bad request: ${id.error}`)
  const answer = await context.query(getEndpoint, { id: id.value }, options.value, request.call)
  if (!answer.ok) return failed(answer.error)
  const { value } = answer.value
  if (value === null) return failed({ kind: 'not-found', message: 'Intention not found' })
  return { kind: 'json', value: intentionJson(value, context.naming) }
}

async function create(context: IntentionContext, request: IntentionRequest): Promise<RouteResponse> {
  const call = writingCall(context, request)
  if (!call.ok) return failed(call.error)
  const body = decodeBody(request.body, intentionBody, 'Failed to decode request body')
  if (!body.ok) return failed(body.error)
  if (body.value.ID !== '') return badRequest('ID must be empty when creating a new intention')
  const said = saidIn(body.value, context)
  const created = await context.write(applyEndpoint, { operation: 'create', said }, call.value)
  return created.ok ? { kind: 'json', value: { ID: created.value } } : failed(created.error)
}

/** The path names the intention, and the body's ID is ignored. */
async function update(context: IntentionContext, request: IntentionRequest): Promise<RouteResponse> {
  const change = changeOf(context, request)
  if (!change.ok) return failed(change.error)
  const body = decodeBody(request.body, intentionBody)
  if (!body.ok) return failed(body.error)
  const { id, call } = change.value
  const said = saidIn(body.value, context)
  const updated = await context.write(applyEndpoint, { operation: 'update', id, said }, call)
  return updated.ok ? { kind: 'json', value: { ID: updated.value } } : failed(updated.error)
}

async function remove(context: WithWrites & WithSelf, request: IntentionRequest): Promise<RouteResponse> {
  const change = changeOf(context, request)
  if (!change.ok) return failed(change.error)
  const { id, call } = change.value
  const gone = await context.write(applyEndpoint, { operation: 'delete', id }, call)
  return gone.ok ? { kind: 'json', value: true } : failed(gone.error)
}

/** The intention to be changed, and its datacenter. */
function changeOf(
  context: WithSelf,
  request: IntentionRequest,
): Result<{ readonly id: string; readonly call: CallOptions }, Failure> {
  const call = writingCall(context, request)
  if (!call.ok) return call
  const id = intentionIdOf(textOfByteString(request.rest))
  if (id.ok) return ok({ id: id.value, call: call.value })
  return err({ kind: 'bad-request', message: `Intention lookup failed: ${id.error}` })
}

async function match(
  context: WithQueries & WithSelf & WithNaming,
  request: RouteRequest<ReadName | (typeof matchParameters)[number]['name']>,
): Promise<RouteResponse> {
  const options = parseReadOptions(context, request.query)
  if (!options.ok) return failed(options.error)
  const question = matchQuestion(request.query)
  if (!question.ok) return badRequest(question.error)
  const { by, names, places } = question.value
  const answer = await context.query(matchEndpoint, { by, places }, options.value, request.call)
  if (!answer.ok) return failed(answer.error)
  const found = answer.value.value.map((rows) =>
    rows.length === 0 ? null : rows.map((row) => intentionJson(row, context.naming)),
  )
  return { kind: 'json', value: Object.fromEntries(names.map((name, at) => [name, found[at] ?? null])) }
}

async function check(
  context: IntentionContext,
  request: RouteRequest<ReadName | (typeof checkParameters)[number]['name']>,
): Promise<RouteResponse> {
  const options = parseReadOptions(context, request.query)
  if (!options.ok) return failed(options.error)
  const question = checkQuestion(request.query, context)
  if (!question.ok) return badRequest(question.error)
  const allowed = await context.ask(checkEndpoint, question.value, options.value, request.call)
  return allowed.ok ? { kind: 'json', value: { Allowed: allowed.value } } : failed(allowed.error)
}
