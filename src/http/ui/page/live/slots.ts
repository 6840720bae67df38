/**
 * How many blocking queries of the page may wait at a time. A browser has six connections to one agent over HTTP/1.1, for
 * all of its tabs: if blocking queries held all of them, a write would wait for a minute.
 */
export const blockingMax = 3

/** Hands out the connections that may wait. A tab that is not seen gets none: its questions are polled. */
export class Slots {
  #taken = 0
  readonly #isSeen: () => boolean

  constructor(isSeen: () => boolean) {
    this.#isSeen = isSeen
  }

  /** Returns the function that gives the slot back; undefined: none is free. */
  take(): (() => void) | undefined {
    if (this.#taken >= blockingMax || !this.#isSeen()) return undefined
    this.#taken++
    let isGiven = false
    return () => {
      if (!isGiven) this.#taken--
      isGiven = true
    }
  }
}
