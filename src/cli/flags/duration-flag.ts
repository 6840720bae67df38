import { parseDuration } from '../../base/duration.ts'
import { err, ok, type Result } from '../../base/result.ts'
import type { Invocation } from '../command.ts'

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
