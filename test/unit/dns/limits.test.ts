import { describe, expect, it } from 'vitest'
import { defaultAgentConfig } from '../../../src/agent/settings/default-config.ts'
import { answer, limitsOf } from '../../../src/dns/answer.ts'
import { decodeQuery } from '../../../src/dns-wire/decode-query.ts'
import { decodeResponse, encodeQuestion } from '../../../src/dns-wire/question.ts'
import { CatalogWorld } from './catalog-world.ts'

/** Thirty instances on thirty nodes. */
function many(config: ConstructorParameters<typeof CatalogWorld>[0] = {}, addressed = false): CatalogWorld {
  const world = new CatalogWorld(config)
  for (let i = 1; i <= 30; i++) {
    const meta = [['rack', `r${i}`]] as const
    const address = addressed ? { address: `10.2.0.${i}` } : {}
    world.place({
      node: `n${i}`,
      address: `10.1.0.${i}`,
      meta,
      service: { service: 'web', port: 8000 + i, ...address },
    })
  }
  return world
}

describe('limits of an answer', () => {
  it.each([
    ['SRV', 1_024],
    ['A', 4_096],
    ['ANY', 4_096],
  ] as const)('dns 79: %s answers over TCP are at most %i', (type, most) => {
    const query = decodeQuery(encodeQuestion({ id: 1, name: 'web.service.svc.', type }))
    if (!query.ok) throw new Error('unreadable')
    const { dns } = defaultAgentConfig('n1', '127.0.0.1')
    const limits = limitsOf(query.value, answer({ counted: true }), 'tcp', dns)
    expect(limits).toMatchObject({ answers: most, bytes: 65_523 })
  })

  it('[LIM-013] dns 74: a client that says no size gets three records, and no sign that there are more', async () => {
    const world = many()
    for (const type of ['A', 'SRV', 'ANY'] as const) {
      const reply = await world.ask('web.service.svc.', type)
      expect(reply.received.answers).toHaveLength(3)
      expect(reply.flags).toBe('qr aa rd')
      expect(reply.bytes).toBeLessThanOrEqual(512)
    }
    const small = await world.ask('web.service.svc.', 'A', { udpSize: 400 })
    expect(small.received.answers).toHaveLength(3)
  })

  it('dns 74, 76: a larger limit holds up to eight records, and for what fits without compression', async () => {
    const world = many({ udpAnswerLimit: 20 })
    expect((await world.ask('web.service.svc.')).received.answers).toHaveLength(8)
    const services = await world.ask('web.service.svc.', 'SRV')
    expect(services.received.answers.length).toBeLessThan(8)
    expect(services.bytes).toBeLessThan(512)
  })

  it('dns 74: a node has all of its records however many', async () => {
    const world = new CatalogWorld()
    const meta = [1, 2, 3, 4, 5].map((n) => [`k${n}`, 'v'] as const)
    world.place({ node: 'd1', address: '10.5.0.1', meta })
    expect((await world.ask('d1.node.svc.', 'ANY')).received.answers).toHaveLength(6)
  })

  it('dns 75, 77, 78: with EDNS the size alone counts, and what is beside the answer follows it', async () => {
    const world = many()
    const reply = await world.ask('web.service.svc.', 'SRV', { udpSize: 1232 })
    expect(reply.bytes).toBeLessThanOrEqual(1232)
    expect(reply.bytes).toBeGreaterThan(1100)
    expect(reply.received.udpSize).toBe(1232)
    const kept = reply.received.answers.map((record) => (record.type === 'SRV' ? record.target : ''))
    expect(reply.received.additionals.map(({ type, name }) => `${type} ${name}`)).toEqual(
      kept.map((name) => `A ${name}`),
    )
    const addresses = await world.ask('web.service.svc.', 'A', { udpSize: 513 })
    expect(addresses.bytes).toBeLessThanOrEqual(513)
    expect(addresses.received.additionals).toEqual([])
  })

  it('dns 77: a written address that stays keeps its record', async () => {
    const reply = await many({}, true).ask('web.service.svc.', 'SRV')
    const targets = reply.received.answers.map((record) => (record.type === 'SRV' ? record.target : ''))
    expect(targets).toHaveLength(3)
    expect(targets.every((target) => target.endsWith('.addr.dc1.svc.'))).toBe(true)
    expect(reply.received.additionals.map(({ name }) => name)).toEqual(targets)
  })

  it('dns 79: by TCP everything is there', async () => {
    const reply = await many().ask('web.service.svc.', 'SRV', { transport: 'tcp' })
    expect(reply.received.answers).toHaveLength(30)
    expect(reply.received.additionals).toHaveLength(60)
  })

  it('dns 80: truncation is told when configured, over UDP and only when records went', async () => {
    const world = many({ enableTruncate: true })
    expect((await world.ask('web.service.svc.')).flags).toBe('qr aa tc rd')
    expect((await world.ask('web.service.svc.', 'A', { transport: 'tcp' })).flags).toBe('qr aa rd')
    const limited = many({ enableTruncate: true, aRecordLimit: 2 })
    expect((await limited.ask('web.service.svc.')).flags).toBe('qr aa rd')
  })

  it('dns 73: at most so many instances answer for addresses, by TCP too, but not for services', async () => {
    const world = many({ aRecordLimit: 2 })
    expect((await world.ask('web.service.svc.', 'A', { transport: 'tcp' })).received.answers).toHaveLength(2)
    expect((await world.ask('web.service.svc.', 'ANY', { transport: 'tcp' })).received.answers).toHaveLength(4)
    expect((await world.ask('web.service.svc.', 'SRV', { transport: 'tcp' })).received.answers).toHaveLength(30)
  })

  it('dns 81: names are compressed unless configured otherwise', async () => {
    const plain = await many({ disableCompression: true }).ask('web.service.svc.', 'SRV', { transport: 'tcp' })
    const short = await many().ask('web.service.svc.', 'SRV', { transport: 'tcp' })
    expect(plain.answers).toEqual(short.answers)
    expect(short.bytes).toBeLessThan(plain.bytes * 0.7)
  })

  it('dns 72: the order is drawn anew for each question', async () => {
    const world = many()
    const orders = new Set<string>()
    for (let i = 0; i < 8; i++) {
      const { received } = await world.ask('web.service.svc.', 'A', { transport: 'tcp' })
      orders.add(received.answers.map((record) => (record.type === 'A' ? record.address : '')).join(' '))
    }
    expect(orders.size).toBeGreaterThan(1)
  })

  it('dns 51, 57: an address is there once, a service once for each port', async () => {
    const world = new CatalogWorld()
    for (const [id, port] of [
      ['a', 1],
      ['b', 1],
      ['c', 2],
    ] as const) {
      world.place({ node: 'd1', address: '10.5.0.1', service: { id, service: 'web', port } })
    }
    expect((await world.ask('web.service.svc.')).answers).toEqual(['web.service.svc. 0 A 10.5.0.1'])
    expect((await world.ask('web.service.svc.', 'SRV')).received.answers).toHaveLength(2)
  })

  it('answers nothing larger than a client takes, although what is beside the answer would be', async () => {
    const world = new CatalogWorld()
    const meta = Array.from({ length: 64 }, (_none, i) => [`key-${i}`, 'x'.repeat(200)] as const)
    world.place({ node: 'd1', address: '10.5.0.1', meta })
    const reply = await world.ask('d1.node.svc.')
    expect(reply.bytes).toBeLessThanOrEqual(512)
    expect(reply.answers).toEqual(['d1.node.svc. 0 A 10.5.0.1'])
    expect((await world.ask('d1.node.svc.', 'AAAA')).bytes).toBeLessThanOrEqual(512)
  })
})

