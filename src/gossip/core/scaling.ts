/**
 * Quantities that grow with the pool. Logarithms are needed here, and those of the platform may differ in the last bit
 * between engines, which would let two runs of one seed part. The argument for `log2`:
 * 1. It uses only multiplication, division and comparison of doubles, each of which ECMAScript defines to the bit (IEEE
 *    754, correctly rounded); so it gives the same number on every engine.
 * 2. x = 2^n × m with 1 ≤ m < 2 exactly, since halving a double is exact. Squaring m doubles its logarithm: the square
 *    is 2 or more exactly where the next binary digit is 1.
 * 3. A rounded square is off by at most 2^-53 of itself, and each step doubles the error: after 16 steps it is below
 *    2^-36, far below the last digit kept, 2^-16.
 */
const binaryDigits = 16

/** Logarithm to the base 2 of a number from 1, cut after 16 binary digits. */
export function log2(x: number): number {
  let whole = 0
  let rest = x
  while (rest >= 2) {
    rest /= 2
    whole++
  }
  let fraction = 0
  let weight = 0.5
  for (let digit = 0; digit < binaryDigits; digit++) {
    rest *= rest
    if (rest >= 2) {
      rest /= 2
      fraction += weight
    }
    weight /= 2
  }
  return whole + fraction
}

const log2Of10 = 3.321928094887362

/** How often a message is passed on: `mult × ceil(log10(n + 1))` (SWIM, section 4.1; memberlist `retransmitLimit`). */
export function retransmitLimit(retransmitMult: number, members: number): number {
  let digits = 0
  for (let power = 1; power < members + 1; power *= 10) digits++
  return retransmitMult * digits
}

/**
 * The shortest suspicion in milliseconds: `mult × max(1, log10(n)) × interval` (SWIM, section 4.2; memberlist
 * `suspicionTimeout`).
 */
export function suspicionMinMs(suspicionMult: number, members: number, probeIntervalMs: number): number {
  const thousandths = Math.max(1_000, Math.floor((1_000 * log2(Math.max(1, members))) / log2Of10))
  return (suspicionMult * thousandths * probeIntervalMs) / 1_000
}

/** The longest suspicion is this many times the shortest. memberlist: `SuspicionMaxTimeoutMult`. */
export const suspicionMaxMult = 6

/**
 * How long a suspicion lasts in all: `maxMs` without a confirmation, `minMs` with all of the `expected` independent
 * ones. It falls with the logarithm of `confirmed`, so that the first confirmations count most (Lifeguard, section
 * 4.B).
 */
export function suspicionMs(confirmed: number, expected: number, minMs: number, maxMs: number): number {
  if (expected < 1 || confirmed >= expected) return minMs
  const part = log2(confirmed + 1) / log2(expected + 1)
  return Math.max(minMs, Math.floor(maxMs - part * (maxMs - minMs)))
}

/** Pools up to this size exchange full states at the plain interval. memberlist: `pushPullScaleThreshold`. */
const pushPullScaleThreshold = 32

/** One more interval for each doubling beyond the threshold, so that the load on the network stays bounded. */
export function pushPullMs(intervalMs: number, members: number): number {
  let times = 1
  for (let reach = pushPullScaleThreshold; reach < members; reach *= 2) times++
  return times * intervalMs
}
