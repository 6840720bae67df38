/** LZW as agents of the field write it (see `expandLzw`), for tests: simple and slow. */
export function compressed(plain: Uint8Array): Uint8Array {
  const out: number[] = []
  let [bits, held, width, next] = [0, 0, 9, 257]
  const put = (code: number): void => {
    bits |= code << held
    held += width
    for (; held >= 8; held -= 8, bits >>>= 8) out.push(bits & 255)
  }
  let table = new Map<string, number>()
  const codeOf = (text: string): number => (text.length === 1 ? text.charCodeAt(0) : (table.get(text) as number))
  put(256)
  let before = ''
  for (const byte of plain) {
    const longer = before + String.fromCharCode(byte)
    if (longer.length === 1 || table.has(longer)) {
      before = longer
      continue
    }
    put(codeOf(before))
    next++
    if (next === 1 << width) width++
    if (next === 4095) {
      put(256)
      table = new Map()
      ;[width, next] = [9, 257]
    } else table.set(longer, next)
    before = String.fromCharCode(byte)
  }
  if (before !== '') {
    put(codeOf(before))
    next++
    if (next === 1 << width && width < 12) width++
  }
  put(257)
  if (held > 0) out.push(bits & 255)
  return Uint8Array.from(out)
}
