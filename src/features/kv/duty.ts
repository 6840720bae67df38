import { itemAt } from '../../base/items.ts'
import type { Closable } from '../../env/async.ts'
import { type KeyCare, keyCare } from '../../model/limits.ts'
import type { ModifyIndex } from '../../model/log-position.ts'
import { hasBehaviour } from '../../model/release.ts'
import type { LeaderDuty, RunningDuty } from '../contract/duty.ts'
import type { WithKeyCare, WithProposals, WithState } from '../contract/server-context.ts'
import type { WithEnv, WithRelease } from '../contract/surroundings.ts'
import { kvReapTombstones } from './commands.ts'
import { tombstoneTable } from './tables.ts'

/** The server as far as this duty uses it. */
type KvServer = WithEnv & WithRelease & WithState & WithProposals & WithKeyCare

/** After `step` steps every tombstone up to the index existed. */
interface Sighting {
  readonly index: ModifyIndex
  readonly step: number
}

/**
 * Reaps tombstones after 15 minutes, in steps of 30 s. Only the leader's clock knows their age: a new leader counts
 * from its first sight of them, so they may be kept longer, never shorter. The age is counted in steps. Compared as a
 * time it would be due exactly at a step, and the last bit of a sum would decide whether that step reaps them or the
 * next one.
 */
export const reapTombstones: LeaderDuty<RunningDuty, KvServer> = {
  name: 'kv.reap-tombstones',
  start: (server) => {
    if (!hasBehaviour(server.release, 'kv-tombstones')) return { close: () => {} }
    const reaper = new Reaper(server)
    reaper.start()
    return reaper
  },
}

class Reaper implements Closable {
  readonly #server: KvServer
  readonly #care: KeyCare
  /** This many steps last at least as long as tombstones must be kept: a timer is never early. */
  readonly #keptSteps: number
  /** In order of age, the oldest first. */
  readonly #sightings: Sighting[] = []
  #steps = 0
  #timer: Closable | undefined
  #closed = false

  constructor(server: KvServer) {
    this.#server = server
    this.#care = server.keyCare ?? keyCare
    this.#keptSteps = Math.ceil(this.#care.tombstoneTtlMs / this.#care.tombstoneGranularityMs)
  }

  start(): void {
    this.#look()
    this.#timer = this.#server.env.timers.after(this.#care.tombstoneGranularityMs, () => {
      this.#server.env.detach(this.#step())
    })
  }

  close(): void {
    this.#closed = true
    this.#timer?.close()
  }

  async #step(): Promise<void> {
    this.#steps++
    const due = this.#sightings.findLastIndex(({ step }) => this.#steps - step >= this.#keptSteps)
    // Removed only after success: a refused proposal is retried at the next step.
    if (due >= 0 && (await this.#reap(itemAt(this.#sightings, due).index))) this.#sightings.splice(0, due + 1)
    if (!this.#closed) this.start()
  }

  #look(): void {
    const tx = this.#server.read()
    if (tx.count(tombstoneTable) === 0) return
    const index = tx.lastChange(tombstoneTable)
    // One sighting per step while tombstones are kept. The list is full only while reaping is refused repeatedly: newer
    // tombstones are then kept longer.
    if (this.#sightings.at(-1)?.index === index || this.#sightings.length > this.#keptSteps) return
    this.#sightings.push({ index, step: this.#steps })
  }

  async #reap(through: number): Promise<boolean> {
    const limit = this.#care.batchMax
    while (!this.#closed && this.#oldest() <= through) {
      const reaped = await this.#server.propose(kvReapTombstones, { through, limit })
      if (!reaped.ok) {
        this.#server.env.log.write('warn', 'kv', 'could not reap tombstones', { through, why: reaped.error.kind })
        return false
      }
      if (reaped.value < limit) break
    }
    return true
  }

  #oldest(): number {
    for (const tombstone of this.#server.read().inIndexOrder(tombstoneTable, 'age')) return tombstone.index
    return Number.POSITIVE_INFINITY
  }
}
