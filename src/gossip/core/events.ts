import { lamportMax } from './bounds.ts'
import { follow, witness } from './lamport.ts'
import type { HeardEvents, Message } from './messages.ts'
import { broadcastNews, count, emit } from './outbox.ts'
import type { GossipCore } from './state.ts'
import type { GossipEvent } from './types.ts'
import { isEventName, isLamport } from './validity.ts'

type StateReceived = Extract<GossipEvent, { readonly kind: 'state-received' }>
type UserEvent = Extract<Message, { readonly kind: 'user-event' }>

/**
 * Handles a user event (serf `handleUserEvent`): it is delivered and forwarded once. An event too old for the list of
 * recent ones is dropped, because it may have been delivered already.
 */
export function takeUserEvent(gossip: GossipCore, event: UserEvent, source: 'gossip' | 'exchange' | 'own'): void {
  const { lamport, name } = event
  if (!isLamport(lamport)) return count(gossip, 'gossip.dropped.number')
  if (!isEventName(name)) return count(gossip, 'gossip.dropped.malformed')
  if (!witness(gossip, 'eventClock', lamport)) return
  if (lamport < gossip.eventsSince) return
  const { timesMax } = gossip.events
  const isOld = gossip.eventClock > timesMax && lamport < gossip.eventClock - timesMax
  if (isOld || gossip.events.isForgotten(lamport)) return count(gossip, 'gossip.dropped.old')
  if (!gossip.events.add(event)) return
  count(gossip, 'serf.events')
  if (source !== 'exchange') broadcastNews(gossip, event)
  emit(gossip, { kind: 'user-event', lamport, name, payload: event.payload })
}

/** Fires a user event of this agent (serf `UserEvent`). */
export function fireEvent(gossip: GossipCore, name: string, payload: Uint8Array): void {
  const event: UserEvent = { kind: 'user-event', lamport: gossip.eventClock, name, payload, coalesce: false }
  takeUserEvent(gossip, event, 'own')
}

/**
 * The event clock of another member (serf `MergeRemoteState`). An agent that joins takes part from now on: earlier
 * events are not delivered to it, because a former process of it may have received them (serf's `ignoreOld`, which the
 * field's agents use).
 */
export function witnessEvents(gossip: GossipCore, lamport: number, how: StateReceived['how']): void {
  follow(gossip, 'eventClock', lamport, how)
  if (how === 'join-answer' && lamport <= lamportMax) gossip.eventsSince = Math.max(gossip.eventsSince, lamport)
}

/** The events of another member for one Lamport time. */
export function mergeEvents(gossip: GossipCore, { lamport, events }: HeardEvents): void {
  for (const { name, payload } of events) {
    takeUserEvent(gossip, { kind: 'user-event', lamport, name, payload, coalesce: false }, 'exchange')
  }
}
