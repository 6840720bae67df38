import { typeCodes } from '../dns-wire/message.ts'
import { lowerByte, plainNameEnd, sameQuestion } from '../dns-wire/names.ts'
import { uint16 } from '../dns-wire/reader.ts'
import type { DnsTransport } from './answer.ts'

const headerBytes = 12
const typeAndClassBytes = 4
const clientSubnetOption = 8

/**
 * The parts of a packet that determine its answer, extracted without parsing it whole: the header without its ID, the
 * question, and the EDNS size. Packets with one signature differ only in their ID, the case of the name, and options
 * that this agent ignores.
 */
export interface Signature {
  readonly hash: number
  readonly transport: DnsTransport
  readonly packet: Uint8Array
  readonly nameEnd: number
  /** The EDNS size; -1: there is no OPT record. */
  readonly udpSize: number
}

/** Undefined: not a plain question, which is to be read and answered by itself. */
export function signatureOf(packet: Uint8Array, transport: DnsTransport): Signature | undefined {
  // One question, no answer and no authority, at most one record beside it; itself no answer.
  if (packet.length < headerBytes || (packet[2] ?? 0) >= 0x80) return undefined
  if (uint16(packet, 4) !== 1 || uint16(packet, 6) !== 0 || uint16(packet, 8) !== 0) return undefined
  const nameEnd = plainNameEnd(packet, headerBytes)
  if (nameEnd === undefined || nameEnd + typeAndClassBytes > packet.length) return undefined
  const udpSize = offeredSize(packet, nameEnd + typeAndClassBytes)
  if (udpSize === undefined) return undefined
  const start = transport === 'udp' ? 0x811c9dc5 : 0x01000193
  let hash = mixed(mixed(start, uint16(packet, 2)), udpSize)
  for (let at = headerBytes; at < nameEnd; at++) {
    const byte = packet[at] ?? 0
    // Only the case of ASCII is folded where names are compressed.
    if (byte >= 0x80) return undefined
    hash = mixed(hash, lowerByte(byte))
  }
  hash = mixed(mixed(hash, uint16(packet, nameEnd)), uint16(packet, nameEnd + 2))
  return { hash: hash >>> 0, transport, packet, nameEnd, udpSize }
}

export function isSame(a: Signature, b: Signature): boolean {
  return (
    a.hash === b.hash &&
    a.transport === b.transport &&
    a.udpSize === b.udpSize &&
    uint16(a.packet, 2) === uint16(b.packet, 2) &&
    sameQuestion(a.packet, b.packet)
  )
}

/** The same without the rest of the packet, to be kept. */
export function kept(signature: Signature): Signature {
  return { ...signature, packet: signature.packet.slice(0, signature.nameEnd + typeAndClassBytes) }
}

/** An answer to a packet, said to another of the same signature: its number and the case of its name are another's. */
export function answerTo({ packet, nameEnd }: Signature, answer: Uint8Array): Uint8Array {
  const out = answer.slice()
  out[0] = packet[0] ?? 0
  out[1] = packet[1] ?? 0
  for (let at = headerBytes; at < nameEnd; at++) out[at] = packet[at] ?? 0
  return out
}

/** -1 without an OPT record; undefined where something else is there. */
function offeredSize(packet: Uint8Array, at: number): number | undefined {
  const beside = uint16(packet, 10)
  if (beside === 0) return -1
  return beside === 1 && isPlainOpt(packet, at) ? uint16(packet, at + 3) : undefined
}

/** An OPT record with no option that an answer depends on. What is not whole is not plain, either. */
function isPlainOpt(packet: Uint8Array, start: number): boolean {
  const data = start + 11
  if (data > packet.length || packet[start] !== 0 || uint16(packet, start + 1) !== typeCodes.OPT) return false
  const end = data + uint16(packet, data - 2)
  if (end > packet.length) return false
  let at = data
  while (at < end) {
    if (at + 4 > end || uint16(packet, at) === clientSubnetOption) return false
    at += 4 + uint16(packet, at + 2)
  }
  return at === end
}

/** FNV-1a, of more than a byte at a time. Two questions of one hash only mean that one of them is not kept. */
function mixed(hash: number, value: number): number {
  return Math.imul(hash ^ value, 0x0100_0193)
}
