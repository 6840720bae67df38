import type { TurnState } from '../world/platform.ts'

/** The open platforms; the first installs the one listener, the last removes it. */
const open = new Set<UnhandledRejections>()
/** The listeners that were registered before. */
const others: NodeJS.UnhandledRejectionListener[] = []

/** An unhandled rejection is an error of the turn in which it arose, not of the simulating process. */
export class UnhandledRejections {
  readonly #turn: TurnState
  #first: { readonly reason: unknown } | undefined

  constructor(turn: TurnState) {
    this.#turn = turn
    if (open.size === 0) {
      others.push(...process.listeners('unhandledRejection'))
      process.removeAllListeners('unhandledRejection')
      process.on('unhandledRejection', take)
    }
    open.add(this)
  }

  take(): { readonly reason: unknown } | undefined {
    const first = this.#first
    if (first !== undefined) this.#first = undefined
    return first
  }

  close(): void {
    if (!open.delete(this) || open.size > 0) return
    process.off('unhandledRejection', take)
    for (const other of others.splice(0)) process.on('unhandledRejection', other)
  }

  /** True if it arose in a turn of this platform. */
  takes(reason: unknown): boolean {
    if (this.#turn.holder === undefined) return false
    this.#first ??= { reason }
    return true
  }
}

function take(reason: unknown, promise: Promise<unknown>): void {
  for (const each of open) if (each.takes(reason)) return
  if (others.length === 0) throw reason
  for (const other of others) other(reason, promise)
}
