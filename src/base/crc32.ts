import { byteAt, wordAt } from './items.ts'

const table = buildTable()

function buildTable(): Int32Array {
  const out = new Int32Array(256)
  for (let n = 0; n < 256; n++) {
    let crc = n
    for (let bit = 0; bit < 8; bit++) crc = (crc & 1) === 1 ? (crc >>> 1) ^ 0xedb88320 : crc >>> 1
    out[n] = crc
  }
  return out
}

/**
 * CRC-32 of gzip (RFC 1952, 8), of Ethernet (IEEE 802.3) and of gossip's packets, as an unsigned 32-bit number; pass an
 * earlier result to go on from it.
 */
export function crc32(bytes: Uint8Array, before = 0): number {
  let crc = ~before
  for (let at = 0; at < bytes.length; at++) {
    crc = wordAt(table, (crc ^ byteAt(bytes, at)) & 255) ^ (crc >>> 8)
  }
  return ~crc >>> 0
}
