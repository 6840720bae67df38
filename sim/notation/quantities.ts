import { parseDuration } from '../../src/base/duration.ts'
import { err, ok, type Result } from '../../src/base/result.ts'
import {
  isAtLeast,
  newestRelease,
  oldestRelease,
  parseRelease,
  type Release,
  releaseText,
} from '../../src/model/release.ts'

/** Both ends are included. A single value has equal ends. */
export interface Range {
  readonly min: number
  readonly max: number
}

type Parsed<T> = Result<T, string>

/** `300ms`, `2s`, `1m30s`: milliseconds. */
export function durationOf(text: string): Parsed<number> {
  const parsed = parseDuration(text.trim())
  if (!parsed.ok) return err(`'${text}' is not a duration: write for example 300ms, 2s or 1m30s`)
  return ok(parsed.value)
}

/** `1ms..5ms` or `3ms`: milliseconds, not negative. */
export function durationRangeOf(text: string): Parsed<Range> {
  const range = rangeOf(text, durationOf)
  return range.ok && range.value.min < 0 ? err(`'${text}' is below zero: a duration cannot be`) : range
}

/** `-5s..5s`: milliseconds, of either sign. */
export function signedDurationRangeOf(text: string): Parsed<Range> {
  return rangeOf(text, durationOf)
}

/** `0.1%` as a fraction. */
export function chanceOf(text: string): Parsed<number> {
  const parsed = percentOf(text)
  if (!parsed.ok) return parsed
  return parsed.value < 0 || parsed.value > 1 ? err(`'${text}' is not a chance: write 0% to 100%`) : parsed
}

/** `-1%..1%` or `2%`, as fractions of either sign. */
export function percentRangeOf(text: string): Parsed<Range> {
  return rangeOf(text, percentOf)
}

function percentOf(text: string): Parsed<number> {
  const match = /^([+-]?\d+(?:\.\d+)?)\s*%$/.exec(text.trim())
  if (match !== null) return ok(Number(match[1]) / 100)
  return /^[+-]?[\d.]+$/.test(text.trim())
    ? err(`'${text}' has no unit: write ${text.trim()}%`)
    : err(`'${text}' is not a share in percent: write for example 0.5%`)
}

/** `50/s`, `10/m`, `3/h`: events per second. */
export function rateOf(text: string): Parsed<number> {
  const match = /^(\d+(?:\.\d+)?)\s*\/\s*(s|m|h)$/.exec(text.trim())
  if (match === null) {
    return /^[\d.]+$/.test(text.trim())
      ? err(`'${text}' has no unit: write ${text.trim()}/s`)
      : err(`'${text}' is not a rate: write for example 50/s or 10/m`)
  }
  const perSecond = Number(match[1]) / (match[2] === 's' ? 1 : match[2] === 'm' ? 60 : 3600)
  return perSecond > 0 ? ok(perSecond) : err(`'${text}' never happens: write a rate above zero`)
}

/** Whether a count is as it should be. */
export interface CountBound {
  readonly min: number
  readonly max: number
  readonly text: string
}

/** `at least 10`, `at most 3`, `exactly 5`. */
export function countBoundOf(text: string): Parsed<CountBound> {
  const match = /^(at least|at most|exactly) (\d+)$/.exec(text.trim())
  if (match === null) return err(`'${text}' is not a bound on a count: write for example 'at least 10' or 'at most 3'`)
  const count = Number(match[2])
  return ok({
    min: match[1] === 'at most' ? 0 : count,
    max: match[1] === 'at least' ? Number.POSITIVE_INFINITY : count,
    text: `${match[1]} ${count}`,
  })
}

function rangeOf(text: string, one: (text: string) => Parsed<number>): Parsed<Range> {
  const ends = text.split('..')
  if (ends.length > 2) return err(`'${text}' has more than two ends: write one range such as 1..5 with units`)
  const min = one(ends[0] as string)
  if (!min.ok) return min
  const max = ends[1] === undefined ? min : one(ends[1])
  if (!max.ok) return max
  return min.value > max.value ? err(`'${text}' begins above its end`) : ok({ min: min.value, max: max.value })
}

/** A release that there is: `1.0.1`. */
export function releaseOf(text: string): Result<Release, string> {
  const release = parseRelease(text)
  if (release === undefined) return err(`'${text}' is no release: write '1.0.1'`)
  if (!isAtLeast(release, oldestRelease)) {
    return err(`nothing runs as release ${text}; the oldest is ${releaseText(oldestRelease)}`)
  }
  if (isAtLeast(newestRelease, release)) return ok(release)
  return err(`there is no release ${text}; the newest is ${releaseText(newestRelease)}`)
}
