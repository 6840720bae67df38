import type { DnsConfig } from '../../agent/settings/agent-config.ts'
import { byteString, compareText, textOfByteString } from '../../base/bytes.ts'
import { formatDuration } from '../../base/duration.ts'
import { type Endpoint, endpointText } from '../../env/net.ts'
import { type Behaviour, hasBehaviour, newestRelease, type Release } from '../../model/release.ts'
import { isAddress } from '../../rpc/address.ts'
import type { FileConfig } from '../schema.ts'
import { milliseconds, type Report, type Shown, wholeSeconds } from './values.ts'

/** Reference: configuration.md#dns-keys, configuration.md#key-domain. */
export function dnsConfig(
  file: FileConfig,
  aliases: readonly string[],
  defaults: DnsConfig,
  problem: Report,
  release: Release = newestRelease,
): DnsConfig {
  const given = file.dns_config ?? {}
  for (const key of ['udp_answer_limit', 'a_record_limit'] as const) {
    const limit = given[key] ?? 0
    if (limit < 0)
      problem(`dns_config.${key} cannot be ${limit}. Must be greater than or equal to zero`, '', `dns_config.${key}`)
  }
  const own = file.domain === undefined ? (defaults.domains[0] ?? '') : domainOf(file.domain, problem)
  const has = (behaviour: Behaviour): boolean => hasBehaviour(release, behaviour)
  const serviceTtl = Object.entries(given.service_ttl ?? {})
    .filter(([rule]) => has('service-ttl-by-prefix') || rule === '*' || !rule.endsWith('*'))
    .sort(([a], [b]) => compareText(a, b))
  return {
    serversService: defaults.serversService,
    domains: [...new Set([own, ...aliases.map((alias) => `${alias.toLowerCase()}.`)])],
    allowStale: given.allow_stale ?? defaults.allowStale,
    maxStaleMs: milliseconds(given.max_stale, defaults.maxStaleMs),
    nodeTtlS: wholeSeconds(given.node_ttl, defaults.nodeTtlS),
    // Labels of questions are compared as bytes.
    serviceTtlS: serviceTtl.map(([service, ttl]) => [byteString(service), wholeSeconds(ttl, 0)] as const),
    onlyPassing: given.only_passing ?? defaults.onlyPassing,
    enableTruncate: given.enable_truncate ?? defaults.enableTruncate,
    udpAnswerLimit: given.udp_answer_limit ?? defaults.udpAnswerLimit,
    aRecordLimit: given.a_record_limit ?? defaults.aRecordLimit,
    additionalMetaTxt: given.enable_additional_node_meta_txt ?? defaults.additionalMetaTxt,
    disableCompression: given.disable_compression ?? (defaults.disableCompression || !has('dns-compression')),
    ednsSizes: has('dns-edns-sizes'),
    recursors: recursorsOf(file.recursors ?? [], problem),
    recursorTimeoutMs: milliseconds(given.recursor_timeout, defaults.recursorTimeoutMs),
    soa: {
      refreshS: given.soa?.refresh ?? defaults.soa.refreshS,
      retryS: given.soa?.retry ?? defaults.soa.retryS,
      expireS: given.soa?.expire ?? defaults.soa.expireS,
      minTtlS: given.soa?.min_ttl ?? defaults.soa.minTtlS,
    },
  }
}

const recursorRemedy = 'write IP addresses, each with a port unless that is 53, such as 10.0.0.2 or 10.0.0.2:5353'

/** Reference: dns.md#fact-110. */
function recursorsOf(given: readonly string[], problem: Report): readonly Endpoint[] {
  const known = new Map<string, Endpoint>()
  for (const text of given) {
    const at = recursorOf(text)
    if (at === undefined) problem(`recursors "${text}" is not an address`, recursorRemedy, 'recursors')
    else if (at.host === '0.0.0.0' || isAllZeros(at.host))
      problem('DNS recursor address cannot be 0.0.0.0, :: or [::]', recursorRemedy, undefined, ['recursors'])
    else known.set(endpointText(at), at)
  }
  return [...known.values()]
}

const recursorPort = 53

/** `10.0.0.2`, `10.0.0.2:5353`, `fd00::2`, `[fd00::2]` or `[fd00::2]:5353`. */
function recursorOf(text: string): Endpoint | undefined {
  if (isAddress(text)) return { host: text, port: recursorPort }
  const parts = /^\[([^\]]*)\](?::(\d{1,5}))?$|^([^:]*):(\d{1,5})$/.exec(text)
  const host = parts?.[1] ?? parts?.[3] ?? ''
  const port = Number(parts?.[2] ?? parts?.[4] ?? recursorPort)
  return isAddress(host) && port > 0 && port <= 65_535 ? { host, port } : undefined
}

function isAllZeros(host: string): boolean {
  return host.includes(':') && /^[0:]*$/.test(host)
}

/** RFC 1035, sections 2.3.1 and 2.3.4; underscores as hosts use them. */
function domainOf(text: string, problem: Report): string {
  const domain = text.toLowerCase().replace(/\.$/, '')
  const fits =
    domain.length <= 200 && domain.split('.').every((label) => /^[a-z0-9_]([a-z0-9_-]{0,61}[a-z0-9_])?$/.test(label))
  if (!fits)
    problem(
      `domain "${text}" is not a domain name`,
      'write labels of letters, digits and dashes, such as svc.',
      'domain',
    )
  return `${domain}.`
}

/** As `/v1/agent/self` shows it. */
export function shownDns(dns: DnsConfig): Shown {
  return {
    DNSAllowStale: dns.allowStale,
    DNSARecordLimit: dns.aRecordLimit,
    DNSDisableCompression: dns.disableCompression,
    DNSDomain: dns.domains[0] ?? '',
    DNSDomains: dns.domains,
    DNSEnableTruncate: dns.enableTruncate,
    DNSMaxStale: formatDuration(dns.maxStaleMs),
    DNSNodeMetaTXT: dns.additionalMetaTxt,
    DNSNodeTTL: formatDuration(dns.nodeTtlS * 1000),
    DNSOnlyPassing: dns.onlyPassing,
    DNSRecursorTimeout: formatDuration(dns.recursorTimeoutMs),
    DNSRecursors: dns.recursors.map(endpointText),
    DNSServiceTTL: Object.fromEntries(
      dns.serviceTtlS.map(([name, s]) => [textOfByteString(name), formatDuration(s * 1000)]),
    ),
    DNSSOA: {
      Expire: dns.soa.expireS,
      Minttl: dns.soa.minTtlS,
      Refresh: dns.soa.refreshS,
      Retry: dns.soa.retryS,
    },
    DNSEDNSSizes: dns.ednsSizes,
    DNSUDPAnswerLimit: dns.udpAnswerLimit,
  }
}
