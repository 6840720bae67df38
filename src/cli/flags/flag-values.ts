import { parseDuration } from '../../base/duration.ts'
import { err, ok, type Result } from '../../base/result.ts'
import type { FlagValue, Invocation } from '../command.ts'

/** The value of a text flag; empty if it was not given. */
export function textFlag({ flags }: Pick<Invocation, 'flags'>, name: string): string {
  const value = flags.get(name)
  return typeof value === 'string' ? value : ''
}

/** The values of a flag that may be repeated. */
export function listFlag({ flags }: Pick<Invocation, 'flags'>, name: string): readonly string[] {
  const value = flags.get(name)
  return Array.isArray(value) ? value : []
}

/** Milliseconds, 0 or more; `examples` are those of the error. */
export function durationFlag(
  flags: Invocation['flags'],
  name: string,
  otherwise: number,
  examples: string,
): Result<number, string> {
  const given = flags.get(name)
  if (typeof given !== 'string') return ok(otherwise)
  const duration = parseDuration(given)
  return duration.ok && duration.value >= 0 ? duration : err(`-${name} ${given}: not a duration such as ${examples}`)
}

/** The values of a flag that may be repeated, each as `key=value`. */
export function pairsOf(given: FlagValue | undefined, flag: string): Result<Readonly<Record<string, string>>, string> {
  const pairs: (readonly [string, string])[] = []
  for (const pair of typeof given === 'object' ? given : []) {
    const equals = pair.indexOf('=')
    if (equals < 1) return err(`-${flag} "${pair}" is not key=value`)
    pairs.push([pair.slice(0, equals), pair.slice(equals + 1)])
  }
  return ok(Object.fromEntries(pairs))
}
