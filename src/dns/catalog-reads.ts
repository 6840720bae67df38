import type { DnsConfig } from '../agent/settings/agent-config.ts'
import { lowerAscii } from '../base/letter-case.ts'
import type { Result } from '../base/result.ts'
import { ok } from '../base/result.ts'
import type { Env } from '../env/env.ts'
import { nodeServicesEndpoint, nodesEndpoint, servicesAtEndpoint } from '../features/catalog/endpoint.ts'
import type { CallOptions } from '../features/contract/call.ts'
import type { QueryEndpoint } from '../features/contract/endpoint.ts'
import type { Answer, Consistency, ReadMeta, ReadOptions } from '../features/contract/reading.ts'
import type { WithAccess, WithQueries, WithSelf, WithServerCalls } from '../features/contract/route-context.ts'
import type { WithNaming, WithRelease } from '../features/contract/surroundings.ts'
import { nodesSeen } from '../features/discovery/datacenters.ts'
import { oneTagSent } from '../features/discovery/tag-filter.ts'
import { serviceHealthEndpoint } from '../features/health/endpoint.ts'
import { executeElsewhereEndpoint, otherDatacentersEndpoint } from '../features/query/elsewhere-endpoint.ts'
import { type Execution, executeQuery, placeOf, type QueryCall, type QueryReads } from '../features/query/execution.ts'
import type { CatalogNode, HealthServiceEntry } from '../model/catalog.ts'
import type { Failure } from '../model/failure.ts'
import { noChange } from '../model/log-position.ts'
import { hasBehaviour, type Release } from '../model/release.ts'
import { Basis } from './kept-answers.ts'

/** Answers older than this are counted. Reference: dns.md#fact-101. */
const staleCountedMs = 5_000

/** The part of the route context that DNS uses. */
export type DnsContext = WithNaming & WithRelease & WithQueries & WithServerCalls & WithSelf & Partial<WithAccess>

/** The datacenter and the consistency of reads. */
export interface ReadSource {
  readonly env: Env
  readonly context: DnsContext
  readonly config: DnsConfig
  /** The agent's own datacenter. */
  readonly datacenter: string
}

/**
 * DNS's reads of the catalog for one question: the same endpoints as HTTP, with the configured consistency. Reference:
 * dns.md#consistency.
 */
export class CatalogReads {
  readonly #env: Env
  readonly #context: DnsContext
  readonly #config: DnsConfig
  readonly #datacenter: string
  /** Collects what the answer depends on. */
  readonly basis: Basis

  constructor({ env, context, config, datacenter }: ReadSource) {
    const token = context.accessControl?.defaultToken()
    this.basis = new Basis(() => context.accessControl?.defaultToken() === token)
    this.#env = env
    this.#context = context
    this.#config = config
    this.#datacenter = datacenter
  }

  /** The release that the agent runs as. */
  get release(): Release {
    return this.#context.release
  }

