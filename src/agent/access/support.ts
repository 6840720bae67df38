import type { MissingServer } from '../../features/contract/access-control.ts'
import type { Member } from '../../gossip/pool.ts'
import type { RaftStatus } from '../../raft/raft.ts'
import { type PoolServer, serverOf } from '../pool/pool-servers.ts'
import { hasGoneOver, saysDisabled, supportsPolicies } from './mode-tags.ts'

/** The facts that decide whether a datacenter may switch. */
export interface Seen {
  readonly own: string
  readonly primary: string
  /** Members of the pool of this datacenter, and of the pool of all datacenters. */
  readonly lan: readonly Member[]
  readonly wan: readonly Member[]
  readonly configuration: RaftStatus['configuration']
}

/**
 * Servers that keep a datacenter in legacy mode, in order of name. Alive and failed servers count, because failed ones
 * may come back, and so do servers of the Raft configuration that the pool does not list; servers that left do not
 * count. A secondary datacenter waits for the primary datacenter to switch first.
 */
export function missingServers({ own, primary, lan, wan, configuration }: Seen): readonly MissingServer[] {
  const here = serversIn(lan, own)
  const unseen = configuration.servers.filter(
    ({ id, address }) => !here.some((server) => server.id === id || server.address === address),
  )
  const missing = [
    ...here.flatMap(lacking),
    ...unseen.map(({ id }) => ({
      name: id,
      datacenter: own,
      why: 'is in the consensus group, and its pool does not know it',
    })),
    ...(own === primary ? [] : missingInPrimary(serversIn(wan, primary), primary)),
  ]
  return missing.sort((a, b) => compare(a.datacenter, b.datacenter) || compare(a.name, b.name))
}

function missingInPrimary(servers: readonly PoolServer[], datacenter: string): readonly MissingServer[] {
  if (servers.length === 0) return [{ name: 'every server', datacenter, why: 'is out of reach' }]
  const missing = servers.flatMap(lacking)
  if (missing.length > 0 || servers.some(({ acls }) => hasGoneOver(acls))) return missing
  return [{ name: 'every server', datacenter, why: 'is still in legacy mode' }]
}

function serversIn(members: readonly Member[], datacenter: string): readonly PoolServer[] {
  return members.flatMap((member) => {
    const server = member.status === 'left' ? undefined : serverOf(member)
    return server?.datacenter === datacenter ? [server] : []
  })
}

function lacking({ acls, release, name, datacenter }: PoolServer): readonly MissingServer[] {
  if (supportsPolicies(acls)) return []
  const why = saysDisabled(acls)
    ? 'has access control turned off'
    : `runs ${release || 'an old release'}, which does not support it`
  return [{ name, datacenter, why }]
}

function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0
}
