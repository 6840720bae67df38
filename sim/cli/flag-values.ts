import { type Command, InvalidArgumentError } from 'commander'
import { lacksUnit, parseDuration } from '../../src/base/duration.ts'
import { err, ok, type Result } from '../../src/base/result.ts'
import type { SeedRange } from './run-flags.ts'

/** Receives the exit code of the command that ran. */
export type Ended = (exit: number) => void

/** Values on a command line: an invalid one is refused with a line that says what to write. */
export function wholeNumber(text: string): number {
  const value = Number(text)
  if (!/^\d+$/.test(text) || !Number.isSafeInteger(value))
    throw new InvalidArgumentError('Write a whole number, such as 17.')
  return value
}

export function countTo(most: number, least = 1): (text: string) => number {
  return (text) => {
    const value = wholeNumber(text)
    if (value < least || value > most) throw new InvalidArgumentError(`Write a number from ${least} to ${most}.`)
    return value
  }
}

/** With more, a self-test would take days. */
export const seedCount = countTo(100_000)

export const jobCount = countTo(256)

/** Collects the values of an option that may be repeated. */
export function gathered(text: string, before: readonly string[] = []): readonly string[] {
  return [...before, text]
}

/** The time limit in milliseconds. */
function stallTime(text: string): number {
  const seconds = wholeNumber(text)
  if (seconds < 1 || seconds > 86_400) throw new InvalidArgumentError('Write seconds from 1 to 86400.')
  return seconds * 1000
}

/** Maximum number of states that the search can remember. */
const stepsMax = 10_000_000

export function stepCount(text: string): number {
  const value = wholeNumber(text)
  if (value > stepsMax) throw new InvalidArgumentError(`At most ${stepsMax}: beyond that memory gives out.`)
  return value
}

export function seedRange(text: string): SeedRange {
  const match = /^(\d+)\.\.(\d+)$/.exec(text)
  const first = Number(match?.[1])
  const last = Number(match?.[2])
  if (match === null || !Number.isSafeInteger(last) || first > last) {
    throw new InvalidArgumentError('Write a range from low to high, such as 1..200.')
  }
  return { first, last }
}

/** A time of a run in microseconds, from its text: `9s`, `1m30s`, `9.4s`. */
export function virtualTimeUs(flag: string, text: string): Result<number, string> {
  const time = parseDuration(text)
  if (time.ok && time.value >= 0) return ok(time.value * 1_000)
  const why = time.ok ? 'no run has a time before 0' : lacksUnit(text) ? `write a unit behind it: ${text}s` : time.error
  return err(`${flag} ${text}: ${why}`)
}

/** Options of commands that run seeds: how many run at once, and when one is stopped. */
export function addLimits(command: Command): Command {
  return command
    .option(
      '--jobs <n>',
      'number of seeds to run at a time, each in a process; one for each core if not given',
      jobCount,
    )
    .option(
      '--stall <seconds>',
      'give up on a seed that uses this much CPU time while its virtual time stands still; 120 if not given',
      stallTime,
    )
    .option(
      '--steps <n>',
      "give up on a key's history after this many steps, 2000000 if not given; the verdict is then 'undecided'",
      stepCount,
    )
}
