import type { Closable } from '../../env/async.ts'
import type { Env } from '../../env/env.ts'
import type { TimerName } from '../core/events.ts'

interface Pending {
  /**
   * When the timer is due. The Env's timer may be set earlier: it is moved only when it fires, or to an earlier time.
   */
  dueMs: number
  readonly setForMs: number
  readonly timer: Closable
}

/** The core's timers, at most one of each name. Setting one later, the most frequent call, costs next to nothing. */
export class TimerSet {
  readonly #env: Pick<Env, 'timers' | 'clock' | 'random'>
  readonly #fired: (timer: TimerName) => void
  readonly #pending = new Map<TimerName, Pending>()

  constructor(env: Pick<Env, 'timers' | 'clock' | 'random'>, fired: (timer: TimerName) => void) {
    this.#env = env
    this.#fired = fired
  }

  /** Fires once after a time drawn for this term from [minMs, maxMs); replaces the timer of that name. */
  set(name: TimerName, minMs: number, maxMs: number, term: number): void {
    const isFixed = maxMs - minMs <= 1
    const delayMs = isFixed ? minMs : minMs + this.#env.random.draws(`raft.${name}`, term).fraction() * (maxMs - minMs)
    const dueMs = this.#env.clock.monoMs() + delayMs
    const pending = this.#pending.get(name)
    if (pending !== undefined && pending.setForMs <= dueMs) {
      pending.dueMs = dueMs
      return
    }
    pending?.timer.close()
    this.#arm(name, delayMs, dueMs)
  }

  clear(name: TimerName): void {
    this.#pending.get(name)?.timer.close()
    this.#pending.delete(name)
  }

  clearAll(): void {
    for (const { timer } of this.#pending.values()) timer.close()
    this.#pending.clear()
  }

  #arm(name: TimerName, delayMs: number, dueMs: number): void {
    const timer = this.#env.timers.after(
      delayMs,
      () => {
        const pending = this.#pending.get(name)
        if (pending === undefined) return
        this.#pending.delete(name)
        const leftMs = pending.dueMs - this.#env.clock.monoMs()
        if (leftMs > 0) this.#arm(name, leftMs, pending.dueMs)
        else this.#fired(name)
      },
      `raft.${name}`,
    )
    this.#pending.set(name, { dueMs, setForMs: dueMs, timer })
  }
}
