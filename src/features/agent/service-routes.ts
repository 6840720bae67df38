import { z } from 'zod'
import { textOfByteString } from '../../base/bytes.ts'
import { lowerAscii } from '../../base/letter-case.ts'
import { err, ok } from '../../base/result.ts'
import type { ServiceDefinition } from '../../model/catalog.ts'
import type { Failure } from '../../model/failure.ts'
import { registeredChecksMax, tooManyChecks } from '../../model/limits.ts'
import { allowedOrAbsent } from '../contract/asking.ts'
import type { CallOptions } from '../contract/call.ts'
import {
  badRequest,
  declared,
  failed,
  type NamesOf,
  type Route,
  type RouteRequest,
  type RouteResponse,
} from '../contract/route.ts'
import type { WithLocal, WithRights, WithSelf } from '../contract/route-context.ts'
import type { WithEnv, WithNaming, WithRelease } from '../contract/surroundings.ts'
import { done, filter, isTrue, jsonAnswer, parameter, registered, textAnswer, truthText } from '../http/declared.ts'
import { entryTypeOf } from '../http/entry-type.ts'
import { filterOf, kept } from '../http/filtering.ts'
import { plainBody } from '../http/json-body.ts'
import { definitionSchema } from './definition-members.ts'
import { serviceNames } from './definition-names.ts'
import { parseServiceDefinition } from './definitions.ts'
import { type HashRequest, hashParameters, whenAnother } from './hash-blocking.ts'
import { hashedServiceJson, hashedServiceShape, serviceJson, serviceShape } from './model.ts'
import { mayChangeService, mayOffer, servicesShown } from './rights.ts'
import { UnknownMembers } from './unknown-members.ts'

/** The part of the route context that these routes use. */
type ServiceContext = WithEnv & WithNaming & WithRelease & WithRights & WithSelf & WithLocal

const written: RouteResponse = { kind: 'empty', status: 200 }

const serviceType = entryTypeOf(serviceShape)
const serviceId = { name: 'service', about: 'ID of a service of this agent.' } as const

const replaceChecks = parameter(
  'replace-existing-checks',
  truthText,
  'Remove checks of the service that the body does not name, except those of files and of maintenance. Of later releases of the field.',
)

/**
 * The services of the asked agent. Reference: agent.md#put-v1-agent-service-register,
 * definitions.md#service-definition.
 */
export const serviceRoutes: readonly Route<ServiceContext>[] = [
  {
    path: '/v1/agent/services',
    operations: {
      GET: declared({
        summary: 'Services of this agent',
        access: { asks: 'service:read of each' },
        query: [filter],
        answers: [jsonAnswer('By ID.', z.record(z.string(), serviceShape))],
        handle: readServices,
      }),
    },
  },
  {
    path: '/v1/agent/service/',
    since: 'one-service-of-agent',
    rest: serviceId,
    operations: {
      GET: declared({
        summary: 'A service of this agent',
        access: { asks: 'service:read' },
        query: hashParameters,
        answers: [
          jsonAnswer('The service, with a hash of it.', hashedServiceShape, ['contentHash']),
          textAnswer(404, 'This agent has no such service.'),
        ],
        handle: readOneService,
      }),
    },
  },
  {
    path: '/v1/agent/service/register',
    operations: {
      PUT: declared({
        summary: 'Register a service with this agent',
        access: { asks: 'service:write of it and of the one that it replaces' },
        query: [replaceChecks],
        body: {
          about: 'The service. Names of members may have their letters in any case.',
          required: true,
          json: definitionSchema(serviceNames.names),
        },
        answers: [registered],
        handle: register,
      }),
    },
  },
  {
    path: '/v1/agent/service/deregister/',
    rest: serviceId,
    operations: {
      PUT: declared({
        summary: 'Deregister a service of this agent',
        access: { asks: 'service:write' },
        answers: [done, textAnswer(404, 'This agent has no such service.')],
        handle: deregister,
      }),
    },
  },
]