  /** Undefined: there is no such node. */
  async node(node: string, datacenter: string): Promise<Result<CatalogNode | undefined, Failure>> {
    const found = await this.#ask(nodeServicesEndpoint, { node }, datacenter)
    if (!found.ok) return found
    return ok(found.value === null ? undefined : this.#seenFrom(datacenter)(found.value.node))
  }

  nodes(): Promise<Result<readonly CatalogNode[], Failure>> {
    return this.#ask(nodesEndpoint, {}, '')
  }

  /** The first service that has an instance at one of these addresses, if any. */
  async serviceAt(addresses: readonly string[]): Promise<Result<string | undefined, Failure>> {
    const found = await this.#ask(servicesAtEndpoint, { addresses: [...addresses] }, '')
    return found.ok ? ok(found.value[0]?.service) : found
  }

  /** Instances in any state of health; an empty tag is no filter. */
  async instances(
    wanted: { readonly service: string; readonly tag: string; readonly connect: boolean },
    datacenter: string,
  ): Promise<Result<readonly HealthServiceEntry[], Failure>> {
    const { service, tag, connect } = wanted
    const args = { service, ...(tag === '' ? {} : oneTagSent(tag)), connect }
    const found = await this.#ask(serviceHealthEndpoint, args, datacenter)
    if (!found.ok) return found
    const seen = this.#seenFrom(datacenter)
    return ok(found.value.map((entry) => ({ ...entry, node: seen(entry.node) })))
  }

  /** Reference: dns.md#fact-50. */
  #seenFrom(named: string): (node: CatalogNode) => CatalogNode {
    const { datacenter } = this.#readFor(named)
    return nodesSeen(this.#context.self(), datacenter === '' ? this.#datacenter : datacenter)
  }

  /** Executes a prepared query for a client at this address. */
  async prepared(idOrName: string, ip: string, named: string): Promise<Result<Execution, Failure>> {
    this.basis.isOfTheMoment()
    const own = this.#datacenter
    const datacenter = this.#readFor(named).datacenter
    const place = placeOf(this.#context)
    const call: QueryCall = {
      ...place,
      idOrName,
      connect: false,
      limit: 0,
      near: '',
      ip: place.node === '' ? '' : ip,
      datacenter: datacenter === '' ? own : datacenter,
    }
    const reads: QueryReads = {
      query: (endpoint, args, at, until) => this.#fresh(endpoint, args, at, until),
      elsewhere: (args, at, until = {}) => {
        const read = this.#readFor(at)
        const stale = read.consistency === 'stale'
        return this.#context.ask(executeElsewhereEndpoint, { ...args, stale }, read, until)
      },
      otherDatacenters: (at) => this.#context.ask(otherDatacentersEndpoint, {}, this.#readFor(at), {}),
    }
    const found = await executeQuery(this.#env, reads, call)
    if (!found.ok) return found
    const seen = nodesSeen(this.#context.self(), found.value.datacenter)
    const entries = found.value.entries.map((entry) => ({ ...entry, node: seen(entry.node) }))
    return ok({ ...found.value, entries })
  }

  async #ask<Args, Reply>(
    endpoint: QueryEndpoint<Args, Reply>,
    args: Args,
    datacenter: string,
  ): Promise<Result<Reply, Failure>> {
    const found = await this.#fresh(endpoint, args, datacenter)
    return found.ok ? ok(found.value.value) : found
  }

  async #fresh<Args, Reply>(
    endpoint: QueryEndpoint<Args, Reply>,
    args: Args,
    datacenter: string,
    until: Pick<CallOptions, 'onAbort'> = {},
  ): Promise<Result<Answer<Reply>, Failure>> {
    const { allowStale } = this.#config
    const query = (consistency: Consistency) =>
      this.#context.query(endpoint, args, this.#readFor(datacenter, consistency), until)
    const found = await query(allowStale ? 'stale' : 'default')
    if (!found.ok) {
      // An answer without this read may change when the read succeeds again.
      this.basis.isOfTheMoment()
      return found
    }
    if (!allowStale) {
      this.basis.isOfTheMoment()
      return found
    }
    if (isTooStale(found.value.meta, this.#config)) {
      this.#env.log.write('warn', 'dns', 'Query results too stale, re-requesting', {}, 'sampled')
      this.basis.isOfTheMoment()
      return query('default')
    }
    this.basis.restsOn(found.value)
    countStale(found.value.meta, { env: this.#env, context: this.#context })
    return found
  }

  #readFor(named: string, consistency: Consistency = 'stale'): ReadOptions {
    const datacenter = named === '' || lowerAscii(named) === lowerAscii(this.#datacenter) ? '' : named
    return { consistency, minIndex: noChange, waitMs: 0, maxStaleMs: 0, datacenter }
  }
}

/** Whether the answer is older than `max_stale`, so that the leader must be asked. Reference: dns.md#fact-100. */
export function isTooStale(meta: ReadMeta, { maxStaleMs }: DnsConfig): boolean {
  return ageOf(meta) > maxStaleMs
}

/** Reference: dns.md#fact-101. */
export function countStale(meta: ReadMeta, { env, context }: Pick<ReadSource, 'context' | 'env'>): void {
  if (ageOf(meta) > staleCountedMs && hasBehaviour(context.release, 'dns-stale-counted'))
    env.metrics.count('dns.stale_queries')
}

/**
 * The maximum age of an answer. A restarted server that has not heard from a leader does not know earlier commits: its
 * lack of a name means nothing, and must not be reported as an answer.
 */
function ageOf({ knownLeader, lastContactMs }: ReadMeta): number {
  return !knownLeader && lastContactMs === 0 ? Number.POSITIVE_INFINITY : lastContactMs
}