describe('what a sender with a forged address gets, by UDP', () => {
  /** Names as long as they may be, and all the metadata that a node may have. */
  function large(): CatalogWorld {
    const world = new CatalogWorld()
    for (let i = 1; i <= 150; i++) {
      const meta = Array.from({ length: 8 }, (_none, at) => [`key-${at}`, 'x'.repeat(500)] as const)
      const service = { id: `web-${i}`, service: 'web', port: 8000 + i }
      world.place({ node: `${'n'.repeat(59)}-${i}`, address: `10.5.${i >> 7}.${i & 127}`, meta, service })
    }
    return world
  }

  it('is at most 512 bytes without EDNS and 8,192 with it, whatever it offers', async () => {
    const world = large()
    for (const type of ['A', 'SRV', 'ANY', 'TXT'] as const) {
      // One record stays, however large: here a text of 500 bytes and its name.
      expect((await world.ask('web.service.svc.', type)).bytes).toBeLessThanOrEqual(type === 'TXT' ? 600 : 512)
      for (const udpSize of [4_096, 8_193, 65_535]) {
        const { bytes } = await world.ask('web.service.svc.', type, { udpSize })
        expect(bytes).toBeLessThanOrEqual(Math.min(udpSize, 8_192))
      }
    }
  })

  it('is no more than was sent where the name is of others, or the packet is none', async () => {
    const world = large()
    for (const udpSize of [undefined, 65_535]) {
      const packet = encodeQuestion({
        id: 1,
        name: 'www.example.com.',
        type: 'ANY',
        ...(udpSize === undefined ? {} : { udpSize }),
      })
      expect((await world.send(packet))?.length).toBeLessThanOrEqual(packet.length)
      expect((await world.send(packet.slice(0, -1)))?.length).toBeLessThanOrEqual(packet.length)
    }
  })
})