/** A filter applies to services that the caller may see. */
async function readServices(context: ServiceContext, request: RouteRequest<'filter'>): Promise<RouteResponse> {
  const filter = filterOf(request.query, serviceType)
  if (!filter.ok) return failed(filter.error)
  const services = await servicesShown(context, request)
  if (!services.ok) return failed(services.error)
  const shown = await kept(context, filter.value, services.value, serviceJson)
  if (!shown.ok) return failed(shown.error)
  return { kind: 'json', value: Object.fromEntries(shown.value.map(([{ id }, json]) => [id, json])) }
}

async function register(
  context: ServiceContext,
  request: RouteRequest<NamesOf<readonly [typeof replaceChecks]>>,
): Promise<RouteResponse> {
  const replaced = request.query.get('replace-existing-checks')
  if (!truthText.optional().safeParse(replaced).success) {
    return badRequest(`Invalid value for replace-existing-checks: ${JSON.stringify(replaced)}`)
  }
  const body = plainBody(request.body)
  if (!body.ok) return failed(body.error)
  const checks = checksIn(body.value)
  if (checks > registeredChecksMax) return failed(tooManyChecks(checks))
  const unknown = new UnknownMembers()
  const definition = parseServiceDefinition(body.value, 'http', context.release, unknown, context.naming)
  if (!definition.ok) return badRequest(definition.error.message)
  const allowed = await mayOffer(context, request, definition.value)
  if (!allowed.ok) return failed(allowed.error)
  const others = isTrue(replaced) ? 'drop-others' : 'keep-others'
  const taken = await context.local.registerService(tokened(definition.value, request.call), others)
  return taken.ok ? unknown.answer() : failed(taken.error)
}

/** Number of checks in a definition, including those of its sidecar, before any of them is parsed. */
function checksIn(value: unknown): number {
  if (typeof value !== 'object' || value === null) return 0
  let sum = 0
  for (const [name, member] of Object.entries(value)) {
    sum += Array.isArray(member) && lowerAscii(name) === 'checks' ? member.length : checksIn(member)
  }
  return sum
}

/** Later updates of the service use the token of its registration. */
function tokened(definition: ServiceDefinition, { token = '' }: CallOptions): ServiceDefinition {
  if (token === '') return definition
  const { service, checks, sidecar } = definition
  const own = { service: { ...service, token }, checks: checks.map((check) => ({ ...check, token })) }
  if (sidecar === undefined) return own
  return { ...own, sidecar: sidecar.service.token === undefined ? tokened(sidecar, { token }) : sidecar }
}

async function deregister(context: ServiceContext, request: RouteRequest): Promise<RouteResponse> {
  const id = textOfByteString(request.rest)
  if (id === '') return badRequest('ServiceID missing')
  const allowed = await mayChangeService(context, request, id)
  if (!allowed.ok) return failed(allowed.error)
  const dropped = await context.local.deregisterService(id)
  return dropped.ok ? written : failed(dropped.error)
}

/**
 * One service of the agent, by its ID without case, as it was registered. Reference: agent.md#get-v1-agent-service-id,
 * agent.md#hash-based-blocking.
 */
export async function readOneService(context: ServiceContext, request: HashRequest): Promise<RouteResponse> {
  const id = textOfByteString(request.rest)
  const find = () => context.local.service(id)
  const notThere: Failure = { kind: 'not-found', message: `unknown proxy service ID: ${id}` }
  return whenAnother(context, request, async () => {
    for (;;) {
      const name = find()?.service
      if (name === undefined) return err(notThere)
      const allowed = await allowedOrAbsent(context, request, { resource: 'service', name, right: 'read' }, notThere)
      if (!allowed.ok) return allowed
      // Read after the last wait: a value read before it could change unnoticed.
      const service = find()
      if (service?.service !== name) continue
      return ok({
        hashed: serviceJson(service),
        shown: (contentHash: string) => hashedServiceJson(service, contentHash),
      })
    }
  })
}
