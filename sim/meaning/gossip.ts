import { endpointText } from '../../src/env/net.ts'
import type { FullState, Message } from '../../src/gossip/core/messages.ts'
import { openFrame } from '../../src/gossip/wire/frame-opening.ts'
import { decodePacket } from '../../src/gossip/wire/packet-decoder.ts'
import { wholly } from '../../src/gossip/wire/sliced.ts'
import { type StreamFrame, StreamFrameReader } from '../../src/gossip/wire/stream-frame.ts'
import { decodeTags } from '../../src/gossip/wire/tags.ts'
import { cut, type Meaning, meaningsMax, shownMax } from '../report/meaning.ts'
import type { PoolKeys } from './pool-keys.ts'
import { part, unknown } from './unknown.ts'

/** The messages of a gossip packet. */
export function packetMeanings(bytes: Uint8Array, keys: PoolKeys): readonly Meaning[] {
  const packet = decodePacket(keys.openPacket(bytes) ?? bytes)
  if (!packet.ok) return [unknown(bytes.length, packet.error)]
  const { messages, ignored, malformed } = packet.value
  const means = messages.slice(0, meaningsMax).map(messageMeaning)
  const rest = messages.length - means.length
  if (rest > 0) means.push(unknown(0, `${rest} more messages`))
  if (ignored > 0) means.push(unknown(0, `${ignored} messages that agents ignore`))
  if (malformed > 0) means.push(unknown(0, `${malformed} messages that cannot be read`))
  return means
}

/** One direction of a stream between members: it carries one frame. */
export class GossipStream {
  readonly #keys: PoolKeys
  readonly #reader: StreamFrameReader
  #over = false

  constructor(keys: PoolKeys) {
    this.#keys = keys
    this.#reader = new StreamFrameReader(keys.frames())
  }

  get held(): number {
    return this.#over ? 0 : this.#reader.held
  }

  push(bytes: Uint8Array): readonly Meaning[] {
    if (this.#over) return [unknown(bytes.length, 'it follows the one frame of the stream')]
    const read = this.#reader.push(bytes)
    if (read.ok && read.value === undefined) return [part('gossip', bytes.length, this.#reader.held)]
    this.#over = true
    if (!read.ok) return [unknown(bytes.length, read.error)]
    const frame = wholly(openFrame(read.value ?? bytes, this.#keys.frames()))
    return [frame.ok ? frameMeaning(frame.value) : unknown(bytes.length, frame.error)]
  }
}

function frameMeaning(frame: StreamFrame): Meaning {
  const layer = 'gossip'
  switch (frame.kind) {
    case 'full-state':
      return stateMeaning(frame.state)
    case 'ping':
      return { layer, name: 'ping', sequence: frame.sequence, member: cut(frame.node) }
    case 'ack':
      return { layer, name: 'ack', sequence: frame.sequence, bytes: frame.payload.length }
    case 'error':
      return { layer, name: 'error', text: cut(frame.text) }
    case 'message':
      return frame.message === undefined ? unknown(0, 'a message that agents ignore') : messageMeaning(frame.message)
  }
}

function stateMeaning({ join, lamport, nodes, left, events }: FullState): Meaning {
  const gone = new Set(left)
  const members = nodes.slice(0, shownMax).map(({ node, state, incarnation }) => ({
    member: cut(node),
    state: state === 'dead' && gone.has(node) ? ('left' as const) : state,
    incarnation,
  }))
  const heard = events.reduce((sum, each) => sum + each.events.length, 0)
  return { layer: 'gossip', name: 'push-pull', join, lamport, count: nodes.length, members, events: heard }
}

function messageMeaning(message: Message): Meaning {
  const layer = 'gossip'
  switch (message.kind) {
    case 'ping':
      return { layer, name: message.kind, sequence: message.sequence, member: cut(message.node) }
    case 'indirect-ping': {
      const { kind: name, sequence, node, nack } = message
      return { layer, name, sequence, member: cut(node), nack }
    }
    case 'ack':
      return { layer, name: message.kind, sequence: message.sequence, bytes: message.payload.length }
    case 'nack':
      return { layer, name: message.kind, sequence: message.sequence }
    case 'suspect':
    case 'dead': {
      const { kind: name, node, incarnation, from } = message
      return { layer, name, member: cut(node), incarnation, from: cut(from) }
    }
    case 'alive': {
      const { kind: name, node, incarnation, address, meta } = message
      return { layer, name, member: cut(node), incarnation, address: endpointText(address), tags: tagsOf(meta) }
    }
    case 'leave-intent':
      return { layer, name: message.kind, member: cut(message.node), lamport: message.lamport, prune: message.prune }
    case 'join-intent':
      return { layer, name: message.kind, member: cut(message.node), lamport: message.lamport }
    default:
      return newsMeaning(message)
  }
}

/** At most 512 bytes, by the bound of the wire. */
function tagsOf(meta: Uint8Array): Record<string, string> {
  const entries = Object.entries(decodeTags(meta)).map(([name, value]) => [cut(name), cut(value)] as const)
  return Object.fromEntries(entries)
}

type News = Extract<Message, { readonly kind: 'user-event' | 'query' | 'query-response' | 'relay' }>

/** Events, queries, and answers to these. */
function newsMeaning(message: News): Meaning {
  const layer = 'gossip'
  switch (message.kind) {
    case 'user-event': {
      const { kind: name, name: event, lamport, payload } = message
      return { layer, name, event: cut(event), lamport, bytes: payload.length }
    }
    case 'query': {
      const { kind: name, name: event, lamport, id, from, payload } = message
      return { layer, name, event: cut(event), lamport, id, from: endpointText(from), bytes: payload.length }
    }
    case 'query-response': {
      const { kind: name, lamport, id, from, payload } = message
      return { layer, name, lamport, id, from: cut(from), bytes: payload.length }
    }
    case 'relay': {
      const { to, response } = message
      return { layer, name: message.kind, to: endpointText(to), id: response.id, from: cut(response.from) }
    }
  }
}
