import { compoundHeaderBytes, compoundMessageBytes } from '../../src/gossip/core/bounds.ts'
import type { FullState, Message } from '../../src/gossip/core/messages.ts'
import { encodeFullState } from '../../src/gossip/wire/full-state.ts'
import { PacketEncoder } from '../../src/gossip/wire/packet.ts'

/** Network traffic. Streams are exchanges of full states, both ways, without the overhead of TCP. */
export interface Traffic {
  datagrams: number
  datagramBytes: number
  exchanges: number
  streamBytes: number
}

/**
 * Counts what a pool sends. The real encoder measures one message of each kind, and one full state: all names and tags
 * of a pool have equal lengths, so one measurement holds for all.
 */
export class PoolTraffic {
  readonly counted: Traffic = { datagrams: 0, datagramBytes: 0, exchanges: 0, streamBytes: 0 }
  readonly #encoder = new PacketEncoder()
  readonly #bytesOfKind = new Map<Message['kind'], number>()
  #stateBytes: number | undefined

  datagram(messages: readonly Message[]): void {
    this.counted.datagrams++
    this.counted.datagramBytes += this.#packetBytes(messages)
  }

  /** Counts an exchange: `state` is sent one way, and a state of the same size the other way. */
  exchange(state: FullState): void {
    this.counted.exchanges++
    this.counted.streamBytes += 2 * this.#bytesOfState(state)
  }

  bytesOf(message: Message): number {
    const known = this.#bytesOfKind.get(message.kind)
    if (known !== undefined) return known
    const bytes = this.#encoder.sizeOf(message)
    this.#bytesOfKind.set(message.kind, bytes)
    return bytes
  }

  #packetBytes(messages: readonly Message[]): number {
    let bytes = messages.length === 1 ? 0 : compoundHeaderBytes
    for (const message of messages) bytes += this.bytesOf(message) + (messages.length === 1 ? 0 : compoundMessageBytes)
    return bytes
  }

  #bytesOfState(state: FullState): number {
    this.#stateBytes ??= encodeFullState(state).length
    return this.#stateBytes
  }
}
