import type { Env } from '../../env/env.ts'
import { type Endpoint, endpointText, type UdpSocket } from '../../env/net.ts'
import type { GossipAddress, Message } from '../core/messages.ts'
import { type CoreChange, packetBytesDefault } from '../core/types.ts'
import { decodePacket, PacketEncoder } from '../wire/packet.ts'

/** From this protocol on, members understand packets with a checksum. */
const checksumProtocol = 5
const checksumBytes = 5

/** Without the checksum that most of them get. */
export const packetRoomBytes = packetBytesDefault - checksumBytes

/**
 * Packets to and from bytes, and counted. Each goes out with a checksum, unless its receiver is known to be too old for
 * one: a member is known, with its versions, from the exchange by which it or we joined.
 */
export class Packets {
  readonly #env: Pick<Env, 'log' | 'metrics'>
  readonly #encoder = new PacketEncoder()
  /** Addresses of members that do not understand checksums. No more than there are members. */
  readonly #withoutChecksum = new Set<string>()

  constructor(env: Pick<Env, 'log' | 'metrics'>) {
    this.#env = env
  }

  sizeOf(message: Message): number {
    return this.#encoder.sizeOf(message)
  }

  send(socket: UdpSocket, to: GossipAddress, messages: readonly Message[]): void {
    const checksum = this.#withoutChecksum.size === 0 || !this.#withoutChecksum.has(endpointText(to))
    for (const packet of this.#encoder.encode(messages, { budget: packetBytesDefault, checksum })) {
      this.#env.metrics.count('memberlist.udp.sent', packet.length)
      socket.send(to, packet)
    }
  }

  /** The messages that can be read; what cannot is dropped and counted. */
  receive(from: Endpoint, bytes: Uint8Array): readonly Message[] {
    this.#env.metrics.count('memberlist.udp.received', bytes.length)
    const packet = decodePacket(bytes)
    if (!packet.ok) {
      this.#drop(from, packet.error)
      return []
    }
    const { messages, ignored, malformed } = packet.value
    if (malformed > 0) this.#drop(from, 'a message in it cannot be read')
    if (ignored > 0) this.#env.metrics.count('gossip.ignored.message', ignored)
    return messages
  }

  learn(changes: readonly CoreChange[]): void {
    for (const { kind, member } of changes) {
      const at = endpointText(member.address)
      if (kind === 'reaped' || member.versions.protocolMax >= checksumProtocol) this.#withoutChecksum.delete(at)
      else this.#withoutChecksum.add(at)
    }
  }

  #drop(from: Endpoint, reason: string): void {
    this.#env.metrics.count('gossip.dropped.packet')
    if (!this.#env.log.enabled('debug')) return
    this.#env.log.write('debug', 'memberlist', 'dropping what cannot be read of a packet', {
      from: endpointText(from),
      reason,
    })
  }
}
