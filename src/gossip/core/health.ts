import { incarnationMax } from './bounds.ts'
import type { MemberRecord } from './member-record.ts'
import type { Message } from './messages.ts'
import { broadcastClaim, count, emit, note } from './outbox.ts'
import type { GossipCore } from './state.ts'
import type { GossipTimer } from './types.ts'

/** The score stays below this. memberlist: `AwarenessMaxMultiplier`. */
const healthMax = 8

/**
 * Local health (Lifeguard, section 4.A). 0 is healthy. The score rises when a probe fails without the nacks that others
 * owe us, and when we must refute a claim, since the fault may then be ours. It falls with each answered probe.
 */
export function addHealth(gossip: GossipCore, delta: number): void {
  if (gossip.options.without?.localHealth === true) return
  const score = Math.min(healthMax - 1, Math.max(0, gossip.health + delta))
  if (score === gossip.health) return
  gossip.health = score
  emit(gossip, { kind: 'health', score })
}

/**
 * Whether a timer fires so late that this agent must have been asleep. Answers may then wait unread, so the silence of
 * others says nothing about them. Two late firings in a row are not excused: otherwise an agent that is always late
 * would never consider a member dead.
 */
export function wasAsleep(gossip: GossipCore, timer: GossipTimer, dueMs: number): boolean {
  const { timing, without } = gossip.options
  const isLate = gossip.turn.nowMs - dueMs >= timing.probeIntervalMs && without?.sleepExcuse !== true
  const isExcused = isLate && !gossip.excused.has(timer)
  if (isExcused) gossip.excused.add(timer)
  else gossip.excused.delete(timer)
  return isExcused
}

/**
 * The time from one probe to the next. The worse the local health, the longer it is, and so the longer others have to
 * answer. memberlist scales this interval, not the first timeout.
 */
export function probeSpanMs(gossip: GossipCore): number {
  return gossip.options.timing.probeIntervalMs * (gossip.health + 1)
}

export function aliveMessage(member: MemberRecord): Extract<Message, { readonly kind: 'alive' }> {
  const { name, incarnation, address, meta, versions } = member
  return { kind: 'alive', incarnation, node: name, address, meta, versions }
}

/**
 * Contradicts a claim about this agent, with an incarnation above both its own and the accusation's (SWIM, section
 * 4.2). Having to refute is a sign of bad local health (Lifeguard, section 4.A). At the greatest incarnation no
 * refutation is possible: the number never wraps, because others would ignore a lower one and drop a greater one.
 */
export function refute(gossip: GossipCore, accused: number): void {
  const incarnation = Math.max(gossip.self.incarnation, accused) + 1
  if (incarnation > incarnationMax) {
    count(gossip, 'gossip.dropped.number')
    note(gossip, 'error', 'memberlist', 'cannot refute: the incarnation number has reached its maximum', { accused })
    return
  }
  gossip.self.incarnation = incarnation
  addHealth(gossip, 1)
  broadcastClaim(gossip, gossip.self.name, aliveMessage(gossip.self))
}
