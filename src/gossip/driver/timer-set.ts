import type { Closable } from '../../env/async.ts'
import type { Timers } from '../../env/clock.ts'
import type { GossipTimer } from '../core/types.ts'

/** The core's timers, at most one of each name. */
export class TimerSet {
  readonly #timers: Timers
  readonly #fired: (timer: GossipTimer) => void
  readonly #pending = new Map<GossipTimer, Closable>()

  constructor(timers: Timers, fired: (timer: GossipTimer) => void) {
    this.#timers = timers
    this.#fired = fired
  }

  /** Fires once after this delay; replaces the timer of that name. */
  set(name: GossipTimer, delayMs: number): void {
    this.#pending.get(name)?.close()
    this.#pending.set(
      name,
      this.#timers.after(
        delayMs,
        () => {
          this.#pending.delete(name)
          this.#fired(name)
        },
        `gossip.${name}`,
      ),
    )
  }

  clear(name: GossipTimer): void {
    this.#pending.get(name)?.close()
    this.#pending.delete(name)
  }

  clearAll(): void {
    for (const timer of this.#pending.values()) timer.close()
    this.#pending.clear()
  }
}
