import type { DnsConfig } from '../agent/settings/agent-config.ts'
import { lowerAscii } from '../base/letter-case.ts'
import { decodeQuery } from '../dns-wire/decode-query.ts'
import { encodeMalformed, encodeResponse } from '../dns-wire/encode-response.ts'
import type { DnsQuery, DnsRecord } from '../dns-wire/message.ts'
import { isSendable } from '../dns-wire/resource.ts'
import type { Env } from '../env/env.ts'
import { type Endpoint, endpointText } from '../env/net.ts'
import type { Labels } from '../env/observe.ts'
import { hasBehaviour } from '../model/release.ts'
import {
  type DnsAnswer,
  type DnsTransport,
  failedRecursion,
  limitsOf,
  notImplemented,
  outsideAnswer,
  relayedWithin,
} from './answer.ts'
import { addressOfClient, askedBy, domainOf } from './asked.ts'
import { CatalogReads, countStale, isTooStale, type ReadSource } from './catalog-reads.ts'
import { DomainAnswers } from './domain-answers.ts'
import { KeptAnswers } from './kept-answers.ts'
import { canBeRelayed, Recursion } from './recursion.ts'
import { reverseAnswer } from './reverse-answers.ts'
import { answerTo, type Signature, signatureOf } from './signature.ts'

/**
 * Answers DNS messages, in production and in the simulator: it reaches the outside only through the agent and the
 * recursors.
 */
export interface DnsFace {
  /** Takes a message and returns the answer; undefined: none is sent. Never rejects. */
  answer(packet: Uint8Array, transport: DnsTransport, from: Endpoint): Promise<Uint8Array | undefined>
  /** Answers from the cache; undefined: `answer` is needed. */
  known(packet: Uint8Array, transport: DnsTransport, from: Endpoint): Uint8Array | undefined
}

/** A face is that of one agent. */
export interface DnsFaceOptions extends ReadSource {
  /** Labels of the metrics of questions. */
  readonly labels: Labels
}

export function createDnsFace(options: DnsFaceOptions): DnsFace {
  return new Face(options)
}

/** A packet as it was received. */
interface Arrived {
  readonly packet: Uint8Array
  readonly transport: DnsTransport
  readonly from: Endpoint
  readonly startedMs: number
}

class Face implements DnsFace {
  readonly #env: Env
  readonly #config: DnsConfig
  readonly #source: ReadSource
  readonly #labels: Labels
  readonly #domain: DomainAnswers
  readonly #kept: KeptAnswers
  readonly #recursion: Recursion

  constructor(options: DnsFaceOptions) {
    const { env, config, datacenter } = options
    const { release } = options.context
    this.#env = env
    this.#config = config
    this.#source = options
    this.#labels = options.labels
    this.#recursion = new Recursion(env, config, hasBehaviour(release, 'recursors-in-turn'))
    this.#domain = new DomainAnswers({ env, config, datacenter, recursion: this.#recursion, release })
    this.#kept = new KeptAnswers(env)
  }

