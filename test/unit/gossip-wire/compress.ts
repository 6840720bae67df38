/** LZW as agents of the field write it (see `expandLzw`), for tests: the table is by code before and byte. */
export function compressed(plain: Uint8Array): Uint8Array {
  const out: number[] = []
  let [bits, held, width, next] = [0, 0, 9, 257]
  const put = (code: number): void => {
    bits |= code << held
    held += width
    for (; held >= 8; held -= 8, bits >>>= 8) out.push(bits & 255)
  }
  let table = new Map<number, number>()
  put(256)
  let before = -1
  for (const byte of plain) {
    const longer = before < 0 ? byte : table.get(before * 256 + byte)
    if (longer !== undefined) {
      before = longer
      continue
    }
    put(before)
    next++
    if (next === 1 << width) width++
    if (next === 4095) {
      put(256)
      table = new Map()
      ;[width, next] = [9, 257]
    } else table.set(before * 256 + byte, next)
    before = byte
  }
  if (before >= 0) {
    put(before)
    next++
    if (next === 1 << width && width < 12) width++
  }
  put(257)
  if (held > 0) out.push(bits & 255)
  return Uint8Array.from(out)
}

/** A `compress` message, as a packet, a part of one or the frame of a stream. */
export function wrapped(packed: Uint8Array): Uint8Array {
  const head = packed.length < 65_536 ? [0xda] : [0xdb, packed.length >>> 24, (packed.length >>> 16) & 255]
  const length = [(packed.length >>> 8) & 255, packed.length & 255]
  const bytes = [9, 0x82, 0xa4, ...Buffer.from('Algo'), 0, 0xa3, ...Buffer.from('Buf'), ...head, ...length]
  return Uint8Array.from(Buffer.concat([Buffer.from(bytes), packed]))
}
