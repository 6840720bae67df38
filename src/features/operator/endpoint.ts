import { z } from 'zod'
import { err, ok, type Result } from '../../base/result.ts'
import type { Failure } from '../../model/failure.ts'
import { noChange } from '../../model/log-position.ts'
import type { ClusterHealth } from '../../model/server-health.ts'
import type { RequestRefusal } from '../../raft/core/types.ts'
import { asks, refusedUnlessAllowed } from '../contract/access.ts'
import type { WriteIdentity } from '../contract/command.ts'
import type { QueryEndpoint, ServerEndpoint, WriteEndpoint } from '../contract/endpoint.ts'
import { count, uint64 } from '../contract/fields.ts'
import {
  flagReply,
  isFlag,
  isIndex,
  isNumber,
  isText,
  membersAre,
  nothingReply,
  orNull,
  replyWith,
} from '../contract/reply.ts'
import type { WithConsensus, WithProposals, WithServers, WithState } from '../contract/server-context.ts'
import { type AutopilotRow, autopilotSettings } from './autopilot.ts'
import { autopilotSet, unchangedAutopilot } from './commands.ts'
import type { RaftConfiguration, RaftServer } from './model.ts'
import { autopilotOf } from './views.ts'

const isAutopilot = membersAre<AutopilotRow>({
  cleanUpDeadServers: isFlag,
  lastContactThresholdMs: isNumber,
  maxTrailingLogs: isNumber,
  serverStabilizationMs: isNumber,
  redundancyZoneTag: isText,
  disableUpgradeMigration: isFlag,
  upgradeVersionTag: isText,
  createIndex: isIndex,
  modifyIndex: isIndex,
})

const raftServer = z.object({
  id: z.string(),
  node: z.string(),
  address: z.string(),
  leader: z.boolean(),
  protocolVersion: z.string(),
  voter: z.boolean(),
})
const raftConfiguration = z.object({ servers: z.array(raftServer), index: count })

const serverHealth = z.object({
  id: z.string(),
  name: z.string(),
  address: z.string(),
  poolStatus: z.enum(['alive', 'leaving', 'left', 'failed', 'none']),
  release: z.string(),
  leader: z.boolean(),
  voter: z.boolean(),
  lastContactMs: z
    .number()
    .optional()
    .transform((ms) => ms),
  lastTerm: count,
  lastIndex: count,
  healthy: z.boolean(),
  stableSinceMs: z.number(),
})
const clusterHealth = z.object({
  healthy: z.boolean(),
  failureTolerance: z.number(),
  servers: z.array(serverHealth),
})

const noArgs = z.object({})

const reads = asks<unknown>((authorizer) => refusedUnlessAllowed(authorizer, 'operator', '', 'read'))
const writes = asks<unknown>((authorizer) => refusedUnlessAllowed(authorizer, 'operator', '', 'write'))

export const raftConfigurationEndpoint: ServerEndpoint<
  z.infer<typeof noArgs>,
  RaftConfiguration,
  WithConsensus & WithServers
> = {
  method: 'Operator.RaftConfiguration',
  kind: 'server',
  args: noArgs,
  reply: raftConfiguration,
  access: reads,
  leader: true,
  serve: async (server) => ok(configurationOf(server)),
}

/** The health of the servers, as the leader sees it. */
export const serverHealthEndpoint: ServerEndpoint<z.infer<typeof noArgs>, ClusterHealth, WithServers> = {
  method: 'Operator.ServerHealth',
  kind: 'server',
  args: noArgs,
  reply: clusterHealth,
  access: reads,
  leader: true,
  // A leader that has just been elected has not asked the servers yet.
  serve: async (server) => ok(server.health() ?? { healthy: false, failureTolerance: 0, servers: [] }),
}

function configurationOf(server: WithConsensus & WithServers): RaftConfiguration {
  const status = server.raft.status()
  const known = server.servers()
  const servers = status.configuration.servers.map(({ id, address, suffrage }): RaftServer => {
    const other = known.find((each) => each.id === id) ?? known.find((each) => each.address === address)
    return {
      id,
      node: other?.name ?? '(unknown)',
      address,
      leader: status.leader?.id === id,
      protocolVersion: other === undefined ? 'unknown' : String(other.raftProtocol),
      voter: suffrage === 'voter',
    }
  })
  return { servers, index: status.configurationIndex }
}

/** The part of the server that changes of its peers use. */
type PeersServer = WithConsensus & WithProposals & WithState

const removePeerArgs = z.union([z.object({ id: z.string() }), z.object({ address: z.string() })])
type RemovePeerArgs = z.infer<typeof removePeerArgs>

/** Removes a server that is gone for good from the Raft configuration. Returns nothing. */
export const removePeerEndpoint: WriteEndpoint<RemovePeerArgs, null, PeersServer> = {
  method: 'Operator.RaftRemovePeer',
  kind: 'write',
  args: removePeerArgs,
  reply: nothingReply,
  access: writes,
  serve: removePeer,
}

