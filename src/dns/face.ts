import type { DnsConfig } from '../agent/agent-config.ts'
import { lowerAscii } from '../base/letter-case.ts'
import { decodeQuery } from '../dns-wire/decode-query.ts'
import { encodeMalformed, encodeResponse, type ResponseLimits } from '../dns-wire/encode-response.ts'
import { type DnsQuery, type DnsRecord, typeCodes } from '../dns-wire/message.ts'
import { isSendable } from '../dns-wire/resource.ts'
import type { Env } from '../env/env.ts'
import { type Endpoint, endpointText } from '../env/net.ts'
import { type DnsAnswer, outsideAnswer } from './answer.ts'
import { askedBy, domainOf } from './asked.ts'
import { type AgentReads, CatalogReads } from './catalog-reads.ts'
import { addressOfClient } from './client-address.ts'
import { DomainAnswers } from './domain-answers.ts'
import { reverseAnswer } from './reverse-answers.ts'

export type DnsTransport = 'udp' | 'tcp'

/** The one answerer of DNS messages, for both worlds: it touches the world only through the agent it asks. */
export interface DnsFace {
  /** A message in, a message out; undefined: silence. Never rejects. */
  answer(packet: Uint8Array, transport: DnsTransport, from: Endpoint): Promise<Uint8Array | undefined>
}

export interface DnsFaceOptions {
  readonly env: Env
  readonly agent: AgentReads
  readonly config: DnsConfig
  /** The agent's own. */
  readonly datacenter: string
}

export function createDnsFace(options: DnsFaceOptions): DnsFace {
  return new Face(options)
}

class Face implements DnsFace {
  readonly #env: Env
  readonly #config: DnsConfig
  readonly #datacenter: string
  readonly #reads: CatalogReads
  readonly #domain: DomainAnswers

  constructor({ env, agent, config, datacenter }: DnsFaceOptions) {
    this.#env = env
    this.#config = config
    this.#datacenter = datacenter
    this.#reads = new CatalogReads(env, agent, config, datacenter)
    const order = env.random.stream('dns.order')
    this.#domain = new DomainAnswers({ env, config, datacenter, reads: this.#reads, order })
  }

  async answer(packet: Uint8Array, transport: DnsTransport, from: Endpoint): Promise<Uint8Array | undefined> {
    const query = decodeQuery(packet)
    if (!query.ok) return query.error.kind === 'malformed' ? encodeMalformed(query.error) : undefined
    const startedMs = this.#env.clock.monoMs()
    const said = await this.#answer(query.value, from, startedMs)
    this.#note(query.value, transport, from, startedMs)
    const response = {
      ...said,
      query: query.value,
      answers: said.answers.filter((record) => this.#canSend(record)),
      authorities: said.authorities.filter(isSendable),
      additionals: said.additionals.filter(isSendable),
    }
    return encodeResponse(response, limitsOf(query.value, said, transport, this.#config))
  }

  async #answer(query: DnsQuery, from: Endpoint, startedMs: number): Promise<DnsAnswer> {
    const { domains } = this.#config
    const name = lowerAscii(query.question.name)
    const domain = domainOf(name, domains)
    if (domain !== undefined) {
      const client = addressOfClient(query.edns?.clientSubnet, from.host)
      const said = await this.#domain.answer(askedBy(query, name, domain, client))
      this.#env.metrics.sample('dns.domain_query', this.#env.clock.monoMs() - startedMs)
      return said
    }
    const [own] = domains
    if (own === undefined || !name.endsWith('.arpa.')) return outsideAnswer
    const authority = () => this.#domain.authority(own)
    const said = await reverseAnswer(query, this.#reads, { domain: own, datacenter: this.#datacenter, authority })
    this.#env.metrics.sample('dns.ptr_query', this.#env.clock.monoMs() - startedMs)
    return said
  }

  /** Names and numbers come from whoever registered them: what no message can carry is left out. */
  #canSend(record: DnsRecord): boolean {
    if (isSendable(record)) return true
    this.#env.log.write('debug', 'dns', 'a record cannot be sent', { type: record.type, name: record.name })
    return false
  }

  #note(query: DnsQuery, transport: DnsTransport, from: Endpoint, startedMs: number): void {
    if (!this.#env.log.enabled('debug')) return
    const { name, type, class: ofClass } = query.question
    const tookMs = this.#env.clock.monoMs() - startedMs
    const client = endpointText(from)
    this.#env.log.write('debug', 'dns', 'request', { name, type, class: ofClass, took_ms: tookMs, client, transport })
  }
}

/** Without EDNS a client takes no more over UDP. RFC 1035, section 4.2.1. */
const plainUdpBytes = 512
const udpBytesMax = 65_507
const tcpBytesMax = 65_523
/** Whatever is configured, a plain client gets no more. */
const plainAnswersMax = 8
const tcpAnswersMax = 4_096
const tcpServicesMax = 1_024

/** Reference: dns 74 to 80. */
function limitsOf(query: DnsQuery, said: DnsAnswer, transport: DnsTransport, config: DnsConfig): ResponseLimits {
  const form = { compress: !config.disableCompression, markTruncated: config.enableTruncate }
  if (transport === 'tcp') {
    const answers = query.question.type === typeCodes.SRV ? tcpServicesMax : tcpAnswersMax
    return { ...form, bytes: tcpBytesMax, answers, fitUncompressed: false }
  }
  const bytes = Math.min(udpBytesMax, Math.max(plainUdpBytes, query.edns?.udpSize ?? 0))
  const plain = bytes === plainUdpBytes && said.counted
  const answers = plain ? Math.max(1, Math.min(plainAnswersMax, config.udpAnswerLimit)) : tcpAnswersMax
  return { ...form, bytes, answers, fitUncompressed: plain }
}
