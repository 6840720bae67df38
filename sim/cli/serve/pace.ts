import type { LibraryCluster } from '../../library/library-cluster.ts'

interface PaceParts {
  readonly cluster: Pick<LibraryCluster, 'nowMs' | 'pass'>
  /** Virtual seconds per second of the wall clock; 0: time passes only on request. */
  readonly rate: number
  readonly wallMs: () => number
  /** Gives the machine to other work for a moment. */
  readonly idle: () => Promise<void>
}

interface Jump {
  readonly endMs: number
  readonly isOver: () => boolean
  readonly ended: () => void
}

/** A world that is further behind the wall clock than this will not catch up: it continues from where it is. */
const lagMaxMs = 1_000
/** Virtual time passes in pieces, so that a long jump can be interrupted. */
const pieceMs = 1_000

/** Lets virtual time follow the wall clock, or jump on request. */
export class Pace {
  readonly #parts: PaceParts
  #rate: number
  /** The readings of both clocks when they were last aligned. */
  #from: { readonly wallMs: number; readonly virtualMs: number }
  #jump: Jump | undefined
  #lostMs = 0
  #isStopped = false

  constructor(parts: PaceParts) {
    this.#parts = parts
    this.#rate = parts.rate
    this.#from = this.#now()
  }

  get rate(): number {
    return this.#rate
  }

  /** Milliseconds of the wall clock by which the world fell behind for good. */
  get lostMs(): number {
    return this.#lostMs
  }

  setRate(rate: number): void {
    this.#rate = rate
    this.#from = this.#now()
  }

  /** False: a jump is under way. `ended` is called once time has passed, or the jump is not needed any more. */
  jump(spanMs: number, isOver: () => boolean, ended: () => void): boolean {
    if (this.#jump !== undefined) return false
    this.#jump = { endMs: this.#parts.cluster.nowMs + spanMs, isOver, ended }
    return true
  }

  stop(): void {
    this.#isStopped = true
  }

  /** Time stands still from here on: no jump ends. */
  endJumps(): void {
    this.#endJump()
  }

  /** Runs until it is stopped; rejects when the run has failed. */
  async run(): Promise<void> {
    const { cluster, idle } = this.#parts
    while (!this.#isStopped) {
      const behindMs = this.#behindMs()
      if (behindMs > 0) await cluster.pass(Math.min(behindMs, pieceMs))
      else this.#endJump()
      // Answers of the moment are written, and requests are read, before time passes.
      await idle()
    }
  }

  #behindMs(): number {
    const { nowMs } = this.#parts.cluster
    if (this.#jump !== undefined) return this.#jump.isOver() ? 0 : this.#jump.endMs - nowMs
    const { wallMs, virtualMs } = this.#from
    const behindMs = virtualMs + (this.#parts.wallMs() - wallMs) * this.#rate - nowMs
    const mostMs = lagMaxMs * this.#rate
    if (behindMs <= mostMs) return behindMs
    this.#lostMs += (behindMs - mostMs) / this.#rate
    this.#from = { ...this.#now(), virtualMs: nowMs + mostMs }
    return mostMs
  }

  #endJump(): void {
    const jump = this.#jump
    if (jump === undefined) return
    this.#jump = undefined
    this.#from = this.#now()
    jump.ended()
  }

  #now(): { readonly wallMs: number; readonly virtualMs: number } {
    return { wallMs: this.#parts.wallMs(), virtualMs: this.#parts.cluster.nowMs }
  }
}
