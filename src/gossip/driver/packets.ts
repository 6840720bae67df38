import type { Env } from '../../env/env.ts'
import { type Endpoint, endpointText, type UdpSocket } from '../../env/net.ts'
import { packetBytesDefault } from '../core/bounds.ts'
import type { GossipAddress, Message } from '../core/messages.ts'
import type { CoreChange } from '../core/types.ts'
import { noKeyOpens } from '../wire/frame-opening.ts'
import { PacketEncoder } from '../wire/packet.ts'
import { decodePacket, type ExpansionBudget } from '../wire/packet-decoder.ts'
import type { Sealing } from './sealing.ts'
import { WorkBudget } from './work-budget.ts'

/** From this protocol on, members understand packets with a checksum. */
const checksumProtocol = 5
const checksumBytes = 5

/**
 * Budget of all packets together for work beyond their plain decoding: expanding them, and trying more than one key on
 * them. It is shared, because a packet's source can be forged. A compressed packet of the field is 1,400 bytes when
 * expanded and costs about 1,000, so this is 2,000 of them in a second, and 6 % of a core; in a pool of 10,000, each
 * member gets some 30.
 */
const budgetMost = 1 << 20
const budgetPerMs = 2 << 10

/** Writing one byte of an expanded code takes a quarter of the time of decoding one byte. */
const writtenCheaperBy = 4

/**
 * Encodes, decodes and counts packets. Each is sent with a checksum, unless its receiver is known to be too old for
 * one: the exchange by which it or we joined told its versions.
 */
export class Packets {
  readonly #env: Pick<Env, 'clock' | 'log' | 'metrics'>
  readonly #encoder = new PacketEncoder()
  /** Addresses of members that do not understand checksums. There are no more than members. */
  readonly #withoutChecksum = new Set<string>()

  readonly #sealing: Sealing
  readonly #budget: WorkBudget
  readonly #expansion: ExpansionBudget

  constructor(env: Pick<Env, 'clock' | 'log' | 'metrics'>, sealing: Sealing) {
    this.#env = env
    this.#sealing = sealing
    const budget = new WorkBudget(env.clock, budgetMost, budgetPerMs)
    this.#budget = budget
    this.#expansion = {
      get isSpent() {
        return budget.left <= 0
      },
      take: (read, written) => {
        env.metrics.count('gossip.packet.expanded', written)
        budget.take(read + written / writtenCheaperBy)
      },
    }
  }

  /** Room for messages, less the checksum that most packets get and the overhead of encryption. */
  get roomBytes(): number {
    return packetBytesDefault - checksumBytes - this.#sealing.overheadBytes
  }

  sizeOf(message: Message): number {
    return this.#encoder.sizeOf(message)
  }

  send(socket: UdpSocket, to: GossipAddress, messages: readonly Message[]): void {
    const checksum = this.#withoutChecksum.size === 0 || !this.#withoutChecksum.has(endpointText(to))
    const budget = packetBytesDefault - this.#sealing.overheadBytes
    for (const plain of this.#encoder.encode(messages, { budget, checksum })) {
      const packet = this.#sealing.seal(plain)
      this.#env.metrics.count('memberlist.udp.sent', packet.length)
      socket.send(to, packet)
    }
  }

  /** The messages that can be decoded; the others are dropped and counted. */
  receive(from: Endpoint, bytes: Uint8Array): readonly Message[] {
    this.#env.metrics.count('memberlist.udp.received', bytes.length)
    const plain = this.#sealing.isOn ? this.#unseal(bytes) : bytes
    if (plain === undefined) {
      this.#env.metrics.count('gossip.dropped.sealed')
      this.#drop(from, noKeyOpens)
      return []
    }
    const packet = decodePacket(plain, this.#expansion)
    if (!packet.ok) {
      this.#drop(from, packet.error)
      return []
    }
    const { messages, ignored, malformed, isCut } = packet.value
    if (isCut) this.#env.metrics.count('gossip.dropped.compressed')
    if (malformed > 0) this.#drop(from, 'a message in it cannot be read')
    if (ignored > 0) this.#env.metrics.count('gossip.ignored.message', ignored)
    return messages
  }

  #unseal(bytes: Uint8Array): Uint8Array | undefined {
    const plain = this.#sealing.unsealPacket(bytes, this.#budget)
    return plain === undefined && !this.#sealing.demands ? bytes : plain
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
    this.#env.log.write(
      'debug',
      'memberlist',
      'dropping the malformed part of a packet',
      {
        from: endpointText(from),
        reason,
      },
      'sampled',
    )
  }
}
