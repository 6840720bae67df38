import type { Closable } from '../env/async.ts'
import type { Env } from '../env/env.ts'
import type { Pool } from '../gossip/pool.ts'
import { aliveServers, type PoolServer } from './pool-servers.ts'

/** A client asks the same server for this long, then draws anew, so that clients spread evenly over time. */
const rebalanceMinMs = 120_000
const rebalanceSpreadMs = 60_000

/**
 * Which server a client agent asks: one drawn at random of those that the pool holds alive, the same as long as it
 * answers; another when it does not.
 */
export class ServerRouter {
  readonly #env: Env
  readonly #pool: Pool
  readonly #datacenter: string
  /** In the order in which they are asked. */
  #servers: PoolServer[] = []
  readonly #waiting = new Set<() => void>()
  readonly #watching: Closable
  #rebalance: Closable | undefined

  constructor(env: Env, pool: Pool, datacenter: string) {
    this.#env = env
    this.#pool = pool
    this.#datacenter = datacenter
    this.#watching = pool.onChange(() => this.#refresh())
    this.#refresh()
    this.#rest()
  }

  stop(): void {
    this.#watching.close()
    this.#rebalance?.close()
    this.#waiting.clear()
  }

  get count(): number {
    return this.#servers.length
  }

  /** Whom to ask now. */
  pick(): PoolServer | undefined {
    return this.#servers[0]
  }

  /** It did not answer: the others are asked first from now on. */
  failed(id: string): void {
    if (this.#servers[0]?.id !== id) return
    this.#servers.push(...this.#servers.splice(0, 1))
  }

  /** Calls `use` whenever a server appears. */
  onAppeared(use: () => void): Closable {
    this.#waiting.add(use)
    return { close: () => void this.#waiting.delete(use) }
  }

  /** Servers that stay keep their place; new ones come in at places drawn at random. */
  #refresh(): void {
    const alive = new Map(
      aliveServers(this.#pool.members(), this.#datacenter).map((server) => [server.id, server] as const),
    )
    const kept = this.#servers.flatMap((server) => alive.get(server.id) ?? [])
    const known = new Set(kept.map((server) => server.id))
    const appeared = [...alive.values()].filter((server) => !known.has(server.id))
    this.#servers = kept
    for (const server of appeared) this.#servers.splice(this.#draw(this.#servers.length + 1), 0, server)
    if (appeared.length > 0) for (const use of [...this.#waiting]) use()
  }

  #rest(): void {
    this.#rebalance = this.#env.timers.after(rebalanceMinMs + this.#draw(rebalanceSpreadMs), () => {
      const before = this.#servers
      this.#servers = []
      for (const server of before) this.#servers.splice(this.#draw(this.#servers.length + 1), 0, server)
      this.#rest()
    })
  }

  #draw(bound: number): number {
    return this.#env.random.stream('router').below(bound)
  }
}
