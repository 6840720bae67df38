import type { DnsConfig } from '../agent/settings/agent-config.ts'
import { byteString, textOfByteString } from '../base/bytes.ts'
import { parseDuration } from '../base/duration.ts'
import { lowerAscii } from '../base/letter-case.ts'
import { ipv6Text } from '../dns-wire/ip-address.ts'
import { type DnsRecord, typeCodes } from '../dns-wire/message.ts'
import type { Env } from '../env/env.ts'
import { shuffled } from '../features/query/instances.ts'
import type { HealthServiceEntry } from '../model/catalog.ts'
import type { Failure } from '../model/failure.ts'
import { type Behaviour, hasBehaviour, type Release } from '../model/release.ts'
import { AddressRecords } from './address-records.ts'
import { answer, type DnsAnswer, emptyAnswer, failed } from './answer.ts'
import { type Asked, type NameAsked, parseName, wantsMetadata } from './asked.ts'
import { InstanceRecords } from './instance-records.ts'
import { QueriesUnderWay } from './queries-under-way.ts'
import { authorityRecord, isOffered, metaRecords, nodeTarget, serviceTtl } from './records.ts'
import type { Recursion } from './recursion.ts'

const nameServersMax = 3
/** Allowed names of server nodes: others could not be looked up everywhere. Reference: dns.md#fact-62. */
const plainNodeName = /^[A-Za-z0-9\\-]+$/

export interface DomainContext {
  readonly env: Env
  readonly config: DnsConfig
  /** The agent's own datacenter. */
  readonly datacenter: string
  readonly recursion: Pick<Recursion, 'isThere' | 'addressesOf'>
  /** The release that the agent runs as. */
  readonly release: Release
}

/**
 * Answers questions within our own domains. Reference: dns.md#query-grammar, dns.md#response-codes-and-sections,
 * dns.md#record-construction.
 */
export class DomainAnswers {
  readonly #context: DomainContext
  readonly #addresses: AddressRecords
  readonly #instanceRecords: InstanceRecords
  readonly #queries: QueriesUnderWay

