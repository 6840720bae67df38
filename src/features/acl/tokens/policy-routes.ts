import { textOfByteString } from '../../../base/bytes.ts'
import { declared, failed, type Route, type RouteRequest, type RouteResponse } from '../../contract/route.ts'
import type { WithAccess, WithQueries, WithSelf, WithServerCalls, WithWrites } from '../../contract/route-context.ts'
import type { WithEnv, WithRelease } from '../../contract/surroundings.ts'
import { filter, indexHeaders, jsonAnswer, listOf, readParameters, taken, textAnswer } from '../../http/declared.ts'
import { entryTypeOf } from '../../http/entry-type.ts'
import { filterOf, shownOf } from '../../http/filtering.ts'
import { decodeBody } from '../../http/json-body.ts'
import type { ReadName } from '../../http/read-options.ts'
import { policyJson, policyShape, policyStubJson, policyStubShape } from '../model.ts'
import {
  type AclRequest,
  badShape,
  type Entered,
  idInPath,
  newAclAnswers,
  oneFound,
  policyBody,
  readNew,
  whereKnown,
  writeNew,
} from '../route-checks.ts'
import { policyDeleteEndpoint, policyListEndpoint, policyReadEndpoint, policySetEndpoint } from './policy-endpoints.ts'

/** The part of the route context that these routes use. */
type PolicyContext = WithEnv & WithRelease & WithWrites & WithQueries & WithServerCalls & WithAccess & WithSelf

const policyType = entryTypeOf(policyStubShape)
const body = { about: 'The policy. Names of members may have their letters in any case.', required: true }
const written = jsonAnswer('The policy as it is stored.', policyShape)
const unknown = textAnswer(403, 'There is no such policy.', indexHeaders)

/** Reference: access-control.md#endpoints, access-control.md#policy-object. */
export const policyRoutes: readonly Route<PolicyContext>[] = [
  {
    path: '/v1/acl/policies',
    operations: {
      GET: declared({
        summary: 'All policies',
        access: { asks: 'acl:read' },
        query: [...readParameters, filter],
        answers: newAclAnswers(jsonAnswer('Policies, without their rules.', listOf(policyStubShape), indexHeaders)),
        handle: whereKnown(listPolicies),
      }),
    },
  },
  {
    path: '/v1/acl/policy',
    operations: {
      PUT: declared({
        summary: 'Make a policy',
        access: { asks: 'acl:write' },
        query: readParameters,
        body: { ...body, json: policyBody.accepts },
        answers: newAclAnswers(written),
        handle: whereKnown((context, request, entry) => setPolicy(context, request, entry, '')),
      }),
    },
  },
  {
    path: '/v1/acl/policy/',
    rest: { name: 'id', about: 'ID of a policy.', secret: true },
    operations: {
      GET: declared({
        summary: 'Read a policy',
        access: { asks: 'acl:read' },
        query: readParameters,
        answers: newAclAnswers(jsonAnswer('The policy.', policyShape, indexHeaders), unknown),
        handle: whereKnown(readPolicy),
      }),
      PUT: declared({
        summary: 'Replace a policy',
        access: { asks: 'acl:write' },
        query: readParameters,
        body: { ...body, json: policyBody.accepts },
        answers: newAclAnswers(written),
        handle: whereKnown((context, request, entry) =>
          setPolicy(context, request, entry, textOfByteString(request.rest)),
        ),
      }),
      DELETE: declared({
        summary: 'Delete a policy',
        access: { asks: 'acl:write' },
        query: readParameters,
        answers: newAclAnswers(taken),
        handle: whereKnown(deletePolicy),
      }),
    },
  },
]

async function listPolicies(
  context: WithEnv & WithQueries & WithServerCalls,
  request: RouteRequest<ReadName | 'filter'>,
  entry: Entered,
): Promise<RouteResponse> {
  const filter = filterOf(request.query, policyType)
  if (!filter.ok) return failed(filter.error)
  const read = await readNew(context, request, entry, policyListEndpoint, {})
  if ('response' in read) return read.response
  const shown = await shownOf(context, filter.value, read.found, policyStubJson)
  return shown.ok ? { kind: 'json', value: shown.value, meta: read.meta } : failed(shown.error)
}

async function readPolicy(
  context: WithQueries & WithServerCalls,
  request: AclRequest,
  entry: Entered,
): Promise<RouteResponse> {
  const id = idInPath(request, 'policy')
  if (!id.ok) return id.error
  const read = await readNew(context, request, entry, policyReadEndpoint, { id: id.value })
  if ('response' in read) return read.response
  const { found, meta } = read
  const one = oneFound('malformed' in found ? found : { row: found.policy }, meta)
  return 'response' in one ? one.response : { kind: 'json', value: policyJson(one.found), meta }
}

async function setPolicy(
  context: WithWrites & WithSelf,
  request: AclRequest,
  entry: Entered,
  id: string,
): Promise<RouteResponse> {
  const given = decodeBody(request.body, policyBody, 'Bad request: Policy decoding failed')
  if (!given.ok) return failed(given.error)
  const { ID, Name: name, Description: description, Rules: rules, Datacenters: datacenters } = given.value
  if (ID !== '' && ID !== id) return badShape('Policy ID in URL and payload do not match')
  const args = { id, name, description, rules, datacenters }
  const set = await writeNew(context, request, entry, 'primary', [policySetEndpoint, args])
  return set.ok ? { kind: 'json', value: policyJson(set.value) } : failed(set.error)
}

async function deletePolicy(
  context: WithWrites & WithSelf,
  request: AclRequest,
  entry: Entered,
): Promise<RouteResponse> {
  const id = idInPath(request, 'policy')
  if (!id.ok) return id.error
  const gone = await writeNew(context, request, entry, 'primary', [policyDeleteEndpoint, { id: id.value }])
  return gone.ok ? { kind: 'json', value: gone.value } : failed(gone.error)
}
