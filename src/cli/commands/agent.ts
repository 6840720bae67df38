import { agentFlags } from '../../config/agent-flags.ts'
import { productTitle } from '../../model/names.ts'
import type { CliCommand } from '../command.ts'

export const agentCommand: CliCommand = {
  path: ['agent'],
  summary: `Runs a ${productTitle} agent`,
  operands: '',
  about:
    'Runs until it is interrupted. -dev starts a single server that keeps nothing on disk; it is not for production.',
  flags: agentFlags,
  async run(invocation) {
    // The whole product hangs on this: the other commands start without it.
    const { runAgent } = await import('../running/agent-run.ts')
    return runAgent(invocation)
  },
}
