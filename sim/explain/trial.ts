import { type Counted, strictZ, wilson } from '../report/interval.ts'

/** Runs as they were, and runs without something. */
export interface Trial {
  readonly unchanged: Counted
  readonly without: Counted
}

/**
 * What a trial says: the failure `needs` it, is made `rarer` by it, or is as frequent without it (`not needed`); `seldom`:
 * with other chance behind it the failure does not come again, so that nobody can tell; `open`: too few tries.
 */
export type Judgement = 'needs' | 'rarer' | 'not needed' | 'seldom' | 'open'

/** Tries of each kind at most. */
export const triesMax = 20
/** Fewer say nothing, however clear they look. */
const triesMin = 6
/** A smaller difference between the two shares counts as no difference. */
const smallDifference = 0.35
const anywayShare = 0.8
/** Of an unchanged run that fails more seldom nothing can be missed. */
const seldomShare = 0.3

/** What the tries so far say; `open` until it is clear, or until there are as many as may be. */
export function judgementOf({ unchanged, without }: Trial): Judgement {
  // It fails without it so often that it could not fail much more often with it.
  if (without.tries >= triesMin && 1 - wilson(without).low < smallDifference) return 'not needed'
  const tries = Math.min(unchanged.tries, without.tries)
  if (tries < triesMin) return 'open'
  const [one, other] = [wilson(unchanged, strictZ), wilson(without, strictZ)]
  if (other.high < one.low) return 'needs'
  if (other.low > one.high) return 'rarer'
  if (wilson(unchanged).high < seldomShare) return 'seldom'
  const most = wilson(unchanged).high - wilson(without).low
  if (most < smallDifference) return 'not needed'
  return tries < triesMax ? 'open' : lastWord({ unchanged, without })
}

/** Whether it fails without it so often that unchanged runs would tell nothing more. */
export function failsAnyway({ tries, fails }: Counted): boolean {
  return tries > 0 && fails / tries > anywayShare
}

/** By how much more often it fails as it was, from -1 to 1; 0 where that is not known. */
export function strengthOf({ unchanged, without }: Trial): number {
  if (unchanged.tries === 0 || without.tries === 0) return 0
  return unchanged.fails / unchanged.tries - without.fails / without.tries
}

/** Nothing more is tried. */
function lastWord(trial: Trial): Judgement {
  if (trial.unchanged.fails / trial.unchanged.tries < seldomShare) return 'seldom'
  return strengthOf(trial) > smallDifference ? 'needs' : 'not needed'
}
