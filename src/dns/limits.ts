import type { DnsConfig } from '../agent/settings/agent-config.ts'
import { encodeResponse, type ResponseLimits } from '../dns-wire/encode-response.ts'
import { type DnsQuery, typeCodes } from '../dns-wire/message.ts'
import { type DnsAnswer, failedRecursion } from './answer.ts'

export type DnsTransport = 'udp' | 'tcp'

/** Without EDNS a client takes no more over UDP. RFC 1035, section 4.2.1. */
const plainUdpBytes = 512
/**
 * The limit whatever size the client accepts: a forged sender address receives no more than this, some 200 times what was sent.
 * The field has no such limit. A longer answer is served over TCP, where a sender address cannot be forged.
 */
const udpBytesMax = 8_192
const tcpBytesMax = 65_523
/** Whatever is configured, a plain client gets no more. */
const plainAnswersMax = 8
const tcpAnswersMax = 4_096
const tcpServicesMax = 1_024

/** The longest message that goes to this client by UDP, our own or a recursor's. */
function udpBytesOf({ edns }: DnsQuery, { ednsSizes }: Pick<DnsConfig, 'ednsSizes'>): number {
  if (!ednsSizes) return plainUdpBytes
  return Math.min(udpBytesMax, Math.max(plainUdpBytes, edns?.udpSize ?? 0))
}

/**
 * How much of an answer a client gets. Reference: dns.md#fact-74, dns.md#fact-75, dns.md#fact-76, dns.md#fact-79,
 * dns.md#fact-80.
 */
export function limitsOf(query: DnsQuery, said: DnsAnswer, transport: DnsTransport, config: DnsConfig): ResponseLimits {
  const form = { compress: !config.disableCompression, markTruncated: config.enableTruncate }
  if (transport === 'tcp') {
    const answers = query.question.type === typeCodes.SRV ? tcpServicesMax : tcpAnswersMax
    return { ...form, bytes: tcpBytesMax, answers, fitUncompressed: false }
  }
  const bytes = udpBytesOf(query, config)
  const plain = bytes === plainUdpBytes && said.counted
  const answers = plain ? Math.max(1, Math.min(plainAnswersMax, config.udpAnswerLimit)) : tcpAnswersMax
  return { ...form, bytes, answers, fitUncompressed: plain }
}

const truncatedBit = 0x02

/**
 * A recursor's answer unchanged, if it may go to this client. By UDP a long answer would help an attacker that forges a sender
 * address (limits.ts), so it is left to TCP: only the question goes back, marked as truncated.
 */
export function relayedWithin(
  query: DnsQuery,
  reply: Uint8Array,
  transport: DnsTransport,
  config: Pick<DnsConfig, 'ednsSizes'>,
): Uint8Array {
  if (transport === 'tcp') return reply
  const bytes = udpBytesOf(query, config)
  if (reply.length <= bytes) return reply
  const limits = { bytes, answers: 0, compress: true, fitUncompressed: false, markTruncated: true }
  const cut = encodeResponse({ ...failedRecursion, rcode: 'NOERROR', query }, limits).slice()
  cut[2] = (cut[2] ?? 0) | truncatedBit
  return cut
}
