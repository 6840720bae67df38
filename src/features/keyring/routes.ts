import { z } from 'zod'
import { formatDuration } from '../../base/duration.ts'
import { err, ok, type Result } from '../../base/result.ts'
import type { KeyRequest } from '../../gossip/pool.ts'
import { type Failure, failureText } from '../../model/failure.ts'
import { noChange } from '../../model/log-position.ts'
import { tellDenied } from '../contract/access.ts'
import { type CallOptions, withinTime } from '../contract/call.ts'
import type { ReadOptions } from '../contract/reading.ts'
import {
  badRequest,
  declared,
  failed,
  type Operation,
  type Route,
  type RouteRequest,
  type RouteResponse,
} from '../contract/route.ts'
import type { WithPools, WithRights, WithSelf, WithServerCalls } from '../contract/route-context.ts'
import type { WithEnv } from '../contract/surroundings.ts'
import { done, jsonAnswer, listOf, parameter } from '../http/declared.ts'
import { decodeBody, object, text } from '../http/json-body.ts'
import { type KeyArgs, keysDenied, keysRefused, poolKeysEndpoint } from './endpoint.ts'
import { keysJson, keysProblem, keysShape, type PoolKeys, relayFactorMax } from './model.ts'

/** The part of the route context that these routes use. */
type KeyringContext = WithEnv & WithServerCalls & WithRights & WithSelf & WithPools

const keyBody = object({ Key: text })
const relayFactor = parameter(
  'relay-factor',
  z.string().regex(/^[0-5]?$/),
  'How many further members carry each answer.',
)

/**
 * The asked agent sends the query in its own pool itself. Reference: operator.md#get-v1-operator-keyring,
 * operator.md#put-v1-operator-keyring.
 */
export const keyringRoutes: readonly Route<KeyringContext>[] = [
  {
    path: '/v1/operator/keyring',
    since: 'control-over-http',
    operations: {
      GET: declared({
        summary: 'Keys of all pools',
        access: { asks: 'keyring:read' },
        query: [relayFactor],
        answers: [jsonAnswer('By pool.', listOf(keysShape))],
        handle: listKeys,
      }),
      POST: changeOfKeys('Install a key', 'install'),
      PUT: changeOfKeys('Encrypt with a key that is installed', 'use'),
      DELETE: changeOfKeys('Remove a key', 'remove'),
    },
  },
]

type KeyringRequest = RouteRequest<'relay-factor'>

async function listKeys(context: KeyringContext, request: KeyringRequest): Promise<RouteResponse> {
  const relays = relayFactorOf(request.query.get('relay-factor') ?? '')
  if (!relays.ok) return badRequest(relays.error)
  return answer(context, request, { action: 'list', relayFactor: relays.value })
}

function changeOfKeys(summary: string, action: 'install' | 'use' | 'remove'): Operation<KeyringContext> {
  return declared({
    summary,
    access: { asks: 'keyring:write' },
    query: [relayFactor],
    body: { about: 'The key, in base64.', required: true, json: keyBody.accepts },
    answers: [done],
    handle: async (context, request) => {
      const relays = relayFactorOf(request.query.get('relay-factor') ?? '')
      if (!relays.ok) return badRequest(relays.error)
      const body = decodeBody(request.body, keyBody)
      if (!body.ok) return failed(body.error)
      return answer(context, request, { action, key: body.value.Key, relayFactor: relays.value })
    },
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

async function answer(context: KeyringContext, request: KeyringRequest, wanted: KeyRequest): Promise<RouteResponse> {
  const reader = await context.authorizer(request.call)
  if (!reader.ok) return failed(reader.error)
  const refused = keysRefused(reader.value, wanted.action)
  if (refused !== undefined) {
    tellDenied(context.env, reader.value, refused, 'this agent')
    return failed(keysDenied(refused))
  }
  // An invalid key is reported once, before other pools are asked.
  const own = await context.lan.keys(wanted)
  if (!own.ok) return badRequest(own.error)
  const { datacenter } = context.self()
  const others = await otherPools(context, request, wanted)
  if (!others.ok) return failed(others.error)
  const [wan, elsewhere] = others.value
  const pools = [...wan, { wan: false, datacenter, answers: own }, ...elsewhere]
  const problem = keysProblem(pools)
  if (problem !== undefined) return failed({ kind: 'refused', message: problem })
  if (wanted.action !== 'list') return { kind: 'empty', status: 200 }
  return { kind: 'json', value: pools.flatMap((pool) => (pool.answers.ok ? [keysJson(pool, pool.answers.value)] : [])) }
}

/** The pool of all datacenters, if there is one, and the pool of each other datacenter, through servers. */
async function otherPools(
  context: KeyringContext,
  { call }: KeyringRequest,
  wanted: KeyRequest,
): Promise<Result<readonly [wan: readonly PoolKeys[], elsewhere: readonly PoolKeys[]], Failure>> {
  const args = {
    action: wanted.action,
    key: wanted.action === 'list' ? '' : wanted.key,
    relayFactor: wanted.relayFactor,
  }
  const wan = await context.ask(poolKeysEndpoint, { ...args, pool: 'wan' }, anyServer, call)
  if (!wan.ok) return wan
  const { answers, elsewhere } = wan.value
  const told = await askTogether(elsewhere, (there) => askThere(context, call, there, { ...args, pool: 'lan' }))
  const pools = elsewhere.flatMap((there): readonly PoolKeys[] => {
    const gave = told.get(there)
    return gave === undefined ? [] : [{ wan: false, datacenter: there, answers: gave }]
  })
  const { datacenter } = context.self()
  return ok([answers === null ? [] : [{ wan: true, datacenter, answers: ok(answers) }], pools])
}

/** Maximum number of datacenters that are asked at the same time. */
const togetherMax = 8
/** Timeout for each of them. A pool of thousands has some 15 s to answer. */
const thereWaitMs = 30_000

/** In the given order, a few at a time; datacenters without a result are left out. */
async function askTogether(
  datacenters: readonly string[],
  ask: (datacenter: string) => Promise<PoolKeys['answers'] | undefined>,
): Promise<ReadonlyMap<string, PoolKeys['answers']>> {
  const told = new Map<string, PoolKeys['answers']>()
  const waiting = datacenters.values()
  const lane = async (): Promise<void> => {
    for (const datacenter of waiting) {
      const answers = await ask(datacenter)
      if (answers !== undefined) told.set(datacenter, answers)
    }
  }
  await Promise.all(Array.from({ length: togetherMax }, lane))
  return told
}

/**
 * The answer of another datacenter's pool, or why there is none. If the caller disconnects, the operation there
 * continues.
 */
async function askThere(
  context: WithEnv & WithServerCalls,
  { token }: CallOptions,
  datacenter: string,
  args: KeyArgs,
): Promise<PoolKeys['answers'] | undefined> {
  let isOver = false
  const there = await withinTime(context.env, thereWaitMs, ({ onAbort }) =>
    context.ask(
      poolKeysEndpoint,
      args,
      { ...anyServer, datacenter },
      {
        ...(token === undefined ? {} : { token }),
        onAbort: (use) =>
          onAbort?.(() => {
            isOver = true
            use()
          }),
      },
    ),
  )
  if (isOver) return err(`no answer within ${formatDuration(thereWaitMs)}`)
  if (!there.ok) return err(failureText(there.error))
  return there.value.answers === null ? undefined : ok(there.value.answers)
}

const anyServer: ReadOptions = { consistency: 'stale', minIndex: noChange, waitMs: 0, maxStaleMs: 0, datacenter: '' }
