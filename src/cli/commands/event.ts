import { utf8 } from '../../base/bytes.ts'
import { ApiClient, failed, misused, serverFlags } from '../api/client.ts'
import type { CliCommand } from '../command.ts'
import { eventFilterFlags, eventFilters } from '../flags/event-filters.ts'

export const eventCommand: CliCommand = {
  path: ['event'],
  summary: 'Fire a new event',
  operands: '[PAYLOAD]',
  about: 'Every agent that the filters take hears of it, at most once.',
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
