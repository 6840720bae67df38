/** How often something happened in so many tries. */
export interface Counted {
  readonly tries: number
  readonly fails: number
}

/** Bounds of a share, from 0 to 1. */
export interface Interval {
  readonly low: number
  readonly high: number
}

/** Of 95 in a hundred intervals the true share lies within. */
const usualZ = 1.96
/** Of 98 in a hundred: where one looks again and again, chance has more occasions. */
export const strictZ = 2.326

/**
 * The interval of a share by Wilson's score (E. B. Wilson, 1927): good for few tries, and for shares of 0 and 1. Without
 * a try it is everything.
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

/** Both ends of the interval, in whole percent: `18..57`. */
export function percentages(counted: Counted): string {
  const { low, high } = wilson(counted)
  return `${Math.round(100 * low)}..${Math.round(100 * high)}`
}
