import { err, ok, type Result } from '../../base/result.ts'
import type { FlagValue } from '../command.ts'

/** What a flag says that may be given several times, each as `key=value`. */
export function pairsOf(given: FlagValue | undefined, flag: string): Result<Readonly<Record<string, string>>, string> {
  const pairs: (readonly [string, string])[] = []
  for (const pair of typeof given === 'object' ? given : []) {
    const equals = pair.indexOf('=')
    if (equals < 1) return err(`-${flag} "${pair}" is not key=value`)
    pairs.push([pair.slice(0, equals), pair.slice(equals + 1)])
  }
  return ok(Object.fromEntries(pairs))
}
