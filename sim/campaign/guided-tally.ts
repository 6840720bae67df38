import { forkFlags } from '../report/forks.ts'
import type { SeedRecord } from '../report/seed-record.ts'
import { MarkTally, reachedMarks } from '../scenario/demands.ts'
import { rareOf } from './guide.ts'
import type { Arrival } from './seed-table.ts'

/** Maximum number of different guided runs of one campaign. */
const runsMax = 1_000_000

/** Runs with forks, beside the plain seeds of a campaign: each counts once, in whatever order they come. */
export class GuidedTally {
  readonly marks: MarkTally = new MarkTally()
  /** By the name of a run, the beginning of its trace and its verdict. */
  readonly #runs = new Map<string, string>()
  readonly #others = new Set<string>()
  readonly #failed = new Map<string, number>()

  /** Number of different runs, and of verdicts without a run. */
  get runs(): number {
    return this.#runs.size
  }

  failedIn(page: string): number {
    return this.#failed.get(page) ?? 0
  }

  take(record: SeedRecord, isFailed: boolean): { readonly arrival: Arrival; readonly before?: string } {
    const { trace, verdict, page, marks } = record
    const run = trace === null ? verdict : `${trace.slice(0, 16)} ${verdict}`
    // A verdict without a run is kept beside the run of the same name: neither hides the other.
    const name = `${page} ${record.seed}${forkFlags(record.forks)}${trace === null ? ` ${verdict}` : ''}`
    const before = this.#runs.get(name)
    if (before === run) return { arrival: 'again' }
    if (before !== undefined) {
      const arrival = this.#others.has(name) ? 'other run' : 'first other run'
      this.#others.add(name)
      return { arrival, before }
    }
    if (this.#runs.size >= runsMax) return { arrival: 'no room' }
    this.#runs.set(name, run)
    if (isFailed) this.#failed.set(page, this.failedIn(page) + 1)
    if (trace !== null) this.marks.add(marks)
    return { arrival: 'new' }
  }
}

/** Marks that one set of runs reached and the other did not, with counts. */
export function reachedAlone(one: MarkTally, other: MarkTally): readonly string[] {
  return reachedMarks(undefined, one).flatMap(({ mark, seeds }) =>
    other.reached(mark) > 0 ? [] : [`${mark} ${seeds}`],
  )
}

/** Marks that few plain runs reached, and guided ones as well: `quorum lost 2 of 400 and 9 of 120`. */
export function rareInBoth(plain: MarkTally, guided: MarkTally): readonly string[] {
  return reachedMarks(undefined, plain).flatMap(({ mark, seeds }) => {
    const again = guided.reached(mark)
    if (again === 0 || seeds * rareOf > plain.seeds) return []
    return [`${mark} ${seeds} of ${plain.seeds} and ${again} of ${guided.seeds}`]
  })
}
