import type { AgentContext, Route, RouteRequest, RouteResponse } from '../manifest.ts'
import { parseReadOptions, refuseOtherDatacenter } from '../read-options.ts'
import { failed } from '../responses.ts'
import { raftConfigurationEndpoint, removePeerArgsFrom, removePeerEndpoint, serverHealthEndpoint } from './endpoint.ts'
import { clusterHealthJson, raftConfigurationJson } from './model.ts'

/** Reference: HTTP API 12. */
export const operatorRoutes: readonly Route[] = [
  { methods: ['GET'], path: '/v1/operator/raft/configuration', handle: readConfiguration },
  { methods: ['DELETE'], path: '/v1/operator/raft/peer', handle: removePeer },
  { methods: ['GET'], path: '/v1/operator/autopilot/health', handle: readHealth },
]

async function readConfiguration(agent: AgentContext, request: RouteRequest): Promise<RouteResponse> {
  const options = parseReadOptions(agent, request.query)
  if (!options.ok) return failed(options.error)
  const answer = await agent.ask(raftConfigurationEndpoint, {}, options.value, request.call)
  return answer.ok ? { kind: 'json', value: raftConfigurationJson(answer.value) } : failed(answer.error)
}

async function removePeer(agent: AgentContext, request: RouteRequest): Promise<RouteResponse> {
  const options = parseReadOptions(agent, request.query)
  if (!options.ok) return failed(options.error)
  const args = removePeerArgsFrom(request.query.get('id') ?? '', request.query.get('address') ?? '')
  if (!args.ok) return failed(args.error)
  const elsewhere = refuseOtherDatacenter(options.value)
  if (!elsewhere.ok) return failed(elsewhere.error)
  const removed = await agent.write(removePeerEndpoint, args.value, request.call)
  return removed.ok ? { kind: 'empty', status: 200 } : failed(removed.error)
}

/** Bad news come as 429: whoever only looks at the status sees them. */
async function readHealth(agent: AgentContext, request: RouteRequest): Promise<RouteResponse> {
  const options = parseReadOptions(agent, request.query)
  if (!options.ok) return failed(options.error)
  const answer = await agent.ask(serverHealthEndpoint, {}, options.value, request.call)
  if (!answer.ok) return failed(answer.error)
  const { value } = answer
  return { kind: 'json', value: clusterHealthJson(value), status: value.healthy ? 200 : 429 }
}
