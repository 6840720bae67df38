import { Lane } from './lane.ts'
import type { Worker } from './worker.ts'

/** The budget of a search by runs. Without a limit, the search ends by itself. */
export interface RunBudget {
  /** Maximum number of runs. With only this limit, the same command gives the same answer. */
  readonly runs?: number | undefined
  /** Maximum CPU time of all runs, in milliseconds. */
  readonly cpuMs?: number | undefined
}

export interface BudgetedLanesOptions {
  readonly startWorker: () => Worker
  /** Number of concurrent runs. */
  readonly jobs: number
  readonly budget: RunBudget
  readonly searchStepsMax?: number | undefined
  /** Lanes of the same program that are there already; `startWorker` and `jobs` then mean nothing. */
  readonly lanes?: readonly Lane[]
}

/** Lanes for runs that a search decides on one by one, with the cost of these runs and the remaining budget. */
export abstract class BudgetedLanes {
  protected readonly lanes: readonly Lane[]
  readonly #budget: RunBudget
  #runs = 0
  #cpuMs = 0

  constructor({ startWorker, jobs, budget, searchStepsMax, lanes }: BudgetedLanesOptions) {
    this.#budget = budget
    const plain = { startWorker, pages: [], verify: false, confirm: false, searchStepsMax }
    this.lanes = lanes ?? Array.from({ length: jobs }, () => new Lane(plain))
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