describe('configured answers', () => {
  const six = { node: 'd6', address: 'fe80::1', service: { service: 'web', port: 6 } }

  it('dns 90, 94: nodes, name servers and written addresses live as long as configured', async () => {
    const soa = { refreshS: 1, retryS: 2, expireS: 3, minTtlS: 4 }
    const world = new CatalogWorld({ nodeTtlS: 7, soa })
    world.place({ node: 'n1', address: '127.0.0.1', meta: [['a', 'b']], service: { service: 'svc', port: 1 } })
    expect((await world.ask('n1.node.svc.', 'ANY')).answers.every((line) => line.includes(' 7 '))).toBe(true)
    expect((await world.ask('7f000001.addr.svc.')).answers).toEqual(['7f000001.addr.svc. 7 A 127.0.0.1'])
    const start = await world.ask('svc.', 'SOA')
    expect(start.answers).toEqual(['svc. 4 SOA ns.svc. hostmaster.svc. 1700000000 1 2 3 4'])
    expect(start.authorities).toEqual(['svc. 7 NS n1.node.dc1.svc.'])
    expect(start.additionals).toEqual(['n1.node.dc1.svc. 7 A 127.0.0.1'])
    expect((await world.ask('1.0.0.127.in-addr.arpa.', 'PTR')).received.answers[0]?.ttl).toBe(0)
  })

  it('dns 91: services live as long as the exact name says, then the longest prefix', async () => {
    const world = new CatalogWorld({
      serviceTtlS: [
        ['*', 5],
        ['web', 30],
        ['api-*', 20],
        ['api-x*', 21],
      ],
    })
    for (const [service, ttl] of [
      ['web', 30],
      ['api-1', 20],
      ['api-x1', 21],
      ['zed', 5],
      ['WEB', 30],
    ] as const) {
      world.place({ node: `on-${service}`, address: '10.1.1.1', service: { service, port: 1 } })
      expect((await world.ask(`${service}.service.svc.`)).received.answers[0]?.ttl).toBe(ttl)
      const named = await world.ask(`${service}.service.svc.`, 'SRV')
      expect([...named.received.answers, ...named.received.additionals].every((record) => record.ttl === ttl)).toBe(
        true,
      )
    }
    expect((await new CatalogWorld({ serviceTtlS: [['web', 30]] }).ask('zed.service.svc.')).rcode).toBe('NXDOMAIN')
  })

  it('dns 70: only passing instances when configured', async () => {
    const world = new CatalogWorld({ onlyPassing: true })
    world.place({ ...six, checks: ['warning'] })
    expect((await world.ask('web.service.svc.', 'AAAA')).rcode).toBe('NXDOMAIN')
  })

  it('[DNS-005] dns 70: a critical check of the node takes its instances out, one of another service does not', async () => {
    const world = new CatalogWorld()
    world.place({ ...six, checks: ['passing'] })
    world.place({ node: 'd6', address: 'fe80::1', service: { service: 'other', port: 1 }, checks: ['critical'] })
    expect((await world.ask('web.service.svc.', 'AAAA')).rcode).toBe('NOERROR')
    world.place({ node: 'd6', address: 'fe80::1', checks: ['critical'] })
    expect((await world.ask('web.service.svc.', 'AAAA')).rcode).toBe('NXDOMAIN')
    expect((await world.ask('d6.node.svc.', 'AAAA')).rcode).toBe('NOERROR')
  })

  it('dns 60: the weight is that of the worst check', async () => {
    const world = new CatalogWorld()
    const service = { service: 'web', port: 1, weights: { passing: 10, warning: 3 } }
    world.place({ node: 'd1', address: '10.5.0.1', service, checks: ['passing'] })
    expect((await world.ask('web.service.svc.', 'SRV')).answers[0]).toContain('SRV 1 10 1 ')
    world.place({ node: 'd1', address: '10.5.0.1', checks: ['warning'] })
    expect((await world.ask('web.service.svc.', 'SRV')).answers[0]).toContain('SRV 1 3 1 ')
  })

  it('dns 60: a weight of 0 while an instance warns is sent as 0, and weights that are not known are 1', async () => {
    const world = new CatalogWorld()
    const drained = { service: 'web', port: 1, weights: { passing: 10, warning: 0 } }
    world.place({ node: 'd1', address: '10.5.0.1', service: drained, checks: ['warning'] })
    expect((await world.ask('web.service.svc.', 'SRV')).answers[0]).toContain('SRV 1 0 1 ')
    const unknown = { service: 'db', port: 1, weights: { passing: 0, warning: 0 } }
    world.place({ node: 'd2', address: '10.5.0.2', service: unknown, checks: ['warning'] })
    expect((await world.ask('db.service.svc.', 'SRV')).answers[0]).toContain('SRV 1 1 1 ')
  })

  it('dns 58: metadata is written as RFC 1464 says', async () => {
    const world = new CatalogWorld()
    const meta = [
      ['a=b`c', 'x`y=z'],
      ['long', 'v'.repeat(400)],
      ['RFC1035-x', 'as`it=is'],
      ['svc-network-segment', ''],
    ] as const
    world.place({ node: 'd1', address: '10.5.0.1', meta })
    const reply = await world.ask('d1.node.svc.', 'TXT', { transport: 'tcp' })
    const texts = reply.received.answers.map((record) => (record.type === 'TXT' ? record.texts.join('') : ''))
    const wanted = ['a`=b``c=x``y=z', `long=${'v'.repeat(400)}`, 'as`it=is', 'svc-network-segment=']
    expect(new Set(texts)).toEqual(new Set(wanted))
  })

  it('dns 59: metadata is beside an answer unless configured otherwise', async () => {
    const world = new CatalogWorld({ additionalMetaTxt: false })
    world.place({ node: 'd1', address: '10.5.0.1', meta: [['a', 'b']], service: { service: 'web', port: 1 } })
    expect((await world.ask('d1.node.svc.')).additionals).toEqual([])
    expect((await world.ask('web.service.svc.')).additionals).toEqual([])
    expect((await world.ask('web.service.svc.', 'SRV')).additionals).toEqual(['d1.node.dc1.svc. 0 A 10.5.0.1'])
    expect((await world.ask('d1.node.svc.', 'TXT')).answers).toEqual(['d1.node.svc. 0 TXT "a=b"'])
  })

  it('dns 52: an alias to a name of ours is followed, and a circle ends', async () => {
    const world = new CatalogWorld()
    world.place({ node: 'd1', address: '10.5.0.1', meta: [['a', 'b']] })
    world.place({ node: 'alias', address: 'd1.node.svc' })
    world.place({ node: 'ring', address: 'RING.node.svc.' })
    expect((await world.ask('alias.node.svc.')).answers).toEqual([
      'alias.node.svc. 0 CNAME d1.node.svc.',
      'd1.node.svc. 0 A 10.5.0.1',
      'd1.node.svc. 0 TXT "a=b"',
    ])
    const circle = await world.ask('ring.node.svc.')
    expect(circle.rcode).toBe('NOERROR')
    expect(circle.received.answers.length).toBeLessThanOrEqual(6)
  })

  it('aliases of a service of many are followed so often and no more', async () => {
    const world = new CatalogWorld()
    for (let port = 1; port <= 400; port++) {
      const address = `ring-${port}.node.svc`
      world.place({ node: `ring-${port}`, address })
      const service = { id: `web-${port}`, service: 'web', port, address }
      world.place({ node: 'd1', address: '10.5.0.1', service })
    }
    expect((await world.ask('web.service.svc.', 'SRV')).rcode).toBe('NOERROR')
    expect(world.reads.length).toBe(1 + 1_024)
  })

  it('dns 53: an alias counts only where no instance has an address, and one that is the name asked for never does', async () => {
    const world = new CatalogWorld()
    world.place({ node: 'd1', address: '10.5.0.1', service: { service: 'web', port: 1, address: 'web.service.svc' } })
    expect((await world.ask('web.service.svc.')).answers).toEqual(['web.service.svc. 0 A 10.5.0.1'])
    world.place({ node: 'd2', address: '10.5.0.2', service: { service: 'ext', port: 1, address: 'a.example' } })
    expect((await world.ask('ext.service.svc.')).answers).toEqual(['ext.service.svc. 0 CNAME a.example.'])
    world.place({ node: 'd3', address: '10.5.0.3', service: { service: 'ext', port: 1 } })
    expect((await world.ask('ext.service.svc.')).answers).toEqual(['ext.service.svc. 0 A 10.5.0.3'])
  })

  it('dns 53: of several aliases the one that is told is followed, and no other', async () => {
    const world = new CatalogWorld()
    for (const n of [1, 2, 3]) {
      world.place({ node: `d${n}`, address: `10.5.0.${n}` })
      const service = { id: `web-${n}`, service: 'web', port: n, address: `d${n}.node.svc` }
      world.place({ node: 'd0', address: '10.5.0.9', service })
    }
    expect((await world.ask('web.service.svc.')).received.answers.map(({ type }) => type)).toEqual(['CNAME', 'A'])
    expect(world.reads).toHaveLength(2)
  })
})

