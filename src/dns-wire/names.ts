const labelBytesMax = 63
/** With the length of each label and the root's. RFC 1035, section 2.3.4. */
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
 * Where a name of a question ends, or undefined when it is none. Only what is written out in full is taken: in a question
 * there is nothing yet that a pointer could point to. A dot within a label is refused, too, for in text it would part two.
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

/** The same for the owner of a record, which may end in a pointer; where that points to does not matter. */
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
