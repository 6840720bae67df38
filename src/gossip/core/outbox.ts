import { compoundHeaderBytes, compoundMessageBytes, compoundMessagesMax } from './bounds.ts'
import type { GossipAddress, Message } from './messages.ts'
import { retransmitLimit } from './scaling.ts'
import type { GossipCore } from './state.ts'
import type { CoreChange, GossipCounter, GossipEffect, GossipTimer } from './types.ts'

const noEffects: readonly GossipEffect[] = []

export function emit(gossip: GossipCore, effect: GossipEffect): void {
  gossip.turn.effects.push(effect)
}

export function count(gossip: GossipCore, counter: GossipCounter): void {
  gossip.turn.effects.push({ kind: 'count', counter, by: 1 })
}

type Note = Extract<GossipEffect, { readonly kind: 'note' }>

export function note(
  gossip: GossipCore,
  level: Note['level'],
  topic: Note['topic'],
  text: string,
  fields: Note['fields'],
): void {
  gossip.turn.effects.push({ kind: 'note', level, topic, text, fields })
}

export function change(gossip: GossipCore, made: CoreChange): void {
  gossip.turn.changes.push(made)
}

/** Fires within a millisecond after `dueMs`. */
export function setTimer(gossip: GossipCore, timer: GossipTimer, dueMs: number): void {
  gossip.timers.set(timer, dueMs)
  const delayMs = Math.max(1, Math.ceil(dueMs - gossip.turn.nowMs))
  gossip.turn.effects.push({ kind: 'set-timer', timer, delayMs })
}

export function clearTimer(gossip: GossipCore, timer: GossipTimer): void {
  if (gossip.timers.delete(timer)) gossip.turn.effects.push({ kind: 'clear-timer', timer })
}

/** Broadcasts a claim about a member; it replaces the earlier claim about that member. */
export function broadcastClaim(gossip: GossipCore, about: string, message: Message): void {
  gossip.claims.add(about, message, gossip.options.sizeOf(message))
}

export function broadcastIntent(gossip: GossipCore, about: string, message: Message): void {
  gossip.intents.add(about, message, gossip.options.sizeOf(message))
}

/**
 * User events and queries displace only each other when there are too many. One that fits into no packet, which no
 * agent fires, could never leave the queue, and a few of them would hold up all others.
 */
export function broadcastNews(gossip: GossipCore, message: Message): void {
  const { packetBytesMax, sizeOf } = gossip.options
  const bytes = sizeOf(message)
  if (bytes + compoundMessageBytes > packetBytesMax - compoundHeaderBytes) return count(gossip, 'gossip.dropped.full')
  gossip.news.add(String(gossip.newsCount++), message, bytes)
}

export function hasBroadcasts(gossip: GossipCore): boolean {
  return gossip.claims.size > 0 || gossip.intents.size > 0 || gossip.news.size > 0
}

/**
 * Broadcasts that fit beside what the packet carries already: claims about members first, then joins and leaves, then
 * user events.
 */
export function takeBroadcasts(gossip: GossipCore, carried: readonly Message[]): Message[] {
  const { packetBytesMax, sizeOf, timing } = gossip.options
  const messages = carried.slice()
  let room = packetBytesMax - compoundHeaderBytes
  for (const message of carried) room -= sizeOf(message) + compoundMessageBytes
  const limit = retransmitLimit(timing.retransmitMult, gossip.roster.length)
  room -= gossip.claims.take(messages, room, compoundMessagesMax - messages.length, limit)
  room -= gossip.intents.take(messages, room, compoundMessagesMax - messages.length, limit)
  gossip.news.take(messages, room, compoundMessagesMax - messages.length, limit)
  return messages
}

/** Sends a message of the probe protocol, and broadcasts that fit beside it (SWIM, section 4.1). */
export function send(gossip: GossipCore, to: GossipAddress, message: Message): void {
  const messages = hasBroadcasts(gossip) ? takeBroadcasts(gossip, [message]) : [message]
  gossip.turn.effects.push({ kind: 'send', to, messages })
}

/** Ends a step: returns the effects that it gathered. */
export function finishTurn(gossip: GossipCore): readonly GossipEffect[] {
  const { turn } = gossip
  if (turn.changes.length > 0) {
    turn.effects.push({ kind: 'members-changed', changes: turn.changes })
    turn.changes = []
  }
  if (turn.effects.length === 0) return noEffects
  const { effects } = turn
  turn.effects = []
  return effects
}
