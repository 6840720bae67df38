import { ipv6Text, shortIpv6 } from '../dns-wire/ip-address.ts'

const ipv4Family = 1
const ipv6Family = 2
/** Family, two lengths of prefixes: what stands before the address. */
const headerBytes = 4

/**
 * The address for which a question is asked: the client's subnet if a resolver names it, with zeros behind its prefix, otherwise
 * the sender's address. Source: RFC 7871, section 6. Reference: dns.md#fact-15.
 */
export function addressOfClient(subnet: Uint8Array | undefined, host: string): string {
  if (subnet === undefined) return host
  const family = ((subnet[0] ?? 0) << 8) | (subnet[1] ?? 0)
  const length = family === ipv4Family ? 4 : family === ipv6Family ? 16 : 0
  const given = subnet.subarray(headerBytes)
  if (length === 0 || given.length > length || given.length === 0) return host
  const bytes = new Uint8Array(length)
  bytes.set(given)
  return length === 4 ? bytes.join('.') : shortIpv6(ipv6Text(bytes))
}
