import type { DnsConfig } from '../agent/agent-config.ts'
import { lowerAscii } from '../base/letter-case.ts'
import type { Result } from '../base/result.ts'
import { ok } from '../base/result.ts'
import type { Env } from '../env/env.ts'
import { nodeServicesEndpoint, nodesEndpoint, serviceAtEndpoint } from '../features/catalog/endpoint.ts'
import { serviceHealthEndpoint } from '../features/health/endpoint.ts'
import type { AgentContext, Consistency, QueryEndpoint, ReadMeta } from '../features/manifest.ts'
import type { CatalogNode, HealthServiceEntry } from '../model/catalog.ts'
import type { Failure } from '../model/failure.ts'

/** Answers older than this are counted. Reference: dns 101. */
const staleCountedMs = 5_000

/** What DNS asks of the catalog: the same endpoints as HTTP, as fresh as the configuration wants. Reference: dns 7. */
export class CatalogReads {
  readonly #env: Env
  readonly #agent: Pick<AgentContext, 'query'>
  readonly #config: DnsConfig
  readonly #datacenter: string

  constructor(env: Env, agent: Pick<AgentContext, 'query'>, config: DnsConfig, datacenter: string) {
    this.#env = env
    this.#agent = agent
    this.#config = config
    this.#datacenter = datacenter
  }

  /** Undefined: there is no such node. */
  async node(node: string, datacenter: string): Promise<Result<CatalogNode | undefined, Failure>> {
    const found = await this.#ask(nodeServicesEndpoint, { node }, datacenter)
    return found.ok ? ok(found.value?.node) : found
  }

  nodes(): Promise<Result<readonly CatalogNode[], Failure>> {
    return this.#ask(nodesEndpoint, {}, '')
  }

  /** The service that has an instance at one of these addresses, if any. */
  serviceAt(addresses: readonly string[]): Promise<Result<string | null, Failure>> {
    return this.#ask(serviceAtEndpoint, { addresses: [...addresses] }, '')
  }

  /** Instances in any state of health; an empty tag is no filter. */
  instances(
    wanted: { readonly service: string; readonly tag: string; readonly connect: boolean },
    datacenter: string,
  ): Promise<Result<readonly HealthServiceEntry[], Failure>> {
    const { service, tag, connect } = wanted
    return this.#ask(serviceHealthEndpoint, { service, tags: tag === '' ? [] : [tag], connect }, datacenter)
  }

  async #ask<Args, Reply>(
    endpoint: QueryEndpoint<Args, Reply>,
    args: Args,
    datacenter: string,
  ): Promise<Result<Reply, Failure>> {
    const { allowStale, maxStaleMs } = this.#config
    const found = await this.#query(endpoint, args, datacenter, allowStale ? 'stale' : 'default')
    if (!found.ok) return found
    const ageMs = ageOf(found.value.meta)
    if (allowStale && ageMs > maxStaleMs) {
      this.#env.log.write('warn', 'dns', 'Query results too stale, re-requesting')
      const fresh = await this.#query(endpoint, args, datacenter, 'default')
      return fresh.ok ? ok(fresh.value.value) : fresh
    }
    if (allowStale && ageMs > staleCountedMs) this.#env.metrics.count('dns.stale_queries')
    return ok(found.value.value)
  }

  #query<Args, Reply>(endpoint: QueryEndpoint<Args, Reply>, args: Args, named: string, consistency: Consistency) {
    const datacenter = named === '' || named === lowerAscii(this.#datacenter) ? '' : named
    const read = { consistency, minIndex: 0, waitMs: 0, maxStaleMs: 0, datacenter }
    return this.#agent.query(endpoint, args, read, {})
  }
}

/**
 * How old an answer is at most. A server that has not heard of a leader since it started does not know what was committed
 * before: that it has nothing of a name says nothing, and must not be told as if it did.
 */
function ageOf({ knownLeader, lastContactMs }: ReadMeta): number {
  return !knownLeader && lastContactMs === 0 ? Number.POSITIVE_INFINITY : lastContactMs
}
