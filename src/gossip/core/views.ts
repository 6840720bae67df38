import { compareText } from '../../base/bytes.ts'
import type { Coordinate } from '../../model/coordinate.ts'
import type { MemberRecord } from './member-record.ts'
import type { GossipCore } from './state.ts'
import type { CoreMember, GossipStats } from './types.ts'

export function isMember(gossip: GossipCore, member: MemberRecord): boolean {
  return gossip.members.get(member.name) === member
}

export function viewOf(gossip: GossipCore, member: MemberRecord): CoreMember {
  const shown = gossip.views.get(member)
  if (shown !== undefined) return shown
  const { name, address, meta, versions, status } = member
  const view = Object.freeze({ name, address, meta, versions, status })
  gossip.views.set(member, view)
  return view
}

/** In order of name, this agent among them. The same array until something changes. */
export function members(gossip: GossipCore): readonly CoreMember[] {
  gossip.sorted ??= sortedRecords(gossip).map((member) => viewOf(gossip, member))
  return gossip.sorted
}

export function sortedRecords(gossip: GossipCore): MemberRecord[] {
  return [...gossip.members.values()].sort((a, b) => compareText(a.name, b.name))
}

export function memberNamed(gossip: GossipCore, name: string): CoreMember | undefined {
  const member = gossip.members.get(name)
  return member === undefined ? undefined : viewOf(gossip, member)
}

export function self(gossip: GossipCore): CoreMember {
  return viewOf(gossip, gossip.self)
}

/** The coordinate of this agent, or the last one that another member reported. */
export function coordinateOf(gossip: GossipCore, name: string): Coordinate | undefined {
  if (gossip.options.coordinates === undefined) return undefined
  return name === gossip.self.name ? gossip.vivaldi.own : gossip.coordinates.get(name)
}

export function stats(gossip: GossipCore): GossipStats {
  return {
    members: gossip.members.size,
    failed: gossip.failed.length,
    left: gossip.left.length,
    healthScore: gossip.health,
    memberTime: gossip.clock,
    eventTime: gossip.eventClock,
    queryTime: gossip.queryClock,
    coordinateResets: gossip.vivaldi.resets,
    broadcastQueue: gossip.claims.size + gossip.intents.size + gossip.news.size,
  }
}
