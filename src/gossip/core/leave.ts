import { takeDead } from './dead.ts'
import { takeLeaveIntent } from './intents.ts'
import { witness } from './lamport.ts'
import { touched } from './membership.ts'
import { broadcastIntent, clearTimer, emit, setTimer } from './outbox.ts'
import type { GossipCore } from './state.ts'

/** The longest that a leaving member waits for each of its messages to leave its queue. serf: `BroadcastTimeout`. */
const broadcastTimeoutMs = 5_000

/**
 * Leaving (serf `Leave`), in stages:
 * 1. `intent`: the intent to leave is broadcast as often as any other message, so that the death that follows is no
 *    failure.
 * 2. `dead`: the agent declares itself dead (memberlist `Leave`), which is broadcast likewise.
 * 3. `spreading`: it waits for that to reach the others, and answers pings meanwhile.
 * An agent without other members leaves at once.
 */
export function leave(gossip: GossipCore): void {
  if (gossip.leaving !== 'member') return
  gossip.leaving = 'intent'
  const { self } = gossip
  const lamport = gossip.clock
  witness(gossip, 'clock', lamport)
  self.status = 'leaving'
  self.statusTime = lamport
  touched(gossip, self)
  if (!hasLivingCompany(gossip)) return die(gossip)
  broadcastIntent(gossip, self.name, { kind: 'leave-intent', lamport, node: self.name, prune: false })
  setTimer(gossip, 'leave', gossip.turn.nowMs + broadcastTimeoutMs)
}

/** Called at the end of each step: the leave is complete when queues have drained or no other member is left. */
export function continueLeaving(gossip: GossipCore): void {
  const { leaving, self } = gossip
  if (leaving === 'intent' && !gossip.intents.has(self.name)) die(gossip)
  else if (leaving === 'dead' && !gossip.claims.has(self.name)) spread(gossip)
}

export function leaveTimerFired(gossip: GossipCore): void {
  switch (gossip.leaving) {
    case 'intent':
      return die(gossip)
    case 'dead':
      return spread(gossip)
    case 'spreading':
      return finish(gossip)
    default:
      return
  }
}

function die(gossip: GossipCore): void {
  gossip.leaving = 'dead'
  gossip.probe = undefined
  clearTimer(gossip, 'probe')
  clearTimer(gossip, 'push-pull')
  clearTimer(gossip, 'reconnect')
  clearTimer(gossip, 'reap')
  const { name, incarnation } = gossip.self
  takeDead(gossip, { kind: 'dead', incarnation, node: name, from: name })
  if (hasLivingCompany(gossip)) setTimer(gossip, 'leave', gossip.turn.nowMs + broadcastTimeoutMs)
  else finish(gossip)
}

function spread(gossip: GossipCore): void {
  gossip.leaving = 'spreading'
  setTimer(gossip, 'leave', gossip.turn.nowMs + gossip.options.timing.leavePropagateDelayMs)
}

function finish(gossip: GossipCore): void {
  gossip.leaving = 'left'
  clearTimer(gossip, 'leave')
  emit(gossip, { kind: 'left' })
}

function hasLivingCompany({ roster, self }: GossipCore): boolean {
  return roster.some((member) => member !== self && member.state !== 'dead')
}

/**
 * Marks a failed member as left, here and, by an intent sent on its behalf, on every member (serf `RemoveFailedNode`).
 * A member that is alive receives that intent and refutes it.
 */
export function forceLeave(gossip: GossipCore, name: string): void {
  if (!gossip.members.has(name)) return
  const lamport = gossip.clock
  witness(gossip, 'clock', lamport)
  takeLeaveIntent(gossip, { kind: 'leave-intent', lamport, node: name, prune: false }, 'gossip')
}
