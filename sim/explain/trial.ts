import { type Counted, strictZ, wilson } from '../report/interval.ts'

/** Counts of runs: unchanged ones, and ones without the thing under trial. */
export interface Trial {
  readonly unchanged: Counted
  readonly without: Counted
}

/**
 * Verdict of a trial: without the thing, the failure is less frequent (`needs`), more frequent (`rarer`: the thing
 * makes it rarer), or as frequent (`not needed`). `seldom`: unchanged runs fail too rarely for a verdict. `open`: too
 * few tries.
 */
export type Judgement = 'needs' | 'rarer' | 'not needed' | 'seldom' | 'open'

/** Maximum number of tries of each kind. */
export const triesMax = 20
/** Minimum number of tries for a verdict. */
const triesMin = 6
/** A smaller difference between the two shares counts as no difference. */
const smallDifference = 0.35
const anywayShare = 0.8
/** Unchanged runs that fail less often than this cannot show a difference. */
const seldomShare = 0.3

/** The verdict of the tries so far; `open` until it is clear, or until the maximum number of tries is reached. */
export function judgementOf({ unchanged, without }: Trial): Judgement {
  // It fails so often without it that it could not fail much more often with it.
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

/** Whether it fails so often without it that unchanged runs would add nothing. */
export function failsAnyway({ tries, fails }: Counted): boolean {
  return tries > 0 && fails / tries > anywayShare
}

/** How much more often the unchanged run fails, from -1 to 1; 0 if that is not known. */
export function strengthOf({ unchanged, without }: Trial): number {
  if (unchanged.tries === 0 || without.tries === 0) return 0
  return unchanged.fails / unchanged.tries - without.fails / without.tries
}

/** The verdict if no further runs are made. */
function lastWord(trial: Trial): Judgement {
  if (trial.unchanged.fails / trial.unchanged.tries < seldomShare) return 'seldom'
  return strengthOf(trial) > smallDifference ? 'needs' : 'not needed'
}
