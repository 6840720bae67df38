import { itemAt } from '../../base/items.ts'
import { lowerAscii } from '../../base/letter-case.ts'
import { err, ok, type Result } from '../../base/result.ts'
import type { Env } from '../../env/env.ts'
import type { RandomStream } from '../../env/random.ts'
import type { HealthServiceEntry } from '../../model/catalog.ts'
import { type Failure, failureText } from '../../model/failure.ts'
import { segmentMetaKey } from '../../model/naming/names.ts'
import { hasBehaviour } from '../../model/release.ts'
import { type CallOptions, withinTime } from '../contract/call.ts'
import type { QueryEndpoint } from '../contract/endpoint.ts'
import type { Answer, ReadMeta } from '../contract/reading.ts'
import type { WithSelf } from '../contract/route-context.ts'
import { measured, type WithNaming, type WithRelease } from '../contract/surroundings.ts'
import { type ElsewhereArgs, type FoundElsewhere, failoverDatacenters, failsOver } from './elsewhere-endpoint.ts'
import { type Executed, executeEndpoint, executeRemoteEndpoint } from './execute-endpoints.ts'
import { type Nearness, shuffled } from './instances.ts'
import type { ServiceQuery } from './model.ts'
import { noSuchQuery } from './views.ts'

/** The reads that executing a query needs, with the caller's consistency. */
export interface QueryReads {
  /** `until` ends this call early, in addition to what ends the whole execution. */
  query<Args, Reply>(
    endpoint: QueryEndpoint<Args, Reply>,
    args: Args,
    datacenter: string,
    until?: Pick<CallOptions, 'onAbort'>,
  ): Promise<Result<Answer<Reply>, Failure>>
  /**
   * For a query with a token of its own: the result in another datacenter, which the servers of the query's own
   * datacenter request.
   */
  elsewhere(
    args: Omit<ElsewhereArgs, 'stale'>,
    own: string,
    until?: Pick<CallOptions, 'onAbort'>,
  ): Promise<Result<FoundElsewhere, Failure>>
  /** All datacenters but this one, the nearest to it first. */
  otherDatacenters(datacenter: string): Promise<Result<readonly string[], Failure>>
}

export interface QueryCall {
  readonly idOrName: string
  /** Only instances that can be reached through the mesh, whatever the query says. */
  readonly connect: boolean
  /** Maximum number of instances; 0: all. */
  readonly limit: number
  /** A node that the caller named, which takes precedence over the query's own; empty for none. */
  readonly near: string
  /** The caller's address. */
  readonly ip: string
  /** The segment of the asked agent. */
  readonly segment: string
  /** The asked agent, and its datacenter. */
  readonly node: string
  readonly ownDatacenter: string
  /** The datacenter of the query: the agent's own, or another. */
  readonly datacenter: string
}

export interface Execution {
  readonly service: string
  readonly entries: readonly HealthServiceEntry[]
  /** In the query's spelling. */
  readonly dnsTtl: string
  /** The datacenter of the instances. */
  readonly datacenter: string
  /** Number of other datacenters that were tried. */
  readonly failovers: number
  readonly meta: ReadMeta
}

/** What an agent tells servers about itself: before `query-near`, not its place. */
export function placeOf({ self, naming, release }: WithNaming & WithRelease & WithSelf) {
  const { nodeName, datacenter, nodeMeta } = self()
  return {
    node: hasBehaviour(release, 'query-near') ? nodeName : '',
    ownDatacenter: datacenter,
    segment: nodeMeta[segmentMetaKey(naming)] ?? '',
  }
}

/**
 * The named nearest node is included if it is among this many first results. Reference:
 * prepared-queries.md#order-and-failover.
 */
const nearFirstWithin = 10

/** Timeout for another datacenter: DNS clients give up after 5 s, and the next datacenter may have an answer. */
const elsewhereWaitMs = 3_000

const orderPurpose = 'query.order'

/**
 * Executes a query: finds instances in its datacenter, shuffles them, sorts them by distance, and tries other
 * datacenters only if there are none. The agent shuffles, so that servers can cache their results.
 */
