import type { DnsConfig } from '../agent/settings/agent-config.ts'
import { byteString, hex, textOfByteString } from '../base/bytes.ts'
import { parseDuration } from '../base/duration.ts'
import { lowerAscii } from '../base/letter-case.ts'
import { addressRecordOf, ipv6Text } from '../dns-wire/ip-address.ts'
import { type DnsRecord, typeCodes } from '../dns-wire/message.ts'
import { isName } from '../dns-wire/names.ts'
import type { Env } from '../env/env.ts'
import { shuffled } from '../features/query/instances.ts'
import type { CatalogNode, HealthServiceEntry } from '../model/catalog.ts'
import type { Failure } from '../model/failure.ts'
import { productName } from '../model/names.ts'
import { type Behaviour, hasBehaviour, type Release } from '../model/release.ts'
import { answer, type DnsAnswer, emptyAnswer, failed } from './answer.ts'
import { type Asked, domainOf, labelsWithin, type NameAsked, parseName, wantsMetadata } from './asked.ts'
import {
  absoluteName,
  addressRecord,
  authorityRecord,
  isOffered,
  metaRecords,
  nodeTarget,
  serviceTtl,
  weightOf,
} from './records.ts'
import type { Recursion } from './recursion.ts'

/** Maximum number of records after an alias, for a client that may accept only 512 bytes. Reference: dns.md#fact-52. */
const followedMax = 5
const nameServersMax = 3
/** Allowed names of server nodes: others could not be looked up everywhere. Reference: dns.md#fact-62. */
const plainNodeName = /^[A-Za-z0-9\\-]+$/

export interface DomainContext {
  readonly env: Env
  readonly config: DnsConfig
  /** The agent's own. */
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

  constructor(context: DomainContext) {
    this.#context = context
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

  #isOwn(datacenter: string): boolean {
    return datacenter === '' || datacenter === lowerAscii(this.#context.datacenter)
  }

  #unknown(asked: Asked): DnsAnswer {
    return answer({ rcode: 'NXDOMAIN', authorities: this.#nothing(asked) })
  }

  /** Says from when on nothing need be asked again. RFC 2308. */
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
    const records = await this.#addresses(asked, { name: asked.name, ttl, address: node.address, type: asked.type })
    const meta = this.#metadata(asked.name, ttl, node)
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
    return this.#instanceRecords(asked, entries, ttl, wanted.datacenter)
  }

  /**
   * In the order that the query gives, and with its own time to live where it has one. Reference: dns.md#fact-15,
   * dns.md#fact-35, dns.md#fact-92.
   */
  async #preparedQuery(asked: Asked, name: NameAsked & { readonly kind: 'prepared-query' }): Promise<DnsAnswer> {
    const { config } = this.#context
    const executed = await asked.reads.prepared(textOfByteString(name.query), asked.client, name.datacenter)
    if (!executed.ok) return isNoQuery(executed.error) ? this.#unknown(asked) : failed
    const { service, entries, dnsTtl, datacenter } = executed.value
    if (entries.length === 0) return this.#unknown(asked)
    const given = dnsTtl === '' ? undefined : parseDuration(dnsTtl)
    const ttl =
      given?.ok === true ? wholeSeconds(given.value) : serviceTtl(config.serviceTtlS, lowerAscii(byteString(service)))
    return { ...(await this.#instanceRecords(asked, entries, ttl, datacenter)), forSubnet: true }
  }

  async #instanceRecords(
    asked: Asked,
    entries: readonly HealthServiceEntry[],
    ttl: number,
    datacenter: string,
  ): Promise<DnsAnswer> {
    const records =
      asked.type === typeCodes.SRV
        ? await this.#serviceRecords(asked, entries, ttl, datacenter)
        : await this.#instanceAddresses(asked, entries, ttl)
    const authorities = records.answers.length === 0 ? this.#nothing(asked) : []
    return answer({ ...records, authorities, counted: true })
  }

  /** Undefined: they could not be asked for. */
  async #instances(asked: Asked, wanted: ServiceWanted): Promise<readonly HealthServiceEntry[] | undefined> {
    const { config } = this.#context
    const { tag, datacenter, connect } = wanted
    const service = textOfByteString(wanted.service)
    const found = await asked.reads.instances({ service, tag: textOfByteString(tag), connect }, datacenter)
    if (!found.ok) return undefined
    // Under an alias of the domain the product's own service has the alias as its name, too.
    const isAlias = asked.domain !== config.domains[0] && asked.domain === `${wanted.service}.`
    if (found.value.length > 0 || !isAlias) return found.value
    const own = await asked.reads.instances({ service: productName, tag: textOfByteString(tag), connect }, datacenter)
    return own.ok ? own.value : undefined
  }

