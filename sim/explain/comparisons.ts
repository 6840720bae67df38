import { bytesOfRanges } from '../mutation/ranges.ts'
import { BudgetedLanes, type BudgetedLanesOptions } from '../pool/budgeted-lanes.ts'
import type { Lane } from '../pool/lane.ts'
import type { Ended } from '../pool/messages.ts'
import type { SentPage } from '../pool/warm-worker.ts'
import type { ComparedRun } from './spectrum.ts'

/** A run that is to be compared with the failing one. */
export interface Compared {
  readonly page: SentPage
  readonly seed: number
  readonly isOfPage: boolean
}

export interface ComparisonsOptions extends BudgetedLanesOptions {
  /** Number of sites that can be changed, and of places that return something. */
  readonly sites: number
  readonly returns: number
  /** Runs of the failing page are given up at this time, in microseconds; undefined: at their ends. */
  readonly untilUs: number | undefined
  /** What fails is a step. */
  readonly isOfStep: boolean
  /** CPU time of one run at most, in milliseconds. */
  readonly cpuMaxMs: number
}

/** A longer run of another page says hardly more, in microseconds. */
const otherPageUs = 20_000_000

/** Runs the instrumented program, and takes down which of its code each run goes through. */
export class Comparisons extends BudgetedLanes {
  readonly #options: ComparisonsOptions

  constructor(options: ComparisonsOptions) {
    super(options)
    this.#options = options
  }

  /** In their order, until the budget is spent. A run that comes to no end is left out. */
  async of(compared: readonly Compared[]): Promise<readonly ComparedRun[]> {
    const made: (ComparedRun | undefined)[] = []
    const left = Math.min(compared.length, this.runsLeft)
    let next = 0
    const work = async (lane: Lane): Promise<void> => {
      while (next < left && !this.isSpent) {
        const at = next++
        this.countRun()
        made[at] = await this.#run(lane, compared[at] as Compared)
      }
    }
    await Promise.all(this.lanes.map(work))
    return made.filter((run) => run !== undefined)
  }

  async #run(lane: Lane, { page, seed, isOfPage }: Compared): Promise<ComparedRun | undefined> {
    const { untilUs, cpuMaxMs, sites, returns, isOfStep } = this.#options
    const atUs = isOfPage ? untilUs : otherPageUs
    const ended = await lane.probe({ page, seed }, { ...(atUs === undefined ? {} : { ends: { atUs } }), cpuMaxMs })
    this.countCpuMs(ended?.record.cpuMs ?? cpuMaxMs)
    return ended && comparedRun(ended, { isOfPage, sites, returns, isOfStep, atUs })
  }
}

interface Kind extends Pick<ComparedRun, 'isOfPage'>, Pick<ComparisonsOptions, 'sites' | 'returns' | 'isOfStep'> {
  /** When it was given up. */
  readonly atUs: number | undefined
}

/** What a run says when it is compared; undefined: nothing, because it may yet pass or fail. */
export function comparedRun(
  { record: { verdict, failures }, reached, returned }: Pick<Ended, 'record' | 'reached' | 'returned'>,
  { isOfPage, sites, returns, isOfStep, atUs = Number.POSITIVE_INFINITY }: Kind,
): ComparedRun | undefined {
  if (verdict !== 'passed' && verdict !== 'failed') return undefined
  // What a step still waits for when a run is given up counts as a failure of that time.
  const hasFailed = failures.some((failure) => failure.atUs < atUs)
  // If a step failed because something never happened, a run that still waits may wait for the same.
  if (isOfStep && !hasFailed && verdict === 'failed') return undefined
  return {
    isOfPage,
    hasFailed,
    reached: bytesOfRanges(reached ?? '', sites),
    returned: bytesOfRanges(returned ?? '', returns),
  }
}
