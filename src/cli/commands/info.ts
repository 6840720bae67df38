import { compareText } from '../../base/bytes.ts'
import { ApiClient, clientFlags, failed, misused, surplusOperands } from '../api/client.ts'
import type { CliCommand } from '../command.ts'

export const infoCommand: CliCommand = {
  path: ['info'],
  summary: 'Provides debugging information for operators',
  operands: '',
  flags: clientFlags,
  async run(invocation) {
    const surplus = surplusOperands(invocation, 0)
    if (surplus !== undefined) return misused(invocation, surplus)
    const self = await new ApiClient(invocation).expect('GET', '/v1/agent/self')
    if (!self.ok) return failed(invocation, `Error querying agent: ${self.error}`)
    const { readStats } = await import('../api/answers.ts')
    const stats = readStats(self.value)
    if (stats === undefined) return failed(invocation, 'Error querying agent: the answer has no Stats')
    const sections = Object.entries(stats).sort(([a], [b]) => compareText(a, b))
    for (const [name, values] of sections) {
      invocation.terminal.out(`${name}:\n`)
      for (const [key, value] of Object.entries(values).sort(([a], [b]) => compareText(a, b))) {
        invocation.terminal.out(`\t${key} = ${value}\n`)
      }
    }
    return 0
  },
}
