import { ipv6Text, shortIpv6 } from '../dns-wire/ip-address.ts'
import { type DnsQuery, typeCodes } from '../dns-wire/message.ts'
import { type DnsAnswer, recordsMax } from './answer.ts'
import type { CatalogReads } from './catalog-reads.ts'

/** A question within one of our domains. */
export interface Asked {
  /** The name as it was asked, because owner names of answers repeat its case. */
  readonly name: string
  /** A code of `typeCodes`, or any other. */
  readonly type: number
  /** The one of our domains that the name is in; targets stay within it. In lower case. */
  readonly domain: string
  /** The part of the name that is left of the domain, in lower case. */
  readonly labels: readonly string[]
  /** Whether the client certainly accepts more than 512 bytes. */
  readonly edns: boolean
  /** The address that the question is asked for. */
  readonly client: string
  /** Number of aliases that may still be followed within our domains. */
  readonly aliasesLeft: number
  /** The reads for this question. */
  readonly reads: CatalogReads
  readonly follows: Follows
}

/** The names that are followed for a client's question, all its branches together. */
interface Follows {
  /** How many more may be followed, and how many of these outside our domains. */
  left: number
  outsideLeft: number
  /** How many of their records there is still room for. */
  recordsLeft: number
  /** What was answered within our domains, by how many aliases were left and the name. */
  readonly answers: Map<string, Promise<DnsAnswer>>
}

export const aliasesMax = 3
/**
 * As many as one answer can hold instances. Without this bound, services with many aliases of each other would lead to
 * the product of their numbers.
 */
const followsMax = 1_024
/** Maximum number of questions to recursors for one question. */
const outsideFollowsMax = 16

/** The domain of a name, undefined if it is in none of these. `name` is in lower case. */
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
    follows: { left: followsMax, outsideLeft: outsideFollowsMax, recordsLeft: recordsMax, answers: new Map() },
  }
}

/** Whether a node's metadata is the answer itself, and not beside it. Reference: dns.md#fact-59. */
export function wantsMetadata({ type }: Asked): boolean {
  return type === typeCodes.ANY || type === typeCodes.TXT
}

const ipv4Family = 1
const ipv6Family = 2
/** Size of the fields that precede the address: the family and two prefix lengths. */
const headerBytes = 4

/**
 * The address that a question is asked for: the client's subnet if a resolver names it, with zeros after its prefix,
 * otherwise the sender's address. Source: RFC 7871, section 6. Reference: dns.md#fact-15.
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

/** The meaning of a name left of the domain. `datacenter` is empty if it names none. */
export type NameAsked =
  | { readonly kind: 'node'; readonly node: string; readonly datacenter: string }
  /** An empty tag is no filter. */
  | { readonly kind: 'service'; readonly service: string; readonly tag: string; readonly datacenter: string }
  | { readonly kind: 'connect'; readonly service: string; readonly datacenter: string }
  | { readonly kind: 'prepared-query'; readonly query: string; readonly datacenter: string }
  /** An address written into its own name. */
  | { readonly kind: 'address'; readonly bytes: Uint8Array }
  /** An address of an impossible length: the answer is empty, and reports no error. */
  | { readonly kind: 'no-address' }
  | { readonly kind: 'invalid' }

const invalid: NameAsked = { kind: 'invalid' }

/**
 * Reads the labels left of the domain, in lower case, from the right. A label that is no kind is a datacenter. There
 * may be one; with `any` there may be several, of which the leftmost counts. `srv`: services may leave out their
 * `service`. Reference: dns.md#query-grammar.
 */
export function parseName(labels: readonly string[], srv: boolean, datacenters: 'one' | 'any' = 'one'): NameAsked {
  const [kind, rest] = split(labels, srv)
  if (isKind(kind)) return parseKind(kind, rest, '')
  if (kind === undefined) return invalid
  const [inner, innerRest] = split(rest, srv)
  if (isKind(inner)) return parseKind(inner, innerRest, kind)
  return datacenters === 'any' && inner !== undefined ? parseName(rest, srv, datacenters) : invalid
}

type Kind = 'service' | 'connect' | 'node' | 'query' | 'addr'

function isKind(label: string | undefined): label is Kind {
  return label === 'service' || label === 'connect' || label === 'node' || label === 'query' || label === 'addr'
}

function split(labels: readonly string[], srv: boolean): [last: string | undefined, before: readonly string[]] {
  const last = labels[labels.length - 1]
  return srv && last?.startsWith('_') === true ? ['service', labels] : [last, labels.slice(0, -1)]
}

function parseKind(kind: Kind, labels: readonly string[], datacenter: string): NameAsked {
  const last = labels[labels.length - 1]
  if (last === undefined) return invalid
  switch (kind) {
    case 'service':
      return parseService(labels, last, datacenter)
    case 'connect':
      return { kind: 'connect', service: last, datacenter }
    case 'node':
      return { kind: 'node', node: labels.join('.'), datacenter }
    case 'query':
      return { kind: 'prepared-query', query: labels.join('.'), datacenter }
    case 'addr':
      return labels.length === 1 ? parseAddress(last) : invalid
  }
}

function parseService(labels: readonly string[], last: string, datacenter: string): NameAsked {
  const [first] = labels
  if (labels.length === 2 && first?.startsWith('_') === true && last.startsWith('_')) {
    // RFC 2782: the protocol is a tag, except TCP, which every service is taken to speak.
    const tag = last === '_tcp' ? '' : last.slice(1)
    return { kind: 'service', service: first.slice(1), tag, datacenter }
  }
  return { kind: 'service', service: last, tag: labels.slice(0, -1).join('.'), datacenter }
}

/** Lengths are compared in whole bytes, so that a digit too many is found by the digits. Reference: dns.md#fact-17. */
function parseAddress(label: string): NameAsked {
  const length = label.length >>> 1
  if (length !== 4 && length !== 16) return { kind: 'no-address' }
  const bytes = fromHex(label)
  return bytes === undefined ? invalid : { kind: 'address', bytes }
}

/** The bytes of an even number of hexadecimal digits; undefined when the text is something else. */
export function fromHex(text: string): Uint8Array | undefined {
  if (text.length % 2 !== 0 || !/^[0-9a-f]*$/i.test(text)) return undefined
  const out = new Uint8Array(text.length / 2)
  for (let i = 0; i < out.length; i++) out[i] = Number.parseInt(text.slice(2 * i, 2 * i + 2), 16)
  return out
}
