import type { Failing } from './oracle.ts'
import { type Keyed, rulesOf } from './page.ts'
import { bounded, capped, firingsOf, sizeOf } from './parts.ts'
import { fewerServers } from './simpler.ts'

/**
 * Limits on the firings of all rules together that are tried, the smallest first. They grow by less than twofold: few runs
 * with four firings find a failure that needs three, and no run with two does.
 */
const caps = [1, 2, 3, 5, 8, 13, 21, 34, 55, 89, 144, 233] as const
/** How long a run with few firings continues after the last of them, in microseconds. */
const restUs = 5_000_000
/** With more firings of one rule only limits up to a quarter of them are tried; larger ones are left to the fractions. */
const manyMax = 16
/** A run with more firings of one rule is long: it is shortened before small limits are tried with it. */
const longMax = 4
/** Fractions of its firings that a shorter run may have. */
const fractions = [1 / 4, 1 / 2, 3 / 4] as const
/**
 * A shorter run is tried with this many times the seeds that it is expected to need. One in twenty possible failures is
 * then missed.
 */
const seedsForEach = 3
/** Maximum number of other seeds for one page, however rarely they fail. */
const seedsMax = 60

/** A page, and the number of other seeds with which it is tried. */
export interface SeededPage {
  readonly page: Keyed
  readonly seeds: number
}

export interface ShorterPage extends SeededPage {
  /** The fraction of the firings that it has. */
  readonly fraction: number
}

/**
 * The page of a long run with a part of its firings. If a rare order of events may come at any firing, a run with a
 * quarter of the firings has a quarter of the chance to fail, and costs a quarter. The seeds that it takes to find one
 * cost no more than the whole run, and all later steps are cheaper. Small limits would take more seeds than can be run.
 * `rarity`: one in how many seeds of the present page is expected to fail.
 */
export function shorterPages(failing: Failing, rarity: number): readonly ShorterPage[] {
  const most = Math.max(0, ...countsOf(failing))
  if (most <= longMax) return []
  return fractions.map((fraction) => ({
    page: limited(failing, bounded(failing), Math.floor(most * fraction)),
    seeds: Math.min(seedsMax, Math.ceil((seedsForEach * rarity) / fraction)),
    fraction,
  }))
}

/**
 * All rules with one limit. A run with few firings is short and seldom fails, so it is tried with more seeds: each limit
 * costs about as much as `seeds` runs of the present page. If the page can have fewer servers, half of the seeds are tried
 * with fewer.
 */
export function limitedPages(failing: Failing, seeds: number): readonly SeededPage[] {
  const most = Math.max(0, ...countsOf(failing))
  const page = bounded(failing)
  const smaller = sizeOf(failing).servers > 3 ? fewerServers(page).slice(0, 1) : []
  const pages = [...smaller.map((each) => each.page), page]
  return caps
    .filter((cap) => cap < most && (most <= manyMax || cap <= most / 4))
    .flatMap((cap) => {
      const all = Math.min(seedsMax, Math.ceil(seeds * shorterBy(failing, cap)))
      return pages.map((each) => ({ page: limited(failing, each, cap), seeds: Math.ceil(all / pages.length) }))
    })
}

/** Number of runs with this limit that cost as much as the present run, by the virtual time that their firings take. */
function shorterBy({ account: { firings }, wrong, page }: Failing, cap: number): number {
  const reachedUs = rulesOf(page).map((_, place) => {
    const own = firings.filter(({ rule }) => rule === place)
    return own[Math.min(cap, own.length) - 1]?.atUs ?? 0
  })
  return Math.max(1, (wrong.atUs + restUs) / (Math.max(0, ...reachedUs) + restUs))
}

/** The page in which no rule fires more often than this, or than it has fired. */
function limited(failing: Failing, page: Keyed, cap: number): Keyed {
  return countsOf(failing).reduce((less, count, place) => capped(less, place, Math.min(cap, count)), page)
}

function countsOf({ page, account }: Failing): readonly number[] {
  return rulesOf(page).map((_, place) => firingsOf(account, place))
}
