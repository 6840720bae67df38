import { z } from 'zod'
import { ok } from '../../base/result.ts'
import { open } from '../contract/access.ts'
import type { ServerEndpoint } from '../contract/endpoint.ts'
import { textReply, textsReply } from '../contract/reply.ts'
import type { WithConsensus } from '../contract/server-context.ts'

const noArgs = z.object({})
type NoArgs = z.infer<typeof noArgs>

const forProbes = 'a program that checks whether there is a leader may have no token'

/** RPC address of the leader as the asked server knows it; empty if there is none. */
export const leaderEndpoint: ServerEndpoint<NoArgs, string, WithConsensus> = {
  method: 'Status.Leader',
  kind: 'server',
  args: noArgs,
  reply: textReply,
  access: open(forProbes),
  leader: false,
  serve: async (server) => ok(server.raft.status().leader?.address ?? ''),
}

/** RPC addresses of the servers in the Raft configuration of the asked server. */
export const peersEndpoint: ServerEndpoint<NoArgs, readonly string[], WithConsensus> = {
  method: 'Status.Peers',
  kind: 'server',
  args: noArgs,
  reply: textsReply,
  access: open(forProbes),
  leader: false,
  serve: async (server) => ok(server.raft.status().configuration.servers.map(({ address }) => address)),
}