  constructor(context: DomainContext) {
    const { config, datacenter, env, release, recursion } = context
    this.#queries = new QueriesUnderWay(env)
    this.#context = context
    this.#addresses = new AddressRecords({
      domains: config.domains,
      recursion,
      answer: (asked) => this.answer(asked),
    })
    this.#instanceRecords = new InstanceRecords({ config, datacenter, release, addresses: this.#addresses })
  }

  /** Reference: dns.md#fact-4. */
  async answer(asked: Asked): Promise<DnsAnswer> {
    const said = await this.#answer(asked)
    return this.#context.recursion.isThere ? { ...said, recursionAvailable: true } : said
  }

  async #answer(asked: Asked): Promise<DnsAnswer> {
    switch (asked.type) {
      case typeCodes.SOA: {
        if (!this.#has('dns-name-servers')) return answer({ answers: [this.authority(asked)] })
        const { answers: authorities, additionals } = await this.#nameServers(asked)
        return answer({ answers: [this.authority(asked)], authorities, additionals })
      }
      case typeCodes.NS:
        return this.#has('dns-name-servers') ? this.#nameServers(asked) : this.#lookUp(asked)
      case typeCodes.AXFR:
      case typeCodes.IXFR:
        return answer({ rcode: 'NOTIMP' })
      default:
        return this.#lookUp(asked)
    }
  }

  authority({ domain, reads }: Pick<Asked, 'domain' | 'reads'>): DnsRecord {
    const { config, env } = this.#context
    const second = Math.floor(env.clock.wallMs() / 1000)
    reads.basis.tells(second)
    return authorityRecord(domain, config.soa, second)
  }

  #has(behaviour: Behaviour): boolean {
    return hasBehaviour(this.#context.release, behaviour)
  }

  #lookUp(asked: Asked): Promise<DnsAnswer> | DnsAnswer {
    const mayLeaveOut = asked.type === typeCodes.SRV && this.#has('srv-without-service')
    const name = parseName(asked.labels, mayLeaveOut, this.#has('one-datacenter-in-names') ? 'one' : 'any')
    switch (name.kind) {
      case 'node':
        return this.#node(asked, name)
      case 'service':
        return this.#service(asked, { ...name, connect: false })
      case 'connect':
        return this.#service(asked, { ...name, tag: '', connect: true })
      case 'prepared-query':
        return this.#preparedQuery(asked, name)
      case 'address':
        return answer({ answers: [this.#writtenAddress(asked, name.bytes)] })
      case 'no-address':
        return emptyAnswer
      case 'invalid':
        this.#context.env.log.write('warn', 'dns', 'QName invalid', { name: `${asked.labels.join('.')}.` }, 'sampled')
        return this.#unknown(asked)
    }
  }

  #unknown(asked: Asked): DnsAnswer {
    return answer({ rcode: 'NXDOMAIN', authorities: this.#nothing(asked) })
  }

  /** States how long a client may keep the answer without asking again. RFC 2308. */
  #nothing(asked: Asked): readonly DnsRecord[] {
    return this.#has('dns-negative-authority') ? [this.authority(asked)] : []
  }

  #writtenAddress({ name }: Asked, bytes: Uint8Array): DnsRecord {
    const ttl = this.#context.config.nodeTtlS
    return bytes.length === 4
      ? { type: 'A', name, ttl, address: bytes.join('.') }
      : { type: 'AAAA', name, ttl, address: ipv6Text(bytes) }
  }

  async #node(asked: Asked, name: NameAsked & { readonly kind: 'node' }): Promise<DnsAnswer> {
    const { A, AAAA, ANY, TXT } = typeCodes
    if (![A, AAAA, ANY, TXT].some((type) => type === asked.type)) return emptyAnswer
    const found = await asked.reads.node(textOfByteString(name.node), name.datacenter)
    if (!found.ok) return failed
    const node = found.value
    if (node === undefined) return this.#unknown(asked)
    const byId = lowerAscii(byteString(node.node)) !== name.node
    if (byId && !this.#has('dns-node-ids')) return this.#unknown(asked)
    const ttl = this.#context.config.nodeTtlS
    const records = await this.#addresses.to(asked, { name: asked.name, ttl, address: node.address, type: asked.type })
    const meta = this.#has('dns-metadata') ? metaRecords(asked.name, ttl, node) : []
    if (wantsMetadata(asked)) return answer({ answers: [...records, ...meta] })
    return answer({ answers: records, additionals: this.#context.config.additionalMetaTxt ? meta : [] })
  }

  async #service(asked: Asked, wanted: ServiceWanted): Promise<DnsAnswer> {
    const found = await this.#instances(asked, wanted)
    if (found === undefined) return failed
    const offered = found.filter((entry) => isOffered(entry, this.#context.config.onlyPassing))
    if (offered.length === 0) return this.#unknown(asked)
    const entries = this.#drawn(asked, offered)
    const ttl = serviceTtl(this.#context.config.serviceTtlS, wanted.service)
    return this.#recordsOf(asked, entries, ttl, wanted.datacenter)
  }

  /**
   * The instances in the query's order, and with its own time to live if it has one. Reference: dns.md#fact-15,
   * dns.md#fact-35, dns.md#fact-92.
   */
  async #preparedQuery(asked: Asked, name: NameAsked & { readonly kind: 'prepared-query' }): Promise<DnsAnswer> {
    const { config } = this.#context
    const executed = await this.#queries.run(() =>
      asked.reads.prepared(textOfByteString(name.query), asked.client, name.datacenter),
    )
    if (executed === undefined) return failed
    if (!executed.ok) return isNoQuery(executed.error) ? this.#unknown(asked) : failed
    const { service, entries, dnsTtl, datacenter } = executed.value
    if (entries.length === 0) return this.#unknown(asked)
    const given = dnsTtl === '' ? undefined : parseDuration(dnsTtl)
    const ttl =
      given?.ok === true ? wholeSeconds(given.value) : serviceTtl(config.serviceTtlS, lowerAscii(byteString(service)))
    return { ...(await this.#recordsOf(asked, entries, ttl, datacenter)), forSubnet: true }
  }

  async #recordsOf(
    asked: Asked,
    entries: readonly HealthServiceEntry[],
    ttl: number,
    datacenter: string,
  ): Promise<DnsAnswer> {
    const records =
      asked.type === typeCodes.SRV
        ? await this.#instanceRecords.services(asked, entries, ttl, datacenter)
        : await this.#instanceRecords.addresses(asked, entries, ttl)
    const authorities = records.answers.length === 0 ? this.#nothing(asked) : []
    return answer({ ...records, authorities, counted: true })
  }

  /** Undefined: they could not be read. */
  async #instances(asked: Asked, wanted: ServiceWanted): Promise<readonly HealthServiceEntry[] | undefined> {
    const { config } = this.#context
    const { tag, datacenter, connect } = wanted
    const service = textOfByteString(wanted.service)
    const found = await asked.reads.instances({ service, tag: textOfByteString(tag), connect }, datacenter)
    if (!found.ok) return undefined
    // Within an alternative domain, the product's own service also has the name of that domain.
    const isAlias = asked.domain !== config.domains[0] && asked.domain === `${wanted.service}.`
    if (found.value.length > 0 || !isAlias) return found.value
    const own = await asked.reads.instances(
      { service: config.serversService, tag: textOfByteString(tag), connect },
      datacenter,
    )
    return own.ok ? own.value : undefined
  }

  #drawn<T extends NonNullable<unknown>>(asked: Asked, items: readonly T[]): readonly T[] {
    if (items.length > 1) asked.reads.basis.wasDrawn()
    return shuffled(items, this.#context.env.random.draws('dns.order', asked.name, asked.type))
  }

  /** Healthy servers, at most three of them, and where they are. Reference: dns.md#fact-62. */
  async #nameServers(asked: Asked): Promise<DnsAnswer> {
    const { config, datacenter } = this.#context
    const found = await asked.reads.instances({ service: config.serversService, tag: '', connect: false }, '')
    if (!found.ok) return emptyAnswer
    const { domain } = asked
    const ttl = config.nodeTtlS
    const servers = found.value.filter(
      (entry) => isOffered(entry, config.onlyPassing) && plainNodeName.test(entry.node.node),
    )
    const answers: DnsRecord[] = []
    const additionals: DnsRecord[] = []
    for (const { node } of this.#drawn(asked, servers).slice(0, nameServersMax)) {
      const target = lowerAscii(nodeTarget(node.node, datacenter, domain))
      answers.push({ type: 'NS', name: domain, ttl, target })
      const address = { name: target, ttl, address: node.address, type: typeCodes.ANY }
      additionals.push(...(await this.#addresses.to(asked, address)))
    }
    return answer({ answers, additionals })
  }
}

/** The largest time to live that a record can hold. RFC 2181, section 8. */
function wholeSeconds(ms: number): number {
  return Math.min(Math.floor(ms / 1000), 0x7fff_ffff)
}

interface ServiceWanted {
  /** In lower case. */
  readonly service: string
  readonly tag: string
  readonly datacenter: string
  readonly connect: boolean
}

/**
 * A caller with an unknown token learns as little about queries as one without rights. Reference: dns.md#fact-36,
 * dns.md#fact-121.
 */
function isNoQuery({ kind }: Failure): boolean {
  return kind === 'not-found' || kind === 'token-not-found'
}
