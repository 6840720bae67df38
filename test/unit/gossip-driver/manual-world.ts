import type { Closable } from '../../../src/env/async.ts'

/** A clock that stands still until it is told to go on, its timers, and what was counted. */
export class ManualWorld {
  nowMs = 0
  readonly counts = new Map<string, number>()
  readonly #timers = new Set<{ readonly dueMs: number; readonly fire: () => void }>()
  readonly clock = { wallMs: (): number => this.nowMs, monoMs: (): number => this.nowMs }
  readonly timers = { after: (delayMs: number, fire: () => void): Closable => this.#set(this.nowMs + delayMs, fire) }
  readonly log = {
    write: (): undefined => undefined,
    enabled: (): boolean => true,
    follow: () => ({ recent: [], close: (): undefined => undefined }),
  }
  readonly metrics = {
    count: (name: string, by = 1): void => {
      this.counts.set(name, (this.counts.get(name) ?? 0) + by)
    },
    gauge: (): undefined => undefined,
    sample: (): undefined => undefined,
    snapshot: (): [] => [],
  }

  /** Fires what falls due in so many milliseconds, one turn after the other. `turn` is called after each. */
  wait(ms: number, turn: () => void = () => undefined): void {
    const endMs = this.nowMs + ms
    for (;;) {
      const next = [...this.#timers].sort((a, b) => a.dueMs - b.dueMs)[0]
      if (next === undefined || next.dueMs > endMs) break
      this.#timers.delete(next)
      this.nowMs = Math.max(this.nowMs, next.dueMs)
      next.fire()
      turn()
    }
    this.nowMs = endMs
  }

  get pending(): number {
    return this.#timers.size
  }

  #set(dueMs: number, fire: () => void): Closable {
    const timer = { dueMs, fire }
    this.#timers.add(timer)
    return { close: () => this.#timers.delete(timer) }
  }
}
