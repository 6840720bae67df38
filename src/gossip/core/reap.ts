import type { MemberRecord } from './member-record.ts'
import { forgetGone, tell } from './membership.ts'
import { delist } from './roster.ts'
import type { GossipCore } from './state.ts'

/** Intents of agents that did not become members are forgotten after this. serf: `RecentIntentTimeout`. */
const recentIntentMs = 300_000

/**
 * Forgets members that have been failed or left for long enough, and intents of agents that never joined (serf
 * `handleReap`).
 */
export function reapTimerFired(gossip: GossipCore): void {
  const { reconnectTimeoutMs, tombstoneTimeoutMs } = gossip.options.timing
  reap(gossip, gossip.failed, reconnectTimeoutMs)
  reap(gossip, gossip.left, tombstoneTimeoutMs)
  for (const [name, { heardMs }] of gossip.recentIntents) {
    if (gossip.turn.nowMs - heardMs > recentIntentMs) gossip.recentIntents.delete(name)
  }
}

function reap(gossip: GossipCore, gone: readonly MemberRecord[], timeoutMs: number): void {
  const overdue = gone.filter((member) => gossip.turn.nowMs - member.stateChangedMs > timeoutMs)
  for (const member of overdue) {
    if (member === gossip.self) continue
    forgetGone(gossip, member)
    delist(gossip, member)
    gossip.members.delete(member.name)
    gossip.claims.remove(member.name)
    gossip.coordinates.delete(member.name)
    gossip.conflictNotedMs.delete(member.name)
    gossip.vivaldi.forget(member.name)
    tell(gossip, 'reaped', member)
    gossip.views.delete(member)
  }
}
