import type { Platform } from '../../world/platform.ts'

/**
 * Number of listeners of one message, and so of steps between two looks at other messages. A browser runs every promise
 * job between two listeners of an event, as Node does between two immediates, and posting a message for each step would
 * take several microseconds.
 */
const batch = 128

interface Pumping {
  readonly step: (last: boolean) => boolean
  readonly pause: () => Promise<void> | undefined
  readonly resolve: () => void
  readonly reject: (reason: unknown) => void
  /** What is left to do when there is nothing more to step. */
  end: (() => void) | undefined
}

/**
 * Runs turn after turn in a browser's thread, each with all its promise jobs done before the next. The last step of each
 * message is marked: after it, other messages of the thread are heard.
 */
export class MessageTurns {
  readonly #channel = new MessageChannel()
  #pumping: Pumping | undefined

  constructor() {
    const { port1 } = this.#channel
    for (let i = 1; i < batch; i++) port1.addEventListener('message', () => void this.#attempt(false))
    port1.addEventListener('message', () => this.#attemptLast())
    port1.start()
  }

  readonly pump: Platform['pump'] = (step, pause = () => undefined) =>
    new Promise((resolve, reject) => {
      this.#pumping = { step, pause, resolve, reject, end: undefined }
      this.#next()
    })

  close(): void {
    this.#channel.port1.close()
  }

  #next(): void {
    this.#channel.port2.postMessage(undefined)
  }

  #attempt(last: boolean): void {
    const pumping = this.#pumping
    if (pumping === undefined || pumping.end !== undefined) return
    try {
      if (!pumping.step(last)) pumping.end = pumping.resolve
    } catch (error) {
      pumping.end = () => pumping.reject(error)
    }
  }

  /** The caller continues only now, because no other listener of this message is left that would step for its next run. */
  #attemptLast(): void {
    this.#attempt(true)
    const pumping = this.#pumping
    if (pumping === undefined) return
    if (pumping.end !== undefined) {
      this.#pumping = undefined
      pumping.end()
      return
    }
    const paused = pumping.pause()
    if (paused === undefined) this.#next()
    else paused.then(() => this.#next(), pumping.reject)
  }
}
