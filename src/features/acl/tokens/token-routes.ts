import { z } from 'zod'
import { textOfByteString } from '../../../base/bytes.ts'
import { ok } from '../../../base/result.ts'
import {
  declared,
  failed,
  failedRead,
  type NamesOf,
  type Route,
  type RouteRequest,
  type RouteResponse,
} from '../../contract/route.ts'
import type { WithAccess, WithQueries, WithSelf, WithServerCalls, WithWrites } from '../../contract/route-context.ts'
import type { WithEnv, WithRelease } from '../../contract/surroundings.ts'
import {
  filter,
  indexHeaders,
  jsonAnswer,
  listOf,
  parameter,
  readParameters,
  taken,
  textAnswer,
} from '../../http/declared.ts'
import { entryTypeOf } from '../../http/entry-type.ts'
import { filterOf, shownOf } from '../../http/filtering.ts'
import { decodeBody } from '../../http/json-body.ts'
import { tokenJson, tokenShape, tokenStubJson, tokenStubShape } from '../model.ts'
import {
  type AclRequest,
  badShape,
  cloneBody,
  type Entered,
  idInPath,
  newAclAnswers,
  tokenBody,
  whereKnown,
  writeNew,
} from '../route-checks.ts'
import { tokenListEndpoint, tokenSelfEndpoint } from './token-endpoints.ts'
import { hereOrThere, readTokens, tokenInPath } from './token-places.ts'
import { tokenCloneEndpoint, tokenDeleteEndpoint, tokenSetEndpoint } from './token-write-endpoints.ts'

/** The part of the route context that these routes use. */
type TokenContext = WithEnv & WithRelease & WithWrites & WithQueries & WithServerCalls & WithAccess & WithSelf

const accessor = { name: 'accessor', about: 'Accessor ID of a token.', secret: true } as const
const tokenType = entryTypeOf(tokenStubShape)
const body = { about: 'The token. Names of members may have their letters in any case.', required: true }
const written = jsonAnswer('The token as it is stored.', tokenShape)
const found = jsonAnswer('The token.', tokenShape, indexHeaders)
const unknown = textAnswer(403, 'There is no such token.', indexHeaders)
/** As an answer to a write, which says nothing of an index. */
const unknownToWrite = textAnswer(403, 'There is no such token.')
const listParameters = [
  ...readParameters,
  parameter('policy', z.string(), 'Only tokens that are bound to the policy of this ID.'),
  filter,
] as const

const ownToken = 'a caller with the secret may read its token'

/** Reference: access-control.md#endpoints, access-control.md#token-object. */
export const tokenRoutes: readonly Route<TokenContext>[] = [
  {
    path: '/v1/acl/tokens',
    operations: {
      GET: declared({
        summary: 'All tokens',
        access: { asks: 'acl:read' },
        query: listParameters,
        answers: newAclAnswers(
          jsonAnswer('Tokens, without their secrets and rules.', listOf(tokenStubShape), indexHeaders),
        ),
        handle: whereKnown(listTokens),
      }),
    },
  },
  {
    path: '/v1/acl/token',
    operations: {
      PUT: declared({
        summary: 'Make a token',
        access: { asks: 'acl:write' },
        query: readParameters,
        body: { ...body, json: tokenBody.accepts },
        answers: newAclAnswers(written),
        handle: whereKnown((context, request, entry) => setToken(context, request, entry, '')),
      }),
    },
  },
  {
    path: '/v1/acl/token/self',
    operations: {
      GET: declared({
        summary: 'The token that the request is made with',
        access: { open: ownToken },
        query: readParameters,
        answers: newAclAnswers(found, unknown),
        handle: whereKnown(readSelf),
      }),
    },
  },
  {
    path: '/v1/acl/token/',
    rest: accessor,
    below: 'clone',
    operations: {
      PUT: declared({
        summary: 'Make another token with the same rights',
        access: { asks: 'acl:write' },
        query: readParameters,
        body: {
          about: 'Its description; that of the other where there is none.',
          required: false,
          json: cloneBody.accepts,
        },
        answers: newAclAnswers(written, unknownToWrite),
        handle: whereKnown(cloneToken),
      }),
    },
  },
  {
    path: '/v1/acl/token/',
    rest: accessor,
    operations: {
      GET: declared({
        summary: 'Read a token',
        access: { asks: 'acl:read; the secret, acl:write' },
        query: readParameters,
        answers: newAclAnswers(found, unknown),
        handle: whereKnown(readToken),
      }),
      PUT: declared({
        summary: 'Replace a token',
        access: { asks: 'acl:write' },
        query: readParameters,
        body: { ...body, json: tokenBody.accepts },
        answers: newAclAnswers(written),
        handle: whereKnown((context, request, entry) =>
          setToken(context, request, entry, textOfByteString(request.rest)),
        ),
      }),
      DELETE: declared({
        summary: 'Delete a token',
        access: { asks: 'acl:write' },
        query: readParameters,
        answers: newAclAnswers(taken),
        handle: whereKnown(deleteToken),
      }),
    },
  },
]

