import { forksMax } from '../report/forks.ts'
import type { SeedRecord } from '../report/seed-record.ts'
import type { Fork } from '../world/decisions/decisions.ts'

/** A mark is rare in a scenario if at most one in this many plain runs has reached it. */
export const rareOf = 20
/** Minimum number of plain runs before a mark can count as rare. */
const plainRunsMin = 20
/**
 * A prefix is kept while at most this many runs have reached its mark, even if that is not rare yet, because more plain
 * runs may come.
 */
const fewRuns = 3
/** Maximum number of prefixes that are kept of one scenario. */
const prefixesMax = 32
/** Maximum number of forks of one prefix: what many of them did not find, further ones hardly will. */
const forksOfPrefix = 8

/** A run that equals another one up to a time. */
export interface GuidedRun {
  readonly page: string
  readonly seed: number
  readonly forks: readonly Fork[]
}

/** A run that reached a rare mark, up to that moment. */
interface Prefix {
  readonly seed: number
  readonly forks: readonly Fork[]
  readonly atMs: number
  readonly mark: string
  /** Number of its forks. */
  forked: number
}

interface GuidedPage {
  plainRuns: number
  /** Number of plain runs that reached each mark. */
  readonly reached: Map<string, number>
  prefixes: Prefix[]
}

/**
 * Chooses the runs beside plain seeds: runs that reached a rare state are continued from there with other draws. The
 * choice depends only on the records seen and their order; the memory is limited.
 */
export class Guide {
  readonly #pages = new Map<string, GuidedPage>()

  /** Takes a record, plain or guided. */
  saw(record: SeedRecord): void {
    const { page: hash, trace, forks = [], marks, marksAtUs = [], virtualUs } = record
    if (trace === null) return
    const page = this.#pageOf(hash)
    if (forks.length === 0) {
      page.plainRuns++
      for (const mark of marks) page.reached.set(mark, reachedIn(page, mark) + 1)
    }
    if (forks.length >= forksMax) return
    const last = forks.at(-1)?.atMs ?? -1
    for (const [at, mark] of marks.entries()) {
      const atUs = marksAtUs[at]
      if (atUs === undefined || !mayBeRare(page, mark)) continue
      // The first millisecond after the mark: everything that led to it is kept.
      const atMs = Math.floor(atUs / 1000) + 1
      if (atMs <= last || atMs * 1000 >= virtualUs) continue
      page.prefixes.push({ seed: record.seed, forks, atMs, mark, forked: 0 })
    }
    page.prefixes = page.prefixes.filter(({ mark }) => mayBeRare(page, mark)).toSorted(byWorth(page))
    page.prefixes.length = Math.min(page.prefixes.length, prefixesMax)
  }

  /** The next runs of one scenario, up to this number: the prefixes of the rarest marks first, in equal shares. */
  next(hash: string, count: number): readonly GuidedRun[] {
    const page = this.#pageOf(hash)
    const runs: GuidedRun[] = []
    if (page.plainRuns < plainRunsMin) return runs
    while (runs.length < count) {
      const [prefix] = page.prefixes.filter(({ mark }) => isRare(page, mark)).toSorted(byWorth(page))
      if (prefix === undefined) break
      prefix.forked++
      const { seed, forks, atMs } = prefix
      runs.push({ page: hash, seed, forks: [...forks, { atMs, seed: prefix.forked }] })
      page.prefixes = page.prefixes.filter(({ forked }) => forked < forksOfPrefix)
    }
    return runs
  }

  #pageOf(hash: string): GuidedPage {
    const there = this.#pages.get(hash)
    if (there !== undefined) return there
    const made: GuidedPage = { plainRuns: 0, reached: new Map(), prefixes: [] }
    this.#pages.set(hash, made)
    return made
  }
}

function reachedIn({ reached }: GuidedPage, mark: string): number {
  return reached.get(mark) ?? 0
}

function mayBeRare(page: GuidedPage, mark: string): boolean {
  return isRare(page, mark) || reachedIn(page, mark) <= fewRuns
}

function isRare(page: GuidedPage, mark: string): boolean {
  return reachedIn(page, mark) <= Math.max(1, page.plainRuns / rareOf)
}

/** Those with the fewest forks first, and among them those of the rarest mark; the sort is stable. */
function byWorth(page: GuidedPage): (one: Prefix, other: Prefix) => number {
  return (one, other) => one.forked - other.forked || reachedIn(page, one.mark) - reachedIn(page, other.mark)
}
