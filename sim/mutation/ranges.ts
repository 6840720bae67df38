/** Numbers of the set bytes, as ranges: `3-7,12`. */
export function rangesText(bytes: Uint8Array): string {
  const ranges: string[] = []
  for (let first = bytes.indexOf(1); first !== -1; ) {
    const behind = bytes.indexOf(0, first)
    const last = behind === -1 ? bytes.length - 1 : behind - 1
    ranges.push(first === last ? String(first) : `${first}-${last}`)
    first = behind === -1 ? -1 : bytes.indexOf(1, behind)
  }
  return ranges.join(',')
}

/** The bytes of such a text; numbers beyond `length` are left out. */
export function bytesOfRanges(text: string, length: number): Uint8Array {
  const bytes = new Uint8Array(length)
  for (const range of text === '' ? [] : text.split(',')) {
    const [first, last = first] = range.split('-').map(Number)
    if (first !== undefined && last !== undefined) bytes.fill(1, first, last + 1)
  }
  return bytes
}
