import { z } from 'zod'
import { textOf } from '../../base/bytes.ts'
import { ApiClient, failed, serverFlags } from '../client.ts'
import type { CliCommand } from '../command.ts'
import { formatTable } from '../table.ts'

const configurationSchema = z.object({
  Servers: z.array(
    z.object({
      ID: z.string(),
      Node: z.string(),
      Address: z.string(),
      Leader: z.boolean(),
      ProtocolVersion: z.string(),
      Voter: z.boolean(),
    }),
  ),
})

export const listPeersCommand: CliCommand = {
  path: ['operator', 'raft', 'list-peers'],
  summary: 'Displays the current Raft peer configuration',
  operands: '',
  flags: serverFlags,
  async run(invocation) {
    const answer = await new ApiClient(invocation).expect('GET', '/v1/operator/raft/configuration')
    if (!answer.ok) return failed(invocation, `Error getting peers: ${answer.error}`)
    const parsed = configurationSchema.safeParse(JSON.parse(textOf(answer.value)))
    if (!parsed.success) return failed(invocation, 'Error getting peers: the answer is not a Raft configuration')
    const rows = parsed.data.Servers.map((server) => [
      server.Node,
      server.ID,
      server.Address,
      server.Leader ? 'leader' : 'follower',
      String(server.Voter),
      server.ProtocolVersion,
    ])
    invocation.terminal.out(formatTable([['Node', 'ID', 'Address', 'State', 'Voter', 'RaftProtocol'], ...rows]))
    return 0
  },
}
