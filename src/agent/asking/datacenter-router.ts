import type { Closable } from '../../env/async.ts'
import type { Env } from '../../env/env.ts'
import type { Pool } from '../../gossip/pool.ts'
import { type PoolServer, serverOf } from '../pool/pool-servers.ts'
import { AskedInTurn } from './asked-in-turn.ts'

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
    const draw = (bound: number): number => this.#env.random.stream('router.datacenters').below(bound)
    for (const [datacenter, there] of alive) {
      const servers = this.#servers.get(datacenter) ?? new AskedInTurn(draw)
      if (servers.replace(there)) hasAppeared = true
      next.set(datacenter, servers)
    }
    this.#servers = next
    if (hasAppeared) for (const use of [...this.#waiting]) use()
  }
}
