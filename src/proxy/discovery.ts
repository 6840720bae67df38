import { z } from 'zod'
import { jsonOrUndefined } from '../base/json.ts'
import { err, ok, type Result } from '../base/result.ts'
import type { Closable } from '../env/async.ts'
import type { Env } from '../env/env.ts'
import type { Endpoint } from '../env/net.ts'
import { proxyKind } from '../model/mesh-service.ts'
import type { AgentClient } from './agent-client.ts'
import { Following, refusalText } from './following.ts'
import type { Expected } from './identity.ts'
import type { UpstreamPlan } from './plan.ts'

/** Maximum number of instances of one service that a proxy keeps: the first ones. */
const instancesMax = 4_096
/** How long the result of a prepared query is cached, so that it is not executed for each connection. */
const queryKeptMs = 1_000
const queryTimeoutMs = 10_000
/** Maximum time for which a connection that will be broken waits for the reason. */
const whyTimeoutMs = 1_000

/** An instance through which a service is reached over the mesh. */
export interface Target {
  readonly endpoint: Endpoint
  readonly expected: Expected
}

const entry = z.object({
  Node: z.object({ Address: z.string(), Datacenter: z.string() }),
  Service: z.object({
    Kind: z.string().optional(),
    Service: z.string(),
    Address: z.string(),
    Port: z.number().int().min(0).max(65_535),
    Proxy: z.object({ DestinationServiceName: z.string().optional() }).nullish(),
  }),
})

function targetOf({ Node, Service }: z.infer<typeof entry>): Target {
  const destination = Service.Kind === proxyKind ? Service.Proxy?.DestinationServiceName : Service.Service
  return {
    endpoint: { host: Service.Address === '' ? Node.Address : Service.Address, port: Service.Port },
    expected: { service: destination ?? '', datacenter: Node.Datacenter },
  }
}

/**
 * The instances in a list of the agent's; undefined: it is no list. An entry that no proxy could dial is left out: the
 * catalog takes any number as a port, and one such registration must not hide all others.
 */
function targetsIn(list: unknown): readonly Target[] | undefined {
  if (!Array.isArray(list)) return undefined
  const targets: Target[] = []
  for (const each of list) {
    const read = entry.safeParse(each)
    if (read.success) targets.push(targetOf(read.data))
    if (targets.length === instancesMax) break
  }
  return targets
}

/** Finds the instances of an upstream. */
export interface Discovery extends Closable {
  /** The healthy instances, in arbitrary order; empty if none is known. The error is a clause for the log. */
  targets(timeoutMs: number): Promise<Result<readonly Target[], string>>
  /** Why there are no instances, as a clause for the log. */
  whyNone(): Promise<string>
}

export function discoveryOf(env: Env, api: AgentClient, plan: UpstreamPlan): Discovery {
  return plan.type === 'prepared_query' ? new QueryTargets(env, api, plan) : new ServiceTargets(env, api, plan)
}

function inDatacenter({ datacenter }: UpstreamPlan): readonly (readonly [string, string])[] {
  return datacenter === '' ? [] : [['dc', datacenter]]
}

/** Follows the health of a service's instances. */
class ServiceTargets implements Discovery {
  readonly #env: Env
  readonly #api: AgentClient
  readonly #plan: UpstreamPlan
  /** The recent reason for failed connections: otherwise each connection would request it by itself. */
  #why: { readonly atMs: number; readonly told: Promise<string> } | undefined
  readonly #following: Following
  #targets: readonly Target[] | undefined
  /** One for each connection that waits for the first answer. */
  readonly #waiting = new Set<() => void>()

