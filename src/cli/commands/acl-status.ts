import { ApiClient, failed, misused, serverFlags, surplusOperands } from '../api/client.ts'
import type { CliCommand } from '../command.ts'
import { formatTable } from '../table.ts'

export const statusCommand: CliCommand = {
  path: ['acl', 'status'],
  summary: 'Show where the access control of the datacenter stands',
  operands: '',
  about: 'Its mode, the servers that keep it in legacy mode, the tokens that are left to migrate, and replication.',
  flags: serverFlags,
  async run(invocation) {
    const surplus = surplusOperands(invocation, 0)
    if (surplus !== undefined) return misused(invocation, surplus)
    const { standing } = await import('../acl/acl-standing.ts')
    const found = await standing(new ApiClient(invocation))
    if (!found.ok) return failed(invocation, `Error reading the status: ${found.error}`)
    invocation.terminal.out(formatTable(found.value))
    return 0
  },
}
