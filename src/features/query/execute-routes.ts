import { z } from 'zod'
import { textOfByteString } from '../../base/bytes.ts'
import { err, ok, type Result } from '../../base/result.ts'
import { ipBytes } from '../../dns-wire/ip-address.ts'
import type { Failure } from '../../model/failure.ts'
import { noChange } from '../../model/log-position.ts'
import type { CallOptions } from '../contract/call.ts'
import type { RequestHeader } from '../contract/operation.ts'
import type { Answer, Consistency, ReadOptions } from '../contract/reading.ts'
import {
  badRequest,
  type CacheUse,
  failed,
  failedRead,
  type NamesOf,
  type RouteRequest,
  type RouteResponse,
} from '../contract/route.ts'
import type { WithCachedReads, WithQueries, WithSelf, WithServerCalls } from '../contract/route-context.ts'
import { measured, type WithEnv, type WithNaming, type WithRelease } from '../contract/surroundings.ts'
import { freshnessOf, nearOf } from '../discovery/reads.ts'
import { near, parameter, readParameters, truthText } from '../http/declared.ts'
import { parseReadOptions, type ReadName } from '../http/read-options.ts'
import { executeElsewhereEndpoint, otherDatacentersEndpoint } from './elsewhere-endpoint.ts'
import { type Executed, executeEndpoint, explainEndpoint } from './execute-endpoints.ts'
import { executeArgs, executeQuery, placeOf, type QueryCall, type QueryReads } from './execution.ts'
import { executionJson, metaJson, unindexed } from './execution-json.ts'
import { queryJson } from './model.ts'
import { noSuchQuery } from './views.ts'

/** The part of the route context that these routes use. */
type ExecuteContext = WithEnv & WithNaming & WithRelease & WithQueries & WithCachedReads & WithServerCalls & WithSelf

export const executeParameters = [
  ...readParameters,
  parameter('limit', z.string().regex(/^([+-]?\d{1,15})?$/), 'Maximum number of instances; 0 for all.'),
  parameter('connect', truthText, 'Only instances that can be reached through the mesh.'),
  near,
] as const

export const forwardedFor: RequestHeader = {
  name: 'x-forwarded-for',
  about: 'The address of the caller, for `_ip`, as a proxy tells it.',
}

type ExecuteRequest = RouteRequest<NamesOf<typeof executeParameters>>

/** `GET /v1/query/<id or name>/execute`. Never blocks. Reference: prepared-queries.md#execution. */
export async function execute(context: ExecuteContext, request: ExecuteRequest): Promise<RouteResponse> {
  const idOrName = textOfByteString(request.rest)
  const options = plainReadOptions(context, request)
  if (!options.ok) return failed(options.error)
  const call = callOf(context, request, idOrName, options.value.datacenter)
  if (!call.ok) return badRequest(call.error)
  const begun = await firstAnswer(context, request, options.value, call.value)
  if (!begun.ok) return unread(begun.error)
  const { answer, cache, consistency } = begun.value
  const reads = readsOf(context, request, options.value)
  const executed = await measured(context, 'prepared-query.execute', () =>
    executeQuery(context.env, reads, call.value, answer),
  )
  if (!executed.ok) return unread(executed.error)
  const { meta } = executed.value
  const said = cache === undefined ? {} : { cache }
  return {
    kind: 'json',
    value: executionJson(context, executed.value, consistency),
    meta: unindexed(meta),
    consistency,
    ...said,
  }
}

/** `GET /v1/query/<id or name>/explain`. */
export async function explain(context: ExecuteContext, request: RouteRequest<ReadName>): Promise<RouteResponse> {
  const idOrName = textOfByteString(request.rest)
  const options = plainReadOptions(context, request)
  if (!options.ok) return failed(options.error)
  const args = { idOrName, segment: placeOf(context).segment }
  const answer = await measured(context, 'prepared-query.explain', () =>
    context.query(explainEndpoint, args, options.value, request.call),
  )
  if (!answer.ok) return unread(answer.error)
  const { value: resolved, meta } = answer.value
  if (resolved.kind === 'unknown') return failed(noSuchQuery)
  if (resolved.kind === 'unusable') return badRequest(resolved.line)
  const { consistency } = options.value
  const value = { Query: queryJson(resolved.query), ...metaJson(meta, consistency) }
  return { kind: 'json', value, meta: unindexed(meta), consistency }
}

/** The field reports freshness for a failed read, but not for an unknown query. */
function unread(failure: Failure): RouteResponse {
  return failure.kind === 'not-found' ? failed(failure) : failedRead(failure)
}

