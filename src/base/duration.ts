import { err, ok, type Result } from './result.ts'

const nanosecondsPer: ReadonlyMap<string, number> = new Map([
  ['ns', 1],
  ['us', 1e3],
  ['µs', 1e3],
  ['μs', 1e3],
  ['ms', 1e6],
  ['s', 1e9],
  ['m', 6e10],
  ['h', 3.6e12],
])

/**
 * The longest duration, some 292 years: the field counts nanoseconds with 64 bits, and its clients cannot read an answer
 * that contains a longer one. In whole hours, so that rounding leads to nothing longer.
 */
const durationMsMax = 2_562_047 * 3_600_000

/**
 * Reads a duration as the field writes it: `1h30m`, `10s`, `1.5h`, `300ms`, `-5s`. A unit is required, except for `0`.
 * Returns milliseconds (a fraction when the text is finer than that). The error is one clause without the text itself.
 */
export function parseDuration(text: string): Result<number, string> {
  if (text === '0') return ok(0)
  // Digits are matched in one way only: in two of them a long row without a unit would take the square of its length.
  const match = /^([+-]?)((?:\d+(?:\.\d*)?|\.\d+)(?:ns|us|µs|μs|ms|s|m|h))+$/.exec(text)
  if (match === null) {
    return err(lacksUnit(text) ? 'missing unit in duration' : 'not a duration such as 10s, 1h30m or 300ms')
  }
  let nanoseconds = 0
  for (const [, amount, unit] of text.matchAll(/(\d+(?:\.\d*)?|\.\d+)(ns|us|µs|μs|ms|s|m|h)/g)) {
    nanoseconds += Number(amount) * (nanosecondsPer.get(unit ?? '') ?? 0)
  }
  const milliseconds = nanoseconds / 1e6
  if (milliseconds > durationMsMax) return err('longer than 292 years')
  return ok(match[1] === '-' ? -milliseconds : milliseconds)
}

/** A number of nanoseconds, as milliseconds; undefined if it is longer than a duration can be. */
export function ofNanoseconds(nanoseconds: number | bigint): number | undefined {
  const milliseconds = Number(nanoseconds) / 1e6
  return Math.abs(milliseconds) <= durationMsMax ? milliseconds : undefined
}

/** Whether a text that is no duration is a number alone: a unit behind it may be all that is missing. */
export function lacksUnit(text: string): boolean {
  return /^[+-]?[\d.]+$/.test(text)
}

/** Writes milliseconds as the field writes durations: `1h0m0s`, `1m30s`, `2.5s`, `200ms`, `0s`. */
export function formatDuration(milliseconds: number): string {
  if (milliseconds === 0) return '0s'
  if (milliseconds < 0) return `-${formatDuration(-milliseconds)}`
  if (milliseconds < 0.001) return `${Math.round(milliseconds * 1e6)}ns`
  if (milliseconds < 1) return `${trimmed(milliseconds * 1e3)}µs`
  if (milliseconds < 1000) return `${trimmed(milliseconds)}ms`
  const totalSeconds = milliseconds / 1000
  const hours = Math.floor(totalSeconds / 3600)
  const minutes = Math.floor((totalSeconds % 3600) / 60)
  const seconds = `${trimmed((milliseconds - (hours * 3600 + minutes * 60) * 1000) / 1000)}s`
  if (hours > 0) return `${hours}h${minutes}m${seconds}`
  return minutes > 0 ? `${minutes}m${seconds}` : seconds
}

function trimmed(value: number): string {
  return String(Number(value.toFixed(9)))
}
