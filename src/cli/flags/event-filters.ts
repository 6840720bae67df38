import { LinearRegexp } from '../../base/linear-regexp.ts'
import { err, ok, type Result } from '../../base/result.ts'
import type { CommandFlag, Invocation } from '../command.ts'

/** Which agents an event is for. */
export const eventFilterFlags: readonly CommandFlag[] = [
  { name: 'node', kind: 'text', value: '<regex>', help: 'Only agents whose name matches.' },
  { name: 'service', kind: 'text', value: '<regex>', help: 'Only agents with a service whose name matches.' },
  { name: 'tag', kind: 'text', value: '<regex>', help: 'Only those where a tag of such a service matches.' },
]

/** The filters as parameters of a request; the error is the line to print. */
export function eventFilters(flags: Invocation['flags']): Result<readonly (readonly [string, string])[], string> {
  const filters: (readonly [string, string])[] = []
  for (const { name } of eventFilterFlags) {
    const expression = flags.get(name)
    if (typeof expression !== 'string') continue
    const regexp = LinearRegexp.from(expression)
    if (!regexp.ok) return err(`Failed to compile ${name} filter regexp: ${regexp.error}`)
    filters.push([name, expression])
  }
  return ok(filters)
}
