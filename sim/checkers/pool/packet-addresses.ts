import type { GossipAddress, Message } from '../../../src/gossip/core/messages.ts'
import type { GossipEffect, GossipEvent } from '../../../src/gossip/core/types.ts'
import type { ObservedCore } from '../../../src/gossip/pool.ts'
import { type Judge, law } from '../checker.ts'

type Sent = Extract<GossipEffect, { readonly kind: 'send' }>

/**
 * M9. A packet is sent to a member, or answers one that has just arrived: it goes to that packet's sender, to the
 * address at which a query wants its answers, or to the member that a prober asks to ping on its behalf. An answer that
 * is to be relayed goes only to members. Otherwise, any sender of a packet to a member could direct the whole pool at
 * any host.
 */
export class PacketAddresses {
  readonly #judge: Judge<{ M9: 'asked by packet' }>
  /** By host, the ports at which members of this pool have run. */
  readonly #members = new Map<string, Set<number>>()

  constructor(judge: Judge<{ M9: 'asked by packet' }>) {
    this.#judge = judge
  }

  /** A process takes part as a member at this address. */
  joined({ host, port }: GossipAddress): void {
    const ports = this.#members.get(host) ?? new Set()
    this.#members.set(host, ports.add(port))
  }

  sent(observer: string, core: ObservedCore, event: GossipEvent, { to, messages }: Sent): void {
    this.#judge.judged('M9')
    if (this.#members.get(to.host)?.has(to.port) === true) return
    if (isKnown(core, to)) return
    const [first] = messages
    if (first !== undefined && isAskedFor(event, first, to)) return this.#judge.excused('M9', 'asked by packet')
    const what = first?.kind ?? 'nothing'
    this.#judge.report('M9', `${observer} sends ${what} to ${to.host}:${to.port}, which is no member's address`)
  }
}

function isKnown(core: ObservedCore, to: GossipAddress): boolean {
  for (const { address } of core.members.values()) if (isAt(address, to)) return true
  return false
}

function isAskedFor(event: GossipEvent, sent: Message, to: GossipAddress): boolean {
  // For an answer later than the packet that asked for it, M8 judges whether it was asked for.
  if (sent.kind === 'ack' || sent.kind === 'nack') return true
  if (event.kind === 'query-responded') return sent.kind === 'query-response' && isAt(event.query.from, to)
  if (event.kind !== 'packet-received') return false
  return event.messages.some((message) => {
    if (sent.kind === 'ping') return message.kind === 'indirect-ping' && isAt(message.target, to)
    return sent.kind === 'query-response' && message.kind === 'query' && isAt(message.from, to)
  })
}

function isAt(one: GossipAddress, other: GossipAddress): boolean {
  return one.port === other.port && one.host === other.host
}

export const packetAddresses = law(
  {
    M9: {
      text: 'addresses: gossip packets go to members, and to other addresses only as answers to received packets',
      sources: ['src/gossip/core/README.md, 7'],
      evidence: ['members', 'probes'],
      judges: ['packet', 'packets'],
      excuses: {
        'asked by packet':
          'What a packet asks for goes where it says: a ping in the place of another, an answer to it, one to a query; that one packet.',
      },
    },
  },
  (judge) => new PacketAddresses(judge),
)
