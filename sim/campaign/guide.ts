import { forksMax } from '../report/forks.ts'
import type { SeedRecord } from '../report/seed-record.ts'
import type { Fork } from '../world/decisions/decisions.ts'

/** A mark is rare in a scenario if at most one of so many plain runs has reached it. */
export const rareOf = 20
/** Before so many plain runs nobody knows what is rare. */
const plainRunsMin = 20
/** A prefix is kept while so few have reached its mark, even if that is not rare yet: more plain runs may come. */
const fewRuns = 3
/** Prefixes that are kept of one scenario. */
const prefixesMax = 32
/** Forks of one prefix: what many of them did not find, further ones hardly will. */
const forksOfPrefix = 8

/** A run that is another one up to a time. */
export interface GuidedRun {
  readonly page: string
  readonly seed: number
  readonly forks: readonly Fork[]
}

/** A run that reached a rare mark, up to when it did. */
interface Prefix {
  readonly seed: number
  readonly forks: readonly Fork[]
  readonly atMs: number
  readonly mark: string
  /** How often it was forked. */
  forked: number
}

interface GuidedPage {
  plainRuns: number
  /** Plain runs that reached each mark. */
  readonly reached: Map<string, number>
  prefixes: Prefix[]
}

/**
 * Chooses what to run beside plain seeds: runs that came into a rare state are gone on with from there, with other
 * chance. It depends on the records that it has seen and on their order, and on nothing else; what it keeps is bounded.
 */
export class Guide {
  readonly #pages = new Map<string, GuidedPage>()

  /** A record, plain or guided. */
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
      // The first millisecond behind the mark: what led to it is kept.
      const atMs = Math.floor(atUs / 1000) + 1
      if (atMs <= last || atMs * 1000 >= virtualUs) continue
      page.prefixes.push({ seed: record.seed, forks, atMs, mark, forked: 0 })
    }
    page.prefixes = page.prefixes.filter(({ mark }) => mayBeRare(page, mark)).toSorted(byWorth(page))
    page.prefixes.length = Math.min(page.prefixes.length, prefixesMax)
  }

  /** The next runs of one scenario, at most so many: the prefixes of the rarest marks first, each alike. */
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

/** Those that were forked least first, and of them those of the rarest mark; the sort is stable. */
function byWorth(page: GuidedPage): (one: Prefix, other: Prefix) => number {
  return (one, other) => one.forked - other.forked || reachedIn(page, one.mark) - reachedIn(page, other.mark)
}
