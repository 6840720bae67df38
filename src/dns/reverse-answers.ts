import { byteString } from '../base/bytes.ts'
import { lowerAscii } from '../base/letter-case.ts'
import { addressRecordOf, ipv6Text, shortIpv6 } from '../dns-wire/ip-address.ts'
import { type DnsQuery, type DnsRecord, typeCodes } from '../dns-wire/message.ts'
import { hasBehaviour } from '../model/release.ts'
import { answer, type DnsAnswer } from './answer.ts'
import { fromHex } from './asked.ts'
import type { CatalogReads } from './catalog-reads.ts'
import { nodeTarget } from './records.ts'

/**
 * Answers questions under `arpa.`, in the agent's own domain; undefined: nothing here has that address.
 * Reference: dns.md#fact-63, dns.md#fact-64, dns.md#fact-65, dns.md#fact-66.
 */
export async function reverseAnswer(
  query: DnsQuery,
  reads: CatalogReads,
  own: { readonly domain: string; readonly datacenter: string; authority(): DnsRecord },
): Promise<DnsAnswer | undefined> {
  const { name, type } = query.question
  const asked = addressOfReverseName(lowerAscii(name))
  const target = asked === undefined ? undefined : await targetOf(asked, reads, own.domain, own.datacenter)
  if (target === undefined) return undefined
  return answer({
    answers: [{ type: 'PTR', name, ttl: 0, target }],
    authorities: type === typeCodes.SOA ? [own.authority()] : [],
  })
}

async function targetOf(
  address: string,
  reads: CatalogReads,
  domain: string,
  datacenter: string,
): Promise<string | undefined> {
  const nodes = await reads.nodes()
  const node = nodes.ok ? nodes.value.find((other) => sameAddress(other.address, address)) : undefined
  if (node !== undefined) return nodeTarget(node.node, datacenter, domain)
  if (!hasBehaviour(reads.release, 'dns-service-pointers')) return undefined
  const service = await reads.serviceAt(address.includes(':') ? [shortIpv6(address), address] : [address])
  return service.ok && service.value !== undefined ? `${byteString(service.value)}.service.${domain}` : undefined
}

function sameAddress(written: string, address: string): boolean {
  return addressRecordOf(written)?.address === address
}

const ipv4Suffix = '.in-addr.arpa.'
const ipv6Suffix = '.ip6.arpa.'

/** The address of a reverse name (RFC 1035, section 3.5; RFC 3596); undefined if it is malformed. Lower case. */
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
