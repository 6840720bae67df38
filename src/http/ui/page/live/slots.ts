/**
 * How many blocking queries of the page may wait at a time. A browser has six connections to one agent over HTTP/1.1, for
 * all of its tabs. Two tabs side by side leave two connections free, and a write ends what its own tab waits for.
 */
export const blockingMax = 2

/** A connection that may wait. */
export interface Slot {
  /** Aborted when the page needs the connection: the question waits no longer, and has not failed. */
  readonly ended: AbortSignal
  giveBack(): void
}

/**
 * Hands out the connections that may wait: none while a write is under way, and none in a hidden tab. Questions without
 * one are polled.
 */
export class Slots {
  readonly #taken = new Set<AbortController>()
  readonly #isSeen: () => boolean
  #writes = 0

  constructor(isSeen: () => boolean) {
    this.#isSeen = isSeen
  }

  /** Undefined: none is free. */
  take(): Slot | undefined {
    if (this.#taken.size >= blockingMax || this.#writes > 0 || !this.#isSeen()) return undefined
    const ender = new AbortController()
    this.#taken.add(ender)
    return { ended: ender.signal, giveBack: () => void this.#taken.delete(ender) }
  }

  /** A write begins, and finds a connection. Returns the function that says that its answer is there. */
  beginWrite(): () => void {
    this.#writes++
    this.endAll()
    return () => {
      this.#writes--
    }
  }

  /** Ends what waits, such as when the tab is hidden. */
  endAll(): void {
    for (const ender of this.#taken) ender.abort()
  }
}