describe('how fresh the answers are', () => {
  const meant = { node: 'd1', address: '10.5.0.1' }

  it('[DNS-013] dns 100: any server may answer, however old its knowledge within the limit', async () => {
    const world = new CatalogWorld()
    world.place(meant)
    world.lastContactMs = 9 * 365 * 86_400_000
    expect((await world.ask('d1.node.svc.')).answers).toHaveLength(1)
    expect(world.reads.map(({ consistency }) => consistency)).toEqual(['stale'])
    expect(world.counted).toEqual(['dns.stale_queries'])
  })

  it('[DNS-014] the leader answers when stale answers are not allowed', async () => {
    const world = new CatalogWorld({ allowStale: false })
    world.place(meant)
    expect((await world.ask('d1.node.svc.')).answers).toHaveLength(1)
    expect(world.reads.map(({ consistency }) => consistency)).toEqual(['default'])
    world.failure = { kind: 'no-leader' }
    expect((await world.ask('d1.node.svc.')).rcode).toBe('SERVFAIL')
  })

  it('[DNS-016] dns 100: an answer older than the limit is asked for again, from the leader', async () => {
    const world = new CatalogWorld({ maxStaleMs: 5_000 })
    world.place(meant)
    world.lastContactMs = 5_001
    expect((await world.ask('d1.node.svc.')).answers).toHaveLength(1)
    expect(world.reads.map(({ consistency }) => consistency)).toEqual(['stale', 'default'])
    expect(world.warnings).toEqual(['Query results too stale, re-requesting'])
    expect(world.counted).toEqual([])
  })

  it('a server that has heard of no leader yet is not believed', async () => {
    const world = new CatalogWorld()
    world.knownLeader = false
    expect((await world.ask('d1.node.svc.')).rcode).toBe('NXDOMAIN')
    expect(world.reads.map(({ consistency }) => consistency)).toEqual(['stale', 'default'])
    world.lastContactMs = 20_000
    await world.ask('d1.node.svc.')
    expect(world.reads).toHaveLength(3)
  })

  it('[DNS-017 LIM-006] dns 101: only answers older than five seconds are counted', async () => {
    const world = new CatalogWorld()
    world.place(meant)
    world.lastContactMs = 5_000
    await world.ask('d1.node.svc.')
    expect(world.counted).toEqual([])
    world.lastContactMs = 5_001
    await world.ask('d1.node.svc.')
    expect(world.counted).toEqual(['dns.stale_queries'])
  })
})

