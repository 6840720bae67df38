import type { Endpoint } from '../../env/net.ts'
import type { Claim } from '../../gossip/pool.ts'
import { productName } from '../../model/names.ts'
import type { ProtocolRange } from '../../model/release.ts'

/**
 * Who may not be in the pool of a datacenter (the field's merge delegate): agents of another datacenter, agents of a segment,
 * which this release has none of, a second agent with a node ID, and agents that speak another protocol. Members without these
 * tags are none of our agents, and may be there. Returns why, in the field's words where it has some.
 */
export function poolAdmission(own: {
  readonly nodeName: string
  readonly nodeId: string
  /** Where others reach this agent in the pool. */
  readonly endpoint: Endpoint
  readonly datacenter: string
  readonly protocol: ProtocolRange
}): (members: readonly Claim[]) => string | undefined {
  return (members) => {
    const holders = new Map([[own.nodeId, { name: own.nodeName, endpoint: own.endpoint }]])
    for (const member of members) {
      const { name, tags } = member
      const { dc, segment } = tags
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
 * Who may not be in the pool of all datacenters: whoever is no server (the field's merge delegate of that pool), and a second
 * one with a node ID. `name`: the own one there.
 */
export function wanAdmission(own: {
  readonly name: string
  readonly nodeId: string
  readonly endpoint: Endpoint
  readonly protocol: ProtocolRange
}): (members: readonly Claim[]) => string | undefined {
  return (members) => {
    const holders = new Map([[own.nodeId, { name: own.name, endpoint: own.endpoint }]])
    for (const member of members) {
      const { name, tags } = member
      if (tags['role'] !== productName || tags['dc'] === undefined) return `Member '${name}' is not a server`
      const stranger = otherProtocol(own.protocol, name, tags)
      if (stranger !== undefined) return stranger
      const conflict = conflictOf(holders, member, own.name)
      if (conflict !== undefined) return conflict
    }
    return undefined
  }
}

/** Two agents are in one pool when each understands what the other speaks. Source: release notes, 0.7. */
function otherProtocol(own: ProtocolRange, name: string, tags: Claim['tags']): string | undefined {
  const [spoken, min, max] = [tags['vsn'], tags['vsn_min'], tags['vsn_max']].map(Number)
  if (spoken === undefined || min === undefined || max === undefined) return undefined
  if (Number.isNaN(spoken + min + max)) return undefined
  if (isWithin(own, spoken) && isWithin({ min, max }, own.spoken)) return undefined
  const common = Math.min(own.max, max)
  const remedy = common < Math.max(own.min, min) ? 'a release in between is needed first' : `set protocol to ${common}`
  const here = `here ${own.spoken} is spoken of ${own.min} to ${own.max}`
  return `Member '${name}' speaks protocol ${spoken} of ${min} to ${max}, ${here}: ${remedy}`
}

function isWithin({ min, max }: Pick<ProtocolRange, 'min' | 'max'>, version: number): boolean {
  return version >= min && version <= max
}

interface Holder {
  readonly name: string
  readonly endpoint: Endpoint
}

/**
 * Records the holder of the member's ID, unless the ID belongs to another agent already. Two names of one ID at one address
 * are one agent that was given another name: the pool calls the former one alive until its probes fail. To refuse such an
 * agent would keep it, and every other agent that joins meanwhile, out of the pool for a whole retry interval.
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
