import { releaseText } from '../../model/release.ts'
import { order } from '../../model/upgrade-way.ts'
import { groupTrouble } from '../cluster-condition.ts'
import { namesOf, withReleases } from '../upgrade-findings.ts'
import type { Facts, Keyrings } from './facts.ts'
import { found, green, type Item, light } from './item.ts'

/** What the pool and the consensus group say: any agent may be asked for it. */

export function quorum({ cluster }: Facts): Item {
  const { servers, strays } = cluster
  const voters = servers.filter(({ voter }) => voter === true)
  if (servers.every(({ voter }) => voter === undefined)) {
    const why = cluster.unread.join('; ') || 'no server reports the consensus group'
    return light('quorum', 'unknown', why, 'ask an agent that may know it, or with another token')
  }
  const running = voters.filter(({ status, healthy }) => status === 'alive' && healthy !== false).length
  const all = voters.length + strays.length
  const needed = Math.floor(all / 2) + 1
  const trouble = groupTrouble(cluster, servers)
  if (!servers.some(({ leads }) => leads) || running < needed) {
    const what = `${running} of ${all} voters are healthy, and ${needed} are needed: nothing can be written`
    return light('quorum', 'red', what, 'start the other servers, or recover: operations.md, lost majority')
  }
  if (trouble.length > 0) return found('quorum', running === needed ? 'red' : 'yellow', trouble)
  const spare = running - needed
  if (spare > 0) return green('quorum', `${running} of ${all} voters are healthy, and ${spare} may fail`)
  const what = `${running} of ${all} voters are healthy, and none may fail`
  return light('quorum', 'yellow', what, 'run three or five servers, so that the loss of one ends no write')
}

export function versions({ cluster: { servers, clients } }: Facts): Item {
  const nameless = [...servers, ...clients].filter(({ release }) => release === undefined)
  if (nameless.length > 0)
    return light('versions', 'unknown', `${namesOf(nameless)} does not report its release`, 'ask the agent itself')
  const releases = servers.flatMap(({ release }) => release ?? []).sort(order)
  const [oldest, newest] = [releases[0], releases.at(-1)]
  if (oldest === undefined || newest === undefined) return light('versions', 'unknown', 'no server is known', '')
  if (order(oldest, newest) !== 0) {
    const remedy = 'finish the upgrade that is under way: svc operator upgrade check'
    return light('versions', 'yellow', `servers run different releases: ${withReleases(servers)}`, remedy)
  }
  const ahead = clients.filter(({ release }) => release !== undefined && order(release, newest) > 0)
  if (ahead.length > 0)
    return light(
      'versions',
      'yellow',
      `clients are ahead of the servers: ${withReleases(ahead)}`,
      'upgrade the servers first',
    )
  const behind = clients.filter(({ release }) => release !== undefined && order(release, newest) < 0).length
  const rest = behind === 0 ? 'and so do all clients' : `and ${behind} clients an earlier one, which is allowed`
  return green('versions', `all servers run ${releaseText(newest)}, ${rest}`)
}

/** Entries by which a follower may lag before it is worth a look, where autopilot's limit is not known. */
const trailingMax = 250

export function raftLag({ cluster: { servers }, asked }: Facts): Item {
  const leader = servers.find(({ leads }) => leads)
  const known = servers.filter(({ lastIndex }) => lastIndex !== undefined)
  const last = leader?.lastIndex
  if (last === undefined || known.length === 0)
    return light('raft-lag', 'unknown', 'the leader does not report how far the servers are', 'wait for a leader')
  const limit = asked.map(({ settings }) => settings['AutopilotMaxTrailingLogs']).find(isNumber) ?? trailingMax
  const behind = known.map((server) => ({ server, by: Math.max(0, last - (server.lastIndex ?? 0)) }))
  const far = behind.filter(({ server, by }) => by > limit || server.healthy === false)
  const told = behind.map(({ server, by }) => `${server.name} by ${by}`).join(', ')
  if (far.length > 0) {
    const remedy = 'look at the disk, the network and the load of that server'
    return light('raft-lag', 'red', `servers are behind the leader, which counts on them: ${told}`, remedy)
  }
  if (behind.some(({ by }) => by > limit / 2))
    return light('raft-lag', 'yellow', `servers are behind the leader: ${told}`, 'see whether they catch up')
  return green(
    'raft-lag',
    `no server is more than ${Math.max(...behind.map(({ by }) => by))} entries behind the leader`,
  )
}

function isNumber(value: unknown): value is number {
  return typeof value === 'number'
}

/** From here on an agent blames others less quickly, because it is itself late (Lifeguard). */
const scoreSoon = 2

export function gossip({ cluster: { servers, clients }, asked, keyrings }: Facts): Item {
  const gone = [...servers, ...clients].filter(({ status }) => status !== 'alive')
  const goneServers = gone.filter((agent) => servers.some(({ name }) => name === agent.name))
  if (goneServers.length > 0) {
    const remedy = 'start them again, or remove them: svc force-leave'
    return light('gossip', 'red', `the pool does not reach these servers: ${namesOf(goneServers)}`, remedy)
  }
  if (gone.length > 0)
    return light('gossip', 'yellow', `the pool does not reach: ${namesOf(gone)}`, 'see whether these machines run')
  const late = asked.filter(({ stats }) => Number(stats['serf_lan']?.['health_score'] ?? 0) >= scoreSoon)
  if (late.length > 0) {
    const what = `answers reach ${late.map(({ name }) => name).join(', ')} late, so that failures are noticed later`
    return light('gossip', 'yellow', what, 'look for a busy machine or a network that loses packets')
  }
  const uneven = keyrings.ok ? unevenKeys(keyrings.value) : []
  if (uneven.length > 0)
    return light('gossip', 'yellow', uneven.join('; '), 'repeat the step of svc keyring until every member has it')
  return green('gossip', `all ${servers.length + clients.length} members answer`)
}

/** Keys are secrets: a key is named by its number alone. */
function unevenKeys(rings: Keyrings): readonly string[] {
  return rings.flatMap(({ WAN, Datacenter, Keys, NumNodes }) => {
    const pool = WAN ? 'the WAN pool' : `the LAN pool of ${Datacenter}`
    return Object.values(Keys).flatMap((holders, at) => {
      return holders >= NumNodes
        ? []
        : [`in ${pool} ${holders} of ${NumNodes} members have key ${at + 1} of the keyring`]
    })
  })
}
