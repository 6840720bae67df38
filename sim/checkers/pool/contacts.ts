import type { GossipAddress } from '../../../src/gossip/core/messages.ts'
import type { GossipEffect, GossipEvent } from '../../../src/gossip/core/types.ts'

/** How a member turns to another one by itself. */
export interface Contact {
  readonly to: GossipAddress
  readonly how: string
}

/** Messages that answer a question, whether or not a member asked it. */
const answers: ReadonlySet<string> = new Set(['ack', 'nack', 'query-response', 'relay'])

/** A ping on behalf of another member, or of a sender that claims to be one. */
function isForAnother(event: GossipEvent, sent: string): boolean {
  if (sent !== 'ping' || event.kind !== 'packet-received') return false
  return event.messages.some(({ kind }) => kind === 'indirect-ping')
}

/** Undefined: the effect turns to no other member, or answers one. */
export function contactOf(event: GossipEvent, effect: GossipEffect): Contact | undefined {
  if (effect.kind === 'exchange') return { to: effect.with, how: effect.purpose }
  if (effect.kind === 'stream-ping') return { to: effect.to, how: effect.kind }
  if (effect.kind !== 'send') return undefined
  const first = effect.messages[0]?.kind
  if (first === undefined || answers.has(first) || isForAnother(event, first)) return undefined
  return { to: effect.to, how: first }
}
