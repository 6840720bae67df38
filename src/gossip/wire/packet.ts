import { crc32 } from '../../base/crc32.ts'
import type { Message } from '../core/messages.ts'
import { writeMessage } from './message-encoder.ts'
import { lowerType } from './message-types.ts'
import { ValueWriter } from './value-writer.ts'

/** Maximum number of messages in one compound, whose count is a byte. */
const compoundMessagesMax = 255
/** Type and count of a compound; the length of each of its messages. */
export const compoundHeadBytes = 2
export const compoundLengthBytes = 2
/** Type byte and CRC-32, big-endian. */
export const checksumHeadBytes = 5

export interface PacketOptions {
  /** Maximum size of a packet, except for one message that is larger by itself. */
  readonly budget: number
  /** Packets begin with a checksum. Receivers from protocol 5 on require it; older ones do not understand it. */
  readonly checksum: boolean
}

/**
 * Encodes messages. Messages that are sent again and again (a member is alive, suspect, dead or leaving) are encoded
 * once for as long as the message object lives, so callers pass the same object each time.
 */
export class PacketEncoder {
  readonly #writer = new ValueWriter(1500)
  readonly #encoded = new WeakMap<Message, Uint8Array>()

  /** Size of the message in a packet, without what a compound adds for each. */
  sizeOf(message: Message): number {
    return this.#encode(message).length
  }

  /** Messages in their order, in as few packets as the budget allows. */
  encode(messages: readonly Message[], options: PacketOptions): Uint8Array[] {
    const packets: Uint8Array[] = []
    const room = options.budget - (options.checksum ? checksumHeadBytes : 0)
    let parts: Uint8Array[] = []
    let size = compoundHeadBytes
    for (const message of messages) {
      const part = this.#encode(message)
      const grown = size + compoundLengthBytes + part.length
      if (parts.length > 0 && (grown > room || parts.length === compoundMessagesMax)) {
        packets.push(join(parts, options.checksum))
        parts = []
        size = compoundHeadBytes
      }
      parts.push(part)
      size += compoundLengthBytes + part.length
    }
    if (parts.length > 0) packets.push(join(parts, options.checksum))
    return packets
  }

  #encode(message: Message): Uint8Array {
    const known = this.#encoded.get(message)
    if (known !== undefined) return known
    writeMessage(this.#writer, message)
    const bytes = this.#writer.take()
    if (isSaidAgain(message)) this.#encoded.set(message, bytes)
    return bytes
  }
}

function isSaidAgain(message: Message): boolean {
  switch (message.kind) {
    case 'alive':
    case 'suspect':
    case 'dead':
    case 'leave-intent':
    case 'join-intent':
    case 'user-event':
    case 'query':
      return true
    default:
      return false
  }
}

function join(parts: readonly Uint8Array[], checksum: boolean): Uint8Array {
  const [only] = parts
  if (parts.length === 1 && only !== undefined && !checksum) return only
  const start = checksum ? checksumHeadBytes : 0
  let length = start + (parts.length === 1 ? 0 : compoundHeadBytes)
  for (const part of parts) length += part.length + (parts.length === 1 ? 0 : compoundLengthBytes)
  const out = new Uint8Array(length)
  let at = start
  if (parts.length > 1) {
    out[at++] = lowerType.compound
    out[at++] = parts.length
    for (const part of parts) {
      out[at++] = part.length >>> 8
      out[at++] = part.length
    }
  }
  for (const part of parts) {
    out.set(part, at)
    at += part.length
  }
  if (checksum) writeChecksum(out)
  return out
}

function writeChecksum(packet: Uint8Array): void {
  const crc = crc32(packet.subarray(checksumHeadBytes))
  packet[0] = lowerType.checksum
  for (let i = 0; i < 4; i++) packet[1 + i] = crc >>> (24 - 8 * i)
}