async function listTokens(
  context: WithEnv & WithQueries & WithServerCalls & WithSelf,
  request: RouteRequest<NamesOf<typeof listParameters>>,
  entry: Entered,
): Promise<RouteResponse> {
  const filter = filterOf(request.query, tokenType)
  if (!filter.ok) return failed(filter.error)
  const policy = request.query.get('policy') ?? ''
  const read = await readTokens(context, request, entry, tokenListEndpoint, { policy })
  if ('response' in read) return read.response
  const shown = await shownOf(context, filter.value, read.found, tokenStubJson)
  return shown.ok ? { kind: 'json', value: shown.value, meta: read.meta } : failed(shown.error)
}

/** A caller without a token has none to read: the anonymous token belongs to no caller. */
async function readSelf(
  context: WithQueries & WithServerCalls & WithSelf,
  request: AclRequest,
  entry: Entered,
): Promise<RouteResponse> {
  const given = request.call.token ?? ''
  const secret = given === '' ? entry.access.defaultToken() : given
  const read = await readTokens(context, request, entry, tokenSelfEndpoint, { secret })
  if ('response' in read) return read.response
  if (read.found === null) return failedRead({ kind: 'token-not-found' }, read.meta)
  return { kind: 'json', value: tokenJson(read.found), meta: read.meta }
}

async function readToken(
  context: WithQueries & WithServerCalls & WithSelf,
  request: AclRequest,
  entry: Entered,
): Promise<RouteResponse> {
  const read = await tokenInPath(context, request, entry)
  if ('response' in read) return read.response
  return { kind: 'json', value: tokenJson(read.found), meta: read.meta }
}

async function setToken(
  context: WithWrites & WithSelf,
  request: AclRequest,
  entry: Entered,
  accessor: string,
): Promise<RouteResponse> {
  const given = decodeBody(request.body, tokenBody, 'Bad request: Token decoding failed')
  if (!given.ok) return failed(given.error)
  const { AccessorID, SecretID: secret, Description: description, Policies, Local: local, Rules, Type } = given.value
  if (AccessorID !== '' && AccessorID !== accessor) {
    return badShape('Token Accessor ID in URL and payload do not match')
  }
  const policies = Policies.map(({ ID, Name }) => ({ id: ID, name: Name }))
  const args = { accessor, secret, description, policies, local, rules: Rules !== '', type: Type !== '' }
  const where = local ? 'asked' : 'primary'
  const set = await writeNew(context, request, entry, where, [tokenSetEndpoint, args])
  return set.ok ? { kind: 'json', value: tokenJson(set.value) } : failed(set.error)
}

async function cloneToken(context: WithWrites & WithSelf, request: AclRequest, entry: Entered): Promise<RouteResponse> {
  const accessor = idInPath(request, 'token')
  if (!accessor.ok) return accessor.error
  const given =
    request.body.length === 0
      ? ok({ Description: '' })
      : decodeBody(request.body, cloneBody, 'Bad request: Token decoding failed')
  if (!given.ok) return failed(given.error)
  const args = { accessor: accessor.value, description: given.value.Description }
  const cloned = await hereOrThere(context, request, entry, [tokenCloneEndpoint, args])
  if (!cloned.ok) return failed(cloned.error)
  return cloned.value === null ? failed({ kind: 'token-not-found' }) : { kind: 'json', value: tokenJson(cloned.value) }
}

async function deleteToken(
  context: WithWrites & WithSelf,
  request: AclRequest,
  entry: Entered,
): Promise<RouteResponse> {
  const accessor = idInPath(request, 'token')
  if (!accessor.ok) return accessor.error
  const gone = await hereOrThere(context, request, entry, [tokenDeleteEndpoint, { accessor: accessor.value }])
  return gone.ok ? { kind: 'json', value: gone.value } : failed(gone.error)
}
