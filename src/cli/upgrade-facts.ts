import { compareText } from '../base/bytes.ts'
import { err, ok, type Result } from '../base/result.ts'
import { oldestRelease, parseRelease, raftProtocolsOf } from '../model/release.ts'
import { sightOf, standingOf } from './acl/missing-rules.ts'
import {
  type ListedMember,
  type PeerList,
  readClusterHealth,
  readMembers,
  readOwnName,
  readPeers,
  readTexts,
  type ServerHealthList,
} from './api/answers.ts'
import { ApiClient, unexpectedText } from './api/client.ts'
import type { Invocation } from './command.ts'
import { isPeer, isServer, statusOf } from './pool-members.ts'
import type { CheckedAgent, CheckedCluster, CheckedServer } from './upgrade-findings.ts'

/**
 * Reads from one agent the facts about its datacenter; an error if not even its members can be read. Members that left
 * are not included.
 */
export async function readCluster(invocation: Invocation): Promise<Result<CheckedCluster, string>> {
  const client = new ApiClient(invocation)
  const self = await client.expect('GET', '/v1/agent/self')
  if (!self.ok) return err(`Error reading the agent: ${self.error}`)
  const own = readOwnName(self.value)
  if (own === undefined) return err('Error reading the agent: the answer is not an agent')
  const listed = await client.expect('GET', '/v1/agent/members')
  if (!listed.ok) return err(`Error retrieving members: ${listed.error}`)
  const members = readMembers(listed.value)?.filter((member) => statusOf(member) !== 'left')
  if (members === undefined) return err('Error retrieving members: the answer is not a list of members')
  const { missing } = await standingOf(invocation, [sightOf.nodes()])
  const hidden = missing.map((rule) => `members may be hidden: the token lacks ${rule}`)
  const servers = members.filter(isServer)
  if (servers.length === 0) return err(['Error retrieving members: no server is among them', ...hidden].join('; '))
  const unread = [...hidden]
  const peers = await peersOf(client, unread)
  const health = await healthOf(client, unread)
  return ok({
    datacenter: own.datacenter,
    servers: servers.map((member) => serverOf(member, peers, health)).sort(byName),
    clients: members
      .filter((member) => !isServer(member))
      .map(agentOf)
      .sort(byName),
    strays: missing.length > 0 ? [] : straysOf(peers ?? [], servers),
    otherDatacenters: (await datacentersOf(client)).filter((name) => name !== own.datacenter),
    unread,
  })
}

function straysOf(peers: PeerList, servers: readonly ListedMember[]): readonly string[] {
  return peers.filter((peer) => servers.every((member) => !isPeer(peer, member))).map(({ ID }) => ID)
}

function byName(one: CheckedAgent, other: CheckedAgent): number {
  return compareText(one.name, other.name)
}

/** Any server may answer, because a missing leader must be reported as well. */
async function peersOf(client: ApiClient, unread: string[]): Promise<PeerList | undefined> {
  const answer = await client.expect('GET', '/v1/operator/raft/configuration', [['stale', '']])
  const peers = answer.ok ? readPeers(answer.value) : undefined
  if (peers === undefined)
    unread.push(`the consensus group cannot be read: ${answer.ok ? 'another answer' : answer.error}`)
  return peers
}

/**
 * Status 429 says that something is not healthy. Servers of earlier releases do not have the path, and without a leader
 * there is no answer.
 */
async function healthOf(client: ApiClient, unread: string[]): Promise<ServerHealthList | undefined> {
  const answer = await client.send('GET', '/v1/operator/autopilot/health')
  if (!answer.ok) {
    unread.push(`the health of the servers cannot be read: ${answer.error}`)
    return undefined
  }
  const { status, body } = answer.value
  const health = status === 200 || status === 429 ? readClusterHealth(body) : undefined
  if (health === undefined && status !== 404 && status !== 500) {
    unread.push(`the health of the servers cannot be read: ${unexpectedText(answer.value)}`)
  }
  return health
}

async function datacentersOf(client: ApiClient): Promise<readonly string[]> {
  const answer = await client.expect('GET', '/v1/catalog/datacenters')
  return (answer.ok ? readTexts(answer.value) : undefined) ?? []
}

function agentOf(member: ListedMember): CheckedAgent {
  const release = parseRelease((member.Tags?.['build'] ?? '').replace(/:.*$/s, ''))
  return { name: member.Name, release, status: statusOf(member) }
}

function serverOf(
  member: ListedMember,
  peers: PeerList | undefined,
  health: ServerHealthList | undefined,
): CheckedServer {
  const peer = peers?.find((one) => isPeer(one, member))
  const agent = agentOf(member)
  const judged = health?.find(({ Name }) => Name === member.Name)
  const said = member.Tags?.['raft_vsn']
  return {
    ...agent,
    raftProtocol: said === undefined ? raftProtocolsOf(agent.release ?? oldestRelease).spoken : Number(said),
    leads: peer?.Leader === true,
    voter: peers === undefined ? undefined : peer?.Voter === true,
    healthy: judged?.Healthy,
    lastIndex: judged?.LastIndex,
    tags: member.Tags ?? {},
    acls: member.Tags?.['acls'],
  }
}
