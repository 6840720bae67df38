import type { Closable } from '../../env/async.ts'
import type { LeaderDuty, RunningDuty } from '../contract/duty.ts'
import type { WithProposals, WithState } from '../contract/server-context.ts'
import type { WithEnv } from '../contract/surroundings.ts'
import { restoreAbandon } from './commands.ts'
import { comingState } from './views.ts'

/** A restore without a new piece for this long is abandoned: its pieces use every server's memory. */
const patienceMs = 60_000

export const givenUpRestores: LeaderDuty<RunningDuty, WithEnv & WithState & WithProposals> = {
  name: 'snapshot.given-up-restores',
  start: (server) => new GivenUpRestores(server),
}

class GivenUpRestores implements Closable {
  readonly #server: WithEnv & WithState & WithProposals
  #timer: Closable | undefined
  #closed = false
  /** The state of the restore at the last look. */
  #seen: { readonly id: string; readonly receivedBytes: number } | undefined

  constructor(server: WithEnv & WithState & WithProposals) {
    this.#server = server
    this.#look()
  }

  close(): void {
    this.#closed = true
    this.#timer?.close()
  }

  #look(): void {
    const { env } = this.#server
    const coming = comingState(this.#server.read())
    const stands =
      coming !== undefined && coming.id === this.#seen?.id && coming.receivedBytes === this.#seen.receivedBytes
    this.#seen = coming
    this.#timer = env.timers.after(patienceMs, () => env.detach(this.#next()))
    if (stands) env.detach(this.#abandon(coming.id))
  }

  async #next(): Promise<void> {
    if (!this.#closed) this.#look()
  }

  async #abandon(id: string): Promise<void> {
    const { env } = this.#server
    env.log.write('warn', 'svc', 'abandoned a restore that had stopped', { id })
    const done = await this.#server.propose(restoreAbandon, { id })
    if (!done.ok) env.log.write('debug', 'svc', 'could not abandon a restore', { why: done.error.kind })
  }
}
