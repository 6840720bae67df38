import { invariant } from '../../base/invariant.ts'
import type { MemberRecord } from './member-record.ts'
import { emit, hasBroadcasts, note, setTimer, takeBroadcasts } from './outbox.ts'
import { hearsGossip, isAlive, pickMembers } from './roster.ts'
import { pushPullMs } from './scaling.ts'
import { type GossipCore, hasCompany } from './state.ts'

/** Sends waiting broadcasts to a few random members (memberlist `gossip`). */
export function gossipTimerFired(gossip: GossipCore): void {
  gossip.gossipedMs = gossip.turn.nowMs
  for (const { address } of pickMembers(gossip, gossip.options.timing.gossipNodes, hearsGossip)) {
    if (!hasBroadcasts(gossip)) return
    const messages = takeBroadcasts(gossip, [])
    if (messages.length > 0) emit(gossip, { kind: 'send', to: address, messages })
  }
}

/** Exchanges full states with a random member, which repairs what gossip has lost (memberlist `pushPull`). */
export function pushPullTimerFired(gossip: GossipCore): void {
  if (!hasCompany(gossip)) return
  const { pushPullIntervalMs } = gossip.options.timing
  setTimer(gossip, 'push-pull', gossip.turn.nowMs + pushPullMs(pushPullIntervalMs, gossip.roster.length))
  const [member] = pickMembers(gossip, 1, isAlive)
  if (member === undefined) return
  const { name: node, address } = member
  emit(gossip, { kind: 'exchange', with: address, node, join: false, purpose: 'push-pull' })
}

/**
 * Tries to reconnect to a failed member. The probability is such that each failed member is tried once in an interval
 * if all living members do the same (serf `reconnect`). A member that left is never tried.
 */
export function reconnectTimerFired(gossip: GossipCore): void {
  const { failed, left, members, turn } = gossip
  if (failed.length === 0) return
  setTimer(gossip, 'reconnect', turn.nowMs + gossip.options.timing.reconnectIntervalMs)
  const living = Math.max(1, members.size - failed.length - left.length)
  if (turn.random.fraction() > failed.length / living) return
  const member = nextToReconnect(gossip)
  const { name: node, address } = member
  note(gossip, 'info', 'serf', 'attempting reconnect', { name: node, host: address.host, port: address.port })
  emit(gossip, { kind: 'exchange', with: address, node, join: true, purpose: 'reconnect' })
}

/**
 * In rounds: at random one that was not tried in this round yet. serf draws from all of them each time; an agent that
 * knows but one address that still answers, of five, then misses it ten times in a row once in nine outages. The order
 * must not be that of the failures: agents that saw the same members fail would all try the same one at a time.
 */
function nextToReconnect({ failed, reconnected, turn }: GossipCore): MemberRecord {
  if (reconnected.size >= failed.length) reconnected.clear()
  const waiting = failed.filter((member) => !reconnected.has(member))
  const member = waiting[turn.random.below(waiting.length)]
  invariant(member !== undefined, 'a failed member is tried only while there is one', { failed: failed.length })
  reconnected.add(member)
  return member
}
