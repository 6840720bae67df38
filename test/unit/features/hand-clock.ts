import type { Closable, Deferred } from '../../../src/env/async.ts'
import type { Env } from '../../../src/env/env.ts'

/** Time that passes only when a test says so, and the parts of an Env that hang on it. */
export class HandClock {
  #nowMs = 0
  #order = 0
  readonly #timers = new Set<{ readonly atMs: number; readonly order: number; readonly fire: () => void }>()
  readonly logged: string[] = []

  readonly env = {
    clock: { monoMs: () => this.#nowMs, wallMs: () => this.#nowMs },
    timers: { after: (delayMs: number, fire: () => void) => this.#after(delayMs, fire) },
    random: { draws: () => ({ fraction: () => 0 }) },
    log: { write: (_level: string, _topic: string, text: string) => this.logged.push(text), enabled: () => true },
    metrics: { count: () => {}, gauge: () => {}, sample: () => {} },
    deferred,
    detach: (work: Promise<unknown>) => void work,
  } as unknown as Env

  get timers(): number {
    return this.#timers.size
  }

  /** Fires what falls due on the way, each in a turn of its own. */
  async advance(byMs: number): Promise<void> {
    const untilMs = this.#nowMs + byMs
    for (;;) {
      const [next] = [...this.#timers].sort((a, b) => a.atMs - b.atMs || a.order - b.order)
      if (next === undefined || next.atMs > untilMs) break
      this.#timers.delete(next)
      this.#nowMs = next.atMs
      next.fire()
      await settled()
    }
    this.#nowMs = untilMs
  }

  #after(delayMs: number, fire: () => void): Closable {
    const timer = { atMs: this.#nowMs + Math.max(0, delayMs), order: this.#order++, fire }
    this.#timers.add(timer)
    return { close: () => this.#timers.delete(timer) }
  }
}

/** After everything that was to follow has followed. */
export function settled(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve))
}

function deferred<T>(): Deferred<T> {
  let settle: Pick<Deferred<T>, 'resolve' | 'reject'> | undefined
  const promise = new Promise<T>((resolve, reject) => {
    settle = { resolve, reject }
  })
  return { promise, ...(settle as Pick<Deferred<T>, 'resolve' | 'reject'>) }
}
