import { describe, expect, it } from 'vitest'
import { AddressRecords } from '../../../src/dns/address-records.ts'
import { answer } from '../../../src/dns/answer.ts'
import { type Asked, askedBy } from '../../../src/dns/asked.ts'
import type { CatalogReads } from '../../../src/dns/catalog-reads.ts'
import { InstanceRecords } from '../../../src/dns/instance-records.ts'
import { type DnsQuery, typeCodes } from '../../../src/dns-wire/message.ts'
import type { HealthServiceEntry } from '../../../src/model/catalog.ts'
import { newestRelease } from '../../../src/model/release.ts'
import { CatalogWorld } from './catalog-world.ts'

describe('what a question costs', () => {
  const asked = { name: 'web.service.svc.', type: 1, domain: 'svc.' } as unknown as Asked
  const address = { type: 'A', name: 'x.', ttl: 0, address: '10.0.0.1' } as const

  function instances(count: number, pairs: number): readonly HealthServiceEntry[] {
    const meta = Array.from({ length: pairs }, (_, at) => [`k${at}`, 'v'])
    const node = { node: 'd1', address: '10.5.0.1', meta }
    return Array.from({ length: count }, (_, at) => {
      const service = {
        id: `${at}`,
        address: `10.5.${at >> 8}.${at & 255}`,
        port: at,
        weights: { passing: 1, warning: 1 },
      }
      return { node, service, checks: [] } as unknown as HealthServiceEntry
    })
  }

  function records() {
    return new InstanceRecords({
      config: { aRecordLimit: 0, additionalMetaTxt: true },
      datacenter: 'dc1',
      release: newestRelease,
      addresses: { to: async () => [address] } as unknown as AddressRecords,
    })
  }

  it('is bounded by what a message can hold, whatever there is of instances and of metadata', async () => {
    const many = instances(3_000, 64)
    const beside = await records().addresses(asked, many, 0)
    expect(beside.answers).toHaveLength(3_000)
    expect(beside.additionals.length).toBeLessThan(5_600)
    const within = await records().addresses({ ...asked, type: typeCodes.TXT }, many, 0)
    expect(within.answers.length).toBeLessThan(5_600)
    const services = await records().services({ ...asked, type: typeCodes.SRV }, many, 0, '')
    expect(services.answers).toHaveLength(1_025)
    expect(services.additionals.length).toBeLessThan(6_700)
  })

  it('grows with the names that aliases lead to, and not with the number of aliases', async () => {
    const world = new CatalogWorld()
    for (let at = 0; at < 40; at++) {
      world.place({
        node: 'd1',
        address: '10.5.0.1',
        service: { service: 'big', id: `${at}`, address: `10.6.0.${at}` },
      })
      world.place({ node: 'd2', address: '10.5.0.2', service: alias(at) })
    }
    const reply = await world.ask('web.service.svc.', 'SRV', { transport: 'tcp', udpSize: 4_096 })
    expect(reply.answers).toHaveLength(40)
    expect(reply.additionals).toHaveLength(40 * 41)
    expect(world.reads).toHaveLength(2)
  })

  it('is bounded by what a message can hold, however many records the names have that aliases lead to', async () => {
    const records = Array.from({ length: 1_000 }, () => address)
    const follower = new AddressRecords({
      domains: ['svc.'],
      recursion: { isThere: false, addressesOf: async () => undefined },
      answer: async () => answer({ answers: records }),
    })
    const query = { question: { name: 'web.service.svc.', type: typeCodes.SRV }, edns: {} } as unknown as DnsQuery
    const client = askedBy(query, {} as CatalogReads, { name: query.question.name, domain: 'svc.' }, '10.9.9.9')
    let all = 0
    for (let at = 0; at < 100; at++) {
      const target = { name: `x${at}.`, ttl: 0, address: `big-${at}.service.svc`, type: typeCodes.ANY }
      all += (await follower.to(client, target)).length
    }
    // The aliases themselves, and five records of each of those for which there is no room any more.
    expect(all).toBeLessThan(5_600 + 100 + 5 * 100)
  })

  function alias(port: number) {
    return { service: 'web', id: `${port}`, port, address: 'big.service.svc' }
  }
})

describe('a record that is too large by itself', () => {
  /** A node from outside, whose metadata the catalog does not bound. */
  function ofText(characters: number): CatalogWorld {
    const world = new CatalogWorld()
    world.place({ node: 'd1', address: '10.5.0.1', meta: [['k', 'v'.repeat(characters)]] })
    return world
  }

  it.each([undefined, 512, 4_096, 65_535])('is left to TCP beyond 8,192 bytes; offered by UDP: %s', async (udpSize) => {
    const offered = udpSize === undefined ? {} : { udpSize }
    for (const type of ['TXT', 'ANY'] as const) {
      const long = await ofText(60_000).ask('d1.node.svc.', type, offered)
      expect(long.bytes).toBeLessThanOrEqual(512)
      if (type === 'TXT') expect([long.received.truncated, long.answers]).toEqual([true, []])
    }
    const some = await ofText(8_000).ask('d1.node.svc.', 'TXT', offered)
    expect([some.received.truncated, some.answers.length]).toEqual([false, 1])
  })

  it('is not sent at all where no message can hold it', async () => {
    const whole = await ofText(65_150).ask('d1.node.svc.', 'TXT', { transport: 'tcp', udpSize: 4_096 })
    expect(whole.answers).toHaveLength(1)
    expect(whole.bytes).toBeLessThanOrEqual(65_535)
    const none = await ofText(65_270).ask('d1.node.svc.', 'TXT', { transport: 'tcp', udpSize: 4_096 })
    expect([none.rcode, none.received.truncated, none.answers]).toEqual(['NOERROR', false, []])
  })
})
