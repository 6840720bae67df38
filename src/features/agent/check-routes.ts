import { z } from 'zod'
import { textOfByteString, utf8, withinBytes } from '../../base/bytes.ts'
import type { CheckStatus } from '../../model/catalog.ts'
import { noChange } from '../../model/log-position.ts'
import { checkJson, checkShape } from '../catalog/model.ts'
import { badRequest, declared, failed, type Route, type RouteRequest, type RouteResponse } from '../contract/route.ts'
import type { WithLocal, WithRights, WithSelf } from '../contract/route-context.ts'
import type { WithEnv, WithRelease } from '../contract/surroundings.ts'
import { done, filter, jsonAnswer, parameter, registered, textAnswer } from '../http/declared.ts'
import { entryTypeOf } from '../http/entry-type.ts'
import { filterOf, kept } from '../http/filtering.ts'
import { decodeBody, object, plainBody, text } from '../http/json-body.ts'
import { definitionSchema } from './definition-members.ts'
import { checkNames } from './definition-names.ts'
import { parseCheckDefinition } from './definitions.ts'
import { checksShown, mayChangeCheck, mayCheck } from './rights.ts'
import { UnknownMembers } from './unknown-members.ts'

/** The part of the route context that these routes use. */
type CheckContext = WithEnv & WithRelease & WithRights & WithSelf & WithLocal

const written: RouteResponse = { kind: 'empty', status: 200 }
/** Maximum number of bytes of a reported output. */
const outputBytesMax = 4096

const checkType = entryTypeOf(checkShape)
const ofItsCheck = 'service:write of its service, node:write where it is of the node'
const updateBody = object({ Status: text, Output: text })
const checkId = { name: 'check', about: 'ID of a check of this agent.' } as const
const unknownCheck = textAnswer(404, 'This agent has no such check.')

/** The checks of the asked agent. Reference: agent.md#put-v1-agent-check-register, definitions.md#check-definition. */
export const checkRoutes: readonly Route<CheckContext>[] = [
  {
    path: '/v1/agent/checks',
    operations: {
      GET: declared({
        summary: 'Checks of this agent',
        access: { asks: 'service:read of the service of each, node:read of those of the node' },
        query: [filter],
        answers: [jsonAnswer('By ID.', z.record(z.string(), checkShape))],
        handle: readChecks,
      }),
    },
  },
  {
    path: '/v1/agent/check/register',
    operations: {
      PUT: declared({
        summary: 'Register a check with this agent',
        access: { asks: ofItsCheck },
        body: {
          about: 'The check. Names of members may have their letters in any case.',
          required: true,
          json: definitionSchema(checkNames.names),
        },
        answers: [registered],
        handle: register,
      }),
    },
  },
  {
    path: '/v1/agent/check/deregister/',
    rest: checkId,
    operations: {
      PUT: declared({
        summary: 'Deregister a check of this agent',
        access: { asks: ofItsCheck },
        answers: [done, unknownCheck],
        handle: deregister,
      }),
    },
  },
  reportRoute('/v1/agent/check/pass/', 'passing'),
  reportRoute('/v1/agent/check/warn/', 'warning'),
  reportRoute('/v1/agent/check/fail/', 'critical'),
  {
    path: '/v1/agent/check/update/',
    rest: checkId,
    operations: {
      PUT: declared({
        summary: 'Report the status of a TTL check, with its output',
        access: { asks: ofItsCheck },
        body: { about: 'Status and output.', required: true, json: updateBody.accepts },
        answers: [done, unknownCheck],
        handle: update,
      }),
    },
  },
]

/** A filter applies to checks that the caller may see. */
async function readChecks(context: CheckContext, request: RouteRequest<'filter'>): Promise<RouteResponse> {
  const filter = filterOf(request.query, checkType)
  if (!filter.ok) return failed(filter.error)
  const checks = await checksShown(context, request)
  if (!checks.ok) return failed(checks.error)
  const indexes = { createIndex: noChange, modifyIndex: noChange }
  const shown = await kept(context, filter.value, checks.value, (check) => checkJson({ ...check, ...indexes }))
  if (!shown.ok) return failed(shown.error)
  return { kind: 'json', value: Object.fromEntries(shown.value.map(([{ checkId }, json]) => [checkId, json])) }
}

function reportRoute(path: string, status: CheckStatus): Route<CheckContext> {
  return {
    path,
    rest: checkId,
    operations: {
      PUT: declared({
        summary: `Report a TTL check as ${status}`,
        access: { asks: ofItsCheck },
        query: [parameter('note', z.string(), 'The output of the check.')],
        answers: [done, unknownCheck],
        handle: (context, request) => report(context, request, status, request.query.get('note') ?? ''),
      }),
    },
  }
}

async function register(context: CheckContext, request: RouteRequest): Promise<RouteResponse> {
  const body = plainBody(request.body)
  if (!body.ok) return failed(body.error)
  const unknown = new UnknownMembers()
  const definition = parseCheckDefinition(body.value, 'http', context.release, unknown)
  if (!definition.ok) return badRequest(definition.error.message)
  const allowed = await mayCheck(context, request, definition.value)
  if (!allowed.ok) return failed(allowed.error)
  const { token = '' } = request.call
  const check = token === '' ? definition.value : { ...definition.value, token }
  const taken = await context.local.registerCheck(check)
  return taken.ok ? unknown.answer() : failed(taken.error)
}

async function deregister(context: CheckContext, request: RouteRequest): Promise<RouteResponse> {
  const id = textOfByteString(request.rest)
  if (id === '') return badRequest('CheckID missing')
  const allowed = await mayChangeCheck(context, request, id)
  if (!allowed.ok) return failed(allowed.error)
  const dropped = await context.local.deregisterCheck(id)
  return dropped.ok ? written : failed(dropped.error)
}

async function update(context: CheckContext, request: RouteRequest): Promise<RouteResponse> {
  const body = decodeBody(request.body, updateBody)
  if (!body.ok) return failed(body.error)
  const { Status: status, Output: output } = body.value
  if (status !== 'passing' && status !== 'warning' && status !== 'critical') {
    return badRequest(`Invalid check status: '${status}'`)
  }
  return report(context, request, status, output)
}

async function report(
  context: CheckContext,
  request: RouteRequest,
  status: CheckStatus,
  output: string,
): Promise<RouteResponse> {
  const id = textOfByteString(request.rest)
  const allowed = await mayChangeCheck(context, request, id)
  if (!allowed.ok) return failed(allowed.error)
  const taken = await context.local.reportTtl(id, status, shortened(output))
  return taken.ok ? written : failed(taken.error)
}

function shortened(output: string): string {
  const { length } = utf8(output)
  if (length <= outputBytesMax) return output
  return `${withinBytes(output, outputBytesMax)} ... (captured ${outputBytesMax} of ${length} bytes)`
}
