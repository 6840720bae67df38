import type { Endpoint } from '../../env/net.ts'
import type { Claim } from '../../gossip/pool.ts'
import { isServerRole, namingOfMember } from '../../model/naming/names.ts'
import type { Naming } from '../../model/naming/naming.ts'
import type { ProtocolRange } from '../../model/release.ts'

/**
 * Keeps members out of the pool of a datacenter (the field's merge delegate): agents of another naming, agents of
 * another datacenter, agents of a segment, which this release does not have, a second agent with the same node ID, and
 * agents that speak another protocol. Members without these tags are not agents of this product, and are admitted. Returns the reason, in the
 * field's words where it has some.
 */
export function poolAdmission(own: {
  readonly nodeName: string
  readonly nodeId: string
  /** The address at which others reach this agent in the pool. */
  readonly endpoint: Endpoint
  readonly datacenter: string
  readonly naming: Naming
  readonly protocol: ProtocolRange
}): (members: readonly Claim[]) => string | undefined {
  return (members) => {
    const holders = new Map([[own.nodeId, { name: own.nodeName, endpoint: own.endpoint }]])
    for (const member of members) {
      const { name, tags } = member
      const { dc, segment } = tags
      const otherwise = otherNaming(own.naming, name, tags)
      if (otherwise !== undefined) return otherwise
      if (dc !== undefined && dc !== own.datacenter) return `Member '${name}' part of wrong datacenter '${dc}'`
      if (segment !== undefined && segment !== '') return `Member '${name}' part of wrong segment '${segment}'`
      const stranger = otherProtocol(own.protocol, name, tags)
      if (stranger !== undefined) return stranger
      const conflict = conflictOf(holders, member, own.nodeName)
      if (conflict !== undefined) return conflict
    }
    return undefined
  }
}

/**
 * Keeps members out of the pool of all datacenters: agents that are no servers (the field's merge delegate of that
 * pool), and a second server with the same node ID. `name` is this agent's name in that pool.
 */
export function wanAdmission(own: {
  readonly name: string
  readonly nodeId: string
  readonly endpoint: Endpoint
  readonly naming: Naming
  readonly protocol: ProtocolRange
}): (members: readonly Claim[]) => string | undefined {
  return (members) => {
    const holders = new Map([[own.nodeId, { name: own.name, endpoint: own.endpoint }]])
    for (const member of members) {
      const { name, tags } = member
      const otherwise = otherNaming(own.naming, name, tags)
      if (otherwise !== undefined) return otherwise
      if (!isServerRole(tags['role']) || tags['dc'] === undefined) return `Member '${name}' is not a server`
      const stranger = otherProtocol(own.protocol, name, tags)
      if (stranger !== undefined) return stranger
      const conflict = conflictOf(holders, member, own.name)
      if (conflict !== undefined) return conflict
    }
    return undefined
  }
}

/**
 * Agents of a cluster have one naming, which its log fixes when it forms. Names of another server would be replicated
 * as if they were those of the cluster; a client of the other naming would find no servers, and registers nothing.
 */
function otherNaming({ name: own }: Naming, name: string, tags: Claim['tags']): string | undefined {
  const other = namingOfMember(tags)
  if (other === undefined || other === own) return undefined
  const kind = isServerRole(tags['role']) ? 'server' : 'client'
  return `Member '${name}' is a ${kind} with names = "${other}", and here names = "${own}": all agents of a cluster have the same`
}

/** Two agents may share a pool when each understands the protocol that the other speaks. Source: release notes, 0.7. */
function otherProtocol(own: ProtocolRange, name: string, tags: Claim['tags']): string | undefined {
  const [spoken, min, max] = [tags['vsn'], tags['vsn_min'], tags['vsn_max']].map(Number)
  if (spoken === undefined || min === undefined || max === undefined) return undefined
  if (Number.isNaN(spoken + min + max)) return undefined
  if (isWithin(own, spoken) && isWithin({ min, max }, own.spoken)) return undefined
  const common = Math.min(own.max, max)
  const remedy = common < Math.max(own.min, min) ? 'upgrade through a release in between' : `set protocol to ${common}`
  const here = `this agent speaks ${own.spoken} and understands ${own.min} to ${own.max}`
  return `Member '${name}' speaks protocol ${spoken} and understands ${min} to ${max}, ${here}: ${remedy}`
}

function isWithin({ min, max }: Pick<ProtocolRange, 'min' | 'max'>, version: number): boolean {
  return version >= min && version <= max
}

interface Holder {
  readonly name: string
  readonly endpoint: Endpoint
}

/**
 * Records the holder of the member's ID, unless the ID belongs to another agent already. Two names of one ID at one
 * address are one agent that was renamed: the pool considers the former name alive until its probes fail. Refusing such
 * an agent would keep it, and every other agent that joins meanwhile, out of the pool for a whole retry interval.
 */
function conflictOf(
  holders: Map<string, Holder>,
  { name, endpoint, tags }: Claim,
  ownName: string,
): string | undefined {
  const { id } = tags
  if (id === undefined || id === '') return undefined
  const holder = holders.get(id)
  if (holder === undefined) holders.set(id, { name, endpoint })
  else if (holder.name !== name && !isSameEndpoint(holder.endpoint, endpoint)) {
    const whose = holder.name === ownName ? "this agent's ID" : `member '${holder.name}'`
    return `Member '${name}' has conflicting node ID '${id}' with ${whose}`
  }
  return undefined
}

function isSameEndpoint(a: Endpoint, b: Endpoint): boolean {
  return a.host === b.host && a.port === b.port
}
