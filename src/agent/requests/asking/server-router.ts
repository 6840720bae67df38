import type { Closable } from '../../../env/async.ts'
import type { Env } from '../../../env/env.ts'
import type { Pool } from '../../../gossip/pool.ts'
import { aliveServers, type PoolServer } from '../../pool/pool-servers.ts'
import { AskedInTurn } from './asked-in-turn.ts'

/** A client asks the same server for this long, then draws another, so that clients spread evenly over time. */
const rebalanceMinMs = 120_000
const rebalanceSpreadMs = 60_000
/** Number of servers whose failures are reported when all fail. */
const toldMax = 5

/**
 * Chooses the server that a client agent asks: drawn at random among those that the pool considers alive, kept as long
 * as it answers, and replaced when it does not.
 */
export class ServerRouter {
  readonly #env: Env
  readonly #pool: Pool
  readonly #datacenter: string
  readonly #servers: AskedInTurn
  /**
   * How the last request to each server that the pool considers alive ended, by ID: undefined if it was answered,
   * otherwise the reason.
   */
  readonly #lastTries = new Map<string, string | undefined>()
  readonly #waiting = new Set<() => void>()
  readonly #watching: Closable
  #rebalance: Closable | undefined

  constructor(env: Env, pool: Pool, datacenter: string) {
    this.#env = env
    this.#pool = pool
    this.#datacenter = datacenter
    this.#servers = new AskedInTurn((bound, id) => env.random.draws('router', id).below(bound))
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
    return this.#servers.count
  }

  /** The server to ask now. */
  pick(): PoolServer | undefined {
    return this.#servers.first
  }

  /** The server did not answer: the others are asked before it. */
  failed(id: string): void {
    this.#servers.failed(id)
  }

  /** The server was reached, whatever it answered. */
  answered(id: string): void {
    if (this.#servers.has(id)) this.#lastTries.set(id, undefined)
  }

  /** No connection to the server could be made. */
  unreached(id: string, why: string): void {
    if (this.#servers.has(id)) this.#lastTries.set(id, why)
  }

  /** Why no server can be asked; empty if the last request to some server was answered. */
  get troubles(): readonly string[] {
    if (this.count === 0) return ['no server is known to be alive']
    const tries = [...this.#lastTries]
    if (tries.some(([, why]) => why === undefined)) return []
    if (tries.length === 0) return ['no server has answered yet']
    const told = tries.slice(0, toldMax).map(([id, why]) => `${this.#servers.nameOf(id)}: ${why}`)
    return [`no server can be reached: ${told.join('; ')}`]
  }

  /** Calls `use` whenever a server appears. */
  onAppeared(use: () => void): Closable {
    this.#waiting.add(use)
    return { close: () => void this.#waiting.delete(use) }
  }

  #refresh(): void {
    const alive = aliveServers(this.#pool.members(), this.#datacenter)
    const hasAppeared = this.#servers.replace(new Map(alive.map((server) => [server.id, server] as const)))
    for (const id of [...this.#lastTries.keys()]) if (!this.#servers.has(id)) this.#lastTries.delete(id)
    if (hasAppeared) for (const use of [...this.#waiting]) use()
  }

  #rest(): void {
    const afterMs = rebalanceMinMs + this.#env.random.draws('router.rebalance').below(rebalanceSpreadMs)
    this.#rebalance = this.#env.timers.after(afterMs, () => {
      this.#servers.shuffle()
      this.#rest()
    })
  }
}
