import type { DnsRecord } from '../../../src/dns-wire/message.ts'
import type { HeldNode } from './held.ts'

/** Records as text, so that those of an answer can be compared with the correct ones. */

export type AskedType = 'A' | 'AAAA' | 'SRV' | 'TXT' | 'ANY' | 'MX' | 'NS' | 'SOA' | 'PTR'

export function addressRecords(name: string, ttl: number, address: string, type: AskedType): readonly string[] {
  const family = address.includes(':') ? 'AAAA' : 'A'
  if (type !== 'ANY' && type !== family) return []
  return [`${lower(name)} ${ttl} ${family} ${groupsOf(address)}`]
}

/** Whether an instance has the name of a host in the place of an address. */
export function isHostName(address: string): boolean {
  return !address.includes(':') && !/^[0-9.]+$/.test(address)
}

/** The record that leads to a host outside every domain, which nothing follows. */
export function aliasRecord(name: string, ttl: number, host: string): string {
  return `${lower(name)} ${ttl} CNAME ${lower(host)}.`
}

/** The host to which an answer leads by an alias, if it does. */
export function aliasIn(answers: readonly DnsRecord[]): string | undefined {
  for (const record of answers) if (record.type === 'CNAME') return lower(record.target)
  return undefined
}

export function metaRecords(name: string, ttl: number, { meta }: HeldNode): readonly string[] {
  return meta.map(([key, value]) => `${lower(name)} ${ttl} TXT ${key}=${value}`)
}

/** An IPv4 address unchanged; the eight groups of an IPv6 address, without leading zeros. */
export function groupsOf(address: string): string {
  if (!address.includes(':')) return address
  const [head = '', tail = ''] = address.split('::')
  const before = head === '' ? [] : head.split(':')
  const behind = tail === '' ? [] : tail.split(':')
  const missing = Math.max(0, 8 - before.length - behind.length)
  const groups = [...before, ...Array.from({ length: address.includes('::') ? missing : 0 }, () => '0'), ...behind]
  return groups.map((group) => Number.parseInt(group, 16).toString(16)).join(':')
}

export function hexOf(address: string): string {
  if (address.includes(':')) {
    return groupsOf(address)
      .split(':')
      .map((group) => group.padStart(4, '0'))
      .join('')
  }
  return address
    .split('.')
    .map((part) => Number(part).toString(16).padStart(2, '0'))
    .join('')
}

export function lower(name: string): string {
  return name.toLowerCase()
}

/** A record of an answer, in the form of `sectionsOf`. */
export function recordText(record: DnsRecord): string {
  const head = `${lower(record.name)} ${record.ttl} ${record.type}`
  switch (record.type) {
    case 'A':
      return `${head} ${record.address}`
    case 'AAAA':
      return `${head} ${groupsOf(record.address)}`
    case 'CNAME':
    case 'NS':
    case 'PTR':
      return `${head} ${lower(record.target)}`
    case 'TXT':
      return `${head} ${record.texts.join('')}`
    case 'SRV':
      return `${head} ${record.priority} ${record.weight} ${record.port} ${lower(record.target)}`
    case 'SOA':
      return `${head} ${lower(record.primary)}`
  }
}
