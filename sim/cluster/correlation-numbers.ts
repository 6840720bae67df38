import { lowerType } from '../../src/gossip/wire/message-types.ts'
import type { Holes } from '../world/decisions/identity.ts'

/**
 * Finds numbers in agents' messages that only match an answer with its question: the IDs of requests, the rounds of
 * Raft, the sequence numbers of probes. They count earlier requests, so they are not part of a packet's identity: with
 * one request fewer, every later packet would be another one, with another fate. Whatever depends on them is left out
 * as well: lengths and checksums; the measurements of a probe (the coordinate in an acknowledgement); the ciphertext
 * after a nonce, because the nonce identifies the text.
 *
 * This looks only at the form of the bytes, and a wrong guess does no harm: packets that differ only in the omitted
 * parts count as occurrences of one description.
 */
export function findCorrelationNumbers(bytes: Uint8Array, holes: Holes): void {
  if (isFrame(bytes, 0)) inFrames(bytes, holes)
  else if (bytes.length >= sealedBytesMin) inGossip(bytes, holes)
  else if (bytes.length > 1) inMessage(bytes, 0, bytes.length, holes)
}

/** Codes of RPC frames (`src/rpc/frame.ts`) and of Raft's messages (`src/raft/codec.ts`). */
const frameCodes = { request: 1, cancel: 4, notice: 5, last: 7 } as const
const raftCodes = { append: 3, snapshotChunk: 5, last: 6 } as const

/** `raft`, with which the topic of Raft's messages begins. */
const raftTopic = [0x72, 0x61, 0x66, 0x74] as const

const lengthBytes = 4
const nonceEnd = 13
const sealedBytesMin = 29
const sealedHeadBytes = 5
const sequenceKey = [0x53, 0x65, 0x71, 0x4e, 0x6f] as const
const payloadKey = [0x50, 0x61, 0x79, 0x6c, 0x6f, 0x61, 0x64] as const

/** Whether a length below 16 MiB is followed by a short array that begins with a code. */
function isFrame(bytes: Uint8Array, at: number): boolean {
  if (bytes.length < at + 6 || bytes[at] !== 0) return false
  return ((bytes[at + 4] as number) & 0xf0) === 0x90 && (bytes[at + 5] as number) <= frameCodes.last
}

/** A piece of a stream begins with a frame, and may end within one. */
function inFrames(bytes: Uint8Array, holes: Holes): void {
  for (let at = 0; isFrame(bytes, at); ) {
    const code = bytes[at + 5] as number
    holes.add(at, at + lengthBytes)
    const inside = at + lengthBytes + 2
    if (code >= frameCodes.request && code <= frameCodes.cancel) holes.add(inside, afterValue(bytes, inside))
    else if (code === frameCodes.notice) inNotice(bytes, inside, holes)
    at += lengthBytes + lengthAt(bytes, at + 1, 3)
  }
}

/** A topic and bytes; those of Raft have a round. */
function inNotice(bytes: Uint8Array, topicAt: number, holes: Holes): void {
  if (!spells(bytes, topicAt + 1, raftTopic)) return
  const headAt = afterValue(bytes, topicAt)
  const size = (bytes[headAt] as number) - 0xc4
  if (!(size >= 0 && size <= 2)) return
  const messageAt = headAt + 1 + (1 << size)
  holes.add(headAt, messageAt)
  const code = bytes[messageAt + 2] as number
  if (!(code >= raftCodes.append && code <= raftCodes.last)) return
  // Skips its format and code, then all fields before the round.
  let at = messageAt + 3
  for (let left = code === raftCodes.snapshotChunk ? 5 : 4; left > 0; left--) at = afterValue(bytes, at)
  holes.add(at, afterValue(bytes, at))
}

/**
 * Packets are sealed, or begin with the type of a message, a compound or a checksum; frames of streams are like
 * packets.
 */
function inGossip(bytes: Uint8Array, holes: Holes): void {
  const [type, next] = bytes as unknown as readonly [number, number]
  if (type === lowerType.encrypt) {
    holes.add(1, sealedHeadBytes)
    holes.add(sealedHeadBytes + nonceEnd, bytes.length)
    return
  }
  // A message of these types begins with a map, and a sealed packet with the version 0 or 1 and a nonce.
  if (type <= 1 && (next & 0xf0) !== 0x80) {
    holes.add(nonceEnd, bytes.length)
    return
  }
  let at = 0
  if (type === lowerType.checksum) {
    holes.add(1, 5)
    at = 5
  }
  if (bytes[at] === lowerType.compound) inCompound(bytes, at, holes)
  else inMessage(bytes, at, bytes.length, holes)
}

/** A count, the length of each message, the messages. */
function inCompound(bytes: Uint8Array, at: number, holes: Holes): void {
  const count = bytes[at + 1] ?? 0
  let messageAt = at + 2 + 2 * count
  if (messageAt > bytes.length) return
  holes.add(at + 2, messageAt)
  for (let i = 0; i < count && messageAt < bytes.length; i++) {
    const end = Math.min(bytes.length, messageAt + lengthAt(bytes, at + 2 + 2 * i, 2))
    inMessage(bytes, messageAt, end, holes)
    messageAt = end
  }
}

/** The sequence number of probes, and the measurement in an acknowledgement. */
function inMessage(bytes: Uint8Array, at: number, messageEnd: number, holes: Holes): void {
  const type = bytes[at]
  const isProbe =
    type === lowerType.ping || type === lowerType.indirectPing || type === lowerType.ack || type === lowerType.nack
  const head = bytes[at + 1] as number
  if (!isProbe || (head & 0xf0) !== 0x80) return
  let keyAt = at + 2
  for (let left = head & 15; left > 0 && keyAt < messageEnd; left--) {
    const valueAt = afterValue(bytes, keyAt, messageEnd)
    const end = afterValue(bytes, valueAt, messageEnd)
    if (spells(bytes, keyAt + 1, sequenceKey) || spells(bytes, keyAt + 1, payloadKey)) holes.add(valueAt, end)
    keyAt = end
  }
}

function spells(bytes: Uint8Array, at: number, text: readonly number[]): boolean {
  for (let i = 0; i < text.length; i++) if (bytes[at + i] !== text[i]) return false
  return true
}

function lengthAt(bytes: Uint8Array, at: number, size: number): number {
  let length = 0
  for (let i = 0; i < size; i++) length = length * 256 + (bytes[at + i] ?? 0)
  return length
}

/**
 * Of heads from 0xc0: bytes of the value behind the head; where there is a second number, bytes of the length before
 * it.
 */
const sizes: readonly number[] = [
  0, 0, 0, 0, -1, -2, -4, -1, -2, -4, 4, 8, 1, 2, 4, 8, 1, 2, 4, 8, 2, 3, 5, 9, 17, -1, -2, -4,
]

/** Where a value of MessagePack ends that begins here, but never beyond the end. */
function afterValue(bytes: Uint8Array, start: number, end = bytes.length): number {
  let at = start
  for (let left = 1; left > 0 && at < end; left--) {
    const head = bytes[at++] as number
    if (head < 0x80 || head >= 0xe0) continue
    if (head < 0xa0) left += head < 0x90 ? 2 * (head & 15) : head & 15
    else if (head < 0xc0) at += head & 31
    else {
      // Long arrays and maps are in none of these places.
      const size = sizes[head - 0xc0] ?? end
      at += size >= 0 ? size : lengthAt(bytes, at, -size) - size
    }
  }
  return Math.min(at, end)
}
