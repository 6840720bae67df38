import type { GossipAddress, Message } from './messages.ts'
import { count, emit, send, setTimer } from './outbox.ts'
import { nextSequence } from './probe.ts'
import { type GossipCore, relaysMax } from './state.ts'
import { isAddress, isName, sameAddress } from './validity.ts'

type IndirectPing = Extract<Message, { readonly kind: 'indirect-ping' }>

const noPayload = new Uint8Array(0)

/**
 * A nack is sent after this part of the probe timeout (Lifeguard, section 4.A). memberlist waits for the whole timeout:
 * by default the prober gives up at the same time, so that in good health it never counts a nack, and doubts itself for
 * each member that is really dead.
 */
const nackAfter = 0.8

/**
 * Pings on another's behalf (SWIM, section 3.1). An answer within the probe timeout goes back as if it were the
 * asker's; when none comes soon enough a nack does, if wanted, which says that this agent at least is well (Lifeguard,
 * section 4.A).
 */
export function relayPing(gossip: GossipCore, asker: GossipAddress, request: IndirectPing): void {
  const { target, node, sequence: askerSequence, nack: wantsNack } = request
  if (!isAddress(target) || !isName(node)) return count(gossip, 'gossip.dropped.malformed')
  const known = gossip.members.get(node)
  if (known?.status === 'left' && sameAddress(known.address, target)) {
    // A member that left is not contacted, not even on behalf of another.
    if (wantsNack) send(gossip, asker, { kind: 'nack', sequence: askerSequence })
    return
  }
  if (gossip.relays.size >= relaysMax) return count(gossip, 'gossip.dropped.full')
  const sequence = nextSequence(gossip)
  const { nowMs } = gossip.turn
  const { probeTimeoutMs } = gossip.options.timing
  const dueMs = nowMs + probeTimeoutMs
  const nackMs = wantsNack ? nowMs + nackAfter * probeTimeoutMs : Number.POSITIVE_INFINITY
  gossip.relays.set(sequence, { asker, askerSequence, nackMs, dueMs })
  send(gossip, target, { kind: 'ping', sequence, node })
  const nextMs = Math.min(nackMs, dueMs)
  // One without a nack is due later than one with, though that came after it.
  if (nextMs < (gossip.timers.get('relay') ?? Number.POSITIVE_INFINITY)) setTimer(gossip, 'relay', nextMs)
}

export function relayAcked(gossip: GossipCore, sequence: number): void {
  const relay = gossip.relays.get(sequence)
  if (relay === undefined) return
  gossip.relays.delete(sequence)
  send(gossip, relay.asker, { kind: 'ack', sequence: relay.askerSequence, payload: noPayload })
}

export function relayTimerFired(gossip: GossipCore): void {
  const { nowMs } = gossip.turn
  let nextMs = Number.POSITIVE_INFINITY
  for (const [sequence, relay] of gossip.relays) {
    if (relay.nackMs <= nowMs) {
      relay.nackMs = Number.POSITIVE_INFINITY
      send(gossip, relay.asker, { kind: 'nack', sequence: relay.askerSequence })
    }
    if (relay.dueMs <= nowMs) gossip.relays.delete(sequence)
    else nextMs = Math.min(nextMs, relay.nackMs, relay.dueMs)
  }
  if (nextMs < Number.POSITIVE_INFINITY) setTimer(gossip, 'relay', nextMs)
}

export function answerPing(gossip: GossipCore, from: GossipAddress, ack: Message | undefined): void {
  if (ack === undefined) return emit(gossip, unexpectedPing(from))
  send(gossip, from, ack)
}

function unexpectedPing({ host, port }: GossipAddress) {
  const text = 'Got ping for unexpected node'
  return { kind: 'note', level: 'debug', topic: 'memberlist', text, fields: { host, port } } as const
}
