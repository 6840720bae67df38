import { err, ok, type Result } from '../../base/result.ts'
import type { Failure } from '../../model/failure.ts'

export interface WatcherBounds {
  /** Maximum number of blocking reads under way on one agent. */
  readonly max: number
  /** Maximum for one client: below the limit of HTTP connections, so that one client cannot keep the others out. */
  readonly ofClientMax: number
}

const watcherBounds: WatcherBounds = { max: 65_536, ofClientMax: 6_144 }

/** Counts the blocking reads that clients of one agent have under way. A client is known by its address. */
export class Watchers {
  readonly #bounds: WatcherBounds
  readonly #ofClients = new Map<string, number>()
  #count = 0

  constructor(bounds: WatcherBounds = watcherBounds) {
    this.#bounds = bounds
  }

  begin(client: string): Result<undefined, Failure> {
    const own = this.#ofClients.get(client) ?? 0
    if (own >= this.#bounds.ofClientMax) return refused('from this client', this.#bounds.ofClientMax)
    if (this.#count >= this.#bounds.max) return refused('on this agent', this.#bounds.max)
    this.#ofClients.set(client, own + 1)
    this.#count++
    return ok(undefined)
  }

  end(client: string): void {
    const own = this.#ofClients.get(client) ?? 0
    this.#count--
    if (own <= 1) this.#ofClients.delete(client)
    else this.#ofClients.set(client, own - 1)
  }
}

function refused(where: string, max: number): Result<never, Failure> {
  return err({ kind: 'overloaded', message: `too many blocking queries ${where}: at most ${max} at a time` })
}
