import { addHealth } from './health.ts'
import type { Message } from './messages.ts'
import { broadcastClaim, count, note } from './outbox.ts'
import type { GossipCore, MemberRecord } from './state.ts'
import { incarnationMax } from './types.ts'

export function aliveMessage(member: MemberRecord): Extract<Message, { readonly kind: 'alive' }> {
  const { name, incarnation, address, meta, versions } = member
  return { kind: 'alive', incarnation, node: name, address, meta, versions }
}

/**
 * Contradicts what is said of this agent, with an incarnation above both its own and the accusation's (SWIM, section 4.2).
 * Having to is a sign of bad local health (Lifeguard, section 4.A). At the greatest incarnation nothing is left to say:
 * the number never wraps, for a lower one would be ignored, and one that others drop is no refutation.
 */
export function refute(gossip: GossipCore, accused: number): void {
  const incarnation = Math.max(gossip.self.incarnation, accused) + 1
  if (incarnation > incarnationMax) {
    count(gossip, 'gossip.dropped.number')
    note(gossip, 'error', 'memberlist', 'cannot refute: no incarnation is left', { accused })
    return
  }
  gossip.self.incarnation = incarnation
  addHealth(gossip, 1)
  broadcastClaim(gossip, gossip.self.name, aliveMessage(gossip.self))
}
