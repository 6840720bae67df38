import { changeMeta, sayAlive, takeAlive } from './alive.ts'
import { ackFor } from './answers.ts'
import { takeDead } from './dead.ts'
import { fireEvent, takeUserEvent } from './events.ts'
import { takeJoinIntent, takeLeaveIntent } from './intents.ts'
import { continueLeaving, forceLeave, leave, leaveTimerFired } from './leave.ts'
import { cameAlive } from './membership.ts'
import { receiveState } from './merge.ts'
import type { GossipAddress, Message } from './messages.ts'
import type { GossipRandom } from './options.ts'
import { finishTurn } from './outbox.ts'
import { probeAcked, probeNacked, probeTimerFired, streamPingFinished } from './probe.ts'
import { ask, endAsk, queryTimerFired, respond, takeQuery, takeRelay, takeResponse } from './queries.ts'
import { reapTimerFired } from './reap.ts'
import { answerPing, relayAcked, relayPing, relayTimerFired } from './relay.ts'
import { gossipTimerFired, pushPullTimerFired, reconnectTimerFired } from './rounds.ts'
import type { GossipCore } from './state.ts'
import { suspicionTimerFired, takeSuspect } from './suspicion.ts'
import { armTimers } from './timers.ts'
import type { GossipEffect, GossipEvent, GossipTimer } from './types.ts'

/**
 * Advances one member's knowledge by one event; the effects say what the driver must do, in order. `nowMs` is the
 * agent's monotonic clock at this moment. Input from other agents, however late, repeated or malformed, is handled, or
 * dropped and counted; an exception is a bug here (`InvariantViolation`).
 */
export function step(
  gossip: GossipCore,
  event: GossipEvent,
  nowMs: number,
  random: GossipRandom,
): readonly GossipEffect[] {
  if (!gossip.isStarted && event.kind !== 'started') return []
  gossip.turn.nowMs = nowMs
  gossip.turn.random = random
  take(gossip, event)
  continueLeaving(gossip)
  armTimers(gossip)
  return finishTurn(gossip)
}

function take(gossip: GossipCore, event: GossipEvent): void {
  switch (event.kind) {
    case 'started':
      return start(gossip)
    case 'timer-fired':
      return takeTimer(gossip, event.timer)
    case 'packet-received':
      for (const message of event.messages) takeMessage(gossip, event.from, message)
      return
    case 'state-received':
      return receiveState(gossip, event)
    case 'stream-ping-finished':
      return streamPingFinished(gossip, event.sequence, event.answered)
    case 'leave-requested':
      return leave(gossip)
    case 'force-leave-requested':
      return forceLeave(gossip, event.name)
    case 'event-fired':
      return fireEvent(gossip, event.name, event.payload)
    case 'query-asked':
      return ask(gossip, event.request)
    case 'query-responded':
      return respond(gossip, event.query, 0, event.payload)
    case 'query-ended':
      return endAsk(gossip, event.token)
    case 'meta-changed':
      return changeMeta(gossip, event.meta)
    default:
      event satisfies never
  }
}

/** Pings are numbered from a random start, so that a late answer from an earlier life matches no ping of this one. */
function start(gossip: GossipCore): void {
  if (gossip.isStarted) return
  gossip.isStarted = true
  gossip.sequence = gossip.turn.random.below(4_294_967_296)
  sayAlive(gossip)
  cameAlive(gossip, gossip.self, Number.NEGATIVE_INFINITY)
}

/**
 * Fires a timer. One that was set anew or cleared meanwhile is ignored: only the timers in `gossip.timers` are armed.
 */
function takeTimer(gossip: GossipCore, timer: GossipTimer): void {
  const dueMs = gossip.timers.get(timer)
  if (dueMs === undefined) return
  gossip.timers.delete(timer)
  switch (timer) {
    case 'probe':
      return probeTimerFired(gossip, dueMs)
    case 'gossip':
      return gossipTimerFired(gossip)
    case 'push-pull':
      return pushPullTimerFired(gossip)
    case 'reconnect':
      return reconnectTimerFired(gossip)
    case 'reap':
      return reapTimerFired(gossip)
    case 'suspicion':
      return suspicionTimerFired(gossip, dueMs)
    case 'relay':
      return relayTimerFired(gossip)
    case 'leave':
      return leaveTimerFired(gossip)
    case 'query':
      return queryTimerFired(gossip)
    default:
      timer satisfies never
  }
}

function takeMessage(gossip: GossipCore, from: GossipAddress, message: Message): void {
  switch (message.kind) {
    case 'ping':
      return answerPing(gossip, from, ackFor(gossip, message))
    case 'indirect-ping':
      return relayPing(gossip, from, message)
    case 'ack':
      if (!probeAcked(gossip, message.sequence, message.payload)) relayAcked(gossip, message.sequence)
      return
    case 'nack':
      return probeNacked(gossip, message.sequence)
    case 'alive':
      return takeAlive(gossip, message)
    case 'suspect':
      return takeSuspect(gossip, message)
    case 'dead':
      return takeDead(gossip, message)
    case 'leave-intent':
      return takeLeaveIntent(gossip, message, 'gossip')
    case 'join-intent':
      return takeJoinIntent(gossip, message, 'gossip')
    case 'user-event':
      return takeUserEvent(gossip, message, 'gossip')
    case 'query':
      return takeQuery(gossip, message)
    case 'query-response':
      return takeResponse(gossip, message)
    case 'relay':
      return takeRelay(gossip, message.to, message.response)
    default:
      message satisfies never
  }
}
