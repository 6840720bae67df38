import { ipv6Text, shortIpv6 } from '../dns-wire/ip-address.ts'
import { type DnsQuery, typeCodes } from '../dns-wire/message.ts'
import type { CatalogReads } from './catalog-reads.ts'

/** A question within one of our domains. */
export interface Asked {
  /** As asked: owner names of answers repeat its case. */
  readonly name: string
  /** A code of `typeCodes`, or any other. */
  readonly type: number
  /** The one of our domains that it lies in: targets stay there. Lower case. */
  readonly domain: string
  /** Left of the domain, in lower case. */
  readonly labels: readonly string[]
  /** The client takes more than 512 bytes for sure. */
  readonly edns: boolean
  /** The address for which it is asked. */
  readonly client: string
  /** How many aliases may still be followed within our domains. */
  readonly aliasesLeft: number
  /** What is asked of the agent for it. */
  readonly reads: CatalogReads
  /** How many more all that the client's question leads to may follow together, and of these names outside our domains. */
  readonly follows: { left: number; outsideLeft: number }
}

const aliasesMax = 3
/** As many as the instances that one answer can hold. Services with many aliases of each other would lead to their product. */
const followsMax = 1_024
/** Each is a question to somebody else's server. */
const outsideFollowsMax = 16

/** The domain that a name lies in, undefined when it is none of these. `name` in lower case. */
export function domainOf(name: string, domains: readonly string[]): string | undefined {
  const holding = domains.filter((domain) => name === domain || name.endsWith(`.${domain}`))
  return holding.reduce<string | undefined>(
    (longest, domain) => (longest === undefined || domain.length > longest.length ? domain : longest),
    undefined,
  )
}

export function labelsWithin(name: string, domain: string): readonly string[] {
  return name === domain ? [] : name.slice(0, -domain.length - 1).split('.')
}

export function askedBy(
  query: DnsQuery,
  reads: CatalogReads,
  within: { readonly name: string; readonly domain: string },
  client: string,
): Asked {
  const { name, type } = query.question
  const { domain } = within
  const labels = labelsWithin(within.name, domain)
  return {
    name,
    type,
    domain,
    labels,
    edns: query.edns !== undefined,
    client,
    reads,
    aliasesLeft: aliasesMax,
    follows: { left: followsMax, outsideLeft: outsideFollowsMax },
  }
}

/** Whether a node's metadata is the answer itself, and not beside it. Reference: dns.md#fact-59. */
export function wantsMetadata({ type }: Asked): boolean {
  return type === typeCodes.ANY || type === typeCodes.TXT
}

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