  known(packet: Uint8Array, transport: DnsTransport, from: Endpoint): Uint8Array | undefined {
    const signature = this.#signatureOf(packet, transport)
    if (signature === undefined) return undefined
    const { clock } = this.#env
    const startedMs = clock.monoMs()
    const kept = this.#kept.find(signature, clock.wallMs(), startedMs)
    if (kept === undefined || kept.metas.some((meta) => isTooStale(meta, this.#config))) return undefined
    for (const meta of kept.metas) countStale(meta, this.#source)
    if (this.#env.log.enabled('debug')) {
      const query = decodeQuery(packet)
      if (query.ok) this.#note(query.value, { packet, transport, from, startedMs })
    }
    this.#env.metrics.sample(kept.metric, clock.monoMs() - startedMs, this.#labels)
    return answerTo(signature, kept.bytes)
  }

  /** Without compression each owner name repeats the case of the question: such answers are not kept. */
  #signatureOf(packet: Uint8Array, transport: DnsTransport): Signature | undefined {
    return this.#config.disableCompression ? undefined : signatureOf(packet, transport)
  }

  async answer(packet: Uint8Array, transport: DnsTransport, from: Endpoint): Promise<Uint8Array | undefined> {
    const query = decodeQuery(packet)
    if (!query.ok) return query.error.kind === 'malformed' ? encodeMalformed(query.error) : undefined
    const arrived = { packet, transport, from, startedMs: this.#env.clock.monoMs() }
    const name = lowerAscii(query.value.question.name)
    const domain = domainOf(name, this.#config.domains)
    if (domain !== undefined) return this.#inDomain(query.value, arrived, { name, domain })
    return name.endsWith('.arpa.') ? this.#reverse(query.value, arrived) : this.#outside(query.value, arrived)
  }

  async #inDomain(
    query: DnsQuery,
    arrived: Arrived,
    within: { readonly name: string; readonly domain: string },
  ): Promise<Uint8Array> {
    const client = addressOfClient(query.edns?.clientSubnet, arrived.from.host)
    const reads = new CatalogReads(this.#source)
    const said = await this.#domain.answer(askedBy(query, reads, within, client))
    return this.#say(query, arrived, said, { metric: 'dns.domain_query', reads })
  }

  async #reverse(query: DnsQuery, arrived: Arrived): Promise<Uint8Array> {
    const reads = new CatalogReads(this.#source)
    const [own = ''] = this.#config.domains
    const authority = () => this.#domain.authority({ domain: own, reads })
    const { datacenter } = this.#source
    const found = await reverseAnswer(query, reads, { domain: own, datacenter, authority })
    const metric = 'dns.ptr_query'
    if (found !== undefined) {
      return this.#say(query, arrived, { ...found, recursionAvailable: this.#recursion.isThere }, { metric, reads })
    }
    const relayed = await this.#relayed(query, arrived)
    this.#env.metrics.sample(metric, this.#env.clock.monoMs() - arrived.startedMs, this.#labels)
    return relayed ?? this.#say(query, arrived, failedRecursion)
  }

  async #outside(query: DnsQuery, arrived: Arrived): Promise<Uint8Array> {
    if (!this.#recursion.isThere) return this.#say(query, arrived, outsideAnswer)
    if (!canBeRelayed(query)) return this.#say(query, arrived, notImplemented)
    return (await this.#relayed(query, arrived)) ?? this.#say(query, arrived, failedRecursion)
  }

  /** The answer of a recursor. Reference: dns.md#fact-111. */
  async #relayed(query: DnsQuery, arrived: Arrived): Promise<Uint8Array | undefined> {
    if (!this.#recursion.isThere || !canBeRelayed(query)) return undefined
    if (this.#recursion.isOwn(arrived.packet, arrived.from)) {
      const text = 'a recursor sends the questions of this agent back to it: remove it from recursors'
      this.#env.log.write('warn', 'dns', text, { name: query.question.name }, 'sampled')
      return undefined
    }
    const reply = await this.#recursion.relay(arrived.packet, arrived.transport)
    if (reply === undefined) return undefined
    this.#note(query, arrived)
    return relayedWithin(query, reply, arrived.transport, this.#config)
  }

  #say(
    query: DnsQuery,
    arrived: Arrived,
    said: DnsAnswer,
    made?: { readonly metric: string; readonly reads: CatalogReads },
  ): Uint8Array {
    const { transport, packet, startedMs } = arrived
    const response = {
      ...said,
      query,
      answers: said.answers.filter((record) => this.#canSend(record)),
      authorities: said.authorities.filter(isSendable),
      additionals: said.additionals.filter(isSendable),
    }
    const bytes = encodeResponse(response, limitsOf(query, said, transport, this.#config))
    this.#note(query, arrived)
    if (made === undefined) return bytes
    const nowMs = this.#env.clock.monoMs()
    this.#env.metrics.sample(made.metric, nowMs - startedMs, this.#labels)
    const signature = said.answers.length > 0 ? this.#signatureOf(packet, transport) : undefined
    if (signature !== undefined) this.#kept.keep(signature, { ...made, bytes, basis: made.reads.basis }, nowMs)
    return bytes
  }

  /** Names and numbers come from registrations, so a record that cannot be encoded is left out. */
  #canSend(record: DnsRecord): boolean {
    if (isSendable(record)) return true
    this.#env.log.write('debug', 'dns', 'a record cannot be sent', { type: record.type, name: record.name }, 'sampled')
    return false
  }

  #note(query: DnsQuery, { transport, from, startedMs }: Arrived): void {
    if (!this.#env.log.enabled('debug')) return
    const { name, type, class: ofClass } = query.question
    const tookMs = this.#env.clock.monoMs() - startedMs
    const client = endpointText(from)
    this.#env.log.write('debug', 'dns', 'request', { name, type, class: ofClass, took_ms: tookMs, client, transport })
  }
}
