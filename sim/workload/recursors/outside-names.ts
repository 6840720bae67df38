import { lowerAscii } from '../../../src/base/letter-case.ts'
import type { DnsRecord } from '../../../src/dns-wire/message.ts'
import type { OutsideTruth } from '../../checkers/reads/outside-facts.ts'

/** How many names there are, beside the label that makes each question unique. */
export const outsideNames = 60
/** What no name has: the address in answers that no agent may pass on. */
export const falseAddress = '203.0.113.66'

const ttl = 30
/** More addresses than fit into a datagram of the usual size. */
const manyAddresses = 100

/** `unique` makes the question one of a kind. */
export function outsideName(unique: string, number: number): string {
  return `${unique}.n${number}.outside.example.`
}

/** Some names do not exist, some are aliases, and some have more addresses than a datagram holds. */
export function recordsOf(name: string, type: 'A' | 'AAAA'): OutsideTruth & { readonly records: readonly DnsRecord[] } {
  const number = Number(/\.n(\d+)\.outside\.example\.$/.exec(lowerAscii(name))?.[1] ?? Number.NaN)
  if (!(number < outsideNames) || number % 7 === 3) return { rcode: 'NXDOMAIN', addresses: [], records: [] }
  if (type === 'AAAA') return { rcode: 'NOERROR', addresses: [], records: [] }
  const target = number % 5 === 2 ? `real-${number}.outside.example.` : name
  const alias: readonly DnsRecord[] = target === name ? [] : [{ type: 'CNAME', name, ttl, target }]
  const count = number % 6 === 1 ? manyAddresses : 1 + (number % 3)
  const addresses = Array.from({ length: count }, (_, at) => `192.0.${2 + number}.${1 + at}`)
  return {
    rcode: 'NOERROR',
    addresses,
    records: [...alias, ...addresses.map((address): DnsRecord => ({ type: 'A', name: target, ttl, address }))],
  }
}
