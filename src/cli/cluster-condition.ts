import { saysDisabled, supportsPolicies } from '../agent/pool/pool-servers.ts'
import { type Release, releaseText } from '../model/release.ts'
import { order } from '../model/upgrade-way.ts'
import {
  type CheckedAgent,
  type CheckedCluster,
  type CheckedServer,
  type Finding,
  finding,
  namesOf,
  textOf,
  withReleases,
} from './upgrade-findings.ts'

export function unreadable({ unread }: CheckedCluster, agents: readonly CheckedAgent[]): readonly Finding[] {
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

/** Whether `to` is a permitted next release for all releases that run now. */
export function releaseTrouble(
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
export function groupTrouble({ strays }: CheckedCluster, servers: readonly CheckedServer[]): readonly Finding[] {
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

/** Servers whose settings of access control differ refuse each other's clients. */
export function accessTrouble(servers: readonly CheckedServer[]): readonly Finding[] {
  const on = servers.filter(({ acls }) => supportsPolicies(acls))
  const off = servers.filter(({ acls }) => saysDisabled(acls))
  if (on.length === 0 || off.length === 0) return []
  const what = `access control is on at ${namesOf(on)}, and off at ${namesOf(off)}`
  return [finding('access-control-apart', what, 'configure all servers alike')]
}
