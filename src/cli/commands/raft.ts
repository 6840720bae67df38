import { ApiClient, failed, serverFlags } from '../client.ts'
import type { CliCommand } from '../command.ts'
import { formatTable } from '../table.ts'

export const listPeersCommand: CliCommand = {
  path: ['operator', 'raft', 'list-peers'],
  summary: 'Displays the current Raft peer configuration',
  operands: '',
  flags: serverFlags,
  async run(invocation) {
    const answer = await new ApiClient(invocation).expect('GET', '/v1/operator/raft/configuration')
    if (!answer.ok) return failed(invocation, `Error getting peers: ${answer.error}`)
    const { readPeers } = await import('../answers.ts')
    const peers = readPeers(answer.value)
    if (peers === undefined) return failed(invocation, 'Error getting peers: the answer is not a Raft configuration')
    const rows = peers.map((server) => [
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