  constructor(env: Env, api: AgentClient, plan: UpstreamPlan) {
    this.#env = env
    this.#api = api
    this.#plan = plan
    this.#following = new Following(env, api, {
      path: `/v1/health/connect/${encodeURIComponent(plan.name)}`,
      query: [['passing', '1'], ...inDatacenter(plan)],
      by: 'index',
      take: (body) => this.#take(body),
    })
  }

  async targets(timeoutMs: number): Promise<Result<readonly Target[], string>> {
    if (this.#targets === undefined) await this.#first(timeoutMs)
    return this.#targets === undefined ? err('the agent has not reported its address yet') : ok(this.#targets)
  }

  whyNone(): Promise<string> {
    const nowMs = this.#env.clock.monoMs()
    if (this.#why === undefined || nowMs - this.#why.atMs > queryKeptMs)
      this.#why = { atMs: nowMs, told: this.#askWhy() }
    return this.#why.told
  }

  async #askWhy(): Promise<string> {
    const answer = await this.#api.ask({
      method: 'GET',
      path: `/v1/health/connect/${encodeURIComponent(this.#plan.name)}`,
      query: inDatacenter(this.#plan),
      timeoutMs: whyTimeoutMs,
    })
    return answer.ok && answer.value.status === 200 ? whyUnhealthy(answer.value.body) : 'it has no healthy instance'
  }

  close(): void {
    this.#following.close()
    this.#wake()
  }

  #take(body: Uint8Array): string | undefined {
    const targets = targetsIn(jsonOrUndefined(body))
    if (targets === undefined) return 'the answer of the agent about instances cannot be read'
    this.#targets = targets
    this.#wake()
    return undefined
  }

  #wake(): void {
    for (const wake of [...this.#waiting]) wake()
  }

  async #first(timeoutMs: number): Promise<void> {
    const told = this.#env.deferred<void>()
    const wake = (): void => told.resolve()
    this.#waiting.add(wake)
    const timer = this.#env.timers.after(timeoutMs, wake)
    await told.promise
    this.#waiting.delete(wake)
    timer.close()
  }
}

const queryAnswer = z.object({ Nodes: z.unknown() })

/** Executes a prepared query; concurrent connections share the result. */
class QueryTargets implements Discovery {
  readonly #env: Env
  readonly #api: AgentClient
  readonly #plan: UpstreamPlan
  #kept: { readonly atMs: number; readonly found: Promise<Result<readonly Target[], string>> } | undefined

  constructor(env: Env, api: AgentClient, plan: UpstreamPlan) {
    this.#env = env
    this.#api = api
    this.#plan = plan
  }

  targets(): Promise<Result<readonly Target[], string>> {
    const nowMs = this.#env.clock.monoMs()
    if (this.#kept === undefined || nowMs - this.#kept.atMs > queryKeptMs) {
      this.#kept = { atMs: nowMs, found: this.#execute() }
    }
    return this.#kept.found
  }

  whyNone(): Promise<string> {
    const none = this.#env.deferred<string>()
    none.resolve('the prepared query finds no healthy instance')
    return none.promise
  }

  close(): void {
    this.#kept = undefined
  }

  async #execute(): Promise<Result<readonly Target[], string>> {
    const answer = await this.#api.ask({
      method: 'GET',
      path: `/v1/query/${encodeURIComponent(this.#plan.name)}/execute`,
      query: [['connect', 'true'], ...inDatacenter(this.#plan)],
      timeoutMs: queryTimeoutMs,
    })
    if (!answer.ok) return answer
    if (answer.value.status !== 200) return err(refusalText(answer.value))
    const read = queryAnswer.safeParse(jsonOrUndefined(answer.value.body))
    const targets = read.success ? targetsIn(read.data.Nodes ?? []) : undefined
    return targets === undefined ? err('the answer of the agent about instances cannot be read') : ok(targets)
  }
}

/** Maximum number of checks that are named; the others are only counted. */
const namedMax = 4

const instances = z.array(
  z.object({
    Node: z.object({ Node: z.string() }),
    Service: z.object({ ID: z.string() }),
    Checks: z.array(z.object({ Name: z.string(), Status: z.string() })).nullable(),
  }),
)

/** Why a service has no instance to connect to: which checks of the registered instances do not pass. */
export function whyUnhealthy(body: Uint8Array): string {
  const read = instances.safeParse(jsonOrUndefined(body))
  if (!read.success) return 'it has no healthy instance'
  if (read.data.length === 0) return 'it has no registered proxy'
  const failing = read.data.flatMap(({ Node, Service, Checks }) =>
    (Checks ?? [])
      .filter(({ Status }) => Status !== 'passing')
      .map(({ Name, Status }) => `${JSON.stringify(Name)} of ${Service.ID} on ${Node.Node} is ${Status}`),
  )
  const more = failing.length > namedMax ? `, and ${failing.length - namedMax} more checks do not pass` : ''
  const named = failing.slice(0, namedMax).join(', ')
  return `it has no healthy instance${named === '' ? '' : `: ${named}${more}`}`
}