/**
 * The configuration of Raft is not in the state, so the identity of the call goes to the log beforehand. A call that is
 * sent again, even to another leader, then succeeds where its first attempt has removed the server.
 */
async function removePeer(
  server: PeersServer,
  args: RemovePeerArgs,
  identity: WriteIdentity | undefined,
): Promise<Result<null, Failure>> {
  const leads = await server.leads()
  if (!leads.ok) return leads
  const isAgain = server.earlier(autopilotSet, identity)?.ok === true
  const { servers } = server.raft.status().configuration
  const found = servers.find(({ id, address }) => ('id' in args ? id === args.id : address === args.address))
  if (found === undefined) return isAgain ? ok(null) : err(notFound(args))
  const noted = isAgain ? undefined : await noteIdentity(server, identity)
  if (noted !== undefined) return err(noted)
  const removed = await server.raft.changeConfiguration({ kind: 'remove', id: found.id })
  if (removed.ok) return ok(null)
  if (!isAgain || removed.error.kind !== 'change-in-progress') return err(refusalOf(removed.error, args))
  return err({ kind: 'outcome-unknown', message: 'the first attempt of this change may still be under way' })
}

/**
 * Proposes what changes nothing under the identity of a call. Servers of every build read it. Returns why the call must
 * not go on; servers that do not know the command refuse it, and do without an identity.
 */
async function noteIdentity(server: PeersServer, identity: WriteIdentity | undefined): Promise<Failure | undefined> {
  const body = unchangedAutopilot(server.read())
  if (identity === undefined || body === undefined) return undefined
  const noted = await server.propose(autopilotSet, body, identity)
  if (noted.ok || noted.error.kind === 'unknown-method' || noted.error.kind === 'refused') return undefined
  return noted.error
}

const transferArgs = z.object({ id: z.string() })

/** Transfers leadership to the server with that ID or, if it is empty, to the most suitable one. */
export const transferLeaderEndpoint: WriteEndpoint<z.infer<typeof transferArgs>, null, WithConsensus> = {
  method: 'Operator.TransferLeader',
  kind: 'write',
  args: transferArgs,
  reply: nothingReply,
  access: writes,
  serve: async (server, { id }) => {
    const handed = await server.raft.transferLeadership(id === '' ? undefined : id)
    return handed.ok ? ok(null) : err(refusalOf(handed.error, { id }))
  },
}

/** `null`: no leader has stored settings yet. */
export const readAutopilotEndpoint: QueryEndpoint<z.infer<typeof noArgs>, AutopilotRow | null> = {
  method: 'Operator.AutopilotGetConfiguration',
  kind: 'query',
  args: noArgs,
  reply: replyWith(orNull(isAutopilot)),
  access: reads,
  query: (tx) => {
    const row = autopilotOf(tx)
    return { index: row?.modifyIndex ?? noChange, value: row ?? null }
  },
}

const setAutopilotArgs = z.object({ settings: autopilotSettings, at: uint64.optional() })

/** Returns whether the settings were replaced: with `at`, only if they were last changed at that index. */
export const setAutopilotEndpoint: WriteEndpoint<z.infer<typeof setAutopilotArgs>, boolean, WithProposals> = {
  method: 'Operator.AutopilotSetConfiguration',
  kind: 'write',
  args: setAutopilotArgs,
  reply: flagReply,
  access: writes,
  serve: (server, args, identity) => server.propose(autopilotSet, args, identity),
}

function notFound(args: RemovePeerArgs): Failure {
  const what = 'id' in args ? `id ${JSON.stringify(args.id)}` : `address ${JSON.stringify(args.address)}`
  return { kind: 'bad-request', message: `${what} was not found in the Raft configuration` }
}

function refusalOf(refusal: RequestRefusal, args: RemovePeerArgs): Failure {
  switch (refusal.kind) {
    case 'not-leader':
      return { kind: 'not-leader', leader: undefined }
    case 'unknown-server':
      return notFound(args)
    case 'change-in-progress':
      return { kind: 'refused', message: 'another change of the Raft configuration is under way' }
    case 'leadership-lost':
      return { kind: 'outcome-unknown', message: 'leadership was lost while the configuration changed' }
    case 'disk-full':
      return { kind: 'disk-full' }
    case 'overloaded':
      return { kind: 'overloaded', message: 'too many writes under way' }
    case 'invalid-change':
    case 'transfer-failed':
      return { kind: 'refused', message: refusal.message }
  }
}

/** Exactly one of the two must name the server. */
export function removePeerArgsFrom(id: string, address: string): Result<RemovePeerArgs, Failure> {
  if (id === '' && address === '') {
    const message = "Must specify either ?id with the server's ID or ?address with IP:port of peer to remove"
    return err({ kind: 'bad-request', message })
  }
  if (id !== '' && address !== '') {
    return err({ kind: 'bad-request', message: 'Must specify only one of ?id or ?address' })
  }
  return ok(id === '' ? { address } : { id })
}