export async function executeQuery(
  env: Env,
  reads: QueryReads,
  call: QueryCall,
  first?: Answer<Executed>,
): Promise<Result<Execution, Failure>> {
  const { datacenter } = call
  const answer = first === undefined ? await reads.query(executeEndpoint, executeArgs(call), datacenter) : ok(first)
  if (!answer.ok) return answer
  const { value, meta } = answer.value
  if (value.kind === 'unknown') return err(noSuchQuery)
  if (value.kind === 'unusable') return err({ kind: 'bad-request', message: value.line })
  const { query } = value
  const here: Execution = {
    service: query.service.service,
    entries: limited(ordered(value.entries, value, env.random.draws(orderPurpose, query.service.service)), call.limit),
    dnsTtl: query.dns.ttl,
    datacenter,
    failovers: 0,
    meta,
  }
  if (here.entries.length > 0 || !failsOver(query.service)) return ok(here)
  const others = await reads.otherDatacenters(datacenter)
  if (!others.ok) return others
  const failing = { call, here, service: query.service, hasToken: query.token !== '', others: others.value }
  return ok(await failOver(env, reads, failing))
}

interface Failing {
  readonly call: QueryCall
  readonly here: Execution
  readonly service: ServiceQuery
  /** The query has a token of its own. */
  readonly hasToken: boolean
  readonly others: readonly string[]
}

/** Tries datacenters in order until one has a result. One that cannot be reached is skipped. */
async function failOver(env: Env, reads: QueryReads, failing: Failing): Promise<Execution> {
  const { call, here, service, others } = failing
  let last = here
  for (const datacenter of failoverDatacenters(service, others)) {
    const failovers = last.failovers + 1
    const found = await measured({ env }, 'prepared-query.execute_remote', () =>
      withinTime(env, elsewhereWaitMs, (until) => findElsewhere(reads, failing, datacenter, until)),
    )
    if (!found.ok) {
      const fields = { service: here.service, datacenter, why: failureText(found.error) }
      env.log.write('warn', 'query', 'could not ask another datacenter', fields, 'sampled')
      last = { ...last, failovers }
      continue
    }
    const { meta } = found.value
    const entries = limited(
      shuffled(found.value.entries, env.random.draws(orderPurpose, here.service, datacenter)),
      call.limit,
    )
    last = { ...here, entries, datacenter, failovers, meta }
    if (entries.length > 0) break
  }
  return last
}

async function findElsewhere(
  reads: QueryReads,
  { call, service, hasToken }: Failing,
  datacenter: string,
  until: Pick<CallOptions, 'onAbort'>,
): Promise<Result<FoundElsewhere, Failure>> {
  const { idOrName, segment, connect } = call
  if (hasToken) {
    const found = await reads.elsewhere({ idOrName, segment, connect, datacenter }, call.datacenter, until)
    // Servers of earlier releases use the caller's token.
    if (found.ok || found.error.kind !== 'unknown-method') return found
  }
  const found = await reads.query(executeRemoteEndpoint, { service, connect }, datacenter, until)
  return found.ok ? ok({ entries: found.value.value, meta: found.value.meta }) : found
}

/**
 * Arguments for the servers of the query's datacenter. In another one the place of this agent means nothing, but a node
 * there that the caller names does.
 */
export function executeArgs({ idOrName, segment, connect, ...call }: QueryCall) {
  const { node, ip, near, datacenter, ownDatacenter } = call
  const isHere = datacenter === ownDatacenter
  const origin = isHere || near !== '' ? { node: isHere ? node : '', ip, near } : null
  return { idOrName, segment, connect, origin }
}

function ordered(
  entries: readonly HealthServiceEntry[],
  { near, distances }: Nearness,
  order: RandomStream,
): readonly HealthServiceEntry[] {
  const drawn = shuffled(
    entries.map((entry, at) => ({ entry, distance: distances?.[at] ?? 0 })),
    order,
  )
  const sorted = drawn
    .map(({ entry, distance }, at) => ({ entry, distance, at }))
    .sort((a, b) => a.distance - b.distance || a.at - b.at)
    .map(({ entry }) => entry)
  const place = sorted.slice(0, nearFirstWithin).findIndex(({ node }) => lowerAscii(node.node) === lowerAscii(near))
  return near === '' || place <= 0 ? sorted : swapped(sorted, place)
}

function swapped<T extends NonNullable<unknown>>(items: readonly T[], place: number): readonly T[] {
  const out = [...items]
  ;[out[0], out[place]] = [itemAt(out, place), itemAt(out, 0)]
  return out
}

function limited<T>(items: readonly T[], limit: number): readonly T[] {
  return limit > 0 ? items.slice(0, limit) : items
}
