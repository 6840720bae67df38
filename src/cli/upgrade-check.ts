import { hasGoneOver, saysDisabled, supportsPolicies } from '../agent/pool/pool-servers.ts'
import { optionsRefusedBetween, optionText } from '../config/past/removed.ts'
import { isAtLeast, type Release, raftProtocolsOf, releaseText } from '../model/release.ts'
import { insteadOf, order, wayOf, whyNot } from '../model/upgrade-way.ts'
import { interoperate, isNamedById } from '../raft/protocol.ts'

/** A member of the pool, as the agent that was asked knows it. */
export interface CheckedAgent {
  readonly name: string
  /** Undefined: its tag `build` names none. */
  readonly release: Release | undefined
  readonly status: string
}

export interface CheckedServer extends CheckedAgent {
  readonly raftProtocol: number
  readonly leads: boolean
  /** Whether it is a voter; undefined: unknown. */
  readonly voter: boolean | undefined
  /** Whether the leader considers it healthy; undefined: unknown. */
  readonly healthy: boolean | undefined
  /** Its access control tag in the pool; servers below 1.4.0 have none. */
  readonly acls: string | undefined
}

/** A live cluster: one datacenter, without members that left. */
export interface CheckedCluster {
  readonly datacenter: string
  readonly servers: readonly CheckedServer[]
  readonly clients: readonly CheckedAgent[]
  /** Members of the consensus group that the pool does not know. */
  readonly strays: readonly string[]
  readonly otherDatacenters: readonly string[]
  /** What could not be read, each in one clause. */
  readonly unread: readonly string[]
}

export interface Finding {
  /** For programs: never changes. */
  readonly kind: string
  readonly what: string
  readonly remedy: string
}

export interface UpgradeCheck {
  readonly to: Release
  /** The oldest that any agent runs. */
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

function unreadable({ unread }: CheckedCluster, agents: readonly CheckedAgent[]): readonly Finding[] {
  const nameless = agents.filter(({ release }) => release === undefined)
  return [
    ...unread.map((what) => ({ kind: 'unread', what, remedy: 'ask an agent that may know it, or with another token' })),
    ...(nameless.length === 0
      ? []
      : [
          finding(
            'build-unknown',
            `${namesOf(nameless)} does not report its release`,
            'find out its release before you continue',
          ),
        ]),
  ]
}

/** Whether the releases that run now are ones from which `to` is a next step. */
function releaseTrouble(
  servers: readonly CheckedServer[],
  clients: readonly CheckedAgent[],
  to: Release,
): readonly Finding[] {
  const later = [...servers, ...clients].filter(({ release }) => release !== undefined && order(release, to) > 0)
  const before = servers.filter(({ release }) => release !== undefined && order(release, to) < 0)
  const builds = [...new Set(before.map(({ release }) => textOf(release)))]
  const oldest = servers.flatMap(({ release }) => release ?? []).sort(order)[0]
  const ahead = clients.filter(
    ({ release }) => release !== undefined && oldest !== undefined && order(release, oldest) > 0,
  )
  const found: Finding[] = []
  if (later.length > 0) {
    const what = `${withReleases(later)}: later than ${releaseText(to)}, and a downgrade is not possible`
    found.push(finding('downgrade', what, 'upgrade to what they run, or to a later release'))
  }
  if (builds.length > 1) {
    const what = `servers run different releases: ${withReleases(before)}`
    found.push(finding('mixed-servers', what, 'finish the upgrade that is under way'))
  }
  if (ahead.length > 0 && later.length === 0) {
    const what = `clients run later releases than a server: ${withReleases(ahead)}`
    found.push(finding('clients-ahead', what, 'upgrade the servers before any further client'))
  }
  return found
}

/** Whether the consensus group can spare one server at a time. */
function groupTrouble({ strays }: CheckedCluster, servers: readonly CheckedServer[]): readonly Finding[] {
  const found: Finding[] = []
  const isRead = servers.some(({ voter }) => voter !== undefined)
  if (isRead && !servers.some(({ leads }) => leads))
    found.push(finding('no-leader', 'nobody leads', 'wait for a leader, or find out why there is none'))
  const gone = servers.filter(({ status }) => status !== 'alive')
  const ill = servers.filter(({ status, healthy }) => status === 'alive' && healthy === false)
  const voteless = servers.filter(({ status, voter }) => status === 'alive' && voter === false)
  const voters = servers.filter(({ voter }) => voter === true)
  const well = voters.filter(({ status, healthy }) => status === 'alive' && healthy !== false)
  const spare = well.length - (Math.floor((voters.length + strays.length) / 2) + 1)
  for (const { name, status } of gone)
    found.push(
      finding('server-unreachable', `server ${name} is ${status}`, 'start it again, or remove it with svc force-leave'),
    )
  for (const { name } of ill)
    found.push(
      finding(
        'server-unhealthy',
        `the leader considers ${name} unhealthy`,
        'see /v1/operator/autopilot/health, and wait until it has caught up',
      ),
    )
  for (const { name } of voteless)
    found.push(finding('server-without-vote', `${name} has no vote`, 'wait until it has been stable, and gets one'))
  for (const id of strays)
    found.push(
      finding(
        'stray-peer',
        `the consensus group has ${id}, which belongs to no member of the pool`,
        `remove it: svc operator raft remove-peer -id=${id}`,
      ),
    )
  if (voters.length > 2 && spare < 1) {
    const what = `of ${voters.length + strays.length} voters only ${well.length} are healthy: if one more fails, there is no quorum`
    found.push(finding('no-quorum-margin', what, 'repair the others first'))
  }
  return found
}

/** Servers that disagree about access control refuse each other's clients. */
function accessTrouble(servers: readonly CheckedServer[]): readonly Finding[] {
  const on = servers.filter(({ acls }) => supportsPolicies(acls))
  const off = servers.filter(({ acls }) => saysDisabled(acls))
  if (on.length === 0 || off.length === 0) return []
  const what = `access control is on at ${namesOf(on)}, and off at ${namesOf(off)}`
  return [finding('access-control-apart', what, 'configure all servers alike')]
}

/** Requirements of the releases themselves. */
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

function finding(kind: string, what: string, remedy: string): Finding {
  return { kind, what, remedy }
}

function namesOf(agents: readonly CheckedAgent[]): string {
  return agents.map(({ name }) => name).join(', ')
}

function withReleases(agents: readonly CheckedAgent[]): string {
  return agents.map(({ name, release }) => `${name} ${textOf(release)}`).join(', ')
}

function textOf(release: Release | undefined): string {
  return release === undefined ? '?' : releaseText(release)
}
