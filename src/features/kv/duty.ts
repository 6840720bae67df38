import type { Closable } from '../../env/async.ts'
import { tombstoneGranularityMs, tombstoneTtlMs } from '../../model/limits.ts'
import { hasBehaviour } from '../../model/release.ts'
import type { LeaderDuty, ServerContext } from '../server-context.ts'
import { kvReapTombstones } from './commands.ts'
import { tombstoneTable } from './tables.ts'

/** Tombstones reaped by one command: a few milliseconds of work for every server. */
const reapMax = 1024

/** As many as there are steps in the time for which tombstones are kept. */
const sightingsMax = Math.ceil(tombstoneTtlMs / tombstoneGranularityMs) + 1

/** By this monotonic time every tombstone up to the index has been there for as long as it must be kept. */
interface Sighting {
  readonly index: number
  readonly reapAtMs: number
}

/**
 * Reaps tombstones that have been there for 15 minutes, in steps of 30 s. Their age is known to the leader's clock alone:
 * a new leader counts from when it first saw them, so they may be kept longer, never less.
 */
export const reapTombstones: LeaderDuty = {
  name: 'kv.reap-tombstones',
  start: (server) => {
    if (!hasBehaviour(server.release, 'kv-tombstones')) return { close: () => {} }
    const reaper = new Reaper(server)
    reaper.start()
    return reaper
  },
}

class Reaper implements Closable {
  readonly #server: ServerContext
  /** Oldest first. */
  readonly #sightings: Sighting[] = []
  #timer: Closable | undefined
  #closed = false

  constructor(server: ServerContext) {
    this.#server = server
  }

  start(): void {
    this.#look()
    this.#timer = this.#server.env.timers.after(tombstoneGranularityMs, () => {
      this.#server.env.detach(this.#step())
    })
  }

  close(): void {
    this.#closed = true
    this.#timer?.close()
  }

  async #step(): Promise<void> {
    const now = this.#server.env.clock.monoMs()
    const due = this.#sightings.findLastIndex((sighting) => sighting.reapAtMs <= now)
    // Kept until it has worked: a refused proposal is tried again at the next step.
    if (due >= 0 && (await this.#reap((this.#sightings[due] as Sighting).index))) this.#sightings.splice(0, due + 1)
    if (!this.#closed) this.start()
  }

  #look(): void {
    const tx = this.#server.read()
    if (tx.count(tombstoneTable) === 0) return
    const index = tx.lastChange(tombstoneTable)
    // No room only while reaping is refused again and again: what comes then is kept longer.
    if (this.#sightings.at(-1)?.index === index || this.#sightings.length >= sightingsMax) return
    this.#sightings.push({ index, reapAtMs: this.#server.env.clock.monoMs() + tombstoneTtlMs })
  }

  async #reap(through: number): Promise<boolean> {
    while (!this.#closed && this.#oldest() <= through) {
      const reaped = await this.#server.propose(kvReapTombstones, { through, limit: reapMax })
      if (!reaped.ok) {
        this.#server.env.log.write('warn', 'kv', 'could not reap tombstones', { through, why: reaped.error.kind })
        return false
      }
      if (reaped.value < reapMax) break
    }
    return true
  }

  #oldest(): number {
    for (const tombstone of this.#server.read().inIndexOrder(tombstoneTable, 'age')) return tombstone.index
    return Number.POSITIVE_INFINITY
  }
}
