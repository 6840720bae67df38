import { hasGoneOver, supportsPolicies } from '../agent/pool/pool-servers.ts'
import { optionsRefusedBetween, optionText } from '../config/past/removed.ts'
import { isAtLeast, type Release, raftProtocolsOf, releaseText } from '../model/release.ts'
import { insteadOf, order, wayOf, whyNot } from '../model/upgrade-way.ts'
import { interoperate, isNamedById } from '../raft/protocol.ts'
import { accessTrouble, groupTrouble, releaseTrouble, unreadable } from './cluster-condition.ts'
import {
  type CheckedAgent,
  type CheckedCluster,
  type CheckedServer,
  type Finding,
  finding,
  namesOf,
} from './upgrade-findings.ts'

export interface UpgradeCheck {
  readonly to: Release
  /** The oldest release that an agent runs. */
  readonly from: Release | undefined
  readonly inTheWay: readonly Finding[]
  readonly notes: readonly Finding[]
}

/** Obstacles to upgrading every agent to a release, and things to take care of. */
export function checkUpgrade(cluster: CheckedCluster, to: Release): UpgradeCheck {
  const { servers, clients } = cluster
  const known = [...servers, ...clients].flatMap(({ release }) => release ?? []).sort(order)
  const from = known[0]
  const inTheWay = [
    ...unreadable(cluster, [...servers, ...clients]),
    ...releaseTrouble(servers, clients, to),
    ...groupTrouble(cluster, servers),
    ...accessTrouble(servers),
    ...(from === undefined || isAtLeast(from, to) ? [] : wayTrouble(servers, from, to)),
  ]
  const notes = from === undefined ? [] : notesOf(cluster, servers, clients, from, to)
  return { to, from, inTheWay, notes }
}

/** Findings that follow from the releases themselves. */
function wayTrouble(servers: readonly CheckedServer[], from: Release, to: Release): readonly Finding[] {
  const found: Finding[] = []
  const [first] = wayOf(from, to)
  const next = first?.to ?? to
  if (first?.stop !== undefined) {
    const what = `from ${releaseText(from)} the way to ${releaseText(to)} leads through ${releaseText(next)}. ${first.stop}`
    found.push(finding('release-between', what, `upgrade to ${releaseText(next)} first`))
  }
  if (first?.agentProtocol !== undefined) {
    const { first: old, then } = first.agentProtocol
    const what = `agents of ${releaseText(next)} speak version ${then} of the protocol between agents if nothing is set, and those of ${releaseText(from)} understand ${old} alone`
    found.push(
      finding('agent-protocol', what, `set protocol to ${old} on the new agents, and remove it when all are upgraded`),
    )
  }
  const better = insteadOf(to)
  if (better !== undefined)
    found.push(finding('better-left-out', `${releaseText(to)} should be skipped`, whyNot(to, better)))
  const old = servers.filter(({ release }) => release !== undefined && order(release, next) < 0)
  return [...found, ...protocolTrouble(servers, old, next)]
}

function protocolTrouble(
  servers: readonly CheckedServer[],
  old: readonly CheckedServer[],
  next: Release,
): readonly Finding[] {
  const spoken = [...new Set(servers.map(({ raftProtocol }) => raftProtocol))].sort((a, b) => a - b)
  const lowest = spoken[0]
  const highest = spoken.at(-1)
  if (old.length === 0 || lowest === undefined || highest === undefined) return []
  if (!interoperate(lowest, highest)) {
    const what = `servers speak Raft protocols ${spoken.join(' and ')}, which cannot interoperate`
    return [finding('raft-protocols-apart', what, 'set raft_protocol such that all are neighbours')]
  }
  const { min, max, spoken: usual } = raftProtocolsOf(next)
  if (servers.length === 1 && isNamedById(usual) && !isNamedById(lowest)) {
    const what = `the only server speaks Raft protocol ${lowest}; as ${releaseText(next)} it would speak ${usual}, be known by its node ID, and so not be a member of its own group`
    const remedy = `set raft_protocol to ${Math.max(min, lowest)}, or put a raft/peers.json with its node ID beside its data before it is started`
    return [finding('single-server-renamed', what, remedy)]
  }
  if (spoken.every((protocol) => interoperate(protocol, usual))) return []
  const what = `servers of ${releaseText(next)} speak Raft protocol ${usual} if nothing is set, and would not interoperate with those that speak ${lowest}`
  const neighbours = Array.from({ length: max - min + 1 }, (_, at) => min + at).filter((protocol) =>
    spoken.every((other) => interoperate(protocol, other)),
  )
  const remedy = `set raft_protocol to ${neighbours.at(-1) ?? min} on the new servers, and raise it by one in further rounds`
  return [finding('raft-protocol-too-far', what, remedy)]
}

function notesOf(
  { otherDatacenters }: CheckedCluster,
  servers: readonly CheckedServer[],
  clients: readonly CheckedAgent[],
  from: Release,
  to: Release,
): readonly Finding[] {
  const found: Finding[] = []
  const todo = (agents: readonly CheckedAgent[]): readonly CheckedAgent[] =>
    agents.filter(({ release }) => release === undefined || order(release, to) < 0)
  const leader = todo(servers).length === 0 ? undefined : servers.find(({ leads }) => leads)
  if (leader !== undefined) found.push(finding('leader-last', `${leader.name} leads`, 'upgrade it last of all servers'))
  const done = servers.length - todo(servers).length
  if (done > 0 && todo(servers).length > 0) {
    found.push(
      finding(
        'under-way',
        `${done} of ${servers.length} servers run ${releaseText(to)}`,
        `go on with ${namesOf(todo(servers))}`,
      ),
    )
  }
  if (servers.length < 3 && todo(servers).length > 0) {
    found.push(
      finding(
        'few-servers',
        `${servers.length === 1 ? 'one server' : 'two servers'}`,
        'no write succeeds while a server restarts: choose the time',
      ),
    )
  }
  const away = clients.filter(({ status }) => status !== 'alive')
  if (away.length > 0)
    found.push(
      finding('clients-away', `clients are not running: ${namesOf(away)}`, 'they are upgraded when they come back'),
    )
  if (otherDatacenters.length > 0) {
    found.push(
      finding(
        'other-datacenters',
        `there are other datacenters: ${otherDatacenters.join(', ')}`,
        'check each by itself, at one of its agents',
      ),
    )
  }
  const former = servers.filter(({ acls }) => supportsPolicies(acls) && !hasGoneOver(acls))
  if (former.length > 0) {
    const what = `the former access control is in force at ${namesOf(former)}`
    const remedy =
      'it migrates by itself once every server here and in the primary datacenter runs 1.4.0: svc acl status'
    found.push(finding('access-control-former', what, remedy))
  }
  if (isAtLeast(from, to)) return found
  return [...found, ...releaseNotes(from, to)]
}

function releaseNotes(from: Release, to: Release): readonly Finding[] {
  const found = wayOf(from, to).flatMap(({ notes }) =>
    notes.flatMap(({ noWayBack, since }) =>
      noWayBack === true
        ? [
            finding(
              'no-way-back',
              `there is no way back from ${releaseText(since)}`,
              'save a snapshot first: svc snapshot save',
            ),
          ]
        : [],
    ),
  )
  const refused = optionsRefusedBetween(from, to).map(optionText)
  if (refused.length === 0) return found
  const what = `${releaseText(to)} refuses ${refused.length} options that ${releaseText(from)} took, and no agent shows its configuration files over HTTP`
  const remedy = `run svc validate -release=${releaseText(to)} on the configuration of every agent`
  return [...found, finding('options-refused', what, remedy)]
}
