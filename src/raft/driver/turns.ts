import type { RaftEvent } from '../core/events.ts'

export interface TurnParts {
  /** Passes one event to the core and performs its effects. */
  readonly deal: (event: RaftEvent) => void
  /** No event waits: the gathered changes may be written to disk. May post events. */
  readonly settle: () => void
  /** Called at the end of each turn; may begin further turns. */
  readonly ended: () => void
  /** An exception was thrown. */
  readonly fatal: (failure: Error) => void
}

/**
 * Runs one thing at a time: every callback of the Env runs as a turn, and the resulting events are handled one after
 * the other before the turn ends, never within each other.
 */
export class Turns {
  readonly #parts: TurnParts
  /** Filled only from within a turn, by that turn itself; or for a moment, while paused. */
  #mailbox: RaftEvent[] = []
  #inTurn = false
  #state: 'open' | 'paused' | 'over' = 'open'

  constructor(parts: TurnParts) {
    this.#parts = parts
  }

  get isOpen(): boolean {
    return this.#state === 'open'
  }

  get isOver(): boolean {
    return this.#state === 'over'
  }

  post(event: RaftEvent): void {
    if (this.#state === 'over') return
    this.#mailbox.push(event)
    this.run(() => {})
  }

  /** Runs `work` as a turn, or as a part of the present one. An exception stops the server. */
  run(work: () => void): void {
    if (this.#state === 'over') return
    if (this.#inTurn) return work()
    this.#inTurn = true
    try {
      work()
      this.#deal()
      this.#inTurn = false
      this.#parts.ended()
    } catch (cause) {
      this.#parts.fatal(asError(cause))
    } finally {
      this.#inTurn = false
    }
  }

  /** Runs disk work in the background; an exception in it stops the server. */
  inBackground(work: Promise<void>): void {
    void work.catch((cause: unknown) => this.#parts.fatal(asError(cause)))
  }

  /** Events wait until `resume`. */
  pause(): void {
    if (this.#state === 'open') this.#state = 'paused'
  }

  /** Continues, with `first` before the waiting events. */
  resume(first: RaftEvent): void {
    if (this.#state !== 'paused') return
    this.#state = 'open'
    this.#mailbox.unshift(first)
    this.run(() => {})
  }

  stop(): void {
    this.#state = 'over'
    this.#mailbox = []
  }

  #deal(): void {
    do {
      while (this.#state === 'open') {
        const event = this.#mailbox.shift()
        if (event === undefined) break
        this.#parts.deal(event)
      }
      if (this.#state !== 'over') this.#parts.settle()
    } while (this.#state === 'open' && this.#mailbox.length > 0)
  }
}

function asError(cause: unknown): Error {
  return cause instanceof Error ? cause : new Error(String(cause))
}
