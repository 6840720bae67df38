import { textOfByteString } from '../../base/bytes.ts'
import type { Json } from '../../base/json.ts'
import { err, ok, type Result } from '../../base/result.ts'
import type { ObjectType } from '../../filter/fields.ts'
import type { TextPairs } from '../../model/catalog.ts'
import type { Failure } from '../../model/failure.ts'
import type { Freshness } from '../contract/call.ts'
import type { QueryEndpoint } from '../contract/endpoint.ts'
import type { Answer, Consistency, ReadOptions } from '../contract/reading.ts'
import {
  answered,
  badRequest,
  type CacheUse,
  failed,
  failedRead,
  type NamesOf,
  type QueryParameters,
  type RouteRequest,
  type RouteResponse,
} from '../contract/route.ts'
import type { WithCachedReads, WithQueries, WithSelf } from '../contract/route-context.ts'
import type { WithEnv } from '../contract/surroundings.ts'
import type { discoveryParameters } from '../http/declared.ts'
import { answeredEntries, type Entries, filterOf } from '../http/filtering.ts'
import { parseReadOptions } from '../http/read-options.ts'

/** Parameters of such a read (parameters.ts). */
export type DiscoveryName = NamesOf<typeof discoveryParameters>

/** What is asked of the servers. */
interface Question<Args, Reply> {
  readonly endpoint: QueryEndpoint<Args, Reply>
  /** The error for a path without the required name; absent if the path needs none. */
  readonly missing?: string
  /** `name` is the one in the path. */
  args(name: string): Args
  /** The agent may answer from its cache if the caller accepts that. */
  readonly cacheable?: true
}

/** A read of nodes, services or checks. */
export interface DiscoveryRead<Args, Reply> extends Question<Args, Reply> {
  json(reply: Reply): Json
}

/** A read whose answer has entries, of which a caller may want only some. */
export interface EntriesRead<Args, Reply, Entry> extends Question<Args, Reply>, Omit<Entries<Reply, Entry>, 'form'> {
  /** What a filter can select of an entry. */
  readonly entryType: ObjectType
  /** Absent: what the answer shows depends on the reply alone. */
  readonly form?: string
}

/** Answers a read from the catalog, and reports how consistent it was (HTTP API 1.7). */
export async function discoveryRead<Args, Reply>(
  context: WithQueries & WithCachedReads & WithSelf,
  request: RouteRequest<DiscoveryName>,
  read: DiscoveryRead<Args, Reply>,
): Promise<RouteResponse> {
  const found = await answerOf(context, request, read)
  if ('kind' in found) return found
  return answered(found.answer, read.endpoint.method, read.json, found.said)
}

/** The same, with the entries that the caller's filter keeps. The index is that of all entries, as in the field. */
export async function entriesRead<Args, Reply, Entry>(
  context: WithEnv & WithQueries & WithCachedReads & WithSelf,
  request: RouteRequest<DiscoveryName | 'filter'>,
  read: EntriesRead<Args, Reply, Entry>,
): Promise<RouteResponse> {
  const filter = filterOf(request.query, read.entryType)
  if (!filter.ok) return failed(filter.error)
  const found = await answerOf(context, request, read)
  if ('kind' in found) return found
  return answeredEntries(context, found.answer, filter.value, { form: read.endpoint.method, ...read }, found.said)
}

interface FoundAnswer<Reply> {
  readonly answer: Answer<Reply>
  readonly said: { readonly consistency: Consistency; readonly cache?: CacheUse }
}

/** The answer of the servers or of the cache; a response that says why if neither answers. */
async function answerOf<Args, Reply>(
  context: WithQueries & WithCachedReads & WithSelf,
  request: RouteRequest<DiscoveryName>,
  { endpoint, missing, args, cacheable }: Question<Args, Reply>,
): Promise<FoundAnswer<Reply> | RouteResponse> {
  const parsed = parseReadOptions(context, request.query)
  if (!parsed.ok) return failed(parsed.error)
  const options = unlessAskedOtherwise(context, request.query, parsed.value)
  if (missing !== undefined && request.rest === '') return badRequest(missing)
  const wanted = args(textOfByteString(request.rest))
  if (cacheable === true && request.query.has('cached')) {
    const freshness = freshnessOf(request)
    if (!freshness.ok) return failed(freshness.error)
    const cached = await context.cached(endpoint, wanted, options, freshness.value, request.call)
    if (!cached.ok) return failedRead(cached.error)
    const { answer, hit, ageMs } = cached.value
    const cache = { hit, ageS: Math.floor(ageMs / 1000) }
    return { answer, said: { consistency: hit ? 'default' : 'stale', cache } }
  }
  const answer = await context.query(endpoint, wanted, options, request.call)
  if (!answer.ok) return failedRead(answer.error)
  return { answer: answer.value, said: { consistency: options.consistency } }
}

const sayingHow = ['stale', 'consistent', 'leader', 'cached'] as const

/**
 * `discovery_max_stale` of the configuration applies if the caller names no consistency mode. Reference:
 * http-reads.md#stale-reads-by-default, http-conventions.md#parameter-leader.
 */
function unlessAskedOtherwise(
  { discoveryMaxStaleMs }: WithCachedReads,
  query: QueryParameters<DiscoveryName>,
  options: ReadOptions,
): ReadOptions {
  if (discoveryMaxStaleMs <= 0 || (query.get('max_stale') ?? '') !== '') return options
  if (sayingHow.some((name) => query.has(name))) return options
  return { ...options, consistency: 'stale', maxStaleMs: discoveryMaxStaleMs }
}

/**
 * The freshness that `Cache-Control` demands. Directives without a meaning here are ignored. Reference:
 * http-reads.md#cache-control.
 */
export function freshnessOf({ headers }: Pick<RouteRequest, 'headers'>): Result<Freshness, Failure> {
  const seconds = new Map<string, number>()
  let revalidate = false
  for (const directive of (headers().get('cache-control') ?? '').split(',')) {
    const [name = '', value = ''] = directive.trim().toLowerCase().split('=')
    if (name === 'must-revalidate') revalidate = true
    if (name !== 'max-age' && name !== 'stale-if-error') continue
    if (!/^\d{1,9}$/.test(value)) return err({ kind: 'bad-request', message: 'Invalid Cache-Control header.' })
    seconds.set(name, Number(value))
  }
  const maxAge = seconds.get('max-age')
  const staleIfError = seconds.get('stale-if-error')
  return ok({
    revalidate: revalidate || maxAge === 0,
    ...(maxAge === undefined ? {} : { maxAgeMs: maxAge * 1000 }),
    ...(staleIfError === undefined ? {} : { staleIfErrorMs: staleIfError * 1000 }),
  })
}

/** `near=node`; `_agent` is the asked agent. Reference: http-conventions.md#parameter-near. */
export function nearOf(context: WithSelf, query: QueryParameters<'near'>): { readonly near?: string } {
  const given = query.get('near') ?? ''
  if (given === '') return {}
  return { near: given === '_agent' ? context.self().nodeName : given }
}

/**
 * `node-meta=key:value`, possibly repeated. A key alone demands an empty value. Reference:
 * http-conventions.md#parameter-node-meta.
 */
export function nodeMetaOf(query: QueryParameters<'node-meta'>): { readonly nodeMeta?: TextPairs } {
  const given = query.all('node-meta')
  if (given.length === 0) return {}
  const nodeMeta = given.map((text): readonly [string, string] => {
    const colon = text.indexOf(':')
    return colon < 0 ? [text, ''] : [text.slice(0, colon), text.slice(colon + 1)]
  })
  return { nodeMeta }
}
