import { type Ask, type Authorizer, unrestricted } from '../../access/authorizer.ts'
import { err, ok, type Result } from '../../base/result.ts'
import type { CheckDefinition, CheckFacts, ServiceDefinition, ServiceFacts } from '../../model/catalog.ts'
import type { Failure } from '../../model/failure.ts'
import { meshDestination } from '../../model/mesh-service.ts'
import { keptOf } from '../contract/access.ts'
import { allowedHere, allowedOrAbsent } from '../contract/asking.ts'
import { meshSpellings, nameKey } from '../contract/names.ts'
import type { RouteRequest } from '../contract/route.ts'
import type { WithLocal, WithRights, WithSelf } from '../contract/route-context.ts'
import type { WithEnv } from '../contract/surroundings.ts'
import { seesNode, seesService } from '../discovery/sight.ts'

/** What is used here of the context of a route. */
type RightsContext = WithEnv & WithRights & WithSelf & WithLocal

/**
 * The rights that services and checks of the agent itself require. Reference: agent.md#endpoints,
 * access-control.md#resources.
 */

type Call = Pick<RouteRequest, 'call'>

/** Rights for a service, for the service and checks that it replaces, and for its sidecar with the sidecar's token. */
export async function mayOffer(
  context: RightsContext,
  request: Call,
  { service, checks, sidecar }: ServiceDefinition,
): Promise<Result<unknown, Failure>> {
  const allowed = await allowedHere(context, request, () => [
    ...offering(context, service, checks),
    ...aliasing(context, checks, [service]),
  ])
  if (!allowed.ok || sidecar === undefined) return allowed
  const { token = '' } = sidecar.service
  const call = token === '' ? request.call : { ...request.call, token }
  return allowedHere(context, { call }, () => [
    ...offering(context, sidecar.service, sidecar.checks),
    ...aliasing(context, sidecar.checks, [service, sidecar.service]),
  ])
}

function offering(
  context: WithSelf & WithLocal,
  service: ServiceFacts,
  checks: readonly CheckDefinition[],
): readonly Ask[] {
  const before = serviceOf(context, service.id)
  const others = checks.flatMap(({ checkId }) => checkOf(context, checkId) ?? [])
  // A proxy that is found as an endpoint of another service represents that service.
  const destination = meshDestination(service)
  return [
    writing('service', service.service),
    ...(destination === undefined ? [] : meshSpellings(destination).map((name) => writing('service', name))),
    ...(before === undefined ? [] : [writing('service', before.service)]),
    ...others.map((check) => writingCheck(context, check)),
  ]
}

/**
 * An alias reveals the status of another service or node, and the output of its checks. For a service that this agent
 * does not have, or on another node, the ID is used as its name. Services of the same request may be aliased by the
 * right to write them.
 */
function aliasing(
  context: WithSelf & WithLocal,
  checks: readonly CheckDefinition[],
  offered: readonly ServiceFacts[] = [],
): readonly Ask[] {
  const { nodeName } = context.self()
  return checks.flatMap(({ probe }): readonly Ask[] => {
    if (probe.kind !== 'alias') return []
    const isHere = probe.node === '' || nameKey(probe.node) === nameKey(nodeName)
    const isOffered = isHere && offered.some(({ id }) => nameKey(id) === nameKey(probe.service))
    const known = isHere ? serviceOf(context, probe.service) : undefined
    return [
      ...(probe.node === '' ? [] : [reading('node', probe.node)]),
      ...(probe.service === '' || isOffered ? [] : [reading('service', known?.service ?? probe.service)]),
    ]
  })
}

export async function mayCheck(
  context: RightsContext,
  request: Call,
  definition: CheckDefinition,
): Promise<Result<unknown, Failure>> {
  const { checkId, serviceId } = definition
  return allowedHere(context, request, () => {
    const serviceName = serviceOf(context, serviceId)?.service ?? ''
    const before = checkOf(context, checkId)
    return [
      writingCheck(context, { serviceName }),
      ...(before === undefined ? [] : [writingCheck(context, before)]),
      ...aliasing(context, [definition]),
    ]
  })
}

/** Where access control is on, the answer is that the service does not exist. */
export async function mayChangeService(
  context: RightsContext,
  request: Call,
  id: string,
): Promise<Result<unknown, Failure>> {
  const find = () => serviceOf(context, id)
  return mayChange(context, request, { what: 'service', id, find, ask: ({ service }) => writing('service', service) })
}

export async function mayChangeCheck(
  context: RightsContext,
  request: Call,
  id: string,
): Promise<Result<unknown, Failure>> {
  const find = () => checkOf(context, id)
  return mayChange(context, request, { what: 'check', id, find, ask: (check) => writingCheck(context, check) })
}

async function mayChange<T>(
  context: WithEnv & WithRights,
  request: Call,
  {
    what,
    id,
    find,
    ask,
  }: {
    readonly what: 'service' | 'check'
    readonly id: string
    readonly find: () => T | undefined
    readonly ask: (found: T) => Ask
  },
): Promise<Result<unknown, Failure>> {
  const resolved = await context.authorizer(request.call)
  if (!resolved.ok || resolved.value === unrestricted) return resolved
  const found = find()
  const notThere: Failure = { kind: 'refused', message: `Unknown ${what} ${JSON.stringify(id)}` }
  if (found === undefined) return err(notThere)
  return allowedOrAbsent(context, request, ask(found), notThere)
}

export async function servicesShown(
  context: WithRights & WithLocal,
  { call }: Call,
): Promise<Result<readonly ServiceFacts[], Failure>> {
  const reader = await context.authorizer(call)
  return reader.ok ? ok(keptOf(context.local.services(), ({ service }) => seesService(reader.value, service))) : reader
}

export async function checksShown(
  context: WithRights & WithLocal,
  { call }: Call,
): Promise<Result<readonly CheckFacts[], Failure>> {
  const reader = await context.authorizer(call)
  return reader.ok ? ok(keptOf(context.local.checks(), (check) => seesCheck(reader.value, check))) : reader
}

/** Checks that the agent runs are shown without the right to read the node, except checks of the node itself. */
function seesCheck(authorizer: Authorizer, { node, serviceName }: CheckFacts): boolean {
  return serviceName === '' ? seesNode(authorizer, node) : seesService(authorizer, serviceName)
}

function serviceOf({ local }: WithLocal, id: string): ServiceFacts | undefined {
  return local.service(id)
}

function checkOf({ local }: WithLocal, id: string): CheckFacts | undefined {
  return local.check(id)
}

function writingCheck(context: WithSelf, { serviceName }: Pick<CheckFacts, 'serviceName'>): Ask {
  return serviceName === '' ? writing('node', context.self().nodeName) : writing('service', serviceName)
}

export function writing(resource: 'node' | 'service', name: string): Ask {
  return { resource, name, right: 'write' }
}

function reading(resource: 'node' | 'service', name: string): Ask {
  return { resource, name, right: 'read' }
}
