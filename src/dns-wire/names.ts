import { uint16 } from './reader.ts'

const labelBytesMax = 63
/** Maximum bytes of a name, including the length of each label and the root's. RFC 1035, section 2.3.4. */
const nameBytesMax = 255

/** Whether a name can be sent: absolute, every label of 1 to 63 bytes, one character for each byte. */
export function isName(name: string): boolean {
  if (name === '.') return true
  if (!name.endsWith('.') || name.length + 1 > nameBytesMax) return false
  let label = 0
  for (let i = 0; i < name.length; i++) {
    const code = name.charCodeAt(i)
    if (code > 0xff) return false
    if (code !== 0x2e) label++
    else if (label === 0 || label > labelBytesMax) return false
    else label = 0
  }
  return true
}

/**
 * The end of a name in a question, or undefined if it is malformed. Only uncompressed names are accepted: in a question
 * there is nothing yet that a pointer could refer to. A dot within a label is refused, too, because as text it would
 * separate labels.
 */
export function plainNameEnd(message: Uint8Array, start: number): number | undefined {
  let at = start
  while (at - start < nameBytesMax) {
    const length = message[at]
    if (length === undefined || length > labelBytesMax) return undefined
    at++
    if (length === 0) return at
    const end = at + length
    if (end > message.length) return undefined
    for (; at < end; at++) if (message[at] === 0x2e) return undefined
  }
  return undefined
}

/** The end of a record's owner name, which may end in a pointer; its target does not matter. */
export function ownerEnd(message: Uint8Array, start: number): number | undefined {
  let at = start
  while (at - start < nameBytesMax) {
    const length = message[at]
    if (length === undefined) return undefined
    if (length >= 0xc0) return at + 2
    if (length > labelBytesMax) return undefined
    at += 1 + length
    if (length === 0) return at
  }
  return undefined
}

const headerBytes = 12

/** Whether both messages contain the same single question, regardless of case. */
export function sameQuestion(a: Uint8Array, b: Uint8Array): boolean {
  if (uint16(a, 4) !== 1 || uint16(b, 4) !== 1) return false
  const nameEnd = plainNameEnd(a, headerBytes)
  if (nameEnd === undefined || nameEnd + 4 > Math.min(a.length, b.length)) return false
  for (let at = headerBytes; at < nameEnd; at++) {
    if (lowerByte(a[at] ?? 0) !== lowerByte(b[at] ?? 0)) return false
  }
  return uint16(a, nameEnd) === uint16(b, nameEnd) && uint16(a, nameEnd + 2) === uint16(b, nameEnd + 2)
}

/** An ASCII letter in lower case. Lengths of labels are not letters. */
export function lowerByte(byte: number): number {
  return byte >= 0x41 && byte <= 0x5a ? byte + 0x20 : byte
}
