import type { Closable } from '../../../env/async.ts'
import { failureText } from '../../../model/failure.ts'
import { type ModifyIndex, noChange } from '../../../model/log-position.ts'
import type { ServerAccess } from '../../contract/access-control.ts'
import type { WithEnv } from '../../contract/surroundings.ts'
import type { CopyingServer, Round } from './asking-primary.ts'
import type { RoundDone } from './copying.ts'
import { pageBytesMax } from './page-endpoints.ts'

/** Pause between two rounds that changed something or waited; doubled with each failure, up to the maximum. */
export const pauseMs = 1_000
export const pauseMaxMs = 30_000

/** The progress of one kind of replication. */
export interface Progress {
  /** Index of the primary datacenter up to which everything is replicated; 0: nothing yet. */
  readonly index: ModifyIndex
  /** By the wall clock; 0: never. */
  readonly lastSuccessMs: number
  readonly lastErrorMs: number
  readonly lastError: string
  /** Monotonic time when the last successful round began; undefined: no round has succeeded. */
  readonly freshMs: number | undefined
}

/** Runs round after round of one kind for as long as this server leads. */
export class Replicator implements Closable {
  readonly #server: WithEnv & CopyingServer
  readonly #access: ServerAccess
  readonly #what: string
  readonly #round: (round: Round) => Promise<RoundDone>
  #progress: Progress = { index: noChange, lastSuccessMs: 0, lastErrorMs: 0, lastError: '', freshMs: undefined }
  /** The index that the next round waits to exceed; 0: it does not wait. */
  #after = noChange
  #failures = 0
  #timer: Closable | undefined
  #closed = false

  constructor(parts: {
    readonly server: WithEnv & CopyingServer
    readonly access: ServerAccess
    /** The kind, for the log: `policies`. */
    readonly what: string
    round(round: Round): Promise<RoundDone>
  }) {
    this.#server = parts.server
    this.#access = parts.access
    this.#what = parts.what
    this.#round = parts.round
    this.#next(0)
  }

  get progress(): Progress {
    return this.#progress
  }

  close(): void {
    this.#closed = true
    this.#timer?.close()
  }

  #next(delayMs: number): void {
    if (this.#closed) return
    const { timers, detach } = this.#server.env
    this.#timer = timers.after(delayMs, () => detach(this.#run()))
  }

  async #run(): Promise<void> {
    const { clock } = this.#server.env
    const begunMs = clock.monoMs()
    const round = {
      server: this.#server,
      access: this.#access,
      after: this.#after,
      pageBytes: pageBytesMax,
      over: () => this.#closed,
    }
    const done = await this.#round(round)
    if (this.#closed) return
    if (done.ok) this.#succeeded(done.value, begunMs)
    else this.#failed(failureText(done.error))
    this.#next(Math.min(pauseMaxMs, pauseMs * (1 << this.#failures)))
  }

  /** A lower index than before is accepted: the primary's state was replaced. */
  #succeeded(index: ModifyIndex, begunMs: number): void {
    const { clock, log } = this.#server.env
    if (this.#failures > 0) log.write('info', 'acl', 'replication goes on', { what: this.#what, index })
    this.#failures = 0
    this.#after = index
    this.#progress = { ...this.#progress, index, lastSuccessMs: clock.wallMs(), freshMs: begunMs }
  }

  #failed(why: string): void {
    const { clock, log } = this.#server.env
    this.#failures = Math.min(this.#failures + 1, failuresCounted)
    this.#after = noChange
    this.#progress = { ...this.#progress, lastErrorMs: clock.wallMs(), lastError: why }
    log.write('warn', 'acl', 'replication failed', { what: this.#what, why })
  }
}

/** Further failures do not lengthen the pause. */
const failuresCounted = 8