/** Answered at once: the caller's options for blocking are ignored. */
function plainReadOptions(context: WithSelf, request: RouteRequest<ReadName>): Result<ReadOptions, Failure> {
  const options = parseReadOptions(context, request.query)
  return options.ok ? ok({ ...options.value, minIndex: noChange, waitMs: 0 }) : options
}

const truths: ReadonlySet<string> = new Set(['1', 't', 'T', 'TRUE', 'true', 'True'])
const untruths: ReadonlySet<string> = new Set(['', '0', 'f', 'F', 'FALSE', 'false', 'False'])

function callOf(
  context: WithNaming & WithRelease & WithSelf,
  request: ExecuteRequest,
  idOrName: string,
  named: string,
): Result<QueryCall, string> {
  const { query } = request
  const limitText = query.get('limit') ?? ''
  if (!/^([+-]?\d{1,15})?$/.test(limitText)) return err(`Bad limit: ${JSON.stringify(limitText)} is not a number`)
  const connect = query.get('connect') ?? ''
  if (!truths.has(connect) && !untruths.has(connect)) {
    return err(`Error parsing 'connect' value: ${JSON.stringify(connect)} is neither true nor false`)
  }
  const place = placeOf(context)
  const datacenter = named === '' ? place.ownDatacenter : named
  // The servers of another datacenter do not know this agent's node.
  const isUnknownThere = datacenter !== place.ownDatacenter && query.get('near') === '_agent'
  return ok({
    ...place,
    idOrName,
    connect: truths.has(connect),
    limit: Math.max(0, Number(limitText)),
    near: isUnknownThere ? '' : (nearOf(context, query).near ?? ''),
    ip: place.node === '' ? '' : callerAddress(request),
    datacenter,
  })
}

/** The first entry in the proxies' header if that is an address, otherwise the address of the connection. */
function callerAddress({ headers, call }: ExecuteRequest): string {
  const [forwarded = ''] = (headers().get('x-forwarded-for') ?? '').split(',')
  return ipBytes(forwarded.trim()) === undefined ? (call.client ?? '') : forwarded.trim()
}

interface Begun {
  readonly answer: Answer<Executed> | undefined
  readonly cache: CacheUse | undefined
  readonly consistency: Consistency
}

/** With `?cached`, the result of the query's own datacenter from this agent's cache. */
async function firstAnswer(
  context: WithCachedReads,
  request: ExecuteRequest,
  read: ReadOptions,
  call: QueryCall,
): Promise<Result<Begun, Failure>> {
  if (!request.query.has('cached')) return ok({ answer: undefined, cache: undefined, consistency: read.consistency })
  const freshness = freshnessOf(request)
  if (!freshness.ok) return freshness
  const cached = (ip: string) =>
    context.cached(executeEndpoint, executeArgs({ ...call, ip }), read, freshness.value, request.call)
  // Cached once for all callers, unless the caller's address matters: then once for each address.
  const forAll = await cached('')
  if (!forAll.ok) return forAll
  const { value } = forAll.value.answer
  const kept = value.kind === 'found' && value.byAddress !== false && call.ip !== '' ? await cached(call.ip) : forAll
  if (!kept.ok) return kept
  const { answer, hit, ageMs } = kept.value
  const cache = { hit, ageS: Math.floor(ageMs / 1000) }
  return ok({ answer, cache, consistency: hit ? 'default' : 'stale' })
}

/** Reads from the servers of a datacenter with this request's options. */
function readsOf(context: ExecuteContext, request: ExecuteRequest, read: ReadOptions): QueryReads {
  const own = context.self().datacenter
  const at = (datacenter: string): ReadOptions => ({ ...read, datacenter: datacenter === own ? '' : datacenter })
  const { call } = request
  const endedBy = (until: Pick<CallOptions, 'onAbort'> | undefined): CallOptions => {
    if (until === undefined) return call
    const onAbort = (use: () => void): void => {
      call.onAbort?.(use)
      until.onAbort?.(use)
    }
    return { ...call, onAbort }
  }
  return {
    query: (endpoint, args, datacenter, until) => context.query(endpoint, args, at(datacenter), endedBy(until)),
    elsewhere: (args, datacenter, until) => {
      const stale = read.consistency === 'stale'
      return context.ask(executeElsewhereEndpoint, { ...args, stale }, at(datacenter), endedBy(until))
    },
    otherDatacenters: (datacenter) => context.ask(otherDatacentersEndpoint, {}, at(datacenter), request.call),
  }
}
