/** How often something has come about in a number of tries, and what that says of its probability. */
export interface Proportion {
  readonly count: number
  readonly tries: number
  /** Ends of the interval that holds the probability, with a confidence of 95 %; 0 to 1. */
  readonly low: number
  readonly high: number
}

/** The quantile of the normal distribution that leaves 2.5 % at either end. */
const z = 1.959964

/**
 * The interval of Wilson's score, which also holds for few tries and for counts of none or all: of 0 in 20 it reaches
 * up to 16 %. Source: E. B. Wilson, "Probable inference, the law of succession, and statistical inference", 1927.
 */
export function proportionOf(count: number, tries: number): Proportion {
  if (tries === 0) return { count, tries, low: 0, high: 1 }
  const share = count / tries
  const weight = 1 + (z * z) / tries
  const centre = (share + (z * z) / (2 * tries)) / weight
  const reach = (z / weight) * Math.sqrt((share * (1 - share)) / tries + (z * z) / (4 * tries * tries))
  // Without what rounding leaves where the end is 0 or 1 exactly.
  const low = count === 0 ? 0 : Math.max(0, centre - reach)
  const high = count === tries ? 1 : Math.min(1, centre + reach)
  return { count, tries, low, high }
}

/** `7 of 20 (18..57 %)`. */
export function proportionText({ count, tries, low, high }: Proportion): string {
  return `${count} of ${tries} (${percent(low)}..${percent(high)} %)`
}

/** A whole number. */
export function percent(share: number): number {
  return Math.round(100 * share)
}
