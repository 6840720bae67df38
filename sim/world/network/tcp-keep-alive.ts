import type { Action } from '../action.ts'
import type { Lane } from '../decisions/identity.ts'
import type { Kernel } from '../kernel.ts'

/** The values that `src/host` sets, and from which Node's library continues. */
const idleUs = 15_000_000
const probeUs = 1_000_000
const probesMax = 10

/**
 * Probes of one end of a connection, so that a peer that lost power does not keep it for ever. They are sent whether
 * the connection is idle or not: on a busy one, they find what the traffic finds.
 */
export class KeepAlive {
  readonly #kernel: Kernel
  readonly #lane: Lane
  readonly #isAnswered: () => boolean
  readonly #lost: () => void
  #next: Action | undefined
  #unanswered = 0

  constructor(kernel: Kernel, lane: Lane, isAnswered: () => boolean, lost: () => void) {
    this.#kernel = kernel
    this.#lane = lane
    this.#isAnswered = isAnswered
    this.#lost = lost
  }

  start(): void {
    this.#schedule(idleUs)
  }

  stop(): void {
    this.#next?.close()
    this.#next = undefined
  }

  #schedule(delayUs: number): void {
    this.#next = this.#kernel.after(undefined, this.#lane, delayUs, 'keep-alive', () => this.#probe())
  }

  #probe(): void {
    this.#unanswered = this.#isAnswered() ? 0 : this.#unanswered + 1
    if (this.#unanswered <= probesMax) this.#schedule(this.#unanswered === 0 ? idleUs : probeUs)
    else this.#lost()
  }
}
