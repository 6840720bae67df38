import { crc32 } from '../../base/crc32.ts'
import { byteAt } from '../../base/items.ts'
import { err, ok, type Result } from '../../base/result.ts'
import type { Message } from '../core/messages.ts'
import { expandedBytesMax, packetBytesMax, packetDepthMax, packetMessagesMax } from './bounds.ts'
import { expandLzw, lzwBeginning } from './lzw.ts'
import { readMessage, readUpperMessage } from './message-decoder.ts'
import { isProbeType, lowerType } from './message-types.ts'
import { checksumHeadBytes, compoundHeadBytes, compoundLengthBytes } from './packet.ts'
import { ValueReader } from './value-reader.ts'

/** The content of a packet. */
export interface Packet {
  readonly messages: readonly Message[]
  /** Number of messages of kinds that this agent has no use for, such as user events. */
  readonly ignored: number
  /** Number of messages of the packet that could not be read; the others are not affected. */
  readonly malformed: number
  /**
   * The packet was compressed and there was no budget for it: only a probe or an acknowledgement at its beginning was
   * read.
   */
  readonly isCut: boolean
}

/** The budget for expanding packets. */
export interface ExpansionBudget {
  readonly isSpent: boolean
  /** Takes the bytes that were read and written from the budget. */
  take(read: number, written: number): void
}

const unlimited: ExpansionBudget = { isSpent: false, take: () => undefined }

/**
 * How much of a compressed packet is expanded at most when the budget is used up. The first message of a packet is the
 * probe or the acknowledgement, if it has one. Behind the lengths of 255 messages this has room for the largest of them
 * that the field sends, an acknowledgement with a coordinate, five times over.
 */
const beginningBytes = 1_280

/**
 * Decodes a packet, or returns why it has to be dropped as a whole. Never throws, whatever the bytes. As in the field,
 * a packet is, from the outside in: a checksum, compression, a compound, messages; each of the first three may be
 * missing.
 */
export function decodePacket(bytes: Uint8Array, budget: ExpansionBudget = unlimited): Result<Packet, string> {
  let body = bytes
  if (bytes.length >= checksumHeadBytes && bytes[0] === lowerType.checksum) {
    let expected = 0
    for (let i = 1; i < checksumHeadBytes; i++) expected = expected * 256 + byteAt(bytes, i)
    if (crc32(bytes.subarray(checksumHeadBytes)) !== expected) return err('the checksum does not match')
    body = bytes.subarray(checksumHeadBytes)
  }
  return body[0] === lowerType.compress ? decodeCompressed(body, budget) : decodePlain(body)
}

function decodeCompressed(bytes: Uint8Array, budget: ExpansionBudget): Result<Packet, string> {
  const packed = readCompressed(new ValueReader(bytes, 1), packetBytesMax)
  if (packed === undefined) return err('compressed bytes cannot be read')
  if (budget.isSpent) return ok(decodeBeginning(lzwBeginning(packed, beginningBytes)))
  const bytesMax = expandedBytesMax(packed.length, packetBytesMax)
  const plain = expandLzw(packed, bytesMax)
  // A refused packet has cost as much as it was allowed to.
  budget.take(packed.length, plain.ok ? plain.value.length : bytesMax)
  return plain.ok ? decodePlain(plain.value) : plain
}

/** Only the first message, if it is complete and belongs to the probe protocol. */
function decodeBeginning(bytes: Uint8Array): Packet {
  const first = bytes[0] === lowerType.compound ? firstPart(bytes) : bytes
  const type = first[0]
  const message = type !== undefined && isProbeType(type) ? readMessage(type, new ValueReader(first, 1)) : undefined
  const messages = message === undefined || message === 'ignored' ? [] : [message]
  return { messages, ignored: 0, malformed: 0, isCut: true }
}

function firstPart(compound: Uint8Array): Uint8Array {
  const start = compoundHeadBytes + compoundLengthBytes * (compound[1] ?? 0)
  const length = ((compound[compoundHeadBytes] ?? 0) << 8) | (compound[compoundHeadBytes + 1] ?? 0)
  return compound.subarray(start, start + length)
}

function decodePlain(bytes: Uint8Array): Result<Packet, string> {
  const found = new Unwrapping()
  found.take(bytes, 0)
  const { messages, ignored, malformed, problem } = found
  if (problem !== undefined && messages.length === 0 && ignored === 0) return err(problem)
  return ok({ messages, ignored, malformed, isCut: false })
}

/** Takes a packet apart, bounded in depth and messages. */
class Unwrapping {
  readonly messages: Message[] = []
  ignored = 0
  malformed = 0
  /** Why the last malformed part is malformed. */
  problem: string | undefined

  take(bytes: Uint8Array, depth: number): void {
    const problem = this.#open(bytes, depth)
    if (problem === undefined) return
    this.malformed++
    this.problem = problem
  }

  /** What is wrong with these bytes, if anything. */
  #open(bytes: Uint8Array, depth: number): string | undefined {
    const type = bytes[0]
    if (type === undefined) return 'there is nothing in it'
    if (depth > packetDepthMax) return 'it is nested too deeply'
    if (type === lowerType.compound) return this.#openCompound(bytes, depth)
    if (type === lowerType.compress) return 'compressed bytes are within it'
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
      const length = (byteAt(bytes, place) << 8) | byteAt(bytes, place + 1)
      if (at + length > bytes.length) return 'a compound is cut short'
      this.take(bytes.subarray(at, at + length), depth + 1)
      at += length
    }
    return undefined
  }
}

/** The compressed bytes of a `compress` message; undefined if it is malformed or compressed in another way. */
export function readCompressed(from: ValueReader, bytesMax: number): Uint8Array | undefined {
  let packed: Uint8Array | undefined
  for (let left = from.fields(); left > 0 && !from.failed; left--) {
    const key = from.key()
    if (key === 'Buf') packed = from.rawView(bytesMax)
    else if (key === 'Algo') {
      if (from.uint(255) !== 0) from.fail()
    } else from.skip()
  }
  return from.failed ? undefined : packed
}
