import { accessTrouble } from '../cluster-condition.ts'
import type { AskedAgent } from './agent-facts.ts'
import type { Facts } from './facts.ts'
import { found, green, type Item, light } from './item.ts'

export function accessControl(facts: Facts): Item {
  const apart = accessTrouble(facts.cluster.servers)
  if (apart.length > 0) return found('access-control', 'red', apart)
  const settings = facts.asked.find(({ isServer }) => isServer)?.settings ?? facts.asked[0]?.settings ?? {}
  const remedy = 'turn it on: access-control.md'
  if (settings['ACLsEnabled'] !== true)
    return light(
      'access-control',
      'yellow',
      'access control is off, so that every client may read and change everything',
      remedy,
    )
  if (settings['ACLReportOnly'] === true)
    return light('access-control', 'yellow', 'access control only reports what it would refuse', remedy)
  if (settings['ACLDefaultPolicy'] !== 'deny')
    return light(
      'access-control',
      'yellow',
      'the default policy allows what no rule denies',
      'set acl.default_policy to deny',
    )
  if (facts.status.ok && facts.status.value.Mode === 'legacy')
    return light('access-control', 'yellow', 'the former access control is still in force', 'see svc acl status')
  return green('access-control', 'access control is on, and denies what no rule allows')
}

/**
 * Tokens of this release do not expire. What can end is their replication, and their rights for what an agent
 * registers.
 */
export function tokens({ asked, replication, status }: Facts): Item {
  if (asked.every(({ settings }) => settings['ACLsEnabled'] !== true))
    return green('tokens', 'access control is off, and there are no tokens')
  const blocked = asked.flatMap((agent) => (isBlocked(agent) ? [agent.name] : []))
  if (blocked.length > 0) {
    const what = `servers refuse what ${blocked.join(', ')} registers, because the token of the agent or of a service lacks a right`
    return light('tokens', 'yellow', what, "read the agent's log, which names the right, and svc acl explain")
  }
  if (replication.ok && replication.value.Enabled && !replication.value.Running) {
    const what = 'tokens of the primary datacenter do not arrive here, and changes of them have no effect'
    return light('tokens', 'red', what, 'see svc acl status, and acl.tokens.replication')
  }
  const unread = asked.flatMap(({ name, metrics }) => (metrics.ok ? [] : [name]))
  if (unread.length > 0) {
    const what = `the metrics of ${unread.join(', ')} cannot be read`
    return light('tokens', 'unknown', what, 'ask with a token that has agent:read')
  }
  const left = status.ok ? status.value.TokensLeft : 0
  if (left > 0) return light('tokens', 'yellow', `${left} legacy tokens are not migrated yet`, 'see svc acl status')
  return green('tokens', 'no token of this release expires, and none was refused within the last interval of metrics')
}

/** Whether servers refused something that the agent registers, within the last interval of metrics. */
function isBlocked({ metrics }: AskedAgent): boolean {
  return metrics.ok && metrics.value.Counters.some(({ Name }) => Name.includes('.acl.blocked.'))
}
