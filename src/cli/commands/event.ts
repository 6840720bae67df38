import { utf8 } from '../../base/bytes.ts'
import { LinearRegexp } from '../../base/linear-regexp.ts'
import { err, ok, type Result } from '../../base/result.ts'
import { ApiClient, failed, misused, serverFlags } from '../api/client.ts'
import type { CliCommand, CommandFlag, Invocation } from '../command.ts'

/** Which agents an event is for. */
export const eventFilterFlags: readonly CommandFlag[] = [
  { name: 'node', kind: 'text', value: '<regex>', help: 'Only agents whose name matches.' },
  { name: 'service', kind: 'text', value: '<regex>', help: 'Only agents with a service whose name matches.' },
  {
    name: 'tag',
    kind: 'text',
    value: '<regex>',
    help: 'Only agents where a tag of a service that -service matches also matches this.',
  },
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

export const eventCommand: CliCommand = {
  path: ['event'],
  summary: 'Fire a new event',
  operands: '[PAYLOAD]',
  about: 'Every agent that matches the filters receives it, at most once.',
  flags: [
    { name: 'name', kind: 'text', value: '<name>', help: 'Name of the event.' },
    ...eventFilterFlags,
    ...serverFlags,
  ],
  async run(invocation) {
    const { flags, args, terminal } = invocation
    const name = flags.get('name')
    if (typeof name !== 'string' || name === '') return misused(invocation, 'Event name must be specified.')
    if (args.length > 1) return misused(invocation, 'Too many command line arguments. Quote the payload.')
    const filters = eventFilters(flags)
    if (!filters.ok) return failed(invocation, filters.error)
    const target = `/v1/event/fire/${encodeURIComponent(name)}`
    const answer = await new ApiClient(invocation).expect('PUT', target, filters.value, utf8(args[0] ?? ''))
    if (!answer.ok) return failed(invocation, `Error firing event: ${answer.error}`)
    const { readEvent } = await import('../api/answers.ts')
    const event = readEvent(answer.value)
    if (event === undefined) return failed(invocation, 'Error firing event: the answer is not an event')
    terminal.out(`Event ID: ${event.ID}\n`)
    return 0
  },
}
