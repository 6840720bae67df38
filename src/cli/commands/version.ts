import { productTitle } from '../../model/names.ts'
import { internalProtocolsOf, newestRelease, raftProtocolsOf, releaseText } from '../../model/release.ts'
import { misused, surplusOperands } from '../api/client.ts'
import type { CliCommand } from '../command.ts'

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
    terminal.out(`${productTitle} v${releaseText(newestRelease)}\n`)
    terminal.out(
      `Protocol ${spoken} spoken by default, understands ${min} to ${max} (agent will automatically use protocol >${spoken} when speaking to compatible agents)\n`,
    )
    terminal.out(`Raft protocol ${raftProtocolsOf(newestRelease).spoken}\n`)
    if (terminal.revision !== undefined) terminal.out(`Revision ${terminal.revision}\n`)
    return 0
  },
}
