import type { TurnState } from '../world/platform.ts'

/** Rejections that nobody handled are errors of the turn in which they came up, not of the process that simulates. */
export class UnhandledRejections {
  readonly #turn: TurnState
  readonly #others: NodeJS.UnhandledRejectionListener[]
  readonly #listener: NodeJS.UnhandledRejectionListener
  #first: { readonly reason: unknown } | undefined

  constructor(turn: TurnState) {
    this.#turn = turn
    this.#others = process.listeners('unhandledRejection')
    process.removeAllListeners('unhandledRejection')
    this.#listener = (reason, promise) => this.#take(reason, promise)
    process.on('unhandledRejection', this.#listener)
  }

  take(): { readonly reason: unknown } | undefined {
    const first = this.#first
    if (first !== undefined) this.#first = undefined
    return first
  }

  close(): void {
    process.off('unhandledRejection', this.#listener)
    for (const other of this.#others) process.on('unhandledRejection', other)
  }

  #take(reason: unknown, promise: Promise<unknown>): void {
    if (this.#turn.holder !== undefined) {
      this.#first ??= { reason }
      return
    }
    if (this.#others.length === 0) throw reason
    for (const other of this.#others) other(reason, promise)
  }
}
