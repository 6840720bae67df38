import type { Claim } from '../gossip/pool.ts'
import { productName } from '../model/names.ts'

/**
 * Who may not be in the pool of a datacenter (the field's merge delegate): agents of another datacenter, agents of a segment,
 * which this release has none of, and a second agent with a node ID. Members without these tags are none of our agents,
 * and may be there. Returns why, in the field's words.
 */
export function poolAdmission(own: {
  readonly nodeName: string
  readonly nodeId: string
  readonly datacenter: string
}): (members: readonly Claim[]) => string | undefined {
  return (members) => {
    const holders = new Map([[own.nodeId, own.nodeName]])
    for (const { name, tags } of members) {
      const { dc, segment, id } = tags
      if (dc !== undefined && dc !== own.datacenter) return `Member '${name}' part of wrong datacenter '${dc}'`
      if (segment !== undefined && segment !== '') return `Member '${name}' part of wrong segment '${segment}'`
      const conflict = conflictOf(holders, name, id, own.nodeName)
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
}): (members: readonly Claim[]) => string | undefined {
  return (members) => {
    const holders = new Map([[own.nodeId, own.name]])
    for (const { name, tags } of members) {
      if (tags['role'] !== productName || tags['dc'] === undefined) return `Member '${name}' is not a server`
      const conflict = conflictOf(holders, name, tags['id'], own.name)
      if (conflict !== undefined) return conflict
    }
    return undefined
  }
}

/** Notes whose this ID is, unless it is somebody's already. */
function conflictOf(
  holders: Map<string, string>,
  name: string,
  id: string | undefined,
  ownName: string,
): string | undefined {
  if (id === undefined || id === '') return undefined
  const holder = holders.get(id)
  if (holder !== undefined && holder !== name) {
    const whose = holder === ownName ? "this agent's ID" : `member '${holder}'`
    return `Member '${name}' has conflicting node ID '${id}' with ${whose}`
  }
  holders.set(id, name)
  return undefined
}
