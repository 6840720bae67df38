import { ownerEnd } from './names.ts'
import { uint16 } from './reader.ts'

const headerBytes = 12
const truncatedBit = 0x02

/**
 * Whether a message can be read to its end, as far as the bounds of its questions and records say; what the records
 * contain does not matter. One that is marked as truncated may end anywhere behind its header.
 */
export function isReadable(message: Uint8Array): boolean {
  const { length } = message
  if (length < headerBytes) return false
  if (((message[2] ?? 0) & truncatedBit) !== 0) return true
  let at = headerBytes
  for (let left = uint16(message, 4); left > 0 && at <= length; left--) at = (ownerEnd(message, at) ?? length) + 4
  const records = uint16(message, 6) + uint16(message, 8) + uint16(message, 10)
  for (let left = records; left > 0 && at <= length; left--) {
    const data = (ownerEnd(message, at) ?? length) + 10
    at = data + uint16(message, data - 2)
  }
  return at <= length
}
