import { err, type Result } from '../../../base/result.ts'
import { hideUuids } from '../../../base/uuid.ts'
import type { Closable } from '../../../env/async.ts'
import type { Env } from '../../../env/env.ts'
import type { EndpointDefinition } from '../../../features/contract/endpoint.ts'
import type { Pool } from '../../../gossip/pool.ts'
import { labelsOf } from '../../../model/metric-labels.ts'
import type { CallFailure, Rpc } from '../../../rpc/rpc.ts'
import { type PoolServer, serverOf } from '../../pool/pool-servers.ts'
import type { EndpointRequest } from '../request.ts'
import { AskedInTurn } from './asked-in-turn.ts'
import { type Attempt, type CallTarget, deadlineOf } from './call-target.ts'
import { fruitless } from './client-target.ts'

/**
 * Sends a server's requests for another datacenter to one of the servers there, which answers or forwards them. If
 * there is no path, the caller learns that within the hold time.
 */
class DatacenterTarget implements CallTarget {
  readonly nobody: { readonly kind: 'unknown-datacenter'; readonly datacenter: string }
  readonly #parts: DatacenterTargetParts

  constructor(parts: DatacenterTargetParts) {
    this.#parts = parts
    this.nobody = { kind: 'unknown-datacenter', datacenter: parts.datacenter }
  }

  async attempt(
    endpoint: EndpointDefinition,
    request: EndpointRequest,
    caller: Attempt,
  ): Promise<Result<unknown, CallFailure>> {
    const { env, rpc, router, datacenter, holdMs } = this.#parts
    const server = router.pick(datacenter)
    if (server === undefined) {
      env.log.write(
        'warn',
        'svc',
        'RPC request for a datacenter to which there is no path',
        {
          datacenter: hideUuids(datacenter),
        },
        'sampled',
      )
      return err(this.nobody)
    }
    env.metrics.count('rpc.cross-dc', 1, labelsOf(['datacenter', datacenter]))
    const answer = await rpc.request(server.address, {
      method: endpoint.method,
      body: { ...request, forward: true },
      deadlineMs: deadlineOf(request) + holdMs,
      onAbort: caller.onAbort,
    })
    if (!answer.ok && fruitless.has(answer.error.kind)) {
      router.failed(server)
      const fields = { server: server.name, datacenter, why: answer.error.kind }
      env.log.write('warn', 'svc', 'a server of another datacenter did not answer', fields, 'sampled')
    }
    return answer
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

/** Sends a server's requests for other datacenters. */
export interface Elsewhere {
  /** Undefined: no other datacenter can be reached from here. */
  targetOf(datacenter: string): CallTarget | undefined
  /** Calls `use` when an attempt that found no server may succeed now. */
  onHope(use: () => void): Closable
}

export function otherDatacenters(parts: Omit<DatacenterTargetParts, 'datacenter'>): Elsewhere {
  return {
    targetOf: (datacenter) => new DatacenterTarget({ ...parts, datacenter }),
    onHope: (use) => parts.router.onAppeared(use),
  }
}

interface DatacenterTargetParts {
  readonly env: Env
  readonly rpc: Rpc
  readonly router: DatacenterRouter
  readonly datacenter: string
  /** How long a server there may hold a request before it answers that there is no leader. */
  readonly holdMs: number
}

/**
 * Chooses the server to ask in another datacenter among those that the pool considers alive; it keeps one as long as it
 * answers.
 */
export class DatacenterRouter {
  readonly #env: Env
  readonly #pool: Pool
  readonly #datacenter: string
  readonly #watching: Closable
  /** By datacenter; bounded by the members of the pool. */
  #servers = new Map<string, AskedInTurn>()
  readonly #waiting = new Set<() => void>()

  /** `datacenter` is this agent's own, for which no server is chosen. */
  constructor(env: Env, pool: Pool, datacenter: string) {
    this.#env = env
    this.#pool = pool
    this.#datacenter = datacenter
    this.#watching = pool.onChange(() => this.#refresh())
    this.#refresh()
  }

  stop(): void {
    this.#watching.close()
    this.#waiting.clear()
  }

  /** Undefined: there is no path to that datacenter. */
  pick(datacenter: string): PoolServer | undefined {
    return this.#servers.get(datacenter)?.first
  }

  /** The server did not answer: the others of its datacenter are asked before it. */
  failed({ id, datacenter }: PoolServer): void {
    this.#servers.get(datacenter)?.failed(id)
  }

  /** Calls `use` when a server has appeared in any datacenter. */
  onAppeared(use: () => void): Closable {
    this.#waiting.add(use)
    return { close: () => void this.#waiting.delete(use) }
  }

  #refresh(): void {
    const alive = new Map<string, Map<string, PoolServer>>()
    for (const member of this.#pool.members()) {
      const server = member.status === 'alive' ? serverOf(member) : undefined
      if (server === undefined || server.datacenter === this.#datacenter) continue
      const there = alive.get(server.datacenter) ?? new Map<string, PoolServer>()
      alive.set(server.datacenter, there.set(server.id, server))
    }
    let hasAppeared = false
    const next = new Map<string, AskedInTurn>()
    const draw = (bound: number, id: string): number => this.#env.random.draws('router.datacenters', id).below(bound)
    for (const [datacenter, there] of alive) {
      const servers = this.#servers.get(datacenter) ?? new AskedInTurn(draw)
      if (servers.replace(there)) hasAppeared = true
      next.set(datacenter, servers)
    }
    this.#servers = next
    if (hasAppeared) for (const use of [...this.#waiting]) use()
  }
}
