import type { DnsRecord, Rcode } from '../dns-wire/message.ts'

/** What is said to a question, before it is fitted to what the client takes. */
export interface DnsAnswer {
  readonly rcode: Rcode
  readonly answers: readonly DnsRecord[]
  readonly authorities: readonly DnsRecord[]
  readonly additionals: readonly DnsRecord[]
  readonly authoritative: boolean
  readonly recursionAvailable: boolean
  /** The question had an OPT record, so the answer gets one. */
  readonly edns: boolean
  /** The number of answers over UDP is limited, not their size alone. Reference: dns.md#fact-74. */
  readonly counted: boolean
  /** It may be another for another subnet of clients. Reference: dns.md#fact-82. */
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
/** A name of nobody's domain here, and nobody to ask. Reference: dns.md#fact-3. */
export const outsideAnswer: DnsAnswer = answer({ rcode: 'SERVFAIL', authoritative: false, edns: false })
/** Asked to pass on what is no plain question. */
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
