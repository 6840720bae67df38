import { Heap } from '../../base/heap.ts'
import type { Closable } from '../../env/async.ts'
import type { Clock, Timers } from '../../env/clock.ts'

interface Cue {
  readonly dueMs: number
  readonly sequence: number
  fire: (() => void) | undefined
}

const earlier = (a: Cue, b: Cue): boolean => a.dueMs < b.dueMs || (a.dueMs === b.dueMs && a.sequence < b.sequence)

/**
 * Time that passes only when `step` is called: it jumps to the next timer. So a scratch agent does nothing outside the
 * slices of time that it is given, and never waits for a heartbeat.
 */
export class ScratchTime implements Clock, Timers {
  readonly #startWallMs: number
  readonly #queue = new Heap<Cue>(earlier)
  #nowMs = 0
  #sequence = 0

  constructor(clock: Clock) {
    this.#startWallMs = clock.wallMs()
  }

  wallMs(): number {
    return this.#startWallMs + this.#nowMs
  }

  monoMs(): number {
    return this.#nowMs
  }

  after(delayMs: number, fire: () => void): Closable {
    const cue: Cue = { dueMs: this.#nowMs + Math.max(0, delayMs), sequence: this.#sequence++, fire }
    this.#queue.push(cue)
    return {
      close: () => {
        cue.fire = undefined
      },
    }
  }

  /** Fires the earliest open timer. Does nothing if no timer is open. */
  step(): void {
    for (let cue = this.#queue.pop(); cue !== undefined; cue = this.#queue.pop()) {
      const { fire } = cue
      if (fire === undefined) continue
      this.#nowMs = cue.dueMs
      cue.fire = undefined
      fire()
      return
    }
  }
}
