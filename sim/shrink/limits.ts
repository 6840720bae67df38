import type { Failing } from './oracle.ts'
import { type Keyed, rulesOf } from './page.ts'
import { bounded, capped, firingsOf, sizeOf } from './parts.ts'
import { fewerServers } from './simpler.ts'

/** Limits on the firings of all rules together that are tried, the smallest first. */
const caps = [1, 2, 4, 8, 16, 32, 64, 128, 256] as const
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
export interface ShorterPage {
  readonly page: Keyed
  readonly seeds: number
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

/** All rules with one limit. These runs are short, so fewer servers are tried at the same time. */
export function limitedPages(failing: Failing): readonly Keyed[] {
  const most = Math.max(0, ...countsOf(failing))
  const page = bounded(failing)
  const smaller = sizeOf(failing).servers > 3 ? fewerServers(page).slice(0, 1) : []
  const pages = [...smaller.map((each) => each.page), page]
  return caps.filter((cap) => cap < most).flatMap((cap) => pages.map((each) => limited(failing, each, cap)))
}

/** The page in which no rule fires more often than this, or than it has fired. */
function limited(failing: Failing, page: Keyed, cap: number): Keyed {
  return countsOf(failing).reduce((less, count, place) => capped(less, place, Math.min(cap, count)), page)
}

function countsOf({ page, account }: Failing): readonly number[] {
  return rulesOf(page).map((_, place) => firingsOf(account, place))
}
