import type { Closable } from '../../env/async.ts'
import { failureText } from '../../model/failure.ts'
import type { LeaderDuty, ServerContext } from '../contract/server-context.ts'
import { batchMax, coordinateBatch } from './commands.ts'
import type { CoordinateRow } from './model.ts'

/** Updates are gathered for this long. Reference: configuration.md#coordinate-batches. */
const batchPeriodMs = 5_000
const batchesMax = 5

/**
 * Gathers updates at the leader and replicates them some at a time: every agent tells where it is again and again, and a
 * command for each would be most of the log. What does not fit is dropped: its node tells again.
 */
export const coordinateBatches: LeaderDuty<CoordinateBatches> = {
  name: 'coordinate.batches',
  start: (server) => new CoordinateBatches(server),
}

export class CoordinateBatches implements Closable {
  readonly #server: ServerContext
  /** The newest of each node: at most `batchMax` times `batchesMax`. */
  #waiting = new Map<string, CoordinateRow>()
  #timer: Closable | undefined

  constructor(server: ServerContext) {
    this.#server = server
  }

  close(): void {
    this.#timer?.close()
    this.#waiting.clear()
  }

  add(update: CoordinateRow): void {
    const { env } = this.#server
    if (this.#waiting.size >= batchMax * batchesMax && !this.#waiting.has(update.node)) {
      return env.metrics.count('coordinate.dropped')
    }
    this.#waiting.set(update.node, update)
    this.#timer ??= env.timers.after(batchPeriodMs, () => {
      this.#timer = undefined
      env.detach(this.#flush())
    })
  }

  async #flush(): Promise<void> {
    const updates = [...this.#waiting.values()]
    this.#waiting = new Map()
    for (let at = 0; at < updates.length; at += batchMax) {
      const done = await this.#server.propose(coordinateBatch, { updates: updates.slice(at, at + batchMax) })
      if (done.ok) continue
      this.#server.env.log.write('debug', 'svc', 'could not update coordinates', { why: failureText(done.error) })
    }
  }
}
