import type { AgentContext, Route, RouteRequest, RouteResponse } from '../manifest.ts'
import { parseReadOptions, refuseOtherDatacenter } from '../read-options.ts'
import { failed } from '../responses.ts'
import { raftConfigurationEndpoint, removePeerArgsFrom, removePeerEndpoint } from './endpoint.ts'
import { raftConfigurationJson } from './model.ts'

/** Reference: HTTP API 12. */
export const operatorRoutes: readonly Route[] = [
  { methods: ['GET'], path: '/v1/operator/raft/configuration', handle: readConfiguration },
  { methods: ['DELETE'], path: '/v1/operator/raft/peer', handle: removePeer },
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
