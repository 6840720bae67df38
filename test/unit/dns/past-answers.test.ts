import { describe, expect, it } from 'vitest'
import { defaultAgentConfig } from '../../../src/agent/settings/default-config.ts'
import { dnsConfig } from '../../../src/config/parts/dns.ts'
import { parseRelease, type Release } from '../../../src/model/release.ts'
import { CatalogWorld } from './catalog-world.ts'

function release(text: string): Release {
  const parsed = parseRelease(text)
  if (parsed === undefined) throw new Error(`${text} is no release`)
  return parsed
}

/** DNS as an agent of that release has it by default, over a catalog with some services. */
function worldOf(text: string): CatalogWorld {
  const defaults = defaultAgentConfig('n1', '127.0.0.1', release(text)).dns
  const world = new CatalogWorld(
    dnsConfig({}, [], defaults, () => {}, release(text)),
    release(text),
  )
  const weights = { passing: 5, warning: 2 }
  world.place({
    node: 'd1',
    address: '10.5.0.1',
    meta: [['rack', 'r7']],
    service: { service: 'web', port: 1, weights },
  })
  world.place({ node: 'd2', address: '10.5.0.2', service: { service: 'ext', id: 'e1', address: 'a.example.org' } })
  world.place({ node: 'd2', address: '10.5.0.2', service: { service: 'ext', id: 'e2', address: 'b.example.org' } })
  world.place({ node: 'n1', address: '10.5.0.3', service: { service: 'svc', port: 8300, address: '10.5.0.9' } })
  for (let at = 10; at < 60; at++) {
    world.place({ node: `m${at}`, address: `10.6.0.${at}`, service: { service: 'many', port: 1 } })
  }
  return world
}

/** What is told on both sides of a change. */
async function around(before: string, since: string, told: (world: CatalogWorld) => Promise<unknown>) {
  return [await told(worldOf(before)), await told(worldOf(since))]
}

describe('DNS by release', () => {
  it('0.6: an answer without records carries the start of authority', async () => {
    const told = async (world: CatalogWorld) => {
      const missing = await world.ask('nobody.service.svc.')
      const empty = await world.ask('web.service.svc.', 'AAAA')
      return [missing.rcode, missing.authorities.length, empty.rcode, empty.authorities.length]
    }
    expect(await around('0.5.2', '0.6.0', told)).toEqual([
      ['NXDOMAIN', 0, 'NOERROR', 0],
      ['NXDOMAIN', 1, 'NOERROR', 1],
    ])
  })

  it('0.7: names are compressed', async () => {
    const [before, since] = (await around('0.6.4', '0.7.0', async (world) => {
      return (await world.ask('many.service.svc.', 'A', { transport: 'tcp' })).bytes
    })) as [number, number]
    expect(since).toBeLessThan(before / 1.5)
  })

  it('[UPG-032] 0.7.1: answers that are old are counted', async () => {
    const told = async (world: CatalogWorld) => {
      world.lastContactMs = 5_001
      await world.ask('web.service.svc.')
      return world.counted
    }
    expect(await around('0.7.0', '0.7.1', told)).toEqual([[], ['dns.stale_queries']])
  })

  it('0.8.0: an SRV question of RFC 2782 may leave out service', async () => {
    const told = async (world: CatalogWorld) => {
      const short = await world.ask('_web._tcp.svc.', 'SRV')
      const long = await world.ask('_web._tcp.service.svc.', 'SRV')
      return [short.rcode, long.rcode]
    }
    expect(await around('0.7.5', '0.8.0', told)).toEqual([
      ['NXDOMAIN', 'NOERROR'],
      ['NOERROR', 'NOERROR'],
    ])
  })

  it('0.8.5: what a client offers to take counts', async () => {
    const told = async (world: CatalogWorld) => {
      const { answers, flags } = await world.ask('many.service.svc.', 'A', { udpSize: 4_096 })
      return [answers.length, flags]
    }
    expect(await around('0.8.4', '0.8.5', told)).toEqual([
      [3, 'qr aa rd'],
      [50, 'qr aa rd'],
    ])
  })

  it('0.9.1: the domain names its servers', async () => {
    const told = async (world: CatalogWorld) => {
      const servers = await world.ask('svc.', 'NS')
      const authority = await world.ask('svc.', 'SOA')
      return [servers.rcode, servers.answers.length, authority.answers.length, authority.authorities.length]
    }
    expect(await around('0.9.0', '0.9.1', told)).toEqual([
      ['NXDOMAIN', 0, 1, 0],
      ['NOERROR', 1, 1, 1],
    ])
  })

  it('1.0: metadata of nodes are texts', async () => {
    const told = async (world: CatalogWorld) => {
      const asked = await world.ask('d1.node.svc.', 'TXT')
      const beside = await world.ask('d1.node.svc.')
      return [asked.answers, beside.additionals]
    }
    const text = 'd1.node.svc. 0 TXT "rack=r7"'
    expect(await around('0.9.3', '1.0.0', told)).toEqual([
      [[], []],
      [[text], [text]],
    ])
  })

  it('1.0.1: a name has one datacenter; before, the first of any number counts', async () => {
    const told = async (world: CatalogWorld) => {
      const extra = await world.ask('web.service.dc1.extra.svc.')
      const plain = await world.ask('web.service.dc1.svc.')
      return [extra.rcode, extra.answers.length, plain.answers.length]
    }
    expect(await around('1.0.0', '1.0.1', told)).toEqual([
      ['NOERROR', 1, 1],
      ['NXDOMAIN', 0, 1],
    ])
  })

  it('1.2.0: an address of an instance has the name of its service', async () => {
    const told = async (world: CatalogWorld) => {
      const service = await world.ask('9.0.5.10.in-addr.arpa.', 'PTR')
      const node = await world.ask('1.0.5.10.in-addr.arpa.', 'PTR')
      return [service.answers.length, node.answers.length]
    }
    expect(await around('1.1.0', '1.2.0', told)).toEqual([
      [0, 1],
      [1, 1],
    ])
  })

  it('1.2.1: of instances with host names one is told', async () => {
    const told = async (world: CatalogWorld) => (await world.ask('ext.service.svc.')).answers.length
    expect(await around('1.2.0', '1.2.1', told)).toEqual([2, 1])
  })

  it('1.2.3: instances have weights', async () => {
    const told = async (world: CatalogWorld) => (await world.ask('web.service.svc.', 'SRV')).answers
    expect(await around('1.2.2', '1.2.3', told)).toEqual([
      ['web.service.svc. 0 SRV 1 1 1 d1.node.dc1.svc.'],
      ['web.service.svc. 0 SRV 1 5 1 d1.node.dc1.svc.'],
    ])
  })

  it('1.4.0: times to live by the beginning of a name', () => {
    const file = { dns_config: { service_ttl: { '*': '1s', 'api-*': '5s', web: '2s' } } }
    const rules = (text: string) =>
      dnsConfig(file, [], defaultAgentConfig('n1', '127.0.0.1').dns, () => {}, release(text)).serviceTtlS
    expect(rules('1.3.1')).toEqual([
      ['*', 1],
      ['web', 2],
    ])
    expect(rules('1.4.0')).toHaveLength(3)
  })
})
