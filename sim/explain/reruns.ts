import { BudgetedLanes, type BudgetedLanesOptions } from '../pool/budgeted-lanes.ts'
import type { Lane } from '../pool/lane.ts'
import type { SentPage } from '../pool/warm-worker.ts'

/** One run of the seed that is to be explained, with a difference. */
export interface Rerun {
  /** From this virtual time on what links, disks and agents draw is other; in milliseconds. */
  readonly forkMs: number
  /** Which other chance it is. */
  readonly chance: number
  readonly without: readonly string[]
  /** When it is given up, in microseconds; undefined: at its end. */
  readonly untilUs: number | undefined
}

/** The same wrong is demanded: the law or the expectation, and what it says but for names and numbers. */
export interface Wrongdoing {
  /** Whether a run did it before the time at which it is given up. */
  isIn(ended: NonNullable<Awaited<ReturnType<Lane['probe']>>>, untilUs: number | undefined): boolean
}

export interface RerunsOptions extends BudgetedLanesOptions {
  readonly page: SentPage
  readonly seed: number
  readonly wrong: Wrongdoing
}

/** Makes a seed again and again on warm workers. What comes out does not depend on the number of jobs. */
export class Reruns extends BudgetedLanes {
  readonly #options: RerunsOptions

  constructor(options: RerunsOptions) {
    super(options)
    this.#options = options
  }

  /** Whether each of them fails in the same way; undefined: it was not made, for the budget is spent. */
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
