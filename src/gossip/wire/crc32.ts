const table = buildTable()

function buildTable(): Uint32Array {
  const out = new Uint32Array(256)
  for (let n = 0; n < 256; n++) {
    let crc = n
    for (let bit = 0; bit < 8; bit++) crc = (crc & 1) === 1 ? (crc >>> 1) ^ 0xedb88320 : crc >>> 1
    out[n] = crc >>> 0
  }
  return out
}

/** CRC-32 of Ethernet (IEEE 802.3), which packets carry, of the bytes from `from` on; unsigned. */
export function crc32(bytes: Uint8Array, from = 0): number {
  let crc = 0xffffffff
  for (let i = from; i < bytes.length; i++) crc = (table[(crc ^ (bytes[i] as number)) & 255] as number) ^ (crc >>> 8)
  return ~crc >>> 0
}
