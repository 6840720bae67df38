import type { Result } from '../../base/result.ts'
import type { Closable } from '../../env/async.ts'
import type { LeaderDuty, RunningDuty } from '../../features/contract/duty.ts'
import type { ServerContext, ServerDuty } from '../../features/contract/server-context.ts'
import { measured } from '../../features/contract/surroundings.ts'
import { type Failure, failureText } from '../../model/failure.ts'
import type { RaftStatus } from '../../raft/raft.ts'
import { fixNames, otherNames } from './cluster-naming.ts'

/** Pause before a leader that could not confirm its state tries again. */
const retryMs = 1_000

/**
 * The duties that run at the moment. It exists before they do: endpoints ask it for a duty, and duties need the server
 * that the endpoints are part of.
 */
export class RunningDuties {
  #running: ReadonlyMap<LeaderDuty, RunningDuty> = new Map()

  of<Running extends RunningDuty>(duty: LeaderDuty<Running>): Running | undefined {
    return this.#running.get(duty) as Running | undefined
  }

  /** Lets them set their gauges. */
  measure(): void {
    for (const running of this.#running.values()) running.measure?.()
  }

  start(duties: readonly ServerDuty[], server: ServerContext): void {
    this.#running = new Map(duties.map((duty) => [duty, duty.start(server)]))
  }

  end(): void {
    for (const running of this.#running.values()) running.close()
    this.#running = new Map()
  }
}

/**
 * Runs the leader's duties while this server leads. They start after it has applied everything that earlier leaders
 * committed (a duty that decides by old state would undo their work), and end with its leadership.
 */
export class Leadership {
  readonly #context: ServerContext
  readonly #duties: readonly ServerDuty[]
  readonly #watching: Closable
  readonly #running: RunningDuties
  #retry: Closable | undefined
  /** The term whose duties are running or starting; 0: this server does not lead. */
  #term = 0
  /** Counts endings, so that a start that was under way before an ending does not complete after it. */
  #endings = 0

  constructor(context: ServerContext, duties: readonly ServerDuty[], running: RunningDuties) {
    this.#running = running
    this.#context = context
    this.#duties = duties
    this.#watching = context.raft.onRoleChange((status) => this.#heed(status))
    this.#heed(context.raft.status())
  }

  stop(): void {
    this.#watching.close()
    this.#end()
  }

  /** Ends the duties and starts them again, if this server leads. */
  restart(): void {
    if (this.#term === 0) return
    this.#end()
    // Deferred: the calling command is still being applied.
    this.#retry = this.#context.env.timers.after(0, () => this.#heed(this.#context.raft.status()))
  }

  #heed({ role, term }: RaftStatus): void {
    if (role === 'leader' && term === this.#term) return
    this.#end()
    if (role !== 'leader') return
    this.#term = term
    this.#context.env.detach(this.#begin(this.#endings))
  }

  async #begin(endings: number): Promise<void> {
    this.#context.env.metrics.count('raft.barrier')
    const caughtUp = await measured(this.#context, 'leader.barrier', () => this.#context.raft.readIndex())
    if (this.#endings !== endings) return
    if (!caughtUp.ok) {
      // Refused although this server leads, because too many requests are under way: a leader that never started its
      // duties would look healthy.
      const { env } = this.#context
      this.#retry = env.timers.after(retryMs, () => env.detach(this.#begin(endings)))
      return
    }
    const fixing = fixNames(this.#context)
    if (fixing !== undefined && !(await this.#fixed(fixing, endings))) return
    // The server is about to end: see `guardNames`.
    if (otherNames(this.#context.naming, this.#context.read()) !== undefined) return
    this.#running.start(this.#duties, this.#context)
  }

  /**
   * Whether this leader may continue. If the naming of the cluster could not be fixed yet, the leader tries again
   * later.
   */
  async #fixed(fixing: Promise<Result<unknown, Failure>>, endings: number): Promise<boolean> {
    const { env } = this.#context
    const fixed = await fixing
    if (this.#endings !== endings) return false
    if (fixed.ok) return true
    env.log.write('debug', 'svc', 'could not fix the names of the cluster yet', { why: failureText(fixed.error) })
    this.#retry = env.timers.after(retryMs, () => env.detach(this.#begin(endings)))
    return false
  }

  #end(): void {
    this.#term = 0
    this.#endings++
    this.#retry?.close()
    this.#running.end()
  }
}
