import type { DnsConfig } from '../agent/settings/agent-config.ts'
import { encodeResponse } from '../dns-wire/encode-response.ts'
import type { DnsQuery } from '../dns-wire/message.ts'
import { failedRecursion } from './answer.ts'
import { udpBytesOf } from './limits.ts'
import type { DnsTransport } from './transport.ts'

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
