const dot = 0x2e

/** The bytes of an IPv4 address (4) or an IPv6 address (16); undefined when the text is neither. No zones. */
export function ipBytes(text: string): Uint8Array | undefined {
  return text.includes(':') ? ipv6Bytes(text) : ipv4Bytes(text)
}

/**
 * The type of the record for an address. An IPv4-mapped IPv6 address (`::ffff:10.0.0.1`) gets an A record, as in the
 * field.
 */
export function addressRecordOf(
  text: string,
): { readonly type: 'A' | 'AAAA'; readonly address: string; readonly bytes: Uint8Array } | undefined {
  const bytes = ipBytes(text)
  if (bytes === undefined) return undefined
  if (bytes.length === 4) return { type: 'A', address: bytes.join('.'), bytes }
  const inner = mappedIpv4(bytes)
  if (inner !== undefined) return { type: 'A', address: inner.join('.'), bytes: inner }
  return { type: 'AAAA', address: ipv6Text(bytes), bytes }
}

/** Eight groups of hexadecimal digits, none left out. */
export function ipv6Text(bytes: Uint8Array): string {
  const groups: string[] = []
  for (let i = 0; i < 16; i += 2) groups.push((((bytes[i] ?? 0) << 8) | (bytes[i + 1] ?? 0)).toString(16))
  return groups.join(':')
}

/**
 * The canonical short text of an IPv6 address (RFC 5952) from its eight groups: the longest run of at least two zeros
 * becomes `::`.
 */
export function shortIpv6(groups: string): string {
  const parts = groups.split(':')
  let [best, length] = [0, 1]
  for (let start = 0; start < parts.length; start++) {
    let end = start
    while (parts[end] === '0') end++
    if (end - start > length) [best, length] = [start, end - start]
  }
  if (length < 2) return groups
  return `${parts.slice(0, best).join(':')}::${parts.slice(best + length).join(':')}`
}

function mappedIpv4(bytes: Uint8Array): Uint8Array | undefined {
  for (let i = 0; i < 12; i++) if (bytes[i] !== (i < 10 ? 0 : 0xff)) return undefined
  return bytes.subarray(12)
}

/** Character by character, because every record of an answer has an address. At most three digits each. */
function ipv4Bytes(text: string): Uint8Array | undefined {
  if (text.length < 7 || text.length > 15) return undefined
  const out = new Uint8Array(4)
  let [part, digits, value] = [0, 0, 0]
  for (let i = 0; i <= text.length; i++) {
    const code = i === text.length ? dot : text.charCodeAt(i)
    if (code === dot) {
      if (digits === 0 || value > 255 || part > 3) return undefined
      out[part++] = value
      digits = 0
      value = 0
    } else {
      if (code < 0x30 || code > 0x39 || ++digits > 3) return undefined
      value = value * 10 + code - 0x30
    }
  }
  return part === 4 ? out : undefined
}

function ipv6Bytes(text: string): Uint8Array | undefined {
  const halves = text.split('::')
  if (halves.length > 2) return undefined
  const head = groupBytes(halves[0] ?? '')
  const tail = groupBytes(halves[1] ?? '')
  if (head === undefined || tail === undefined) return undefined
  const count = head.length + tail.length
  // `::` stands for at least one group.
  if (halves.length === 2 ? count > 14 : count !== 16) return undefined
  const out = new Uint8Array(16)
  out.set(head)
  out.set(tail, 16 - tail.length)
  return out
}

/** The last group of an address may be written as IPv4. */
function groupBytes(text: string): number[] | undefined {
  if (text === '') return []
  const out: number[] = []
  const groups = text.split(':')
  for (const [at, group] of groups.entries()) {
    const dotted = at === groups.length - 1 && group.includes('.') ? ipv4Bytes(group) : undefined
    if (dotted !== undefined) out.push(...dotted)
    else if (/^[0-9a-f]{1,4}$/i.test(group)) {
      const value = Number.parseInt(group, 16)
      out.push(value >> 8, value & 0xff)
    } else return undefined
  }
  return out
}
