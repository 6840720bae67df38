import { ApiClient, failed, misused, serverFlags, surplusOperands } from '../api/client.ts'
import type { CliCommand } from '../command.ts'

/** The authority does not do its work. */
const inTrouble = 2

export const forecastAuthorityCommand: CliCommand = {
  path: ['connect', 'ca', 'forecast'],
  summary: 'Say what of the mesh expires when, and what a rotation now would do',
  operands: '',
  about: [
    'By the word of the leader; changes nothing.',
    'Exits with 0, with 2 if the authority does not do its work, with 1 if it cannot be told.',
  ].join(' '),
  flags: [
    {
      name: 'format',
      kind: 'text',
      value: '<text|json>',
      help: 'How it is said: to people, or to programs. Default: text.',
    },
    ...serverFlags,
  ],
  async run(invocation) {
    const surplus = surplusOperands(invocation, 0)
    if (surplus !== undefined) return misused(invocation, surplus)
    const format = invocation.flags.get('format') ?? 'text'
    if (format !== 'text' && format !== 'json')
      return misused(invocation, `There is no format ${JSON.stringify(format)}: write text or json`)
    const [{ askJson, indentedByTabs }, { forecastSchema }, { forecastText, isInTrouble }] = await Promise.all([
      import('../api/json-client.ts'),
      import('../api/connect-answers.ts'),
      import('../authority-forecast.ts'),
    ])
    const client = new ApiClient(invocation)
    const read = await askJson(client, { method: 'GET', path: '/v1/connect/ca/forecast' }, forecastSchema)
    if (!read.ok) return failed(invocation, `Error reading the forecast: ${read.error}`)
    invocation.terminal.out(format === 'json' ? indentedByTabs(read.value) : forecastText(read.value))
    return isInTrouble(read.value) ? inTrouble : 0
  },
}
