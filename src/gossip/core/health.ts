import { incarnationMax } from './bounds.ts'
import type { MemberRecord } from './member-record.ts'
import type { Message } from './messages.ts'
import { broadcastClaim, count, emit, note } from './outbox.ts'
import type { GossipCore } from './state.ts'
import type { GossipTimer } from './types.ts'

/** The score stays below this. memberlist: `AwarenessMaxMultiplier`. */
const healthMax = 8

/**
 * Local health (Lifeguard, section 4.A): 0 is well; it rises when a probe fails without the nacks that others owe us
 * and when we must refute, since then the fault may be here; it falls with each probe that is answered.
 */
export function addHealth(gossip: GossipCore, delta: number): void {
  if (gossip.options.without?.localHealth === true) return
  const score = Math.min(healthMax - 1, Math.max(0, gossip.health + delta))
  if (score === gossip.health) return
  gossip.health = score
  emit(gossip, { kind: 'health', score })
}

/**
 * Whether a timer fires so late that this agent must have been asleep: answers may wait unread, so silence says nothing
 * about others. Not twice in a row: an agent that is always late would never find any member dead.
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
 * The worse the local health, the longer others are given to answer: memberlist scales the interval, not the first
 * timeout.
 */
export function probeSpanMs(gossip: GossipCore): number {
  return gossip.options.timing.probeIntervalMs * (gossip.health + 1)
}

export function aliveMessage(member: MemberRecord): Extract<Message, { readonly kind: 'alive' }> {
  const { name, incarnation, address, meta, versions } = member
  return { kind: 'alive', incarnation, node: name, address, meta, versions }
}

/**
 * Contradicts what is said of this agent, with an incarnation above both its own and the accusation's (SWIM, section
 * 4.2). Having to is a sign of bad local health (Lifeguard, section 4.A). At the greatest incarnation nothing is left
 * to say: the number never wraps, for a lower one would be ignored, and one that others drop is no refutation.
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
