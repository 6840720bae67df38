import type { GossipAddress, Message } from './messages.ts'
import { count, emit, send, setTimer } from './outbox.ts'
import { nextSequence } from './probe.ts'
import { type GossipCore, relaysMax } from './state.ts'
import { isAddress, isName, sameAddress } from './validity.ts'

type IndirectPing = Extract<Message, { readonly kind: 'indirect-ping' }>

const noPayload = new Uint8Array(0)

/**
 * A nack is sent after this part of the probe timeout (Lifeguard, section 4.A). memberlist waits for the whole timeout.
 * By default, the prober gives up at the same moment, so that in good health it never counts a nack, and its health
 * score worsens for each member that is really dead.
 */
const nackAfter = 0.8

/**
 * Pings a member on behalf of another (SWIM, section 3.1). An answer within the probe timeout is returned as if it were
 * the answer to the asker's own ping. If none comes soon enough, a nack is sent if the asker wants one: it says that at
 * least this agent is healthy (Lifeguard, section 4.A).
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
  // A ping without a nack is due later than one with a nack that came after it.
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
