import type { DnsConfig } from '../agent/settings/agent-config.ts'
import { lowerAscii } from '../base/letter-case.ts'
import { decodeQuery } from '../dns-wire/decode-query.ts'
import { encodeMalformed, encodeResponse } from '../dns-wire/encode-response.ts'
import { type DnsAnswer, failed, failedRecursion, limitsOf, outsideAnswer } from './answer.ts'
import { domainOf } from './asked.ts'
import type { DnsFace } from './face.ts'

/**
 * Answers for an agent that is starting: it can look up nothing yet, so every question fails as it does without a
 * leader, with the flags of its own kind. A client then asks another server at once; silence would cost it its timeout,
 * or hold its connection until that. In the field the port is closed for so early a question, which is as quick.
 * Reference: dns.md#fact-3, dns.md#fact-36, dns.md#fact-65, dns.md#fact-112.
 */
export function startingFace(config: DnsConfig): DnsFace {
  return {
    known: () => undefined,
    answer: async (packet, transport) => {
      const query = decodeQuery(packet)
      if (!query.ok) return query.error.kind === 'malformed' ? encodeMalformed(query.error) : undefined
      const said = failureOf(lowerAscii(query.value.question.name), config)
      return encodeResponse({ ...said, query: query.value }, limitsOf(query.value, said, transport, config))
    },
  }
}

/** `name` is in lower case. */
function failureOf(name: string, { domains, recursors }: DnsConfig): DnsAnswer {
  const recursionAvailable = recursors.length > 0
  if (domainOf(name, domains) !== undefined) return { ...failed, recursionAvailable }
  return recursionAvailable || name.endsWith('.arpa.') ? failedRecursion : outsideAnswer
}
