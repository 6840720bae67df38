import { hasBroadcasts, setTimer } from './outbox.ts'
import { pushPullMs } from './scaling.ts'
import { type GossipCore, hasCompany } from './state.ts'

/**
 * Arms the timers that have work, at the end of each step. An idle pool of one has no timer at all. Without news there
 * is no gossip; without failed members there is no reconnect and no reaping. A timer without further work is not armed
 * again.
 *
 * Each begins at a random moment of its interval, so that members that learned something together do not act together
 * (memberlist staggers its tickers likewise).
 */
export function armTimers(gossip: GossipCore): void {
  const { timers, failed, left, recentIntents, options } = gossip
  const { timing } = options
  if (hasCompany(gossip) && !timers.has('gossip') && hasBroadcasts(gossip)) armGossip(gossip)
  // An agent that has left only sends the remaining broadcasts.
  if (gossip.self.state === 'dead') return
  if (hasCompany(gossip)) armForCompany(gossip)
  if (failed.length > 0 && !timers.has('reconnect')) {
    setTimer(gossip, 'reconnect', staggered(gossip, timing.reconnectIntervalMs))
  }
  if (failed.length + left.length + recentIntents.size > 0 && !timers.has('reap')) {
    setTimer(gossip, 'reap', gossip.turn.nowMs + timing.reapIntervalMs)
  }
}

function armForCompany(gossip: GossipCore): void {
  const { timers, roster, options } = gossip
  const { probeIntervalMs, pushPullIntervalMs } = options.timing
  if (!timers.has('probe')) setTimer(gossip, 'probe', staggered(gossip, probeIntervalMs))
  if (timers.has('push-pull')) return
  const laterMs = pushPullMs(pushPullIntervalMs, roster.length) - pushPullIntervalMs
  setTimer(gossip, 'push-pull', staggered(gossip, pushPullIntervalMs) + laterMs)
}

/**
 * Gossip runs at the plain interval while there is news; after a silence, it begins at a random moment of one interval.
 */
function armGossip(gossip: GossipCore): void {
  const { gossipIntervalMs } = gossip.options.timing
  const nextMs = gossip.gossipedMs + gossipIntervalMs
  setTimer(gossip, 'gossip', nextMs >= gossip.turn.nowMs ? nextMs : staggered(gossip, gossipIntervalMs))
}

function staggered(gossip: GossipCore, intervalMs: number): number {
  return gossip.turn.nowMs + gossip.turn.random.fraction() * intervalMs
}