describe('EDNS', () => {
  it('dns 82: is answered with the size that was asked with, and the network of the asker with a scope of none', async () => {
    const world = new CatalogWorld()
    world.place({ node: 'd1', address: '10.5.0.1' })
    const subnet = [0, 8, 0, 7, 0, 1, 24, 0, 192, 0, 2]
    const cookie = [0, 10, 0, 8, 1, 2, 3, 4, 5, 6, 7, 8]
    for (const [name, records] of [
      ['d1.node.svc.', 1],
      ['nope.node.svc.', 0],
    ] as const) {
      const question = encodeQuestion({ id: 5, name, type: 'A', udpSize: 1400 })
      question[question.length - 1] = subnet.length + cookie.length
      const asked = Uint8Array.from([...question, ...cookie, ...subnet.with(7, 24)])
      const answer = (await world.send(asked)) ?? new Uint8Array()
      expect([...answer.subarray(-subnet.length - 11)]).toEqual([0, 0, 41, 0x05, 0x78, 0, 0, 0, 0, 0, 11, ...subnet])
      const read = decodeResponse(answer)
      expect(read.ok && read.value.answers.length).toBe(records)
    }
    expect((await world.ask('d1.node.svc.')).received.udpSize).toBeUndefined()
  })
})

describe('what no message can carry', () => {
  it('is left out, and the rest is answered', async () => {
    const world = new CatalogWorld()
    world.place({ node: 'd1', address: '10.5.0.1', service: { service: 'web', port: 70_000 } })
    world.place({ node: 'n'.repeat(80), address: '10.5.0.2', service: { service: 'web', port: 2 } })
    world.place({ node: 'a..b', address: '10.5.0.3', service: { service: 'web', port: 3 } })
    world.place({ node: 'd4', address: 'no..host', service: { service: 'bad', port: 4 } })
    world.place({ node: 'nœud', address: '10.5.0.5', service: { service: 'web', port: 5 } })
    const reply = await world.ask('web.service.svc.', 'SRV', { transport: 'tcp' })
    expect(reply.answers).toEqual(['web.service.svc. 0 SRV 1 1 5 n\u00c5\u0093ud.node.dc1.svc.'])
    expect((await world.ask('web.service.svc.', 'A', { transport: 'tcp' })).answers).toHaveLength(4)
    expect((await world.ask('bad.service.svc.')).rcode).toBe('NOERROR')
    expect((await world.ask('n\u00c5\u0093ud.node.svc.')).answers).toHaveLength(1)
  })
})
