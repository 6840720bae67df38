import { textOfByteString } from '../../base/bytes.ts'
import { plainBody } from '../json-body.ts'
import type { AgentContext, Route, RouteRequest, RouteResponse } from '../manifest.ts'
import { badRequest, failed } from '../responses.ts'
import { parseServiceDefinition } from './definitions.ts'
import { serviceJson } from './model.ts'
import { readOneService } from './one-service.ts'

const written: RouteResponse = { kind: 'empty', status: 200 }

/** What the agent that is asked offers. Reference: HTTP API 4.1, 4.2. */
export const serviceRoutes: readonly Route[] = [
  {
    methods: ['GET'],
    path: '/v1/agent/services',
    handle: async (agent) => {
      const entries = agent.local.services().map((service) => [service.id, serviceJson(service)] as const)
      return { kind: 'json', value: Object.fromEntries(entries) }
    },
  },
  { methods: ['GET'], path: '/v1/agent/service/', handle: readOneService },
  { methods: ['PUT'], path: '/v1/agent/service/register', handle: register },
  { methods: ['PUT'], path: '/v1/agent/service/deregister/', handle: deregister },
]

async function register(agent: AgentContext, request: RouteRequest): Promise<RouteResponse> {
  const body = plainBody(request.body)
  if (!body.ok) return failed(body.error)
  const definition = parseServiceDefinition(body.value, 'http')
  if (!definition.ok) return badRequest(definition.error.message)
  const taken = await agent.local.registerService(definition.value)
  return taken.ok ? written : failed(taken.error)
}

async function deregister(agent: AgentContext, request: RouteRequest): Promise<RouteResponse> {
  const id = textOfByteString(request.rest)
  if (id === '') return badRequest('ServiceID missing')
  const dropped = await agent.local.deregisterService(id)
  return dropped.ok ? written : failed(dropped.error)
}
