import { byteAt, wordAt } from './items.ts'

/** Table k, at 256 k: what a byte does to the checksum that k more bytes come after. */
const table = buildTable()

function buildTable(): Int32Array {
  const out = new Int32Array(1024)
  for (let n = 0; n < 256; n++) {
    let crc = n
    for (let bit = 0; bit < 8; bit++) crc = (crc & 1) === 1 ? (crc >>> 1) ^ 0x82f63b78 : crc >>> 1
    out[n] = crc
  }
  for (let at = 256; at < out.length; at++) {
    const before = wordAt(out, at - 256)
    out[at] = wordAt(out, before & 255) ^ (before >>> 8)
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
  let i = from
  // Four bytes at once, through four tables: half the time.
  for (; i + 4 <= to; i += 4) {
    crc ^= byteAt(bytes, i) | (byteAt(bytes, i + 1) << 8) | (byteAt(bytes, i + 2) << 16) | (byteAt(bytes, i + 3) << 24)
    crc =
      wordAt(table, 768 + (crc & 255)) ^
      wordAt(table, 512 + ((crc >>> 8) & 255)) ^
      wordAt(table, 256 + ((crc >>> 16) & 255)) ^
      wordAt(table, crc >>> 24)
  }
  for (; i < to; i++) crc = wordAt(table, (crc ^ byteAt(bytes, i)) & 255) ^ (crc >>> 8)
  return ~crc >>> 0
}
