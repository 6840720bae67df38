import { ApiClient, failed, misused, serverFlags, surplusOperands } from '../api/client.ts'
import type { CliCommand } from '../command.ts'
import { readLosses } from '../guards/reads.ts'
import { formatFlag, printListing } from '../listing.ts'
import { formatTable } from '../output.ts'

export const listPeersCommand: CliCommand = {
  path: ['operator', 'raft', 'list-peers'],
  summary: 'Displays the current Raft peer configuration',
  operands: '',
  flags: [formatFlag, ...serverFlags],
  async run(invocation) {
    const surplus = surplusOperands(invocation, 0)
    if (surplus !== undefined) return misused(invocation, surplus)
    const answer = await new ApiClient(invocation).expect('GET', '/v1/operator/raft/configuration')
    if (!answer.ok) return failed(invocation, `Error getting peers: ${answer.error}`)
    const { readPeers } = await import('../api/answers.ts')
    const peers = readPeers(answer.value)
    if (peers === undefined) return failed(invocation, 'Error getting peers: the answer is not a Raft configuration')
    const rows = peers.map((server) => [
      server.Node,
      server.ID,
      server.Address,
      server.Leader ? 'leader' : 'follower',
      String(server.Voter),
      server.ProtocolVersion === '' ? '<=1' : server.ProtocolVersion,
    ])
    const table = formatTable([['Node', 'ID', 'Address', 'State', 'Voter', 'RaftProtocol'], ...rows])
    printListing(invocation, peers, table)
    return 0
  },
}

export const removePeerCommand: CliCommand = {
  path: ['operator', 'raft', 'remove-peer'],
  summary: 'Remove a server from the Raft configuration',
  operands: '',
  about: 'For a server that is gone for good and did not leave. One that still runs is added again.',
  flags: [
    { name: 'address', kind: 'text', value: '<host:port>', help: 'Address of the server in the Raft configuration.' },
    { name: 'id', kind: 'text', value: '<id>', help: 'ID of the server in the Raft configuration.' },
    ...serverFlags,
  ],
  guard: {
    when: 'the consensus group has the server',
    says: 'server … loses its place among the servers: … of the other … voters run, and … of them may fail.',
    losses: (invocation) =>
      readLosses(invocation, async (reads) =>
        (await import('../guards/server-losses.ts')).removePeerLosses(reads, invocation),
      ),
  },
  async run(invocation) {
    const { flags, terminal } = invocation
    const surplus = surplusOperands(invocation, 0)
    if (surplus !== undefined) return misused(invocation, surplus)
    const address = String(flags.get('address') ?? '')
    const id = String(flags.get('id') ?? '')
    if (address === '' && id === '') {
      return failed(invocation, 'Error removing peer: an address or id is required for the peer to remove')
    }
    if (address !== '' && id !== '') {
      return failed(invocation, 'Error removing peer: cannot give both an address and id')
    }
    const named = id === '' ? (['address', address] as const) : (['id', id] as const)
    const answer = await new ApiClient(invocation).expect('DELETE', '/v1/operator/raft/peer', [named])
    if (!answer.ok) return failed(invocation, `Error removing peer: ${answer.error}`)
    terminal.out(`Removed peer with ${named[0]} ${JSON.stringify(named[1])}\n`)
    return 0
  },
}

export const transferLeaderCommand: CliCommand = {
  path: ['operator', 'raft', 'transfer-leader'],
  summary: 'Transfer leadership to another server',
  operands: '',
  about: 'Use it before maintenance of the leader: no server has to wait until it notices that the leader is gone.',
  flags: [
    {
      name: 'id',
      kind: 'text',
      value: '<id>',
      help: 'ID of the new leader in the Raft configuration. Default: the voter that is furthest ahead in the log.',
    },
    ...serverFlags,
  ],
  async run(invocation) {
    const surplus = surplusOperands(invocation, 0)
    if (surplus !== undefined) return misused(invocation, surplus)
    const id = invocation.flags.get('id')
    const named = typeof id === 'string' ? [['id', id] as const] : []
    const answer = await new ApiClient(invocation).expect('PUT', '/v1/operator/raft/transfer-leader', named)
    if (!answer.ok) return failed(invocation, `Error transferring leadership: ${answer.error}`)
    invocation.terminal.out('Success\n')
    return 0
  },
}
