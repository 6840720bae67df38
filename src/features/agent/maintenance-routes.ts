import { z } from 'zod'
import { textOfByteString } from '../../base/bytes.ts'
import { type CheckDefinition, serviceMaintenancePrefix } from '../../model/catalog.ts'
import { allowedHere } from '../contract/asking.ts'
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
import type { WithEnv } from '../contract/surroundings.ts'
import { done, parameter, textAnswer, truthText } from '../http/declared.ts'
import { mayChangeService, writing } from './rights.ts'

/** The part of the route context that these routes use. */
type MaintenanceContext = WithEnv & WithRights & WithSelf & WithLocal

const nodeCheckId = '_node_maintenance'

const maintenanceParameters = [
  { ...parameter('enable', truthText, 'Whether to enable maintenance.'), required: true },
  parameter('reason', z.string(), 'The notes of the maintenance check.'),
] as const

/**
 * Maintenance mode: a critical check removes the node, or one service of it, from health-filtered answers. Reference:
 * agent.md#put-v1-agent-maintenance, health.md#maintenance-checks.
 */
export const maintenanceRoutes: readonly Route<MaintenanceContext>[] = [
  {
    path: '/v1/agent/maintenance',
    since: 'maintenance-mode',
    operations: {
      PUT: declared({
        summary: 'Put the node into maintenance, or end it',
        access: { asks: 'node:write' },
        query: maintenanceParameters,
        answers: [done],
        handle: maintainNode,
      }),
    },
  },
  {
    path: '/v1/agent/service/maintenance/',
    since: 'maintenance-mode',
    rest: { name: 'service', about: 'ID of a service of this agent.' },
    operations: {
      PUT: declared({
        summary: 'Put a service into maintenance, or end it',
        access: { asks: 'service:write' },
        query: maintenanceParameters,
        answers: [done, textAnswer(404, 'This agent has no such service.')],
        handle: maintainService,
      }),
    },
  },
]

type MaintenanceRequest = RouteRequest<NamesOf<typeof maintenanceParameters>>

async function maintainNode(context: MaintenanceContext, request: MaintenanceRequest): Promise<RouteResponse> {
  const enable = enableFrom(request)
  if (typeof enable !== 'boolean') return enable
  const allowed = await allowedHere(context, request, () => [writing('node', context.self().nodeName)])
  if (!allowed.ok) return failed(allowed.error)
  const about = { checkId: nodeCheckId, name: 'Node Maintenance Mode', serviceId: '', subject: 'node' }
  return set(context, request, enable, about)
}

async function maintainService(context: MaintenanceContext, request: MaintenanceRequest): Promise<RouteResponse> {
  const id = textOfByteString(request.rest)
  if (id === '') return badRequest('Missing service ID')
  const enable = enableFrom(request)
  if (typeof enable !== 'boolean') return enable
  const allowed = await mayChangeService(context, request, id)
  if (!allowed.ok) return failed(allowed.error)
  const serviceId = context.local.service(id)?.id
  if (serviceId === undefined) {
    return failed({ kind: 'not-found', message: `No service registered with ID ${JSON.stringify(id)}` })
  }
  const checkId = `${serviceMaintenancePrefix}${serviceId}`
  return set(context, request, enable, { checkId, name: 'Service Maintenance Mode', serviceId, subject: 'service' })
}

/** The values that the field takes for a boolean. */
const booleans: ReadonlyMap<string, boolean> = new Map([
  ...['1', 't', 'T', 'TRUE', 'true', 'True'].map((text) => [text, true] as const),
  ...['0', 'f', 'F', 'FALSE', 'false', 'False'].map((text) => [text, false] as const),
])

function enableFrom(request: MaintenanceRequest): boolean | RouteResponse {
  const text = request.query.get('enable') ?? ''
  if (text === '') return badRequest('Missing value for enable')
  return booleans.get(text) ?? badRequest(`Invalid value for enable: ${JSON.stringify(text)}`)
}

interface Maintained {
  readonly checkId: string
  readonly name: string
  readonly serviceId: string
  readonly subject: string
}

/** A mode that is already set stays as it is, with its first reason. */
async function set(
  context: WithLocal,
  request: MaintenanceRequest,
  enable: boolean,
  { checkId, name, serviceId, subject }: Maintained,
): Promise<RouteResponse> {
  const on = context.local.check(checkId) !== undefined
  if (on === enable) return { kind: 'empty', status: 200 }
  const given = request.query.get('reason') ?? ''
  const none = `Maintenance mode is enabled for this ${subject}, but no reason was provided. This is a default message.`
  const { token = '' } = request.call
  const check: CheckDefinition = {
    ...(token === '' ? {} : { token }),
    checkId,
    name,
    notes: given === '' ? none : given,
    serviceId,
    status: 'critical',
    probe: { kind: 'fixed' },
    deregisterCriticalServiceAfterMs: 0,
  }
  const taken = enable ? await context.local.registerCheck(check) : await context.local.deregisterCheck(checkId)
  return taken.ok ? { kind: 'empty', status: 200 } : failed(taken.error)
}
