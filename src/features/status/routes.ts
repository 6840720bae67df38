import type { AgentContext, Route, RouteRequest, RouteResponse, ServerEndpoint } from '../manifest.ts'
import { parseReadOptions } from '../read-options.ts'
import { failed } from '../responses.ts'
import { leaderEndpoint, peersEndpoint } from './endpoint.ts'

/** Neither carries an index: what they tell is not replicated state. Reference: HTTP API 11. */
export const statusRoutes: readonly Route[] = [
  { methods: ['GET'], path: '/v1/status/leader', handle: (agent, request) => answer(agent, request, leaderEndpoint) },
  { methods: ['GET'], path: '/v1/status/peers', handle: (agent, request) => answer(agent, request, peersEndpoint) },
]

async function answer(
  agent: AgentContext,
  request: RouteRequest,
  endpoint: ServerEndpoint<object, string | readonly string[]>,
): Promise<RouteResponse> {
  const options = parseReadOptions(agent, request.query)
  if (!options.ok) return failed(options.error)
  const answered = await agent.ask(endpoint, {}, options.value, request.call)
  return answered.ok ? { kind: 'json', value: answered.value } : failed(answered.error)
}
