import { z } from 'zod'
import { textOfByteString } from '../../../base/bytes.ts'
import type { Result } from '../../../base/result.ts'
import type { Failure } from '../../../model/failure.ts'
import type { QueryEndpoint } from '../../contract/endpoint.ts'
import type { Answer } from '../../contract/reading.ts'
import { badRequest, declared, failed, failedRead, type Route, type RouteResponse } from '../../contract/route.ts'
import type { WithAccess, WithQueries, WithSelf, WithServerCalls, WithWrites } from '../../contract/route-context.ts'
import { indexHeaders, jsonAnswer, listOf, readParameters, taken, textAnswer } from '../../http/declared.ts'
import { decodeBody } from '../../http/json-body.ts'
import { legacyTokenJson, legacyTokenShape } from '../model.ts'
import { type AclRequest, aclAnswers, type Entered, legacyBody, primaryCall, whereOn } from '../route-checks.ts'
import { readWhereKept } from '../tokens/token-places.ts'
import { legacyDeleteEndpoint, legacyListEndpoint, legacyReadEndpoint, legacySetEndpoint } from './legacy-endpoints.ts'

/** The part of the route context that these routes use. */
type LegacyContext = WithWrites & WithQueries & WithServerCalls & WithAccess & WithSelf

const secret = { name: 'id', about: 'ID of a legacy token, which is its secret.', secret: true } as const
const tokens = jsonAnswer('Legacy tokens, with their secrets.', listOf(legacyTokenShape), indexHeaders)
const made = jsonAnswer('The ID.', z.strictObject({ ID: z.string() }))
const body = { about: 'The token. Names of members may have their letters in any case.', json: legacyBody.accepts }

const ownToken = 'a caller with the secret may read its token'

/** Reference: access-control.md#legacy-api. */
export const legacyRoutes: readonly Route<LegacyContext>[] = [
  {
    path: '/v1/acl/create',
    operations: {
      PUT: declared({
        summary: 'Make a legacy token',
        access: { asks: 'acl:write' },
        query: readParameters,
        body: { ...body, required: false },
        answers: aclAnswers(made),
        handle: whereOn(create),
      }),
    },
  },
  {
    path: '/v1/acl/update',
    operations: {
      PUT: declared({
        summary: 'Replace a legacy token',
        access: { asks: 'acl:write' },
        query: readParameters,
        body: { ...body, required: true },
        answers: aclAnswers(made),
        handle: whereOn(update),
      }),
    },
  },
  {
    path: '/v1/acl/destroy/',
    rest: secret,
    operations: {
      PUT: declared({
        summary: 'Delete a legacy token',
        access: { asks: 'acl:write' },
        query: readParameters,
        answers: aclAnswers(taken),
        handle: whereOn(destroy),
      }),
    },
  },
  {
    path: '/v1/acl/info/',
    rest: secret,
    operations: {
      GET: declared({
        summary: 'Read a legacy token',
        access: { open: ownToken },
        query: readParameters,
        answers: aclAnswers(tokens),
        handle: whereOn(info),
      }),
    },
  },
  {
    path: '/v1/acl/clone/',
    rest: secret,
    operations: {
      PUT: declared({
        summary: 'Make another legacy token with the same rules',
        access: { asks: 'acl:write' },
        query: readParameters,
        answers: aclAnswers(
          jsonAnswer('The ID.', z.strictObject({ ID: z.string() }), indexHeaders),
          textAnswer(403, 'There is no such token.', indexHeaders),
        ),
        handle: whereOn(clone),
      }),
    },
  },
  {
    path: '/v1/acl/list',
    operations: {
      GET: declared({
        summary: 'All legacy tokens',
        access: { asks: 'acl:write' },
        query: readParameters,
        answers: aclAnswers(tokens),
        handle: whereOn(list),
      }),
    },
  },
]

const nothingGiven = { ID: '', Name: '', Type: '', Rules: '' }

/** A given ID may be that of an existing token, which is then replaced. */
async function create(context: WithWrites & WithSelf, request: AclRequest, entry: Entered): Promise<RouteResponse> {
  if (request.body.length === 0) return set(context, request, entry, nothingGiven)
  const given = decodeBody(request.body, legacyBody)
  return given.ok ? set(context, request, entry, given.value) : failed(given.error)
}

async function update(context: WithWrites & WithSelf, request: AclRequest, entry: Entered): Promise<RouteResponse> {
  const given = decodeBody(request.body, legacyBody)
  if (!given.ok) return failed(given.error)
  return given.value.ID === '' ? badRequest('ACL ID must be set') : set(context, request, entry, given.value)
}

type Given = typeof nothingGiven

async function set(
  context: WithWrites & WithSelf,
  request: AclRequest,
  { access }: Entered,
  given: Given,
): Promise<RouteResponse> {
  const { ID: id, Name: name, Type, Rules: rules } = given
  const args = { id, name, type: Type === '' ? 'client' : Type, rules }
  const written = await context.write(legacySetEndpoint, args, primaryCall(context, access, request))
  return written.ok ? { kind: 'json', value: { ID: written.value } } : failed(written.error)
}

async function destroy(context: WithWrites & WithSelf, request: AclRequest, entry: Entered): Promise<RouteResponse> {
  const id = textOfByteString(request.rest)
  if (id === '') return badRequest('Missing ACL')
  const gone = await context.write(legacyDeleteEndpoint, { id }, primaryCall(context, entry.access, request))
  return gone.ok ? { kind: 'json', value: gone.value } : failed(gone.error)
}

type ReadingContext = WithQueries & WithServerCalls & WithSelf

/** Reads where the tokens are kept, which may be the primary datacenter alone. */
async function readLegacy<Args, Reply>(
  context: ReadingContext,
  request: AclRequest,
  entry: Entered,
  endpoint: QueryEndpoint<Args, Reply>,
  args: Args,
): Promise<Result<Answer<Reply>, Failure>> {
  const read = await readWhereKept(context, request, entry)
  return read.ok ? context.query(endpoint, args, read.value, request.call) : read
}

async function info(context: ReadingContext, request: AclRequest, entry: Entered): Promise<RouteResponse> {
  const id = textOfByteString(request.rest)
  if (id === '') return badRequest('Missing ACL')
  const answer = await readLegacy(context, request, entry, legacyReadEndpoint, { id })
  if (!answer.ok) return failedRead(answer.error)
  const { value, meta } = answer.value
  return { kind: 'json', value: value === null ? [] : [legacyTokenJson(value)], meta }
}

async function list(context: ReadingContext, request: AclRequest, entry: Entered): Promise<RouteResponse> {
  const answer = await readLegacy(context, request, entry, legacyListEndpoint, {})
  if (!answer.ok) return failedRead(answer.error)
  return { kind: 'json', value: answer.value.value.map(legacyTokenJson), meta: answer.value.meta }
}

/** As in the field: reads the token and creates another with the same content. */
async function clone(context: LegacyContext, request: AclRequest, entry: Entered): Promise<RouteResponse> {
  const id = textOfByteString(request.rest)
  if (id === '') return badRequest('Missing ACL')
  const answer = await readLegacy(context, request, entry, legacyReadEndpoint, { id })
  if (!answer.ok) return failedRead(answer.error)
  const { value: source, meta } = answer.value
  if (source === null) return failedRead({ kind: 'permission-denied', message: 'Permission denied' }, meta)
  const args = { id: '', name: source.description, type: source.type, rules: source.rules }
  const made = await context.write(legacySetEndpoint, args, primaryCall(context, entry.access, request))
  return made.ok ? { kind: 'json', value: { ID: made.value }, meta } : failed(made.error)
}
