import { compareText } from '../../base/bytes.ts'
import { agentFlags } from '../../config/agent-flags.ts'
import { internalProtocolsOf, newestRelease, raftProtocolsOf, releaseText } from '../../model/release.ts'
import { ApiClient, clientFlags, failed, misused, surplusOperands } from '../api/client.ts'
import type { CliCommand } from '../command.ts'

export const agentCommand: CliCommand = {
  path: ['agent'],
  summary: 'Runs a Svc agent',
  operands: '',
  about:
    'Runs until it is interrupted. -dev starts a single server that keeps nothing on disk; it is not for production.',
  flags: agentFlags,
  async run(invocation) {
    // Imported only here, because it loads the whole product: the other commands start without it.
    const { runAgent } = await import('../running/agent-run.ts')
    return runAgent(invocation)
  },
}

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

export const reloadCommand: CliCommand = {
  path: ['reload'],
  summary: 'Tell an agent to read its configuration again',
  operands: '',
  about: 'If the configuration has an error, the agent keeps the previous one.',
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

export const versionCommand: CliCommand = {
  path: ['version'],
  summary: 'Prints the version',
  operands: '',
  flags: [],
  async run(invocation) {
    const surplus = surplusOperands(invocation, 0)
    if (surplus !== undefined) return misused(invocation, surplus)
    const { terminal } = invocation
    const { spoken, min, max } = internalProtocolsOf(newestRelease)
    terminal.out(`${invocation.naming.title} v${releaseText(newestRelease)}\n`)
    terminal.out(
      `Protocol ${spoken} spoken by default, understands ${min} to ${max} (agent will automatically use protocol >${spoken} when speaking to compatible agents)\n`,
    )
    terminal.out(`Raft protocol ${raftProtocolsOf(newestRelease).spoken}\n`)
    if (terminal.revision !== undefined) terminal.out(`Revision ${terminal.revision}\n`)
    return 0
  },
}
