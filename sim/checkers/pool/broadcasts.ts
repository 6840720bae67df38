import { hex } from '../../../src/base/bytes.ts'
import type { Message, Query } from '../../../src/gossip/core/messages.ts'

/** A message that is broadcast. */
export interface Broadcast {
  /** A newer message about the same subject takes its place. */
  readonly subject: string
  readonly news: string
}

export function broadcastOf(message: Message): Broadcast | undefined {
  switch (message.kind) {
    case 'alive':
    case 'suspect':
    case 'dead':
      return { subject: `member ${message.node}`, news: `${message.kind} ${message.node} ${message.incarnation}` }
    case 'leave-intent':
    case 'join-intent':
      return { subject: `intent ${message.node}`, news: `${message.kind} ${message.node} ${message.lamport}` }
    case 'user-event': {
      const news = eventText(message.lamport, message.name, message.payload)
      return { subject: news, news }
    }
    case 'query':
      return { subject: queryText(message), news: queryText(message) }
    default:
      return undefined
  }
}

export function queryText({ lamport, id, name }: Query): string {
  return `query ${name} at ${lamport}, ${id}`
}

export function eventText(lamport: number, name: string, payload: Uint8Array): string {
  return `${name} at ${lamport}: ${hex(payload)}`
}
