import type { Closable } from '../../env/async.ts'
import type { Env } from '../../env/env.ts'
import type { Sliced } from '../wire/sliced.ts'
import { SourceBudgets } from './source-budgets.ts'
import { WorkBudget } from './work-budget.ts'

/**
 * Work that may be done in one turn of the event loop, some 2 ms, and the time after which as much may be done again.
 * Between two slices everything else has its turn, and streams never take more than half of a core.
 */
const turnWork = 64 << 10
const turnMs = 4

interface Job {
  /** Undefined: the stream is this agent's own, and uses no budget. */
  readonly budget: WorkBudget | undefined
  readonly work: Sliced<void>
  isClosed: boolean
}

/**
 * The work that streams ask for, one job at a time, in slices. Why it is ordered so:
 * 1. One stream may bring 10 MiB, and expand to as much from 160 KiB; decoding and merging it takes a second. Done in
 *    one turn, heartbeats of Raft would wait, and a leader be deposed.
 * 2. A job that has begun goes on until it is over, so that at most one expanded frame is in memory.
 * 3. Its source pays for each slice, and may go into debt for one job; until that is paid off, its next jobs wait.
 * 4. Of the jobs that may begin, the one of the source that has used the least goes first: a flood from one address
 *    delays others by one job.
 * 5. A job whose stream reaches its deadline while it waits is closed, and never begins.
 */
export class StreamWork {
  readonly #env: Pick<Env, 'clock' | 'timers' | 'metrics'>
  readonly #sources: SourceBudgets
  readonly #turn: WorkBudget
  readonly #waiting = new Set<Job>()
  #current: Job | undefined
  #isRunning = false
  #isStopped = false
  #next: Closable | undefined

  constructor(env: Pick<Env, 'clock' | 'timers' | 'metrics'>) {
    this.#env = env
    this.#sources = new SourceBudgets(env.clock)
    this.#turn = new WorkBudget(env.clock, turnWork, turnWork / turnMs)
  }

  /** Begins at once if the budgets allow it. `host`: the source that causes the work; undefined: this agent itself. */
  add(host: string | undefined, work: Sliced<void>): Closable {
    const job: Job = { budget: host === undefined ? undefined : this.#sources.of(host), work, isClosed: false }
    if (!this.#isStopped) this.#waiting.add(job)
    if (job.budget !== undefined && job.budget.left <= 0) this.#env.metrics.count('gossip.stream.delayed')
    this.#run()
    return { close: () => this.#close(job) }
  }

  /** Finishes at once the work that has begun, which the callers have made short; no other work begins. */
  stop(): void {
    this.#isStopped = true
    this.#waiting.clear()
    this.#run()
  }

  #close(job: Job): void {
    job.isClosed = true
    this.#waiting.delete(job)
    if (this.#current === job) this.#current = undefined
  }

  #run(): void {
    if (this.#isRunning) return
    this.#isRunning = true
    this.#next?.close()
    this.#next = undefined
    let done = 0
    while (this.#isStopped || this.#turn.left > 0) {
      this.#current ??= this.#choose()
      if (this.#current === undefined) break
      done += this.#slice(this.#current)
    }
    this.#isRunning = false
    if (done > 0) this.#env.metrics.count('gossip.stream.work', Math.round(done))
    this.#rest()
  }

  #slice(job: Job): number {
    const step = job.work.next()
    if (step.done === true || job.isClosed) {
      if (this.#current === job) this.#current = undefined
    }
    if (step.done === true) return 0
    this.#turn.take(step.value)
    job.budget?.take(step.value)
    return step.value
  }

  #choose(): Job | undefined {
    let chosen: Job | undefined
    let most = 0
    for (const job of this.#waiting) {
      const left = job.budget?.left ?? Number.POSITIVE_INFINITY
      if (left <= most) continue
      chosen = job
      most = left
    }
    if (chosen !== undefined) this.#waiting.delete(chosen)
    return chosen
  }

  /** Waits until this turn's work is paid off, or other work may continue. */
  #rest(): void {
    let dueMs = this.#current === undefined ? Number.POSITIVE_INFINITY : 0
    for (const { budget } of this.#waiting) dueMs = Math.min(dueMs, budget?.dueMs ?? 0)
    if (dueMs === Number.POSITIVE_INFINITY) return
    this.#next = this.#env.timers.after(Math.max(dueMs, this.#turn.dueMs), () => this.#run())
  }
}
