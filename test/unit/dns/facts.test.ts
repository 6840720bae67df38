import { beforeEach, describe, expect, it } from 'vitest'
import { byteString } from '../../../src/base/bytes.ts'
import type { TypeName } from '../../../src/dns-wire/message.ts'
import { CatalogWorld } from './catalog-world.ts'

const soa = 'svc. 0 SOA ns.svc. hostmaster.svc. 1700000000 3600 600 86400 0'

let world: CatalogWorld
beforeEach(() => {
  world = new CatalogWorld()
  fill(world)
})

function fill(to: CatalogWorld): void {
  const meta = [
    ['rack', 'r7'],
    ['rfc1035-txt', 'hello'],
  ] as const
  const blue = { service: 'web', tags: ['blue', 'v1'], port: 8001, weights: { passing: 5, warning: 2 } }
  to.place({ node: 'd1', address: '10.5.0.1', meta, service: blue })
  const elsewhere = { service: 'web', tags: ['v1'], port: 8002, address: '10.5.9.9' }
  to.place({ node: 'd2', address: '10.5.0.2', service: elsewhere, checks: ['warning'] })
  to.place({ node: 'd3', address: '10.5.0.3', service: { service: 'web', port: 8003 }, checks: ['critical'] })
  to.place({ node: 'd6', address: 'fe80::1', service: { service: 'six', port: 6 } })
  to.place({ node: 'dname', address: 'host.example.org', service: { service: 'ext', port: 443 } })
  to.place({ node: 'n1', address: '127.0.0.1', service: { service: 'svc', port: 8300 } })
}

interface Fact {
  readonly id: string
  readonly says: string
  readonly ask: readonly [name: string, type?: TypeName]
  readonly rcode?: string
  readonly answers?: readonly string[]
  readonly authorities?: readonly string[]
  readonly additionals?: readonly string[]
}

const texts = (name: string) => [`${name} 0 TXT "hello"`, `${name} 0 TXT "rack=r7"`]
const webServices = (name: string) => [
  `${name} 0 SRV 1 1 8002 0a050909.addr.dc1.svc.`,
  `${name} 0 SRV 1 5 8001 d1.node.dc1.svc.`,
]
const webGlue = ['0a050909.addr.dc1.svc. 0 A 10.5.9.9', 'd1.node.dc1.svc. 0 A 10.5.0.1', ...texts('d1.node.dc1.svc.')]

