import { invariant } from './invariant.ts'
import { byteAt, wordAt } from './items.ts'

/** Table k, at 256 k: the effect of a byte on the checksum when k more bytes follow it. */
const table = buildTable()

function buildTable(): Int32Array {
  const out = new Int32Array(2048)
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

/** As `crc32c`, for the bytes from `from` up to `to`, which is excluded. */
export function crc32cOf(bytes: Uint8Array, from: number, to: number, before = 0): number {
  invariant(from >= 0 && to <= bytes.length, 'a checksum is of bytes that are there', { from, to })
  let crc = ~before
  let i = from
  // Eight bytes at once through eight tables, in a third of the time of single bytes. No index is outside its table.
  for (; i + 8 <= to; i += 8) {
    const low =
      crc ^ ((bytes[i] ?? 0) | ((bytes[i + 1] ?? 0) << 8) | ((bytes[i + 2] ?? 0) << 16) | ((bytes[i + 3] ?? 0) << 24))
    crc =
      (table[1792 + (low & 255)] ?? 0) ^
      (table[1536 + ((low >>> 8) & 255)] ?? 0) ^
      (table[1280 + ((low >>> 16) & 255)] ?? 0) ^
      (table[1024 + (low >>> 24)] ?? 0) ^
      (table[768 + (bytes[i + 4] ?? 0)] ?? 0) ^
      (table[512 + (bytes[i + 5] ?? 0)] ?? 0) ^
      (table[256 + (bytes[i + 6] ?? 0)] ?? 0) ^
      (table[bytes[i + 7] ?? 0] ?? 0)
  }
  for (; i < to; i++) crc = wordAt(table, (crc ^ byteAt(bytes, i)) & 255) ^ (crc >>> 8)
  return ~crc >>> 0
}
