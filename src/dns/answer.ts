import type { DnsConfig } from '../agent/settings/agent-config.ts'
import { encodeResponse, type ResponseLimits } from '../dns-wire/encode-response.ts'
import { type DnsQuery, type DnsRecord, type Rcode, typeCodes } from '../dns-wire/message.ts'

/** The answer to a question, before it is fitted to the client's limits. */
export interface DnsAnswer {
  readonly rcode: Rcode
  readonly answers: readonly DnsRecord[]
  readonly authorities: readonly DnsRecord[]
  readonly additionals: readonly DnsRecord[]
  readonly authoritative: boolean
  readonly recursionAvailable: boolean
  /** Whether the question had an OPT record; the answer then has one as well. */
  readonly edns: boolean
  /** The number of answers over UDP is limited, not their size alone. Reference: dns.md#fact-74. */
  readonly counted: boolean
  /** Another client subnet may get a different answer. Reference: dns.md#fact-82. */
  readonly forSubnet: boolean
}

const nothing: DnsAnswer = {
  rcode: 'NOERROR',
  answers: [],
  authorities: [],
  additionals: [],
  authoritative: true,
  recursionAvailable: false,
  edns: true,
  counted: false,
  forSubnet: false,
}

/** An answer of our own domain. */
export function answer(parts: Partial<DnsAnswer>): DnsAnswer {
  return { ...nothing, ...parts }
}

export const emptyAnswer: DnsAnswer = nothing
export const failed: DnsAnswer = answer({ rcode: 'SERVFAIL' })
/** For a name outside the agent's domains without a recursor. Reference: dns.md#fact-3. */
export const outsideAnswer: DnsAnswer = answer({ rcode: 'SERVFAIL', authoritative: false, edns: false })
/** The answer to a client that wants something else than a plain question passed on to a recursor. */
export const notImplemented: DnsAnswer = answer({ rcode: 'NOTIMP', authoritative: false, recursionAvailable: true })
/**
 * No server that could be asked knew the name; also a reverse name where no server can be asked.
 * Reference: dns.md#fact-65, dns.md#fact-112.
 */
export const failedRecursion: DnsAnswer = answer({
  rcode: 'SERVFAIL',
  authoritative: false,
  recursionAvailable: true,
})

export type DnsTransport = 'udp' | 'tcp'

/** Maximum UDP size without EDNS. RFC 1035, section 4.2.1. */
const plainUdpBytes = 512
/**
 * Maximum UDP size whatever the client accepts, and of one record that is longer than what it accepts: a forged sender
 * address receives no more than this, some 200 times what was sent. The field has no such limit. A longer answer is served over TCP, where a sender address cannot be forged.
 */
const udpBytesMax = 8_192
const tcpBytesMax = 65_523
/** Maximum number of records for a plain client, whatever is configured. */
const plainAnswersMax = 8
const tcpAnswersMax = 4_096
/** Records of services in one answer, whatever the transport. */
export const servicesMax = 1_024
/** No message holds more records, of at least 12 bytes each: what a question would find beyond is not looked for. */
export const recordsMax = Math.ceil(tcpBytesMax / 12)

/** Maximum size of a message to this client by UDP, whether it is our own or a recursor's. */
function udpBytesOf({ edns }: DnsQuery, { ednsSizes }: Pick<DnsConfig, 'ednsSizes'>): number {
  if (!ednsSizes) return plainUdpBytes
  return Math.min(udpBytesMax, Math.max(plainUdpBytes, edns?.udpSize ?? 0))
}

/**
 * The limits of an answer to this client. Reference: dns.md#fact-74, dns.md#fact-75, dns.md#fact-76, dns.md#fact-79,
 * dns.md#fact-80.
 */
export function limitsOf(query: DnsQuery, said: DnsAnswer, transport: DnsTransport, config: DnsConfig): ResponseLimits {
  const form = { compress: !config.disableCompression, markTruncated: config.enableTruncate }
  if (transport === 'tcp') {
    const answers = query.question.type === typeCodes.SRV ? servicesMax : tcpAnswersMax
    return { ...form, bytes: tcpBytesMax, answers, fitUncompressed: false }
  }
  const bytes = udpBytesOf(query, config)
  const plain = bytes === plainUdpBytes && said.counted
  const answers = plain ? Math.max(1, Math.min(plainAnswersMax, config.udpAnswerLimit)) : tcpAnswersMax
  return { ...form, bytes, answers, fitUncompressed: plain, oneRecordBytes: udpBytesMax }
}

const truncatedBit = 0x02

/**
 * A recursor's answer unchanged, if it may go to this client. By UDP a long answer would help an attacker that forges a
 * sender address (limits.ts), so it is left to TCP: only the question goes back, marked as truncated.
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
