const table = buildTable()

function buildTable(): Uint32Array {
  const out = new Uint32Array(256)
  for (let n = 0; n < 256; n++) {
    let crc = n
    for (let bit = 0; bit < 8; bit++) crc = (crc & 1) === 1 ? (crc >>> 1) ^ 0x82f63b78 : crc >>> 1
    out[n] = crc >>> 0
  }
  return out
}

/**
 * CRC-32C (Castagnoli) of the bytes, as an unsigned 32-bit number; pass an earlier result to go on from it.
 * Source: RFC 3720, appendix B.4.
 */
export function crc32c(bytes: Uint8Array, before = 0): number {
  return crc32cOf(bytes, 0, bytes.length, before)
}

/** The same of a part of them, from `from` on and before `to`. */
export function crc32cOf(bytes: Uint8Array, from: number, to: number, before = 0): number {
  let crc = ~before
  for (let i = from; i < to; i++) crc = (table[(crc ^ (bytes[i] as number)) & 255] as number) ^ (crc >>> 8)
  return ~crc >>> 0
}
