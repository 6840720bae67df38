import { failureKind } from '../campaign/fingerprint.ts'
import { type Counted, type Interval, wilson } from '../report/interval.ts'
import { hasFailed, type SeedRecord } from '../report/seed-record.ts'

/** The results of the runs that continue with other draws from one time on. */
export interface ForkPoint {
  /** Virtual time of the fork, in milliseconds. */
  readonly atMs: number
  /** Runs that fail like the unforked one; any failure, if that one passes. */
  readonly same: Counted & Interval
  /** Runs that fail in another way. */
  readonly others: number
  /** Runs with no verdict: undecided, stuck, out of memory. They count as tries. */
  readonly open: number
  /** The seed of the draws of the first run that fails in the same way, and of the first that does not. */
  readonly firstSame: number | undefined
  readonly firstPassed: number | undefined
}

/** Counts the runs of one time as they come. */
export class ForkTally {
  readonly #atMs: number
  readonly #kind: string | undefined
  #tries = 0
  #same = 0
  #others = 0
  #open = 0
  #firstSame: number | undefined
  #firstPassed: number | undefined

  /** `kind`: the kind of failure that is looked for; undefined: each failure counts. */
  constructor(atMs: number, kind: string | undefined) {
    this.#atMs = atMs
    this.#kind = kind
  }

  /** `chance`: the number after the time in `--fork`. */
  take(record: SeedRecord, chance: number): void {
    this.#tries++
    if (record.verdict === 'passed') this.#firstPassed ??= chance
    if (record.verdict !== 'passed' && record.trace === null) this.#open++
    else if (record.verdict === 'undecided') this.#open++
    else if (hasFailed(record)) this.#failed(record, chance)
  }

  get point(): ForkPoint {
    const counted = { tries: this.#tries, fails: this.#same }
    return {
      atMs: this.#atMs,
      same: { ...counted, ...wilson(counted) },
      others: this.#others,
      open: this.#open,
      firstSame: this.#firstSame,
      firstPassed: this.#firstPassed,
    }
  }

  #failed(record: SeedRecord, chance: number): void {
    if (this.#kind !== undefined && failureKind(record) !== this.#kind) {
      this.#others++
      return
    }
    this.#same++
    this.#firstSame ??= chance
  }
}

/**
 * Equidistant times from one to another, both included, in whole milliseconds and each once: forks have no finer times.
 */
export function timesBetween(fromMs: number, toMs: number, parts: number): readonly number[] {
  const times = Array.from({ length: parts + 1 }, (_, at) => Math.floor(fromMs + ((toMs - fromMs) * at) / parts))
  return [...new Set(times)]
}

/** A smaller rise may be chance, with the few tries that people wait for. */
const stepMin = 0.25

/**
 * The two neighbours on the curve between which the failure becomes likely most steeply; undefined: no rise stands out.
 */
export function steepest(
  points: readonly ForkPoint[],
): { readonly before: ForkPoint; readonly after: ForkPoint } | undefined {
  let found: { readonly before: ForkPoint; readonly after: ForkPoint } | undefined
  let most = 0
  for (const [at, after] of points.entries()) {
    const before = points[at - 1]
    if (before === undefined) continue
    const rise = shareOf(after) - shareOf(before)
    if (rise < stepMin || rise <= most) continue
    most = rise
    found = { before, after }
  }
  return found
}

function shareOf({ same }: ForkPoint): number {
  return same.tries === 0 ? 0 : same.fails / same.tries
}
