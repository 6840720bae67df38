import type { Claim } from '../gossip/pool.ts'

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
      if (id === undefined || id === '') continue
      const holder = holders.get(id)
      if (holder !== undefined && holder !== name) {
        const whose = holder === own.nodeName ? "this agent's ID" : `member '${holder}'`
        return `Member '${name}' has conflicting node ID '${id}' with ${whose}`
      }
      holders.set(id, name)
    }
    return undefined
  }
}
