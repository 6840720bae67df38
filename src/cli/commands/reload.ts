import { ApiClient, clientFlags, failed, misused, surplusOperands } from '../api/client.ts'
import type { CliCommand } from '../command.ts'

export const reloadCommand: CliCommand = {
  path: ['reload'],
  summary: 'Tell an agent to read its configuration again',
  operands: '',
  about: 'With an error in the configuration the agent goes on with what it had.',
  flags: clientFlags,
  async run(invocation) {
    const surplus = surplusOperands(invocation, 0)
    if (surplus !== undefined) return misused(invocation, surplus)
    const answer = await new ApiClient(invocation).expect('PUT', '/v1/agent/reload')
    if (!answer.ok) return failed(invocation, `Error reloading: ${answer.error}`)
    invocation.terminal.out('Configuration reload triggered\n')
    return 0
  },
}
