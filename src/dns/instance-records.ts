import type { DnsConfig } from '../agent/settings/agent-config.ts'
import { hex } from '../base/bytes.ts'
import { lowerAscii } from '../base/letter-case.ts'
import { addressRecordOf } from '../dns-wire/ip-address.ts'
import { type DnsRecord, typeCodes } from '../dns-wire/message.ts'
import type { CatalogNode, HealthServiceEntry } from '../model/catalog.ts'
import { type Behaviour, hasBehaviour, type Release } from '../model/release.ts'
import type { AddressRecords } from './address-records.ts'
import { recordsMax, servicesMax } from './answer.ts'
import { type Asked, wantsMetadata } from './asked.ts'
import { absoluteName, metaRecords, nodeTarget, weightOf } from './records.ts'

interface InstanceRecordParts {
  readonly config: Pick<DnsConfig, 'aRecordLimit' | 'additionalMetaTxt'>
  /** The agent's own datacenter. */
  readonly datacenter: string
  /** The release that the agent runs as. */
  readonly release: Release
  readonly addresses: AddressRecords
}

/** Sections of an answer. */
interface Sections {
  readonly answers: readonly DnsRecord[]
  readonly additionals: readonly DnsRecord[]
}

/**
 * Records of the instances of a service that are offered: their addresses, or a name and port for each. An instance that
 * differs from an earlier one in nothing that the record says is left out.
 */
export class InstanceRecords {
  readonly #parts: InstanceRecordParts

  constructor(parts: InstanceRecordParts) {
    this.#parts = parts
  }

  /**
   * Records of every type except SRV. Reference: dns.md#fact-51, dns.md#fact-52, dns.md#fact-53, dns.md#fact-59,
   * dns.md#fact-61, dns.md#fact-73.
   */
  async addresses(asked: Asked, entries: readonly HealthServiceEntry[], ttl: number): Promise<Sections> {
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
      const records = isAlias && alias.length > 0 ? [] : await this.#parts.addresses.to(asked, wanted)
      const meta = this.#metadata(asked.name, ttl, node)
      const before = answers.length
      if (isAlias) alias = alias.length === 0 ? records : alias
      else answers.push(...records)
      if (wantsMetadata(asked)) answers.push(...meta)
      else if (this.#hasRoom(additionals)) additionals.push(...meta)
      if (answers.length > before) contributing++
      if (answers.length > recordsMax) break
      if (contributing > 0 && contributing === this.#parts.config.aRecordLimit) break
    }
    return { answers: answers.length > 0 ? answers : alias, additionals }
  }

  /** Reference: dns.md#fact-54, dns.md#fact-55, dns.md#fact-56, dns.md#fact-57, dns.md#fact-59, dns.md#fact-60. */
  async services(asked: Asked, entries: readonly HealthServiceEntry[], ttl: number, named: string): Promise<Sections> {
    const datacenter = this.#isOwn(named) ? this.#parts.datacenter : named
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
      additionals.push(...(await this.#parts.addresses.to(asked, { name: target, ttl, address, type: typeCodes.ANY })))
      if (this.#hasRoom(additionals)) additionals.push(...this.#metadata(nodeName, ttl, node))
      if (answers.length > servicesMax) break
    }
    return { answers, additionals }
  }

  /** Whether metadata is wanted beside an answer, and could be sent: it is left out of one that is too long. */
  #hasRoom(additionals: readonly DnsRecord[]): boolean {
    return this.#parts.config.additionalMetaTxt && additionals.length <= recordsMax
  }

  #has(behaviour: Behaviour): boolean {
    return hasBehaviour(this.#parts.release, behaviour)
  }

  #isOwn(datacenter: string): boolean {
    return datacenter === '' || datacenter === lowerAscii(this.#parts.datacenter)
  }

  #metadata(name: string, ttl: number, node: CatalogNode): readonly DnsRecord[] {
    return this.#has('dns-metadata') ? metaRecords(name, ttl, node) : []
  }
}

/** The instance's own address, unless that is the question's own name, which would be a loop. */
function publishedAddress(asked: Asked, node: CatalogNode, own: string): string {
  if (own === '' || lowerAscii(absoluteName(own)) === lowerAscii(asked.name)) return node.address
  return own
}
