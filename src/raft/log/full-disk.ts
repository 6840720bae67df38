import type { Closable } from '../../env/async.ts'
import type { DiskFailure } from '../../env/disk.ts'
import type { Env } from '../../env/env.ts'
import type { LogListener } from './durable-log.ts'

/** Interval between retries of a write that changed nothing. */
const retryMs = 1000

/**
 * The last batch could not be written for a reason that may pass, and after which nothing is in doubt:
 * 1. The disk had no space. A write without space was not synced and never acknowledged, and its partial bytes are cut
 *    off or overwritten. (A *sync* that finds no space is another matter: it is a failed sync, which `DiskFile`
 *    reports.)
 * 2. No file descriptor was left for a new segment. Nothing was opened, and a segment that already has its name is
 *    placed anew. Clients may hold all descriptors of every server at once, and return them a moment later; a server
 *    must survive that like a slow disk, which it resembles: writes wait, and a leader commits with the disks of others.
 */
export class FullDisk {
  readonly #env: Pick<Env, 'timers'>
  readonly #listener: Pick<LogListener, 'full' | 'delayed'>
  readonly #tryAgain: () => void
  #full = false
  #timer: Closable | undefined

  constructor(env: Pick<Env, 'timers'>, listener: Pick<LogListener, 'full' | 'delayed'>, tryAgain: () => void) {
    this.#env = env
    this.#listener = listener
    this.#tryAgain = tryAgain
  }

  get isFull(): boolean {
    return this.#full
  }

  /** Whether it is too early for another attempt. */
  get waits(): boolean {
    return this.#timer !== undefined
  }

  /** Whether a write that failed like this is tried again; if so, the listener learns of it, and a timer is set. */
  postpones(failure: DiskFailure): boolean {
    if (failure.kind !== 'full' && failure.kind !== 'no-descriptor') return false
    this.#timer = this.#env.timers.after(retryMs, () => {
      this.#timer = undefined
      this.#tryAgain()
    })
    if (failure.kind === 'no-descriptor') this.#listener.delayed(failure)
    else if (!this.#full) {
      this.#full = true
      this.#listener.full(failure)
    }
    return true
  }

  /** A write found space. Returns whether this is new. */
  passed(): boolean {
    const isNew = this.#full
    this.#full = false
    return isNew
  }

  close(): void {
    this.#timer?.close()
    this.#timer = undefined
  }
}
