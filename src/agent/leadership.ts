import type { Closable } from '../env/async.ts'
import type { LeaderDuty, ServerContext } from '../features/manifest.ts'

/**
 * Runs the leader's duties while this server leads: they begin once it has applied everything that earlier leaders
 * committed (a duty that decides by old state would undo their work), and end with its leadership.
 */
export class Leadership {
  readonly #context: ServerContext
  readonly #duties: readonly LeaderDuty[]
  readonly #watching: Closable
  #running: readonly Closable[] = []
  #term = 0

  constructor(context: ServerContext, duties: readonly LeaderDuty[]) {
    this.#context = context
    this.#duties = duties
    this.#watching = context.raft.onRoleChange((status) => {
      if (status.role === 'leader' && status.term === this.#term) return
      this.#end()
      if (status.role !== 'leader') return
      this.#term = status.term
      context.env.detach(this.#begin(status.term))
    })
  }

  stop(): void {
    this.#watching.close()
    this.#end()
  }

  async #begin(term: number): Promise<void> {
    const caughtUp = await this.#context.raft.readIndex()
    const status = this.#context.raft.status()
    if (!caughtUp.ok || status.role !== 'leader' || status.term !== term || this.#term !== term) return
    this.#running = this.#duties.map((duty) => duty.start(this.#context))
  }

  #end(): void {
    this.#term = 0
    for (const duty of this.#running) duty.close()
    this.#running = []
  }
}
