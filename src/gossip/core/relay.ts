import type { GossipAddress, Message } from './messages.ts'
import { count, emit, send, setTimer } from './outbox.ts'
import { nextSequence } from './probe.ts'
import { type GossipCore, relaysMax } from './state.ts'
import { isAddress, isName, sameAddress } from './validity.ts'

type IndirectPing = Extract<Message, { readonly kind: 'indirect-ping' }>

const noPayload = new Uint8Array(0)

/**
 * Pings on another's behalf (SWIM, section 3.1). An answer goes back as if it were the asker's; none within the probe
 * timeout goes back as a nack, if wanted, which says that this agent at least is well (Lifeguard, section 4.A).
 */
export function relayPing(gossip: GossipCore, asker: GossipAddress, request: IndirectPing): void {
  const { target, node, sequence: askerSequence, nack: wantsNack } = request
  if (!isAddress(target) || !isName(node)) return count(gossip, 'gossip.dropped.malformed')
  const known = gossip.members.get(node)
  if (known?.status === 'left' && sameAddress(known.address, target)) {
    // Who left is not contacted, for nobody's sake.
    if (wantsNack) send(gossip, asker, { kind: 'nack', sequence: askerSequence })
    return
  }
  if (gossip.relays.size >= relaysMax) return count(gossip, 'gossip.dropped.full')
  const sequence = nextSequence(gossip)
  const dueMs = gossip.turn.nowMs + gossip.options.timing.probeTimeoutMs
  gossip.relays.set(sequence, { asker, askerSequence, wantsNack, dueMs })
  send(gossip, target, { kind: 'ping', sequence, node })
  if (!gossip.timers.has('relay')) setTimer(gossip, 'relay', dueMs)
}

export function relayAcked(gossip: GossipCore, sequence: number): void {
  const relay = gossip.relays.get(sequence)
  if (relay === undefined) return
  gossip.relays.delete(sequence)
  send(gossip, relay.asker, { kind: 'ack', sequence: relay.askerSequence, payload: noPayload })
}

/** All wait equally long, so they are overdue in the order in which they began. */
export function relayTimerFired(gossip: GossipCore): void {
  for (const [sequence, { asker, askerSequence, wantsNack, dueMs }] of gossip.relays) {
    if (dueMs > gossip.turn.nowMs) return setTimer(gossip, 'relay', dueMs)
    gossip.relays.delete(sequence)
    if (wantsNack) send(gossip, asker, { kind: 'nack', sequence: askerSequence })
  }
}

export function answerPing(gossip: GossipCore, from: GossipAddress, ack: Message | undefined): void {
  if (ack === undefined) return emit(gossip, unexpectedPing(from))
  send(gossip, from, ack)
}

function unexpectedPing({ host, port }: GossipAddress) {
  const text = 'Got ping for unexpected node'
  return { kind: 'note', level: 'debug', topic: 'memberlist', text, fields: { host, port } } as const
}
