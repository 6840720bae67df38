/** An IP address as a number, to compare and to reckon with. */
export interface Ip {
  readonly bits: 32 | 128
  readonly value: bigint
}

/** Undefined where the text is no address. A zone (`%eth0`) is left out. */
export function parseIp(text: string): Ip | undefined {
  const bare = text.replace(/%.*$/, '')
  const four = parseIpv4(bare)
  if (four !== undefined) return { bits: 32, value: four }
  const six = bare.includes(':') ? parseIpv6(bare) : undefined
  return six === undefined ? undefined : { bits: 128, value: six }
}

function parseIpv4(text: string): bigint | undefined {
  const parts = text.split('.')
  if (parts.length !== 4 || !parts.every((part) => /^(0|[1-9]\d{0,2})$/.test(part) && Number(part) <= 255)) {
    return undefined
  }
  return parts.reduce((value, part) => (value << 8n) | BigInt(part), 0n)
}

/** RFC 4291, section 2.2. */
function parseIpv6(text: string): bigint | undefined {
  const tail = /^(.*:)([\d.]+)$/.exec(text)
  const four = tail?.[2]?.includes('.') === true ? parseIpv4(tail[2]) : undefined
  const all = four === undefined ? text : `${tail?.[1]}${(four >> 16n).toString(16)}:${(four & 0xffffn).toString(16)}`
  const halves = all.split('::')
  if (halves.length > 2) return undefined
  const [before = [], after = []] = halves.map((half) => (half === '' ? [] : half.split(':')))
  const missing = 8 - before.length - after.length
  if (halves.length === 2 ? missing < 1 : missing !== 0) return undefined
  const groups = [...before, ...Array.from({ length: halves.length === 2 ? missing : 0 }, () => '0'), ...after]
  if (!groups.every((group) => /^[0-9A-Fa-f]{1,4}$/.test(group))) return undefined
  return groups.reduce((value, group) => (value << 16n) | BigInt(`0x${group}`), 0n)
}

/** As people write it. RFC 5952, section 4. */
export function ipText({ bits, value }: Ip): string {
  if (bits === 32) return [24n, 16n, 8n, 0n].map((shift) => String((value >> shift) & 0xffn)).join('.')
  const groups = Array.from({ length: 8 }, (_, at) => (value >> BigInt(112 - 16 * at)) & 0xffffn)
  let best = { at: -1, length: 1 }
  for (let at = 0; at < 8; at++) {
    let length = 0
    while (groups[at + length] === 0n) length++
    if (length > best.length) best = { at, length }
  }
  const part = (from: number, to: number): string =>
    groups
      .slice(from, to)
      .map((group) => group.toString(16))
      .join(':')
  return best.at < 0 ? part(0, 8) : `${part(0, best.at)}::${part(best.at + best.length, 8)}`
}

/** Ones from the left. */
export function maskOf(bits: 32 | 128, prefix: number): bigint {
  const all = (1n << BigInt(bits)) - 1n
  return all ^ ((1n << BigInt(bits - prefix)) - 1n)
}

export interface Network {
  readonly first: Ip
  readonly prefix: number
}

/** `10.0.0.0/8`; an address alone is a network of itself. */
export function parseNetwork(text: string): Network | undefined {
  const [address = '', length] = text.split('/')
  const ip = parseIp(address)
  if (ip === undefined || (length !== undefined && !/^\d{1,3}$/.test(length))) return undefined
  const prefix = length === undefined ? ip.bits : Number(length)
  if (prefix > ip.bits) return undefined
  return { first: { ...ip, value: ip.value & maskOf(ip.bits, prefix) }, prefix }
}

export function contains({ first, prefix }: Network, ip: Ip): boolean {
  return first.bits === ip.bits && (ip.value & maskOf(ip.bits, prefix)) === first.value
}
