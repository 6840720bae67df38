import type { Lane } from '../decisions/identity.ts'
import type { Kernel } from '../kernel.ts'

/** RFC 6298, with the minimum that systems use. */
const firstRetryUs = 200_000
/** Without progress for this long, a connection is dropped: net.ipv4.tcp_retries2 at about 6. */
const giveUpUs = 15_000_000

export interface RetriesParts {
  readonly kernel: Kernel
  readonly lane: Lane
  /** False: the connection has ended, so there are no further retries. */
  readonly isWanted: () => boolean
  /** Whether a retried packet arrives, and its answer returns. */
  readonly getsThrough: () => boolean
  readonly goOn: () => void
  readonly giveUp: () => void
}

/** When a stalled direction of a connection retransmits, and when the connection is dropped. */
export class Retries {
  readonly #parts: RetriesParts
  #stalledSinceUs = -1
  /** Number of the event since which it waits. */
  #stalledBy = 0
  #retryUs = firstRetryUs
  #tries = 0

  constructor(parts: RetriesParts) {
    this.#parts = parts
  }

  get isStalled(): boolean {
    return this.#stalledSinceUs >= 0
  }

  get stalledBy(): number {
    return this.#stalledBy
  }

  /** Number of retries since the last stall began. */
  get tries(): number {
    return this.#tries
  }

  /**
   * There is no progress: retries later, and finally drops the connection. `cause`: number of the event that shows it.
   */
  stall(cause = this.#parts.kernel.trace.cause): void {
    if (this.isStalled || !this.#parts.isWanted()) return
    this.#stalledSinceUs = this.#parts.kernel.nowUs
    this.#stalledBy = cause
    this.#retryUs = firstRetryUs
    this.#tries = 0
    this.#later(cause)
  }

  #later(cause: number): void {
    const { kernel, lane } = this.#parts
    const leftUs = this.#stalledSinceUs + giveUpUs - kernel.nowUs
    const delayUs = Math.min(this.#retryUs, Math.max(leftUs, 0))
    kernel.after(undefined, lane, delayUs, 'retry', () => this.#retry()).causedByAlone(cause)
    this.#retryUs *= 2
  }

  #retry(): void {
    const { kernel, isWanted, getsThrough, goOn, giveUp } = this.#parts
    if (!isWanted()) return
    if (kernel.nowUs - this.#stalledSinceUs >= giveUpUs) return giveUp()
    this.#tries++
    if (!getsThrough()) return this.#later(kernel.trace.cause)
    this.#stalledSinceUs = -1
    goOn()
  }
}
