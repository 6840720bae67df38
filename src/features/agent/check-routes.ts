import { textOf, textOfByteString, utf8 } from '../../base/bytes.ts'
import type { CheckStatus } from '../../model/catalog.ts'
import { checkJson } from '../catalog/model.ts'
import { decodeBody, object, plainBody, text } from '../json-body.ts'
import type { AgentContext, Route, RouteRequest, RouteResponse } from '../manifest.ts'
import { badRequest, failed } from '../responses.ts'
import { parseCheckDefinition } from './definitions.ts'

const written: RouteResponse = { kind: 'empty', status: 200 }
/** Of what is reported of a check, so much is kept. */
const outputBytesMax = 4096

/** What the agent that is asked checks. Reference: HTTP API 4.1, 4.4. */
export const checkRoutes: readonly Route[] = [
  {
    methods: ['GET'],
    path: '/v1/agent/checks',
    handle: async (agent) => {
      const indexes = { createIndex: 0, modifyIndex: 0 }
      const entries = agent.local.checks().map((check) => [check.checkId, checkJson({ ...check, ...indexes })] as const)
      return { kind: 'json', value: Object.fromEntries(entries) }
    },
  },
  { methods: ['PUT'], path: '/v1/agent/check/register', handle: register },
  { methods: ['PUT'], path: '/v1/agent/check/deregister/', handle: deregister },
  { methods: ['PUT'], path: '/v1/agent/check/pass/', handle: (agent, request) => note(agent, request, 'passing') },
  { methods: ['PUT'], path: '/v1/agent/check/warn/', handle: (agent, request) => note(agent, request, 'warning') },
  { methods: ['PUT'], path: '/v1/agent/check/fail/', handle: (agent, request) => note(agent, request, 'critical') },
  { methods: ['PUT'], path: '/v1/agent/check/update/', handle: update },
]

async function register(agent: AgentContext, request: RouteRequest): Promise<RouteResponse> {
  const body = plainBody(request.body)
  if (!body.ok) return failed(body.error)
  const definition = parseCheckDefinition(body.value, 'http')
  if (!definition.ok) return badRequest(definition.error.message)
  const taken = await agent.local.registerCheck(definition.value)
  return taken.ok ? written : failed(taken.error)
}

async function deregister(agent: AgentContext, request: RouteRequest): Promise<RouteResponse> {
  const id = textOfByteString(request.rest)
  if (id === '') return badRequest('CheckID missing')
  const dropped = await agent.local.deregisterCheck(id)
  return dropped.ok ? written : failed(dropped.error)
}

function note(agent: AgentContext, request: RouteRequest, status: CheckStatus): Promise<RouteResponse> {
  return report(agent, request, status, request.query.get('note') ?? '')
}

const updateBody = object({ Status: text, Output: text })

async function update(agent: AgentContext, request: RouteRequest): Promise<RouteResponse> {
  const body = decodeBody(request.body, updateBody)
  if (!body.ok) return failed(body.error)
  const { Status: status, Output: output } = body.value
  if (status !== 'passing' && status !== 'warning' && status !== 'critical') {
    return badRequest(`Invalid check status: '${status}'`)
  }
  return report(agent, request, status, output)
}

async function report(
  agent: AgentContext,
  request: RouteRequest,
  status: CheckStatus,
  output: string,
): Promise<RouteResponse> {
  const taken = await agent.local.reportTtl(textOfByteString(request.rest), status, shortened(output))
  return taken.ok ? written : failed(taken.error)
}

function shortened(output: string): string {
  const bytes = utf8(output)
  if (bytes.length <= outputBytesMax) return output
  const kept = textOf(bytes.subarray(0, outputBytesMax))
  return `${kept} ... (captured ${outputBytesMax} of ${bytes.length} bytes)`
}
