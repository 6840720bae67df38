import { invariant } from '../../src/base/invariant.ts'
import type { RandomStream } from '../../src/env/random.ts'

/** Milliseconds from the first to the second, both included; or one number. */
export type RangeMs = number | readonly [least: number, most: number]

/** Microseconds, integers. */
export interface RangeUs {
  readonly least: number
  /** Number of values beyond `least`. */
  readonly spread: number
}

export function microseconds(ms: number): number {
  return Math.round(ms * 1000)
}

export function rangeUs(range: RangeMs): RangeUs {
  const [leastMs, mostMs] = typeof range === 'number' ? [range, range] : range
  const least = microseconds(leastMs)
  const spread = microseconds(mostMs) - least
  invariant(least >= 0 && spread >= 0 && spread < 0xffff_ffff, 'a range of times is ordered and not negative', {
    leastMs,
    mostMs,
  })
  return { least, spread }
}

/** A range of one value draws nothing. */
export function drawRangeUs(range: RangeUs, draw: RandomStream): number {
  return range.spread === 0 ? range.least : range.least + draw.below(range.spread + 1)
}
