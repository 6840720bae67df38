import { utf8 } from '../../base/bytes.ts'
import { LinearRegexp } from '../../base/linear-regexp.ts'
import { ApiClient, failed, misused, serverFlags } from '../client.ts'
import type { CliCommand } from '../command.ts'

const filters = ['node', 'service', 'tag'] as const

export const eventCommand: CliCommand = {
  path: ['event'],
  summary: 'Fire a new event',
  operands: '[PAYLOAD]',
  about: 'Every agent that the filters take hears of it, at most once.',
  flags: [
    { name: 'name', kind: 'text', value: '<name>', help: 'Name of the event.' },
    { name: 'node', kind: 'text', value: '<regex>', help: 'Only agents whose name matches.' },
    { name: 'service', kind: 'text', value: '<regex>', help: 'Only agents with a service whose name matches.' },
    { name: 'tag', kind: 'text', value: '<regex>', help: 'Only those where a tag of such a service matches.' },
    ...serverFlags,
  ],
  async run(invocation) {
    const { flags, args, terminal } = invocation
    const name = flags.get('name')
    if (typeof name !== 'string' || name === '') return misused(invocation, 'Event name must be specified.')
    if (args.length > 1) return misused(invocation, 'Too many command line arguments. Quote the payload.')
    const query: (readonly [string, string])[] = []
    for (const filter of filters) {
      const expression = flags.get(filter)
      if (typeof expression !== 'string') continue
      const regexp = LinearRegexp.from(expression)
      if (!regexp.ok) return failed(invocation, `Failed to compile ${filter} filter regexp: ${regexp.error}`)
      query.push([filter, expression])
    }
    const target = `/v1/event/fire/${encodeURIComponent(name)}`
    const answer = await new ApiClient(invocation).expect('PUT', target, query, utf8(args[0] ?? ''))
    if (!answer.ok) return failed(invocation, `Error firing event: ${answer.error}`)
    const { readEvent } = await import('../answers.ts')
    const event = readEvent(answer.value)
    if (event === undefined) return failed(invocation, 'Error firing event: the answer is not an event')
    terminal.out(`Event ID: ${event.ID}\n`)
    return 0
  },
}
