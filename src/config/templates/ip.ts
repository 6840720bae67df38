/** An IP address as a number, for comparisons and calculations. */
export interface Ip {
  readonly bits: 32 | 128
  readonly value: bigint
}

/** Undefined if the text is not an address. A zone (`%eth0`) is dropped. */
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

/** Parses the forms of RFC 4291, section 2.2. */
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

/** The canonical text of an address. RFC 5952, section 4. */
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

/** A mask of ones from the left. */
export function maskOf(bits: 32 | 128, prefix: number): bigint {
  const all = (1n << BigInt(bits)) - 1n
  return all ^ ((1n << BigInt(bits - prefix)) - 1n)
}

interface Network {
  readonly first: Ip
  readonly prefix: number
}

/** Parses `10.0.0.0/8`; an address without a prefix length is a network of that one address. */
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

/** Networks by their purpose, under the number of the RFC that reserves them. */
const networksOf: ReadonlyMap<string, readonly string[]> = new Map([
  ['1112', ['224.0.0.0/4']],
  ['1918', ['10.0.0.0/8', '172.16.0.0/12', '192.168.0.0/16']],
  ['2544', ['198.18.0.0/15']],
  ['3927', ['169.254.0.0/16']],
  ['4193', ['fc00::/7']],
  ['4291', ['::/128', '::1/128', '::ffff:0:0/96', 'fe80::/10', 'ff00::/8']],
  ['5737', ['192.0.2.0/24', '198.51.100.0/24', '203.0.113.0/24']],
  ['6598', ['100.64.0.0/10']],
  [
    '6890',
    [
      ...['0.0.0.0/8', '10.0.0.0/8', '100.64.0.0/10', '127.0.0.0/8', '169.254.0.0/16', '172.16.0.0/12'],
      ...['192.0.0.0/24', '192.0.2.0/24', '192.88.99.0/24', '192.168.0.0/16', '198.18.0.0/15'],
      ...['198.51.100.0/24', '203.0.113.0/24', '240.0.0.0/4'],
      ...['::1/128', '::/128', '64:ff9b::/96', '::ffff:0:0/96', '100::/64', '2001::/23', '2001:db8::/32'],
      ...['2002::/16', 'fc00::/7', 'fe80::/10'],
    ],
  ],
])

/** Networks that are not forwardable by RFC 6890, tables 1 to 26, column Forwardable, and multicast. */
const notForwardable = [
  ...['0.0.0.0/8', '127.0.0.0/8', '169.254.0.0/16', '192.0.0.0/24', '192.0.2.0/24', '198.51.100.0/24'],
  ...['203.0.113.0/24', '240.0.0.0/4', '224.0.0.0/4'],
  ...['::1/128', '::/128', '::ffff:0:0/96', '2001:10::/28', '2001:db8::/32', 'fe80::/10', 'ff00::/8'],
]

export function knownRfcs(): readonly string[] {
  return [...networksOf.keys()]
}

/** Undefined if the number is not that of a known RFC. */
export function isOfRfc(number: string, ip: Ip): boolean | undefined {
  const networks = networksOf.get(number)
  return networks === undefined ? undefined : within(networks, ip)
}

export function isForwardable(ip: Ip): boolean {
  return !within(notForwardable, ip)
}

function within(networks: readonly string[], ip: Ip): boolean {
  return networks.some((text) => {
    const network = parseNetwork(text)
    return network !== undefined && contains(network, ip)
  })
}
