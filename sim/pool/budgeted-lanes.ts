import { Lane } from './lane.ts'
import type { Worker } from './worker.ts'

/** What a search by runs may cost. Without either limit it ends by itself. */
export interface RunBudget {
  /** Number of runs. With nothing but this limit the same command comes to the same answer. */
  readonly runs?: number | undefined
  /** CPU time of all runs, in milliseconds. */
  readonly cpuMs?: number | undefined
}

export interface BudgetedLanesOptions {
  readonly startWorker: () => Worker
  /** Number of runs at the same time. */
  readonly jobs: number
  readonly budget: RunBudget
  readonly searchStepsMax?: number | undefined
}

/** Lanes for runs that a search decides on one by one, with what these runs cost and whether more may be made. */
export abstract class BudgetedLanes {
  protected readonly lanes: readonly Lane[]
  readonly #budget: RunBudget
  #runs = 0
  #cpuMs = 0

  constructor({ startWorker, jobs, budget, searchStepsMax }: BudgetedLanesOptions) {
    this.#budget = budget
    const plain = { startWorker, pages: [], verify: false, confirm: false, searchStepsMax }
    this.lanes = Array.from({ length: jobs }, () => new Lane(plain))
  }

  get runs(): number {
    return this.#runs
  }

  get cpuMs(): number {
    return this.#cpuMs
  }

  get isSpent(): boolean {
    return this.runsLeft <= 0 || this.#cpuMs >= (this.#budget.cpuMs ?? Number.POSITIVE_INFINITY)
  }

  protected get runsLeft(): number {
    return (this.#budget.runs ?? Number.POSITIVE_INFINITY) - this.#runs
  }

  protected countRun(): void {
    this.#runs++
  }

  protected countCpuMs(cpuMs: number): void {
    this.#cpuMs += cpuMs
  }

  /** Ends all workers. */
  close(): void {
    for (const lane of this.lanes) lane.close()
  }
}
