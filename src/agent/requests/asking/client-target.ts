import { err, type Result } from '../../../base/result.ts'
import type { Closable } from '../../../env/async.ts'
import type { Env } from '../../../env/env.ts'
import type { EndpointDefinition } from '../../../features/contract/endpoint.ts'
import { labelsOf } from '../../../model/metric-labels.ts'
import type { CallFailure, Rpc } from '../../../rpc/rpc.ts'
import type { PoolServer } from '../../pool/pool-servers.ts'
import type { RequestLimits } from '../../settings/agent-config.ts'
import { datacenterOf, type EndpointRequest } from '../request.ts'
import { type Attempt, type CallTarget, deadlineOf } from './call-target.ts'
import type { ServerRouter } from './server-router.ts'

/** Failures of a server that another server may not have: it does not answer, or is cut off from the leader. */
export const fruitless: ReadonlySet<CallFailure['kind']> = new Set([
  'unreachable',
  'connection-lost',
  'shutting-down',
  'deadline-exceeded',
  'no-leader',
  'outcome-unknown',
])

/**
 * Failures of the asked server itself. For a request to another datacenter, any other failure comes from that
 * datacenter.
 */
const ownFailures: ReadonlySet<CallFailure['kind']> = new Set(['unreachable', 'connection-lost', 'shutting-down'])

interface ClientTargetParts {
  readonly env: Pick<Env, 'metrics'>
  readonly rpc: Rpc
  readonly router: ServerRouter
  readonly budget: RequestBudget
  /** This agent's own, which a request may name. */
  readonly datacenter: string
  /** How long a server may hold a request before it answers that there is no leader. */
  readonly holdMs: number
}

/** The requests of a client agent: each goes to a server, which answers or forwards it. */
export class ClientTarget implements CallTarget {
  readonly nobody = { kind: 'no-servers' } as const
  readonly #parts: ClientTargetParts

  constructor(parts: ClientTargetParts) {
    this.#parts = parts
  }

  async attempt(
    endpoint: EndpointDefinition,
    request: EndpointRequest,
    caller: Attempt,
  ): Promise<Result<unknown, CallFailure>> {
    const server = this.#parts.router.pick()
    if (server === undefined) return err({ kind: 'no-servers' })
    if (!this.#parts.budget.spend()) return err({ kind: 'rate-limited' })
    const datacenter = datacenterOf(request)
    const isForHere = datacenter === '' || datacenter === this.#parts.datacenter
    const answer = await this.#parts.rpc.request(server.address, {
      method: endpoint.method,
      body: { ...request, forward: true },
      // Another datacenter may hold a forwarded request, too.
      deadlineMs: deadlineOf(request) + this.#parts.holdMs * (isForHere ? 1 : 2),
      onAbort: caller.onAbort,
    })
    this.#note(server.id, answer)
    if (!answer.ok && (isForHere ? fruitless : ownFailures).has(answer.error.kind)) this.#failed(server)
    return answer
  }

  /** Reference: telemetry.md#metric-client-rpc-exceeded-client-rpc. */
  #failed({ id, name }: PoolServer): void {
    this.#parts.env.metrics.count('client.rpc.failed', 1, labelsOf(['server', name]))
    this.#parts.router.failed(id)
  }

  /** A slow answer says nothing about the server, nor does a request that was given up. */
  #note(id: string, answer: Result<unknown, CallFailure>): void {
    if (answer.ok) return this.#parts.router.answered(id)
    const { error } = answer
    if (error.kind === 'unreachable' || error.kind === 'connection-lost')
      this.#parts.router.unreached(id, error.message)
    else if (error.kind !== 'deadline-exceeded' && error.kind !== 'cancelled') this.#parts.router.answered(id)
  }

  answerNow(): undefined {
    return undefined
  }

  answersHere(): boolean {
    return false
  }

  onHope(use: () => void): Closable {
    return this.#parts.router.onAppeared(use)
  }
}

/**
 * How many requests a client agent may send to servers: `perSecond` on average, `burst` at once (a token bucket).
 * Without a rate there is no limit. Reference: http-conventions.md#rate-limit.
 */
export class RequestBudget {
  readonly #env: Env
  #limits: RequestLimits
  #tokens: number
  #sinceMs: number

  constructor(env: Env, limits: RequestLimits) {
    this.#env = env
    this.#limits = limits
    this.#tokens = limits.burst
    this.#sinceMs = env.clock.monoMs()
  }

  /** New limits apply at once; a reload never refills the burst of a caller that has spent it. */
  setLimits(limits: RequestLimits): void {
    this.#refill()
    this.#limits = limits
    this.#tokens = Math.min(this.#tokens, limits.burst)
  }

  /** Whether one more request may be sent now; if so, counts it. */
  spend(): boolean {
    this.#env.metrics.count('client.rpc')
    if (this.#limits.perSecond === undefined) return true
    this.#refill()
    if (this.#tokens < 1) {
      this.#env.metrics.count('client.rpc.exceeded')
      return false
    }
    this.#tokens -= 1
    return true
  }

  #refill(): void {
    const nowMs = this.#env.clock.monoMs()
    const gained = ((nowMs - this.#sinceMs) / 1000) * (this.#limits.perSecond ?? 0)
    this.#tokens = Math.min(this.#limits.burst, this.#tokens + gained)
    this.#sinceMs = nowMs
  }
}
