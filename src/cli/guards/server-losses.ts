import { z } from 'zod'
import { err, ok, type Result } from '../../base/result.ts'
import { type ListedMember, memberSchema, type PeerList, peersSchema } from '../api/answers.ts'
import type { Invocation } from '../command.ts'
import { textFlag } from '../flags/values.ts'
import { isPeer, isServer, statusOf } from '../pool-members.ts'
import { counted, type Found, type GuardReads } from './reads.ts'

type Peer = PeerList[number]

const membersSchema = z.array(memberSchema).nullable()
const selfSchema = z.object({ Config: z.object({ NodeName: z.string(), Server: z.boolean() }) })
const onNodeSchema = z.object({ Services: z.record(z.string(), z.unknown()) }).nullable()
const sessionsSchema = z.array(z.unknown()).nullable()

/** The servers, as the consensus group and the pool know them. */
interface Servers {
  readonly peers: PeerList
  readonly members: readonly ListedMember[]
}

/** Any server may answer: without a leader these facts matter most. */
async function serversOf(reads: GuardReads): Promise<Result<Servers, string>> {
  const members = await reads.json('/v1/agent/members', membersSchema)
  if (!members.ok) return members
  const peers = await reads.json('/v1/operator/raft/configuration', peersSchema, [['stale', '']])
  return peers.ok ? ok({ peers: peers.value.Servers, members: members.value ?? [] }) : peers
}

/** Losses of `svc leave`: only those of a voter that the others cannot do without. */
export async function leaveLosses(reads: GuardReads, { args }: Invocation): Promise<Found> {
  if (args.length > 0) return ok([])
  const self = await reads.json('/v1/agent/self', selfSchema)
  if (!self.ok) return self
  const { NodeName, Server } = self.value.Config
  if (!Server) return ok([])
  const servers = await serversOf(reads)
  if (!servers.ok) return servers
  const own = servers.value.members.find(({ Name }) => Name === NodeName)
  const peer = servers.value.peers.find((each) => own !== undefined && isPeer(each, own))
  return ok(peer?.Voter === true ? quorumLosses(servers.value, peer, NodeName) : [])
}

export async function forceLeaveLosses(reads: GuardReads, { args }: Invocation): Promise<Found> {
  const [name, ...more] = args
  if (name === undefined || more.length > 0) return ok([])
  const members = await reads.json('/v1/agent/members', membersSchema)
  if (!members.ok) return members
  const member = members.value?.find(({ Name }) => Name === name)
  const status = member === undefined ? 'none' : statusOf(member)
  if (member === undefined || (status !== 'failed' && status !== 'leaving')) return ok([])
  const [own, group] = await Promise.all([nodeLosses(reads, name, status), voterLosses(reads, member)])
  if (!own.ok) return own
  return group.ok ? ok([...own.value, ...group.value]) : group
}

async function nodeLosses(reads: GuardReads, name: string, status: string): Promise<Found> {
  const path = encodeURIComponent(name)
  const services = await reads.json(`/v1/catalog/node/${path}`, onNodeSchema)
  if (!services.ok) return services
  const sessions = await reads.json(`/v1/session/node/${path}`, sessionsSchema)
  if (!sessions.ok) return sessions
  const held = sessions.value?.length ?? 0
  const registered = services.value === null ? 0 : Object.keys(services.value.Services).length
  const locks = held === 0 ? '' : ', whose locks are released'
  return ok([
    `node ${name}, which is ${status}, is removed from the catalog with ${counted(registered, 'service')} and ${counted(held, 'session')}${locks}.`,
  ])
}

async function voterLosses(reads: GuardReads, member: ListedMember): Promise<Found> {
  if (!isServer(member)) return ok([])
  const servers = await serversOf(reads)
  if (!servers.ok) return servers
  const peer = servers.value.peers.find((each) => isPeer(each, member))
  return ok(peer?.Voter === true ? placeLosses(servers.value, peer, member.Name) : [])
}

export async function removePeerLosses(reads: GuardReads, invocation: Invocation): Promise<Found> {
  const [id, address] = [textFlag(invocation, 'id'), textFlag(invocation, 'address')]
  if ((id === '') === (address === '') || invocation.args.length > 0) return ok([])
  const servers = await serversOf(reads)
  if (!servers.ok) return err(servers.error)
  const peer = servers.value.peers.find(({ ID, Address }) => (id === '' ? Address === address : ID === id))
  if (peer === undefined) return ok([])
  const name = servers.value.members.find((member) => isPeer(peer, member))?.Name ?? peer.Node
  return ok(placeLosses(servers.value, peer, name))
}

/** What the removal of a server changes for the group, whether or not the others still have a quorum. */
function placeLosses(servers: Servers, peer: Peer, name: string): readonly string[] {
  const lost = quorumLosses(servers, peer, name)
  if (lost.length > 0) return lost
  const { running, voters, needed } = othersOf(servers, peer)
  const spare = running - needed
  const margin = spare > 0 ? `${spare} of them may fail` : 'the loss of one more ends all writes'
  return [
    `server ${name} loses its place among the servers: ${running} of the other ${counted(voters, 'voter')} run, and ${margin}.`,
  ]
}

function quorumLosses(servers: Servers, peer: Peer, name: string): readonly string[] {
  const { running, voters, needed } = othersOf(servers, peer)
  if (peer.Voter && voters === 0) {
    return [
      `${name} is the only voter: without it keys, sessions, tokens and the catalog can be neither read nor written, until a server starts from its data directory or from a snapshot.`,
    ]
  }
  if (!peer.Voter || running >= needed) return []
  return [
    `without ${name} only ${running} of the other ${voters} voters run, and a leader needs ${needed}: nothing can be written.`,
  ]
}

/** The voters that remain when one server is gone. */
function othersOf({ peers, members }: Servers, gone: Peer): { running: number; voters: number; needed: number } {
  const others = peers.filter((peer) => peer.Voter && peer.ID !== gone.ID)
  const alive = members.filter((member) => statusOf(member) === 'alive')
  const running = others.filter((peer) => alive.some((member) => isPeer(peer, member))).length
  return { running, voters: others.length, needed: Math.floor(others.length / 2) + 1 }
}
