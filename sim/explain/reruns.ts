import { Lane, type SentPage } from '../pool/lane.ts'
import type { Worker } from '../pool/worker.ts'

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

export interface RerunsOptions {
  readonly startWorker: () => Worker
  /** Number of runs at the same time. */
  readonly jobs: number
  readonly page: SentPage
  readonly seed: number
  readonly wrong: Wrongdoing
  readonly budget: { readonly runs?: number | undefined; readonly cpuMs?: number | undefined }
  readonly searchStepsMax?: number | undefined
}

/** Makes a seed again and again on warm workers. What comes out does not depend on the number of jobs. */
export class Reruns {
  readonly #options: RerunsOptions
  readonly #lanes: readonly Lane[]
  #runs = 0
  #cpuMs = 0

  constructor(options: RerunsOptions) {
    const { startWorker, jobs, searchStepsMax } = options
    this.#options = options
    const plain = { startWorker, pages: [], verify: false, confirm: false, searchStepsMax }
    this.#lanes = Array.from({ length: jobs }, () => new Lane(plain))
  }

  get runs(): number {
    return this.#runs
  }

  get cpuMs(): number {
    return this.#cpuMs
  }

  get isSpent(): boolean {
    const { runs = Number.POSITIVE_INFINITY, cpuMs = Number.POSITIVE_INFINITY } = this.#options.budget
    return this.#runs >= runs || this.#cpuMs >= cpuMs
  }

  close(): void {
    for (const lane of this.#lanes) lane.close()
  }

  /** Whether each of them fails in the same way; undefined: it was not made, for the budget is spent. */
  async failing(reruns: readonly Rerun[]): Promise<readonly (boolean | undefined)[]> {
    const { budget, page, seed, wrong } = this.#options
    const answers: (boolean | undefined)[] = reruns.map(() => undefined)
    const left = Math.min(reruns.length, (budget.runs ?? Number.POSITIVE_INFINITY) - this.#runs)
    let next = 0
    const work = async (lane: Lane): Promise<void> => {
      while (next < left && !this.isSpent) {
        const at = next++
        const { forkMs, chance, without, untilUs } = reruns[at] as Rerun
        const forks = [{ atMs: forkMs, seed: chance, of: 'world' as const }]
        const ends = untilUs === undefined ? {} : { ends: { atUs: untilUs } }
        this.#runs++
        const ended = await lane.probe({ page, seed, forks }, { ...ends, without })
        if (ended === undefined) answers[at] = false
        else {
          this.#cpuMs += ended.record.cpuMs
          answers[at] = wrong.isIn(ended, untilUs)
        }
      }
    }
    await Promise.all(this.#lanes.map(work))
    return answers
  }
}
