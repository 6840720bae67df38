import type { AgentContext, Route, RouteRequest, RouteResponse } from '../manifest.ts'
import { parseUint } from '../parse-uint.ts'
import { callIn, parseReadOptions } from '../read-options.ts'
import { badRequest, failed } from '../responses.ts'
import { autopilotJson, autopilotSettingsFrom } from './autopilot.ts'
import {
  raftConfigurationEndpoint,
  readAutopilotEndpoint,
  removePeerArgsFrom,
  removePeerEndpoint,
  serverHealthEndpoint,
  setAutopilotEndpoint,
  transferLeaderEndpoint,
} from './endpoint.ts'
import { clusterHealthJson, raftConfigurationJson } from './model.ts'

/** Reference: HTTP API 12. */
export const operatorRoutes: readonly Route[] = [
  { methods: ['GET'], path: '/v1/operator/raft/configuration', handle: readConfiguration },
  { methods: ['DELETE'], path: '/v1/operator/raft/peer', handle: removePeer },
  { methods: ['PUT', 'POST'], path: '/v1/operator/raft/transfer-leader', handle: transferLeader },
  { methods: ['GET'], path: '/v1/operator/autopilot/health', handle: readHealth },
  { methods: ['GET', 'PUT'], path: '/v1/operator/autopilot/configuration', handle: autopilot },
  // There are no areas, so none of their IDs is known: what is left of them are the verbs (spec, HTTP verbs).
  { methods: ['GET'], path: '/v1/operator/area/', below: 'members', handle: noSuchArea },
  { methods: ['PUT'], path: '/v1/operator/area/', below: 'join', handle: noSuchArea },
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
  const removed = await agent.write(removePeerEndpoint, args.value, callIn(request, options.value))
  return removed.ok ? { kind: 'empty', status: 200 } : failed(removed.error)
}

/** As later releases of the field answer it. */
async function transferLeader(agent: AgentContext, request: RouteRequest): Promise<RouteResponse> {
  const options = parseReadOptions(agent, request.query)
  if (!options.ok) return failed(options.error)
  const id = request.query.get('id') ?? ''
  const handed = await agent.write(transferLeaderEndpoint, { id }, callIn(request, options.value))
  return handed.ok ? { kind: 'json', value: { Success: true } } : failed(handed.error)
}

function autopilot(agent: AgentContext, request: RouteRequest): Promise<RouteResponse> {
  return request.method === 'GET' ? readAutopilot(agent, request) : setAutopilot(agent, request)
}

async function readAutopilot(agent: AgentContext, request: RouteRequest): Promise<RouteResponse> {
  const options = parseReadOptions(agent, request.query)
  if (!options.ok) return failed(options.error)
  const read = { ...options.value, minIndex: 0, waitMs: 0 }
  const answer = await agent.query(readAutopilotEndpoint, {}, read, request.call)
  if (!answer.ok) return failed(answer.error)
  const { value } = answer.value
  if (value === null) return failed({ kind: 'refused', message: 'autopilot config not initialized yet' })
  return { kind: 'json', value: autopilotJson(value) }
}

async function setAutopilot(agent: AgentContext, request: RouteRequest): Promise<RouteResponse> {
  const options = parseReadOptions(agent, request.query)
  if (!options.ok) return failed(options.error)
  const settings = autopilotSettingsFrom(request.body)
  if (!settings.ok) return failed(settings.error)
  const given = request.query.get('cas') ?? ''
  const at = given === '' ? undefined : parseUint(given)
  if (at?.ok === false) return badRequest(`Error parsing cas value: ${at.error}`)
  const args = { settings: settings.value, ...(at === undefined ? {} : { at: at.value }) }
  const replaced = await agent.write(setAutopilotEndpoint, args, callIn(request, options.value))
  return replaced.ok ? { kind: 'json', value: replaced.value } : failed(replaced.error)
}

function noSuchArea(): Promise<RouteResponse> {
  return Promise.resolve({ kind: 'text', text: '', status: 404 })
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
