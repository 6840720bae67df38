import type { DnsConfig } from '../agent/settings/agent-config.ts'
import { byteString } from '../base/bytes.ts'
import { addressRecordOf } from '../dns-wire/ip-address.ts'
import type { AuthorityRecord, TextRecord } from '../dns-wire/message.ts'
import type { CatalogNode, HealthServiceEntry } from '../model/catalog.ts'

/** `web-1.node.dc1.svc.`, with the node's name as it was registered. */
export function nodeTarget(node: string, datacenter: string, domain: string): string {
  return `${byteString(node)}.node.${datacenter}.${domain}`
}

/** A host name of the catalog, made absolute. */
export function absoluteName(host: string): string {
  const name = byteString(host)
  return name.endsWith('.') ? name : `${name}.`
}

/** The record with this address: A or AAAA, or an alias if it is a host name. */
export function addressRecord(name: string, ttl: number, address: string) {
  const ip = addressRecordOf(address)
  return ip === undefined
    ? ({ type: 'CNAME', name, ttl, target: absoluteName(address) } as const)
    : { type: ip.type, name, ttl, address: ip.address }
}

/** One text for each pair of a node's metadata. Reference: dns.md#fact-58. */
export function metaRecords(name: string, ttl: number, node: CatalogNode): readonly TextRecord[] {
  return (node.meta ?? []).map(([key, value]) => ({ type: 'TXT', name, ttl, texts: [metaText(key, value)] }))
}

/** RFC 1464; a key that begins with `rfc1035-` stands for its value alone, as it is. */
function metaText(key: string, value: string): string {
  if (/^rfc1035-/i.test(key)) return value
  const quoted = key.replace(/[`=]/g, '`$&').replace(/^ +| +$/g, (spaces) => spaces.replaceAll(' ', '` '))
  return `${quoted}=${value.replaceAll('`', '``')}`
}

/** The start of authority of a domain. Reference: dns.md#soa-record. */
export function authorityRecord(domain: string, soa: DnsConfig['soa'], second: number): AuthorityRecord {
  return {
    type: 'SOA',
    name: domain,
    ttl: soa.minTtlS,
    primary: `ns.${domain}`,
    admin: `hostmaster.${domain}`,
    serial: second >>> 0,
    refresh: soa.refreshS,
    retry: soa.retryS,
    expire: soa.expireS,
    minimum: soa.minTtlS,
  }
}

/** The exact name wins, then the longest prefix that a `*` ends. `service` in lower case. Reference: dns.md#fact-91. */
export function serviceTtl(rules: DnsConfig['serviceTtlS'], service: string): number {
  let best: { readonly length: number; readonly seconds: number } | undefined
  for (const [rule, seconds] of rules) {
    if (rule === service) return seconds
    const prefix = rule.slice(0, -1)
    if (!rule.endsWith('*') || !service.startsWith(prefix)) continue
    if (best === undefined || prefix.length > best.length) best = { length: prefix.length, seconds }
  }
  return best?.seconds ?? 0
}

/** Whether an instance is offered: no check of it or its node is critical, and with `onlyPassing` none but passing. */
export function isOffered({ checks }: HealthServiceEntry, onlyPassing: boolean): boolean {
  return checks.every(({ status }) => (onlyPassing ? status === 'passing' : status !== 'critical'))
}

/**
 * How much of the traffic an instance is to get: 0 if its definition gives it no weight while it warns. Every known
 * weight of a passing instance is at least 1. Reference: dns.md#fact-60.
 */
export function weightOf({ service, checks }: HealthServiceEntry): number {
  const { passing, warning } = service.weights
  if (passing < 1) return 1
  const weight = checks.some(({ status }) => status === 'warning') ? warning : passing
  return Math.min(Math.max(weight, 0), 65_535)
}