const facts: readonly Fact[] = [
  {
    id: '[DNS-002] dns 10, 50',
    says: 'a node is found by its name',
    ask: ['d1.node.svc.'],
    answers: ['d1.node.svc. 0 A 10.5.0.1'],
    additionals: texts('d1.node.svc.'),
  },
  {
    id: 'dns 10',
    says: 'a node is found in the own datacenter by its name',
    ask: ['d1.node.dc1.svc.'],
    answers: ['d1.node.dc1.svc. 0 A 10.5.0.1'],
    additionals: texts('d1.node.dc1.svc.'),
  },
  {
    id: 'dns 6',
    says: 'case does not matter, and comes back as it was asked',
    ask: ['D1.Node.SVC.'],
    answers: ['D1.Node.SVC. 0 A 10.5.0.1'],
    additionals: texts('D1.Node.SVC.'),
  },
  { id: 'dns 20', says: 'an unknown datacenter is a failure', ask: ['d1.node.dc9.svc.'], rcode: 'SERVFAIL' },
  { id: 'dns 20', says: 'so it is for services', ask: ['web.service.dc9.svc.', 'SRV'], rcode: 'SERVFAIL' },
  { id: 'dns 20', says: 'so it is for prepared queries', ask: ['x.query.dc9.svc.'], rcode: 'SERVFAIL' },
  { id: 'dns 30', says: 'an unknown node', ask: ['nope.node.svc.'], rcode: 'NXDOMAIN', authorities: [soa] },
  {
    id: 'dns 31',
    says: 'a node without an address of the type asked for',
    ask: ['d1.node.svc.', 'AAAA'],
    additionals: texts('d1.node.svc.'),
  },
  { id: 'dns 32', says: 'no other type of a node is looked up', ask: ['nope.node.svc.', 'SRV'] },
  {
    id: 'dns 50',
    says: 'an IPv6 address',
    ask: ['d6.node.svc.', 'AAAA'],
    answers: ['d6.node.svc. 0 AAAA fe80::1'],
  },
  {
    id: 'dns 52',
    says: 'a host name',
    ask: ['dname.node.svc.'],
    answers: ['dname.node.svc. 0 CNAME host.example.org.'],
  },
  {
    id: '[DNS-003] [DNS-005] [DNS-011] dns 11, 51, 70',
    says: 'a service: instances that are not critical, each at its own address or its node',
    ask: ['web.service.svc.'],
    answers: ['web.service.svc. 0 A 10.5.0.1', 'web.service.svc. 0 A 10.5.9.9'],
    additionals: texts('web.service.svc.'),
  },
  {
    id: '[DNS-006] [DNS-007] [DNS-008] dns 54, 55, 59, 60',
    says: 'a service with ports, weights and targets, and where these are',
    ask: ['web.service.svc.', 'SRV'],
    answers: webServices('web.service.svc.'),
    additionals: webGlue,
  },
  {
    id: 'dns 61',
    says: 'addresses and metadata, no services, for ANY',
    ask: ['web.service.svc.', 'ANY'],
    answers: ['web.service.svc. 0 A 10.5.0.1', 'web.service.svc. 0 A 10.5.9.9', ...texts('web.service.svc.')].slice(
      0,
      4,
    ),
  },
  { id: 'dns 59', says: 'metadata alone', ask: ['web.service.svc.', 'TXT'], answers: texts('web.service.svc.') },
  {
    id: 'dns 34',
    says: 'a service without an address of that type',
    ask: ['web.service.svc.', 'AAAA'],
    authorities: [soa],
    additionals: texts('web.service.svc.'),
  },
  {
    id: '[DNS-009] dns 11',
    says: 'instances with a tag',
    ask: ['blue.web.service.svc.'],
    answers: ['blue.web.service.svc. 0 A 10.5.0.1'],
    additionals: texts('blue.web.service.svc.'),
  },
  { id: 'dns 33', says: 'a tag that none has', ask: ['green.web.service.svc.'], rcode: 'NXDOMAIN', authorities: [soa] },
  {
    id: 'dns 12',
    says: 'RFC 2782, with a protocol',
    ask: ['_web._tcp.service.svc.', 'SRV'],
    answers: webServices('_web._tcp.service.svc.'),
    additionals: webGlue,
  },
  {
    id: 'dns 12',
    says: 'RFC 2782 with a tag, for addresses, too',
    ask: ['_web._blue.service.dc1.svc.'],
    answers: ['_web._blue.service.dc1.svc. 0 A 10.5.0.1'],
    additionals: texts('_web._blue.service.dc1.svc.'),
  },
  {
    id: 'dns 13',
    says: 'RFC 2782 without its service label',
    ask: ['_web._blue.dc1.svc.', 'SRV'],
    answers: ['_web._blue.dc1.svc. 0 SRV 1 5 8001 d1.node.dc1.svc.'],
    additionals: ['d1.node.dc1.svc. 0 A 10.5.0.1', ...texts('d1.node.dc1.svc.')],
  },
  { id: 'dns 13', says: 'but not for addresses', ask: ['_web._blue.svc.'], rcode: 'NXDOMAIN', authorities: [soa] },
  { id: 'dns 33', says: 'an unknown service', ask: ['nope.service.svc.'], rcode: 'NXDOMAIN', authorities: [soa] },
  { id: 'dns 14', says: 'nothing in the mesh', ask: ['web.connect.svc.'], rcode: 'NXDOMAIN', authorities: [soa] },
  { id: 'dns 35', says: 'no prepared query', ask: ['a.b.query.svc.'], rcode: 'NXDOMAIN', authorities: [soa] },
  {
    id: 'dns 54',
    says: 'a service on a node with an IPv6 address',
    ask: ['six.service.svc.', 'SRV'],
    answers: ['six.service.svc. 0 SRV 1 1 6 d6.node.dc1.svc.'],
    additionals: ['d6.node.dc1.svc. 0 AAAA fe80::1'],
  },
  {
    id: '[DNS-004] dns 52, 53',
    says: 'a service on a node with a host name',
    ask: ['ext.service.svc.'],
    answers: ['ext.service.svc. 0 CNAME host.example.org.'],
  },
  {
    id: 'dns 56',
    says: 'the same with its port',
    ask: ['ext.service.svc.', 'SRV'],
    answers: ['ext.service.svc. 0 SRV 1 1 443 dname.node.dc1.svc.'],
    additionals: ['dname.node.dc1.svc. 0 CNAME host.example.org.'],
  },
  {
    id: 'dns 16',
    says: 'an address written into its name, whatever the type asked for',
    ask: ['0a050001.addr.dc9.svc.', 'SRV'],
    answers: ['0a050001.addr.dc9.svc. 0 A 10.5.0.1'],
  },
  {
    id: 'dns 16',
    says: 'an IPv6 address written into its name',
    ask: ['fe800000000000000000000000000001.addr.svc.', 'ANY'],
    answers: ['fe800000000000000000000000000001.addr.svc. 0 AAAA fe80::1'],
  },
  { id: 'dns 17', says: 'an address of no length', ask: ['zz.addr.svc.'] },
  { id: 'dns 17', says: 'a digit too many', ask: ['0a0500012.addr.svc.'], rcode: 'NXDOMAIN', authorities: [soa] },
  { id: 'dns 17', says: 'no digits', ask: ['0a05000z.addr.svc.'], rcode: 'NXDOMAIN', authorities: [soa] },
  { id: 'dns 17', says: 'two labels', ask: ['x.0a050001.addr.svc.'], rcode: 'NXDOMAIN', authorities: [soa] },
  ...['service.svc.', 'node.svc.', 'query.svc.', 'connect.svc.', 'addr.svc.', 'svc.', 'junk.svc.', 'a.b.c.svc.'].map(
    (name): Fact => ({ id: 'dns 18', says: name, ask: [name], rcode: 'NXDOMAIN', authorities: [soa] }),
  ),
  {
    id: 'dns 19',
    says: 'one label may be the datacenter, not two',
    ask: ['web.service.dc1.more.svc.'],
    rcode: 'NXDOMAIN',
    authorities: [soa],
  },
  {
    id: 'dns 21, 38',
    says: 'the start of authority, for any name',
    ask: ['gar.bage.svc.', 'SOA'],
    answers: [soa],
    authorities: ['svc. 0 NS n1.node.dc1.svc.'],
    additionals: ['n1.node.dc1.svc. 0 A 127.0.0.1'],
  },
  {
    id: 'dns 39, 62',
    says: 'the name servers',
    ask: ['svc.', 'NS'],
    answers: ['svc. 0 NS n1.node.dc1.svc.'],
    additionals: ['n1.node.dc1.svc. 0 A 127.0.0.1'],
  },
  { id: 'dns 7', says: 'no transfer of a domain', ask: ['svc.', 'AXFR'], rcode: 'NOTIMP' },
  {
    id: 'dns 63',
    says: 'the name of a node by its address',
    ask: ['1.0.5.10.in-addr.arpa.', 'PTR'],
    answers: ['1.0.5.10.in-addr.arpa. 0 PTR d1.node.dc1.svc.'],
  },
]

