import { err, ok, type Result } from '../../base/result.ts'
import type { Message } from '../core/messages.ts'
import { packetBytesMax, packetDepthMax, packetMessagesMax } from './bounds.ts'
import { crc32 } from './crc32.ts'
import { expandLzw } from './lzw.ts'
import { readMessage, readUpperMessage } from './message-decoder.ts'
import { writeMessage } from './message-encoder.ts'
import { lowerType } from './message-types.ts'
import { ValueReader } from './value-reader.ts'
import { ValueWriter } from './value-writer.ts'

/** One compound holds no more, for its count is a byte. */
const compoundMessagesMax = 255
/** Type and count of a compound; the length of each of its messages. */
const compoundHeadBytes = 2
const compoundLengthBytes = 2
/** Type byte and CRC-32, big-endian. */
const checksumHeadBytes = 5

export interface PacketOptions {
  /** A packet grows no larger, but for one message that is larger by itself. */
  readonly budget: number
  /** Packets begin with a checksum. Receivers that understand protocol 5 want it; older ones do not understand it. */
  readonly checksum: boolean
}

/** What a packet brought. */
export interface Packet {
  readonly messages: readonly Message[]
  /** Messages of a kind of which we make nothing, such as user events. */
  readonly ignored: number
  /** Messages of the packet that could not be read; the others stand for themselves. */
  readonly malformed: number
}

/**
 * Messages to bytes. What is said again and again (who is alive, suspected, dead, about to leave) is encoded once for as
 * long as the message object lives, so hand the same object over each time.
 */
export class PacketEncoder {
  readonly #writer = new ValueWriter(1500)
  readonly #encoded = new WeakMap<Message, Uint8Array>()

  /** Bytes that the message takes in a packet, without what a compound adds for each. */
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
  const crc = crc32(packet, checksumHeadBytes)
  packet[0] = lowerType.checksum
  for (let i = 0; i < 4; i++) packet[1 + i] = crc >>> (24 - 8 * i)
}

/** What is in a packet, or why it has to be dropped whole. Never throws, whatever the bytes. */
export function decodePacket(bytes: Uint8Array): Result<Packet, string> {
  let body = bytes
  if (bytes.length >= checksumHeadBytes && bytes[0] === lowerType.checksum) {
    let expected = 0
    for (let i = 1; i < checksumHeadBytes; i++) expected = expected * 256 + (bytes[i] as number)
    if (crc32(bytes, checksumHeadBytes) !== expected) return err('the checksum does not fit')
    body = bytes.subarray(checksumHeadBytes)
  }
  const found = new Unwrapping()
  found.take(body, 0)
  const { messages, ignored, malformed, problem } = found
  if (problem !== undefined && messages.length === 0 && ignored === 0) return err(problem)
  return ok({ messages, ignored, malformed })
}

/** Takes a packet apart, bounded in depth, messages and expanded bytes. */
class Unwrapping {
  readonly messages: Message[] = []
  ignored = 0
  malformed = 0
  /** Why the last malformed part is so. */
  problem: string | undefined
  #room = packetBytesMax

  take(bytes: Uint8Array, depth: number): void {
    const problem = this.#open(bytes, depth)
    if (problem === undefined) return
    this.malformed++
    this.problem = problem
  }

  /** What is wrong with these bytes, if something is. */
  #open(bytes: Uint8Array, depth: number): string | undefined {
    const type = bytes[0]
    if (type === undefined) return 'there is nothing in it'
    if (depth > packetDepthMax) return 'it is wrapped too deep'
    if (type === lowerType.compound) return this.#openCompound(bytes, depth)
    if (type === lowerType.compress) return this.#openCompressed(bytes, depth)
    if (type === lowerType.encrypt) return 'it is encrypted'
    if (this.messages.length + this.ignored >= packetMessagesMax) return 'there are too many messages in it'
    const message =
      type === lowerType.user
        ? readUpperMessage(bytes[1] ?? -1, new ValueReader(bytes, 2))
        : readMessage(type, new ValueReader(bytes, 1))
    if (message === undefined) return `a message of type ${type} cannot be read`
    if (message === 'ignored') this.ignored++
    else this.messages.push(message)
    return undefined
  }

  /** As in the field, messages before the place where a compound is cut short still count. */
  #openCompound(bytes: Uint8Array, depth: number): string | undefined {
    const count = bytes[1] ?? 0
    let at = compoundHeadBytes + compoundLengthBytes * count
    if (count === 0 || at > bytes.length) return 'a compound is cut short'
    for (let i = 0; i < count; i++) {
      const place = compoundHeadBytes + compoundLengthBytes * i
      const length = ((bytes[place] as number) << 8) | (bytes[place + 1] as number)
      if (at + length > bytes.length) return 'a compound is cut short'
      this.take(bytes.subarray(at, at + length), depth + 1)
      at += length
    }
    return undefined
  }

  #openCompressed(bytes: Uint8Array, depth: number): string | undefined {
    const packed = readCompressed(new ValueReader(bytes, 1), packetBytesMax)
    if (packed === undefined) return 'compressed bytes cannot be read'
    const plain = expandLzw(packed, this.#room)
    if (!plain.ok) return plain.error
    this.#room -= plain.value.length
    return this.#open(plain.value, depth + 1)
  }
}

/** The compressed bytes of a `compress` message; undefined if it is malformed or compressed in another way. */
export function readCompressed(from: ValueReader, bytesMax: number): Uint8Array | undefined {
  let packed: Uint8Array | undefined
  for (let left = from.mapHead(); left > 0 && !from.failed; left--) {
    const key = from.key()
    if (key === 'Buf') packed = from.rawView(bytesMax)
    else if (key === 'Algo') {
      if (from.uint(255) !== 0) from.fail()
    } else from.skip()
  }
  return from.failed ? undefined : packed
}
