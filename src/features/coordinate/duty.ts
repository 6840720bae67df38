import type { Closable } from '../../env/async.ts'
import { failureText } from '../../model/failure.ts'
import type { LeaderDuty } from '../contract/duty.ts'
import type { WithProposals } from '../contract/server-context.ts'
import type { WithEnv } from '../contract/surroundings.ts'
import type { CoordinateRow } from '../discovery/nearness.ts'
import { batchMax, coordinateBatch } from './commands.ts'

/** Time for which updates are gathered. Reference: configuration.md#coordinate-batches. */
const batchPeriodMs = 5_000
const batchesMax = 5

/**
 * Gathers updates at the leader and replicates them in batches: every agent sends its coordinate regularly, and a
 * command for each would be most of the log. Excess updates are dropped, because their nodes send again.
 */
export const coordinateBatches: LeaderDuty<CoordinateBatches, WithEnv & WithProposals> = {
  name: 'coordinate.batches',
  start: (server) => new CoordinateBatches(server),
}

export class CoordinateBatches implements Closable {
  readonly #server: WithEnv & WithProposals
  /** The latest update of each node: at most `batchMax` times `batchesMax`. */
  #waiting = new Map<string, CoordinateRow>()
  #timer: Closable | undefined

  constructor(server: WithEnv & WithProposals) {
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
    env.batches?.waits(update)
    this.#timer ??= env.timers.after(batchPeriodMs, () => {
      this.#timer = undefined
      env.detach(this.#flush())
    })
  }

  async #flush(): Promise<void> {
    const updates = [...this.#waiting.values()]
    this.#waiting = new Map()
    this.#server.env.batches?.together(updates)
    for (let at = 0; at < updates.length; at += batchMax) {
      const done = await this.#server.propose(coordinateBatch, { updates: updates.slice(at, at + batchMax) })
      if (done.ok) continue
      this.#server.env.log.write('debug', 'svc', 'could not update coordinates', { why: failureText(done.error) })
    }
  }
}
