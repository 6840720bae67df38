import { ipv6Text } from '../dns-wire/ip-address.ts'
import { fromHex } from './hex.ts'

const ipv4Suffix = '.in-addr.arpa.'
const ipv6Suffix = '.ip6.arpa.'

/** The address that a reverse name (RFC 1035, section 3.5; RFC 3596) is for; undefined when it is none. Lower case. */
export function addressOfReverseName(name: string): string | undefined {
  if (name.endsWith(ipv4Suffix)) {
    const parts = name.slice(0, -ipv4Suffix.length).split('.').reverse()
    const bytes = parts.every((part) => /^(0|[1-9]\d{0,2})$/.test(part) && Number(part) <= 255)
    return parts.length === 4 && bytes ? parts.join('.') : undefined
  }
  if (!name.endsWith(ipv6Suffix)) return undefined
  const nibbles = name.slice(0, -ipv6Suffix.length).split('.').reverse()
  if (nibbles.length !== 32 || nibbles.some((nibble) => nibble.length !== 1)) return undefined
  const bytes = fromHex(nibbles.join(''))
  return bytes === undefined ? undefined : ipv6Text(bytes)
}
