import type { Result } from '../../base/result.ts'
import { err, ok } from '../../base/result.ts'
import type { KeyRequest } from '../../gossip/pool.ts'
import { type Failure, failureText } from '../../model/failure.ts'
import { decodeBody, object, text } from '../json-body.ts'
import type { AgentContext, ReadOptions, Route, RouteRequest, RouteResponse } from '../manifest.ts'
import { badRequest, failed } from '../responses.ts'
import { poolKeysEndpoint } from './endpoint.ts'
import { keysJson, keysProblem, type PoolKeys, relayFactorMax } from './model.ts'

/** Reference: HTTP API 12. The asked agent puts the question to its own pool itself. */
export const keyringRoutes: readonly Route[] = [
  { methods: ['GET', 'POST', 'PUT', 'DELETE'], path: '/v1/operator/keyring', handle: keyring },
]

const actions = { POST: 'install', PUT: 'use', DELETE: 'remove' } as const

async function keyring(agent: AgentContext, request: RouteRequest): Promise<RouteResponse> {
  const relayFactor = relayFactorOf(request.query.get('relay-factor') ?? '')
  if (!relayFactor.ok) return badRequest(relayFactor.error)
  if (request.method === 'GET') return answer(agent, request, { action: 'list', relayFactor: relayFactor.value })
  const body = decodeBody(request.body, object({ Key: text }))
  if (!body.ok) return failed(body.error)
  return answer(agent, request, {
    action: actions[request.method],
    key: body.value.Key,
    relayFactor: relayFactor.value,
  })
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

async function answer(agent: AgentContext, request: RouteRequest, wanted: KeyRequest): Promise<RouteResponse> {
  // What is wrong with a key is told once, before other pools are asked.
  const own = await agent.lan.keys(wanted)
  if (!own.ok) return badRequest(own.error)
  const { datacenter } = agent.self()
  const others = await otherPools(agent, request, wanted)
  if (!others.ok) return failed(others.error)
  const [wan, elsewhere] = others.value
  const pools = [...wan, { wan: false, datacenter, answers: own }, ...elsewhere]
  const problem = keysProblem(pools)
  if (problem !== undefined) return failed({ kind: 'refused', message: problem })
  if (wanted.action !== 'list') return { kind: 'empty', status: 200 }
  return { kind: 'json', value: pools.flatMap((pool) => (pool.answers.ok ? [keysJson(pool, pool.answers.value)] : [])) }
}

/** The pool of all datacenters, where there is one, and those of each other datacenter; servers ask them. */
async function otherPools(
  agent: AgentContext,
  { call }: RouteRequest,
  wanted: KeyRequest,
): Promise<Result<readonly [wan: readonly PoolKeys[], elsewhere: readonly PoolKeys[]], Failure>> {
  const args = {
    action: wanted.action,
    key: wanted.action === 'list' ? '' : wanted.key,
    relayFactor: wanted.relayFactor,
  }
  const wan = await agent.ask(poolKeysEndpoint, { ...args, pool: 'wan' }, anyServer, call)
  if (!wan.ok) return wan
  const { answers, elsewhere } = wan.value
  const pools: PoolKeys[] = []
  for (const datacenter of elsewhere) {
    const there = await agent.ask(poolKeysEndpoint, { ...args, pool: 'lan' }, { ...anyServer, datacenter }, call)
    const told = there.ok ? there.value.answers : err(failureText(there.error))
    if (told !== null) pools.push({ wan: false, datacenter, answers: 'ok' in told ? told : ok(told) })
  }
  const { datacenter } = agent.self()
  return ok([answers === null ? [] : [{ wan: true, datacenter, answers: ok(answers) }], pools])
}

const anyServer: ReadOptions = { consistency: 'stale', minIndex: 0, waitMs: 0, maxStaleMs: 0, datacenter: '' }
