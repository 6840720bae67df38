import type { Closable } from '../../env/async.ts'
import type { Env } from '../../env/env.ts'
import type { ProposalRequest } from '../core/events.ts'

/**
 * While the disk writes, proposals gather for at most this long; they are sent to the followers without waiting for it.
 */
const gatherMs = 1
/** This many proposals are sent at once, even during a write. */
const gatherMax = 1024

/**
 * Gathers proposals, so that those of one turn, or those made during a write, share one event, one append and one sync.
 */
export class Gathering {
  readonly #env: Pick<Env, 'deferred' | 'timers' | 'batches'>
  readonly #diskIsBusy: () => boolean
  readonly #propose: (requests: readonly ProposalRequest[]) => void
  #gathered: ProposalRequest[] = []
  #scheduled = false
  #timer: Closable | undefined

  constructor(
    env: Pick<Env, 'deferred' | 'timers' | 'batches'>,
    diskIsBusy: () => boolean,
    propose: (requests: readonly ProposalRequest[]) => void,
  ) {
    this.#env = env
    this.#diskIsBusy = diskIsBusy
    this.#propose = propose
  }

  add(request: ProposalRequest): void {
    this.#gathered.push(request)
    this.#env.batches?.waits(request)
    if (this.#gathered.length >= gatherMax) this.flush()
    else if (!this.#scheduled) this.#schedule()
  }

  flush(): void {
    this.#timer?.close()
    this.#timer = undefined
    this.#scheduled = false
    if (this.#gathered.length === 0) return
    const requests = this.#gathered
    this.#gathered = []
    this.#env.batches?.together(requests)
    this.#propose(requests)
  }

  close(): void {
    this.#gathered = []
    this.#timer?.close()
    this.#timer = undefined
  }

  #schedule(): void {
    this.#scheduled = true
    if (this.#diskIsBusy()) {
      this.#timer = this.#env.timers.after(gatherMs, () => this.flush())
      return
    }
    const turnEnded = this.#env.deferred<void>()
    void turnEnded.promise.then(() => this.flush())
    turnEnded.resolve()
  }
}
