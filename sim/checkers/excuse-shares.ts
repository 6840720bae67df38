import type { Invariant } from './checker.ts'
import { type InvariantCode, invariants } from './checkers.ts'
import type { Judged } from './judged-tally.ts'

/** The greatest share of a law's facts that an excuse may take if its declaration does not say otherwise. */
const usualShareMax = 0.5
/** Minimum number of facts below which a share is not judged. */
const factsLeast = 200

/** An excuse that took more of its law's facts than its declaration allows. */
export interface OverusedExcuse {
  readonly code: InvariantCode
  readonly excuse: string
  /** Share of all facts that the law has judged or excused. */
  readonly share: number
  readonly shareMax: number
}

/** The greatest share of a law's facts that an excuse may take over a campaign. */
export function shareMaxOf({ excusesMost = {} }: Pick<Invariant, 'excusesMost'>, excuse: string): number {
  return excusesMost[excuse] ?? usualShareMax
}

/**
 * Excuses that took too many facts in all runs of a campaign together: a law that excuses nearly all its facts proves
 * nothing, however often it is green. A fact that was judged more mildly counts as excused, too.
 */
export function overusedExcuses(judged: Judged): readonly OverusedExcuse[] {
  return (Object.keys(judged) as InvariantCode[]).flatMap((code) => {
    const { facts, excuses } = judged[code]
    const all = Object.values(excuses).reduce((sum, uses) => sum + uses, facts)
    if (all < factsLeast) return []
    return Object.entries(excuses).flatMap(([excuse, uses]) => {
      const [share, shareMax] = [uses / all, shareMaxOf(invariants[code], excuse)]
      return share > shareMax ? [{ code, excuse, share, shareMax }] : []
    })
  })
}
