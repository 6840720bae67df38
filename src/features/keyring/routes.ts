import type { Result } from '../../base/result.ts'
import { ok } from '../../base/result.ts'
import type { KeyRequest } from '../../gossip/pool.ts'
import { decodeBody, object, text } from '../json-body.ts'
import type { AgentContext, Route, RouteRequest, RouteResponse } from '../manifest.ts'
import { badRequest, failed } from '../responses.ts'
import { keysJson, keysProblem, relayFactorMax } from './model.ts'

/** Reference: HTTP API 12. The asked agent puts the question to its pool itself. */
export const keyringRoutes: readonly Route[] = [
  { methods: ['GET', 'POST', 'PUT', 'DELETE'], path: '/v1/operator/keyring', handle: keyring },
]

const actions = { POST: 'install', PUT: 'use', DELETE: 'remove' } as const

async function keyring(agent: AgentContext, request: RouteRequest): Promise<RouteResponse> {
  const relayFactor = relayFactorOf(request.query.get('relay-factor') ?? '')
  if (!relayFactor.ok) return badRequest(relayFactor.error)
  if (request.method === 'GET') return answer(agent, { action: 'list', relayFactor: relayFactor.value })
  const body = decodeBody(request.body, object({ Key: text }))
  if (!body.ok) return failed(body.error)
  return answer(agent, { action: actions[request.method], key: body.value.Key, relayFactor: relayFactor.value })
}

function relayFactorOf(given: string): Result<number, string> {
  if (given === '') return ok(0)
  if (!/^-?\d+$/.test(given)) {
    const why = `strconv.Atoi: parsing ${JSON.stringify(given)}: invalid syntax`
    return { ok: false, error: `Error parsing relay factor: ${why}` }
  }
  const value = Number(given)
  if (value >= 0 && value <= relayFactorMax) return ok(value)
  return { ok: false, error: `Invalid relay factor: Relay factor must be in range: [0, ${relayFactorMax}]` }
}

async function answer(agent: AgentContext, request: KeyRequest): Promise<RouteResponse> {
  const asked = await agent.lan.keys(request)
  if (!asked.ok) return badRequest(asked.error)
  const { datacenter } = agent.self()
  const problem = keysProblem(datacenter, asked.value)
  if (problem !== undefined) return failed({ kind: 'refused', message: problem })
  if (request.action !== 'list') return { kind: 'empty', status: 200 }
  return { kind: 'json', value: [keysJson(datacenter, asked.value)] }
}
