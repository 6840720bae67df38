import { itemAt } from '../../base/items.ts'
import type { MemberRecord } from './member-record.ts'
import type { GossipCore } from './state.ts'

/**
 * Adds a member that is new, or was removed, at a random place: at the end, a new member would wait for a whole round
 * before its first probe, and the average detection time would rise (SWIM, section 4.3).
 */
export function enlist(gossip: GossipCore, member: MemberRecord): void {
  const isNew = gossip.members.get(member.name) !== member
  if (!gossip.unlisted.delete(member) && !isNew) return
  const { roster } = gossip
  const place = gossip.turn.random.below(roster.length + 1)
  const moved = roster[place] ?? member
  roster.push(moved)
  roster[place] = member
}

export function delist(gossip: GossipCore, member: MemberRecord): void {
  if (gossip.unlisted.delete(member)) return
  gossip.roster = gossip.roster.filter((other) => other !== member)
}

/** Begins a round: removes members that have been dead for long, and shuffles the rest (SWIM, section 4.3). */
export function beginRound(gossip: GossipCore): void {
  const { random } = gossip.turn
  const kept: MemberRecord[] = []
  for (const member of gossip.roster) {
    if (member.state !== 'dead' || member === gossip.self || hearsGossip(gossip, member)) kept.push(member)
    else gossip.unlisted.add(member)
  }
  for (let at = kept.length - 1; at > 0; at--) {
    const other = random.below(at + 1)
    const moved = itemAt(kept, at)
    kept[at] = itemAt(kept, other)
    kept[other] = moved
  }
  gossip.roster = kept
  gossip.probeNext = 0
}

/**
 * Living members hear gossip, and dead ones for a while, so that a member that is wrongly considered dead learns it and
 * refutes (memberlist `GossipToTheDeadTime`). A member that left is not contacted again.
 */
export function hearsGossip(gossip: GossipCore, member: MemberRecord): boolean {
  if (member.state !== 'dead') return true
  const deadMs = gossip.turn.nowMs - member.stateChangedMs
  return member.status === 'failed' && deadMs <= gossip.options.timing.gossipToDeadMs
}

export function isAlive(_gossip: GossipCore, member: MemberRecord): boolean {
  return member.state === 'alive'
}

/**
 * Up to `wanted` different members, chosen at random among those that `suits` accepts; never the agent itself or one of
 * `besides`; fewer only where fewer suit. Draws find them at once where most members suit. What three draws for each
 * member of the roster did not find is taken in turn from a random place on: in a pool of four, where a message is to
 * go to all others, each of them would otherwise be missed in one round of thirty.
 */
export function pickMembers(
  gossip: GossipCore,
  wanted: number,
  suits: (gossip: GossipCore, member: MemberRecord) => boolean,
  besides?: MemberRecord,
): MemberRecord[] {
  const { roster, self } = gossip
  const { random } = gossip.turn
  const picked: MemberRecord[] = []
  const consider = (member: MemberRecord): void => {
    if (member !== self && member !== besides && !picked.includes(member) && suits(gossip, member)) picked.push(member)
  }
  for (let draws = 3 * roster.length; draws > 0 && picked.length < wanted; draws--)
    consider(itemAt(roster, random.below(roster.length)))
  if (picked.length === wanted) return picked
  const from = random.below(roster.length)
  for (let at = 0; at < roster.length && picked.length < wanted; at++)
    consider(itemAt(roster, (from + at) % roster.length))
  return picked
}
