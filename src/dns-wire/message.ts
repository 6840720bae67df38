/**
 * DNS messages as the rest of the program sees them. Names are absolute, with the final dot (`web.service.svc.`, the
 * root is `.`), with one character for each byte; a dot always separates two labels.
 */

/** A client's question. RFC 1035, section 4.1. */
export interface DnsQuery {
  readonly id: number
  readonly opcode: number
  readonly recursionDesired: boolean
  readonly checkingDisabled: boolean
  /** The first question; others are not answered. */
  readonly question: DnsQuestion
  readonly edns: QueryEdns | undefined
}

export interface DnsQuestion {
  /** As sent: the case is kept. */
  readonly name: string
  readonly type: number
  readonly class: number
}

/** RFC 6891. */
export interface QueryEdns {
  /** Bytes of UDP payload that the client accepts. */
  readonly udpSize: number
  /** The client-subnet option's bytes (RFC 7871), undefined without one. */
  readonly clientSubnet: Uint8Array | undefined
}

/** Why a packet is no question. */
export type DecodeFailure =
  /** Not even a header, or itself an answer: no response is sent. */
  | { readonly kind: 'unanswerable' }
  /** To be answered with FORMERR. */
  | { readonly kind: 'malformed'; readonly id: number; readonly opcode: number; readonly recursionDesired: boolean }

export type Rcode = 'NOERROR' | 'FORMERR' | 'SERVFAIL' | 'NXDOMAIN' | 'NOTIMP' | 'REFUSED'

export interface DnsResponse {
  readonly query: DnsQuery
  readonly rcode: Rcode
  readonly authoritative: boolean
  readonly recursionAvailable: boolean
  readonly answers: readonly DnsRecord[]
  readonly authorities: readonly DnsRecord[]
  /** Without OPT, which is added if the query had one. */
  readonly additionals: readonly DnsRecord[]
  /** The response gets an OPT record if the query had one. */
  readonly edns: boolean
  /** Another client subnet may get a different answer. RFC 7871, section 7.2.1. */
  readonly forSubnet?: boolean
}

interface RecordHead {
  readonly name: string
  /** Seconds. */
  readonly ttl: number
}

export type AddressRecord = RecordHead & { readonly type: 'A' | 'AAAA'; readonly address: string }
export type TargetRecord = RecordHead & { readonly type: 'CNAME' | 'NS' | 'PTR'; readonly target: string }
/** Texts of any length: one of more than 255 bytes is sent in pieces. */
export type TextRecord = RecordHead & { readonly type: 'TXT'; readonly texts: readonly string[] }
export type ServiceRecord = RecordHead & {
  readonly type: 'SRV'
  readonly priority: number
  readonly weight: number
  readonly port: number
  readonly target: string
}
export type AuthorityRecord = RecordHead & {
  readonly type: 'SOA'
  readonly primary: string
  readonly admin: string
  readonly serial: number
  readonly refresh: number
  readonly retry: number
  readonly expire: number
  readonly minimum: number
}

export type DnsRecord = AddressRecord | TargetRecord | TextRecord | ServiceRecord | AuthorityRecord
export type RecordType = DnsRecord['type']

/** Type codes of questions and records (RFC 1035, 2782, 3596, 6891, 1995). */
export const typeCodes = {
  A: 1,
  NS: 2,
  CNAME: 5,
  SOA: 6,
  PTR: 12,
  MX: 15,
  TXT: 16,
  AAAA: 28,
  SRV: 33,
  OPT: 41,
  IXFR: 251,
  AXFR: 252,
  ANY: 255,
} as const

export type TypeName = keyof typeof typeCodes

export const classInternet = 1

export const rcodes: readonly Rcode[] = ['NOERROR', 'FORMERR', 'SERVFAIL', 'NXDOMAIN', 'NOTIMP', 'REFUSED']
