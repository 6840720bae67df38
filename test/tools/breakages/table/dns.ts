import type { Breakage } from '../breakage.ts'

/** DNS. */
export const dnsBreakages: readonly Breakage[] = [
  {
    id: 'DNS-001',
    file: 'src/agent/settings/default-config.ts',
    find: 'dns: 8600,',
    replace: 'dns: 8653,',
  },
  {
    id: 'DNS-002',
    file: 'src/dns/domain-answers.ts',
    find: 'if (![A, AAAA, ANY, TXT].some(',
    replace: 'if (![AAAA, ANY, TXT].some(',
  },
  {
    id: 'DNS-003',
    file: 'src/dns/domain-answers.ts',
    find: 'const entries = this.#drawn(asked, offered)',
    replace: 'const entries = this.#drawn(asked, found)',
  },
  {
    id: 'DNS-004',
    file: 'src/dns/address-records.ts',
    find: 'return [A, AAAA, TXT].some((other) => other === type)',
    replace: 'return [TXT].some((other) => other === type)',
  },
  {
    id: 'DNS-005',
    file: 'src/dns/records.ts',
    find: 'checks.every((',
    replace: 'checks.some((',
  },
  {
    id: 'DNS-006',
    file: 'src/dns/instance-records.ts',
    find: "weight: this.#has('service-weights') ? weightOf(entry) : 1,",
    replace: 'weight: 1,',
  },
  {
    id: 'DNS-007',
    file: 'src/dns/records.ts',
    find: '`${byteString(node)}.node.${datacenter}.${domain}`',
    replace: '`${byteString(node)}.node.${domain}`',
  },
  {
    id: 'DNS-008',
    file: 'src/dns/instance-records.ts',
    find: '{ name: target, ttl, address, type: typeCodes.ANY })))\n      if',
    replace: '{ name: target, ttl, address, type: asked.type })))\n      if',
  },
  {
    id: 'DNS-009',
    file: 'src/dns/catalog-reads.ts',
    find: "const args = { service, ...(tag === '' ? {} : oneTagSent(tag)), connect }",
    replace: 'const args = { service, connect }',
  },
  {
    id: 'DNS-010',
    file: 'src/agent/local/parts.ts',
    find: '    address: config.advertiseAddress,\n',
    replace: '    address: config.bindAddress,\n',
  },
  {
    id: 'DNS-011',
    file: 'src/dns/instance-records.ts',
    find: '=== lowerAscii(asked.name)) return node.address\n  return own\n',
    replace: '=== lowerAscii(asked.name)) return node.address\n  return node.address\n',
  },
  {
    id: 'DNS-012',
    file: 'src/agent/assembly/server.ts',
    find: 'standInToken: () => ground.tokens.default,',
    replace: 'standInToken: () => ground.tokens.agent,',
  },
  {
    id: 'DNS-013',
    file: 'src/dns/catalog-reads.ts',
    find: "query(allowStale ? 'stale' : 'default')",
    replace: "query('default')",
  },
  {
    id: 'DNS-014',
    file: 'src/dns/catalog-reads.ts',
    find: "query(allowStale ? 'stale' : 'default')",
    replace: "query('stale')",
  },
  {
    id: 'DNS-015',
    file: 'src/config/parts/dns.ts',
    find: 'milliseconds(given.max_stale, defaults.maxStaleMs)',
    replace: 'milliseconds(given.max_stale, 5_000)',
  },
  {
    id: 'DNS-016',
    file: 'src/dns/catalog-reads.ts',
    find: "      return query('default')\n",
    replace: '      return found\n',
  },
  {
    id: 'DNS-017',
    file: 'src/dns/catalog-reads.ts',
    find: 'ageOf(meta) > staleCountedMs &&',
    replace: 'ageOf(meta) < staleCountedMs &&',
  },
  {
    id: 'DNS-018',
    file: 'src/features/discovery/tag-filter.ts',
    find: 'return { serviceTag: tag, tagFilter: true }',
    replace: 'return { serviceTags: [tag], tagFilter: true }',
  },
  {
    id: 'DNS-019',
    file: 'src/dns/answer.ts',
    find: 'Math.max(plainUdpBytes, edns?.udpSize ?? 0)',
    replace: 'plainUdpBytes',
  },
]