const titled = facts.map((fact): [string, Fact] => [`${fact.id}: ${fact.says}`, fact])

describe('what the reference says of DNS', () => {
  it.each(titled)('%s', async (_title, { ask: [name, type], rcode = 'NOERROR', ...sections }) => {
    // By TCP: over UDP a client that does not say more gets three records.
    const reply = await world.ask(name, type, { transport: 'tcp' })
    expect(reply.rcode).toBe(rcode)
    expect(reply.flags).toBe('qr aa rd')
    expect(reply.answers).toEqual(sections.answers ?? [])
    expect(reply.authorities).toEqual(sections.authorities ?? [])
    expect(reply.additionals).toEqual(sections.additionals ?? [])
  })

  it('dns 3: an unknown name is a failure without authority, and without EDNS', async () => {
    const reply = await world.ask('www.example.com.', 'A', { udpSize: 1232 })
    expect([reply.rcode, reply.flags, reply.received.udpSize]).toEqual(['SERVFAIL', 'qr rd', undefined])
  })

  it('dns 65: an unknown reverse name is a failure that says recursion', async () => {
    const reply = await world.ask('9.9.9.9.in-addr.arpa.', 'PTR')
    expect([reply.rcode, reply.flags]).toEqual(['SERVFAIL', 'qr rd ra'])
  })

  it('dns 66: a question for authority of a reverse name is answered with the name, too', async () => {
    const reply = await world.ask('1.0.5.10.in-addr.arpa.', 'SOA')
    expect(reply.answers).toEqual(['1.0.5.10.in-addr.arpa. 0 PTR d1.node.dc1.svc.'])
    expect(reply.authorities).toEqual([soa])
  })

  it('dns 63: an IPv6 address has its reverse name', async () => {
    const zeros = Array.from({ length: 27 }, () => '0').join('.')
    const reply = await world.ask(`1.${zeros}.0.8.e.f.ip6.arpa.`, 'PTR')
    expect(reply.answers[0]).toContain('PTR d6.node.dc1.svc.')
    expect((await world.ask(`${zeros}.0.8.e.f.ip6.arpa.`, 'PTR')).rcode).toBe('SERVFAIL')
  })

  it('dns 64: an address of an instance has the name of its service', async () => {
    const reply = await world.ask('9.9.5.10.in-addr.arpa.', 'PTR')
    expect([reply.flags, reply.answers]).toEqual(['qr aa rd', ['9.9.5.10.in-addr.arpa. 0 PTR web.service.svc.']])
    world.place({ node: 'd1', address: '10.5.0.1', service: { service: 'far', address: '2001:db8::1' } })
    const zeros = Array.from({ length: 23 }, () => '0').join('.')
    const wide = await world.ask(`1.${zeros}.8.b.d.0.1.0.0.2.ip6.arpa.`, 'PTR')
    expect(wide.answers[0]).toContain('PTR far.service.svc.')
  })

  it('dns 64: an address of an instance has the name of its service, however the address is written', async () => {
    world.place({ node: 'd1', address: '10.5.0.1', service: { service: 'odd', address: '2001:DB8::0:2' } })
    world.place({ node: 'd1', address: '10.5.0.1', service: { service: 'old', address: '::ffff:10.5.7.7' } })
    const zeros = Array.from({ length: 23 }, () => '0').join('.')
    const wide = await world.ask(`2.${zeros}.8.b.d.0.1.0.0.2.ip6.arpa.`, 'PTR')
    expect(wide.answers[0]).toContain('PTR odd.service.svc.')
    expect((await world.ask('7.7.5.10.in-addr.arpa.', 'PTR')).answers[0]).toContain('PTR old.service.svc.')
    expect((await world.ask(`3.${zeros}.8.b.d.0.1.0.0.2.ip6.arpa.`, 'PTR')).rcode).toBe('SERVFAIL')
  })

  it('dns 4: recursion is desired when the client says so, in a query alone', async () => {
    expect((await world.ask('d1.node.svc.', 'A', { recursionDesired: false })).flags).toBe('qr aa')
    expect((await world.ask('d1.node.svc.', 'A', { opcode: 2 })).flags).toBe('qr aa')
  })

  it('dns 36: a failure to ask is a failure', async () => {
    world.failure = { kind: 'no-leader' }
    for (const [name, type] of [['d1.node.svc.'], ['web.service.svc.'], ['web.service.svc.', 'SRV']] as const) {
      const reply = await world.ask(name, type)
      expect([reply.rcode, reply.flags, reply.authorities]).toEqual(['SERVFAIL', 'qr aa rd', []])
    }
    expect((await world.ask('svc.', 'NS')).rcode).toBe('NOERROR')
  })

  it('every domain is answered, and targets stay in the one that was asked', async () => {
    const reply = await world.ask('web.service.consul.', 'SRV')
    expect(reply.answers).toEqual([
      'web.service.consul. 0 SRV 1 1 8002 0a050909.addr.dc1.consul.',
      'web.service.consul. 0 SRV 1 5 8001 d1.node.dc1.consul.',
    ])
    expect((await world.ask('nope.service.consul.')).authorities[0]).toMatch(
      /^consul\. 0 SOA ns\.consul\. hostmaster\./,
    )
  })

  it('under an alias the product goes by it as a service, unless something else does', async () => {
    expect((await world.ask('consul.service.consul.')).answers).toEqual(['consul.service.consul. 0 A 127.0.0.1'])
    expect((await world.ask('consul.service.svc.')).rcode).toBe('NXDOMAIN')
    world.place({ node: 'd9', address: '10.5.0.9', service: { service: 'consul', port: 1 } })
    expect((await world.ask('consul.service.consul.')).answers).toEqual(['consul.service.consul. 0 A 10.5.0.9'])
  })

  it('under an alias the product is found by its tags, whatever their letters', async () => {
    const service = { id: 'second', service: 'svc', tags: ['zürich'], port: 8300 }
    world.place({ node: 'n2', address: '127.0.0.2', service })
    const name = `${byteString('zürich')}.consul.service.consul.`
    expect((await world.ask(name)).received.answers).toMatchObject([{ type: 'A', address: '127.0.0.2' }])
  })
})
