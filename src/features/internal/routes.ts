import { textOfByteString } from '../../base/bytes.ts'
import type { Json } from '../../base/json.ts'
import type { Result } from '../../base/result.ts'
import type { Failure } from '../../model/failure.ts'
import type { AgentContext, Answer, QueryEndpoint, Route, RouteRequest, RouteResponse } from '../manifest.ts'
import { shownNodes } from '../node-view.ts'
import { parseReadOptions } from '../read-options.ts'
import { answered, badRequest, failed } from '../responses.ts'
import { nodeOverviewEndpoint, overviewEndpoint } from './endpoint.ts'
import { overviewJson, summariesJson } from './model.ts'

/** Reference: HTTP API 14. */
export const internalRoutes: readonly Route[] = [
  { methods: ['GET'], path: '/v1/internal/ui/nodes', handle: readNodes },
  { methods: ['GET'], path: '/v1/internal/ui/node/', handle: readNode },
  { methods: ['GET'], path: '/v1/internal/ui/services', handle: readServices },
]

async function readNodes(agent: AgentContext, request: RouteRequest): Promise<RouteResponse> {
  const { datacenter } = shownNodes(agent, request.query)
  const answer = await read(agent, request, overviewEndpoint, {})
  if (!answer.ok) return failed(answer.error)
  return answered(answer.value, 'nodes', (nodes): Json => nodes.map((each) => overviewJson(each, datacenter)))
}

async function readServices(agent: AgentContext, request: RouteRequest): Promise<RouteResponse> {
  const answer = await read(agent, request, overviewEndpoint, {})
  return answer.ok ? answered(answer.value, 'services', summariesJson) : failed(answer.error)
}

async function readNode(agent: AgentContext, request: RouteRequest): Promise<RouteResponse> {
  if (request.rest === '') return badRequest('Missing node name')
  const { datacenter } = shownNodes(agent, request.query)
  const answer = await read(agent, request, nodeOverviewEndpoint, { node: textOfByteString(request.rest) })
  if (!answer.ok) return failed(answer.error)
  const { value, meta } = answer.value
  if (value === null) return { kind: 'empty', status: 404 }
  return { kind: 'json', value: overviewJson(value, datacenter), meta }
}

/** A page that shows old data is of more use than one that shows none: without a leader any server's state is shown. */
async function read<Args, Reply>(
  agent: AgentContext,
  request: RouteRequest,
  endpoint: QueryEndpoint<Args, Reply>,
  args: Args,
): Promise<Result<Answer<Reply>, Failure>> {
  const options = parseReadOptions(agent, request.query)
  if (!options.ok) return options
  const answer = await agent.query(endpoint, args, options.value, request.call)
  if (answer.ok || answer.error.kind !== 'no-leader') return answer
  return agent.query(endpoint, args, { ...options.value, consistency: 'stale', maxStaleMs: 0 }, request.call)
}