  #metadata(name: string, ttl: number, node: CatalogNode): readonly DnsRecord[] {
    return this.#has('dns-metadata') ? metaRecords(name, ttl, node) : []
  }

  #drawn<T extends NonNullable<unknown>>(asked: Asked, items: readonly T[]): readonly T[] {
    if (items.length > 1) asked.reads.basis.wasDrawn()
    return shuffled(items, this.#context.env.random.draws('dns.order', asked.name, asked.type))
  }

  /**
   * Everything but SRV. Reference: dns.md#fact-51, dns.md#fact-52, dns.md#fact-53, dns.md#fact-59, dns.md#fact-61,
   * dns.md#fact-73.
   */
  async #instanceAddresses(asked: Asked, entries: readonly HealthServiceEntry[], ttl: number): Promise<Sections> {
    const answers: DnsRecord[] = []
    const additionals: DnsRecord[] = []
    const seen = new Set<string>()
    let alias: readonly DnsRecord[] = []
    let contributing = 0
    for (const { node, service } of entries) {
      const address = publishedAddress(asked, node, service.address)
      if (seen.has(address)) continue
      seen.add(address)
      const isAlias = addressRecordOf(address) === undefined && this.#has('dns-one-alias')
      const wanted = { name: asked.name, ttl, address, type: asked.type }
      const records = isAlias && alias.length > 0 ? [] : await this.#addresses(asked, wanted)
      const meta = this.#metadata(asked.name, ttl, node)
      const before = answers.length
      if (isAlias) alias = alias.length === 0 ? records : alias
      else answers.push(...records)
      if (wantsMetadata(asked)) answers.push(...meta)
      else if (this.#context.config.additionalMetaTxt) additionals.push(...meta)
      if (answers.length > before) contributing++
      if (contributing > 0 && contributing === this.#context.config.aRecordLimit) break
    }
    return { answers: answers.length > 0 ? answers : alias, additionals }
  }

  /** Reference: dns.md#fact-54, dns.md#fact-55, dns.md#fact-56, dns.md#fact-57, dns.md#fact-59, dns.md#fact-60. */
  async #serviceRecords(
    asked: Asked,
    entries: readonly HealthServiceEntry[],
    ttl: number,
    named: string,
  ): Promise<Sections> {
    const datacenter = this.#isOwn(named) ? this.#context.datacenter : named
    const answers: DnsRecord[] = []
    const additionals: DnsRecord[] = []
    const seen = new Set<string>()
    for (const entry of entries) {
      const { node, service } = entry
      const key = JSON.stringify([node.node, service.address, service.port])
      if (seen.has(key)) continue
      seen.add(key)
      const nodeName = nodeTarget(node.node, datacenter, asked.domain)
      const address = service.address === '' ? node.address : service.address
      const ip = addressRecordOf(address)
      // A target is a name: an address that is not the node's is written into one.
      const written = ip !== undefined && address !== node.address ? hex(ip.bytes) : undefined
      const target = written === undefined ? nodeName : `${written}.addr.${datacenter}.${asked.domain}`
      answers.push({
        type: 'SRV',
        name: asked.name,
        ttl,
        priority: 1,
        weight: this.#has('service-weights') ? weightOf(entry) : 1,
        port: service.port,
        target,
      })
      additionals.push(...(await this.#addresses(asked, { name: target, ttl, address, type: typeCodes.ANY })))
      if (this.#context.config.additionalMetaTxt) additionals.push(...this.#metadata(nodeName, ttl, node))
    }
    return { answers, additionals }
  }

  /** Healthy servers, at most three of them, and where they are. Reference: dns.md#fact-62. */
  async #nameServers(asked: Asked): Promise<DnsAnswer> {
    const { config, datacenter } = this.#context
    const found = await asked.reads.instances({ service: productName, tag: '', connect: false }, '')
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
      additionals.push(...(await this.#addresses(asked, address)))
    }
    return answer({ answers, additionals })
  }

  /**
   * The records that lead to an address, as far as the type asks for them; an alias is followed within the agent's own
   * domains.
   */
  async #addresses(asked: Asked, { name, ttl, address, type }: AddressWanted): Promise<readonly DnsRecord[]> {
    const record = addressRecord(name, ttl, address)
    if (type === typeCodes.ANY || type === typeCodes[record.type]) {
      return record.type === 'CNAME' ? [record, ...(await this.#follow(asked, record.target))] : [record]
    }
    if (record.type !== 'CNAME') return []
    const { A, AAAA, TXT } = typeCodes
    return [A, AAAA, TXT].some((other) => other === type) ? [record, ...(await this.#follow(asked, record.target))] : []
  }

  async #follow(asked: Asked, target: string): Promise<readonly DnsRecord[]> {
    const name = lowerAscii(target)
    const domain = domainOf(name, this.#context.config.domains)
    const { edns, aliasesLeft, follows } = asked
    if (domain === undefined) return this.#followOutside(asked, target)
    if (aliasesLeft === 0 || follows.left === 0) return []
    follows.left--
    const labels = labelsWithin(name, domain)
    const onward = { ...asked, name: target, type: typeCodes.ANY, domain, labels, aliasesLeft: aliasesLeft - 1 }
    const { answers } = await this.answer(onward)
    return followed(answers, edns)
  }

  /**
   * Follows a name outside our domain if a recursor can be asked. A silent one is not asked again for this question.
   */
  async #followOutside({ reads, edns, follows }: Asked, target: string): Promise<readonly DnsRecord[]> {
    const { recursion } = this.#context
    if (!recursion.isThere || follows.outsideLeft === 0 || !isName(target)) return []
    follows.outsideLeft--
    reads.basis.isOfTheMoment()
    const found = await recursion.addressesOf(target)
    if (found === undefined) follows.outsideLeft = 0
    return followed(found ?? [], edns)
  }
}

function followed(answers: readonly DnsRecord[], edns: boolean): readonly DnsRecord[] {
  const onward = answers.filter(({ type }) => ['CNAME', 'A', 'AAAA', 'TXT'].includes(type))
  return edns ? onward : onward.slice(0, followedMax)
}

/** As many as a record can say. RFC 2181, section 8. */
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

interface AddressWanted {
  readonly name: string
  readonly ttl: number
  readonly address: string
  readonly type: number
}

interface Sections {
  readonly answers: readonly DnsRecord[]
  readonly additionals: readonly DnsRecord[]
}

/** The instance's own address; not where that is the very name asked for, which would be a circle. */
function publishedAddress(asked: Asked, node: CatalogNode, own: string): string {
  if (own === '' || lowerAscii(absoluteName(own)) === lowerAscii(asked.name)) return node.address
  return own
}

/**
 * A caller with an unknown token learns as little about queries as one without rights. Reference: dns.md#fact-36,
 * dns.md#fact-121.
 */
function isNoQuery({ kind }: Failure): boolean {
  return kind === 'not-found' || kind === 'token-not-found'
}
