/** How many of the tries failed. */
export interface Counted {
  readonly tries: number
  readonly fails: number
}

/** Limits of a share, from 0 to 1. */
export interface Interval {
  readonly low: number
  readonly high: number
}

/** In 95 of a hundred intervals, the true share lies within. */
const usualZ = 1.96
/** In 98 of a hundred: repeated looks give chance more occasions. */
export const strictZ = 2.326

/**
 * The interval of a share by Wilson's score (E. B. Wilson, 1927), which is also good for few tries, and for shares of 0
 * and 1. Without a try, it is from 0 to 1.
 */
export function wilson({ tries, fails }: Counted, z = usualZ): Interval {
  if (tries === 0) return { low: 0, high: 1 }
  const share = fails / tries
  const square = z * z
  const middle = (share + square / (2 * tries)) / (1 + square / tries)
  const half = (z / (1 + square / tries)) * Math.sqrt((share * (1 - share)) / tries + square / (4 * tries * tries))
  return { low: Math.max(0, middle - half), high: Math.min(1, middle + half) }
}

/** `7 of 20 (18..57 %)`. */
export function countedText(counted: Counted): string {
  return `${counted.fails} of ${counted.tries} (${percentages(counted)} %)`
}

/** Both limits of the interval, in whole percent: `18..57`. */
export function percentages(counted: Counted): string {
  const { low, high } = wilson(counted)
  return `${Math.round(100 * low)}..${Math.round(100 * high)}`
}
