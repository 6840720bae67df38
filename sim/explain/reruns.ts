import { BudgetedLanes, type BudgetedLanesOptions } from '../pool/budgeted-lanes.ts'
import type { Lane } from '../pool/lane.ts'
import type { SentPage } from '../pool/warm-worker.ts'

/** One run of the seed to be explained, with a difference. */
export interface Rerun {
  /** From this virtual time on, the draws of links, disks and agents differ; in milliseconds. */
  readonly forkMs: number
  /** Seed of the other draws. */
  readonly chance: number
  readonly without: readonly string[]
  /** When it is stopped, in microseconds; undefined: at its end. */
  readonly untilUs: number | undefined
}

/** The same failure is required: the law or the expectation, and the message without numbers and names. */
export interface Wrongdoing {
  /** Whether a run failed in this way before the time at which it is stopped. */
  isIn(ended: NonNullable<Awaited<ReturnType<Lane['probe']>>>, untilUs: number | undefined): boolean
}

export interface RerunsOptions extends BudgetedLanesOptions {
  readonly page: SentPage
  readonly seed: number
  readonly wrong: Wrongdoing
}

/** Runs a seed repeatedly on warm workers. The result does not depend on the number of jobs. */
export class Reruns extends BudgetedLanes {
  readonly #options: RerunsOptions

  constructor(options: RerunsOptions) {
    super(options)
    this.#options = options
  }

  /** Whether each of them fails in the same way; undefined: it was not run, because the budget is spent. */
  async failing(reruns: readonly Rerun[]): Promise<readonly (boolean | undefined)[]> {
    const { page, seed, wrong } = this.#options
    const answers: (boolean | undefined)[] = reruns.map(() => undefined)
    const left = Math.min(reruns.length, this.runsLeft)
    let next = 0
    const work = async (lane: Lane): Promise<void> => {
      while (next < left && !this.isSpent) {
        const at = next++
        const { forkMs, chance, without, untilUs } = reruns[at] as Rerun
        const forks = [{ atMs: forkMs, seed: chance, of: 'world' as const }]
        const ends = untilUs === undefined ? {} : { ends: { atUs: untilUs } }
        this.countRun()
        const ended = await lane.probe({ page, seed, forks }, { ...ends, without })
        if (ended === undefined) answers[at] = false
        else {
          this.countCpuMs(ended.record.cpuMs)
          answers[at] = wrong.isIn(ended, untilUs)
        }
      }
    }
    await Promise.all(this.lanes.map(work))
    return answers
  }
}
