import { err, ok, type Result } from '../../base/result.ts'
import type { DeregisterRequest } from '../../model/catalog.ts'
import type { Failure } from '../../model/failure.ts'
import { declared, failed, type Route, type RouteRequest, type RouteResponse } from '../contract/route.ts'
import type { WithSelf, WithTelemetry, WithWrites } from '../contract/route-context.ts'
import type { WithEnv, WithNaming } from '../contract/surroundings.ts'
import { counted } from '../http/counted.ts'
import { taken } from '../http/declared.ts'
import { decodeBody, object, text } from '../http/json-body.ts'
import { callIn } from '../http/read-options.ts'
import { registerBody, registerRequestOf } from './register-body.ts'
import { deregisterEndpoint, registerEndpoint } from './write-endpoints.ts'

/** The part of the route context that these routes use. */
type RegistrationContext = WithEnv & WithTelemetry & WithNaming & WithWrites & WithSelf

const deregisterBody = object({ Datacenter: text, Node: text, ServiceID: text, CheckID: text })

/** Reference: catalog.md#endpoints. */
export const registrationRoutes: readonly Route<RegistrationContext>[] = [
  {
    path: '/v1/catalog/register',
    operations: {
      PUT: declared({
        summary: 'Register a node, with a service and checks',
        access: {
          asks: 'node:write where the node changes or a check is its own; service:write of each service that comes, goes, or has a check',
        },
        body: {
          about: '`Datacenter` says which catalog. Names of members may have their letters in any case.',
          required: true,
          json: registerBody.accepts,
        },
        answers: [taken],
        handle: (context, request) => counted(context, 'catalog_register', register(context, request)),
      }),
    },
  },
  {
    path: '/v1/catalog/deregister',
    operations: {
      PUT: declared({
        summary: 'Deregister a node, or one service or check of it',
        access: { asks: 'node:write; for a service or its checks service:write does as well' },
        body: { about: '`Node` is needed.', required: true, json: deregisterBody.accepts },
        answers: [taken],
        handle: (context, request) => counted(context, 'catalog_deregister', deregister(context, request)),
      }),
    },
  },
]

/** A registration ignores `dc` in the query: its body names the datacenter. */
async function register(context: WithWrites & WithSelf & WithNaming, request: RouteRequest): Promise<RouteResponse> {
  const wanted = registerRequestOf(request.body, context.naming)
  if (!wanted.ok) return failed(wanted.error)
  const call = callIn(request, elsewhere(context, wanted.value.datacenter))
  const registered = await context.write(registerEndpoint, wanted.value.request, call)
  return registered.ok ? { kind: 'json', value: registered.value } : failed(registered.error)
}

async function deregister(context: WithWrites & WithSelf, request: RouteRequest): Promise<RouteResponse> {
  const wanted = deregisterRequestOf(request.body)
  if (!wanted.ok) return failed(wanted.error)
  const call = callIn(request, elsewhere(context, wanted.value.datacenter))
  const deregistered = await context.write(deregisterEndpoint, wanted.value.request, call)
  return deregistered.ok ? { kind: 'json', value: deregistered.value } : failed(deregistered.error)
}

/** Empty for the agent's own datacenter. */
function elsewhere(context: WithSelf, named: string): { readonly datacenter: string } {
  return { datacenter: named === context.self().datacenter ? '' : named }
}

function deregisterRequestOf(
  body: Uint8Array,
): Result<{ readonly datacenter: string; readonly request: DeregisterRequest }, Failure> {
  const decoded = decodeBody(body, deregisterBody)
  if (!decoded.ok) return decoded
  const { Datacenter, Node, ServiceID, CheckID } = decoded.value
  if (Node === '') return err({ kind: 'bad-request', message: 'Must provide node' })
  return ok({ datacenter: Datacenter, request: { node: Node, serviceId: ServiceID, checkId: CheckID } })
}
