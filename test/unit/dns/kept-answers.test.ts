import { describe, expect, it } from 'vitest'
import { domainOf } from '../../../src/dns/asked.ts'
import { Basis, KeptAnswers } from '../../../src/dns/kept-answers.ts'
import { type Signature, signatureOf } from '../../../src/dns/signature.ts'
import { decodeResponse, encodeQuestion } from '../../../src/dns-wire/question.ts'
import { CatalogWorld } from './catalog-world.ts'

function web(instances: number, world = new CatalogWorld()): CatalogWorld {
  for (let at = 1; at <= instances; at++) {
    world.place({ node: `d${at}`, address: `10.5.0.${at}`, service: { service: 'web', port: 8000 + at } })
  }
  return world
}

const question = (id: number, name = 'web.service.svc.', udpSize = 1232) =>
  encodeQuestion({ id, name, type: 'A', udpSize })

async function addressesOf(world: CatalogWorld, packet: Uint8Array): Promise<string[]> {
  const read = decodeResponse((await world.send(packet)) ?? new Uint8Array())
  if (!read.ok) throw new Error('no answer')
  return read.value.answers.map((record) => (record.type === 'A' ? record.address : record.type))
}

describe('a plain question', () => {
  it.each([0, 2])('is no packet that says it has %i questions', (count) => {
    const packet = question(1).slice()
    expect(signatureOf(packet, 'udp')).toBeDefined()
    packet[5] = count
    expect(signatureOf(packet, 'udp')).toBeUndefined()
  })

  it('may end with its class, and no earlier', () => {
    const packet = encodeQuestion({ id: 1, name: 'web.service.svc.', type: 'A' })
    expect(signatureOf(packet, 'udp')).toMatchObject({ udpSize: -1, nameEnd: packet.length - 4 })
    expect(signatureOf(packet.subarray(0, packet.length - 1), 'udp')).toBeUndefined()
  })
})

describe('the domain of a name', () => {
  it('is the longest of those that it is in, whatever their order', () => {
    for (const domains of [
      ['svc.', 'b.svc.'],
      ['b.svc.', 'svc.'],
    ]) {
      expect(domainOf('web.service.b.svc.', domains)).toBe('b.svc.')
      expect(domainOf('web.service.svc.', domains)).toBe('svc.')
      expect(domainOf('b.example.', domains)).toBeUndefined()
    }
  })
})

describe('an answer that is kept', () => {
  it('is given again without asking the agent, to another number and in the case of the question', async () => {
    const world = web(1)
    const first = (await world.send(question(1))) ?? new Uint8Array()
    const second = (await world.send(question(0xabcd, 'WEB.Service.svc.'))) ?? new Uint8Array()
    expect([world.known, world.reads.length]).toEqual([1, 1])
    expect([second[0], second[1]]).toEqual([0xab, 0xcd])
    const read = decodeResponse(second)
    expect(read.ok && read.value.answers).toEqual([
      { name: 'WEB.Service.svc.', ttl: 0, type: 'A', address: '10.5.0.1' },
    ])
    expect(first.length).toBe(second.length)
  })

  it('is never given to a different question: another size, transport, type, or client network', async () => {
    const world = web(1)
    await world.send(question(1))
    const withoutRecursion = encodeQuestion({
      id: 1,
      name: 'web.service.svc.',
      type: 'A',
      udpSize: 1232,
      recursionDesired: false,
    })
    const subnet = [0, 8, 0, 7, 0, 1, 24, 0, 192, 0, 2]
    const ofNetwork = Uint8Array.from([...question(1), ...subnet])
    ofNetwork[question(1).length - 1] = subnet.length
    for (const packet of [
      question(1, 'web.service.svc.', 4096),
      encodeQuestion({ id: 1, name: 'web.service.svc.', type: 'A' }),
      encodeQuestion({ id: 1, name: 'web.service.svc.', type: 'ANY', udpSize: 1232 }),
      withoutRecursion,
      ofNetwork,
    ]) {
      expect(await world.send(packet)).toEqual(await world.sendAnew(packet, 'udp'))
    }
    await world.send(question(1), 'tcp')
    expect(world.known).toBe(0)
  })

  it('is none that was made without what could not be read', async () => {
    const world = new CatalogWorld()
    world.place({ node: 'd1', address: 'far.node.dc2.svc.', service: { service: 'web', port: 80 } })
    for (let at = 0; at < 3; at++) expect(await addressesOf(world, question(at))).toEqual(['CNAME'])
    expect(world.known).toBe(0)
  })

  it('goes the moment anything that it rests on changes', async () => {
    const world = web(2)
    await world.send(question(1))
    for (let at = 0; at < 100; at++) await world.send(question(at))
    expect(world.known).toBeGreaterThan(0)
    world.place({ node: 'd1', address: '10.5.0.1', checks: ['critical'] })
    for (let at = 0; at < 100; at++) expect(await addressesOf(world, question(at))).toEqual(['10.5.0.2'])
    world.remove('d2')
    expect(await addressesOf(world, question(1))).toEqual([])
  })

  it('tells the time of now where it tells one', async () => {
    const world = new CatalogWorld()
    const soa = encodeQuestion({ id: 1, name: 'svc.', type: 'SOA' })
    await world.send(soa)
    await world.send(soa)
    expect(world.known).toBe(1)
    world.wallMs += 100
    const read = decodeResponse((await world.send(soa)) ?? new Uint8Array())
    expect(world.known).toBe(1)
    expect(read.ok && read.value.answers[0]).toMatchObject({ type: 'SOA', serial: 1_700_000_001 })
  })

  it('is as stale as the server is now: it is counted, and beyond max_stale it is not given', async () => {
    const world = web(1, new CatalogWorld({ maxStaleMs: 60_000 }))
    await world.send(question(1))
    world.lastContactMs = 5_001
    await world.send(question(2))
    expect([world.known, world.counted]).toEqual([1, ['dns.stale_queries']])
    world.lastContactMs = 60_001
    await world.send(question(3))
    expect(world.known).toBe(1)
    expect(world.reads.at(-1)?.consistency).toBe('default')
  })

  it('is none where the leader was asked because the server is too stale', async () => {
    const world = web(1, new CatalogWorld({ maxStaleMs: 60_000 }))
    world.lastContactMs = 60_001
    expect(await addressesOf(world, question(1))).toEqual(['10.5.0.1'])
    world.place({ node: 'd1', address: '10.5.0.9', service: { service: 'web', port: 8001 } })
    expect(await addressesOf(world, question(2))).toEqual(['10.5.0.9'])
  })

  it('is none where only the leader may answer, nor where names are not compressed', async () => {
    for (const config of [{ allowStale: false }, { disableCompression: true }]) {
      const world = web(1, new CatalogWorld(config))
      await world.send(question(1))
      await world.send(question(1, 'WEB.service.svc.'))
      expect(world.known).toBe(0)
    }
  })

  it('is none for a name that is not there', async () => {
    const world = web(1)
    for (let at = 0; at < 5; at++) await world.send(question(at, 'nope.service.svc.'))
    expect(world.known).toBe(0)
  })
})

describe('an order that was drawn', () => {
  it('varies from question to question, and every instance comes first as often as any other', async () => {
    const world = web(4)
    const packet = question(7)
    const asked = 12_000
    const first = new Map<number, number>()
    const orders = new Set<string>()
    for (let at = 0; at < asked; at++) {
      // A thousand questions a second, so that most answers are known.
      world.monoMs += 1
      const answer = (await world.send(packet)) ?? new Uint8Array()
      // Four records of 16 bytes behind the question, then OPT.
      const records = answer.subarray(-11 - 4 * 16, -11)
      const order = [15, 31, 47, 63].map((end) => records[end] ?? 0)
      first.set(order[0] ?? 0, (first.get(order[0] ?? 0) ?? 0) + 1)
      orders.add(order.join())
    }
    expect(world.known).toBeGreaterThan(asked / 2)
    expect(orders.size).toBe(24)
    // Some 2,000 orders were drawn: a quarter of them is within a hundredth or two, nine times of ten.
    expect([...first.keys()].sort()).toEqual([1, 2, 3, 4])
    for (const count of first.values()) expect(Math.abs(count / asked - 0.25)).toBeLessThan(0.05)
  })

  it('is told for a tenth of a second at most', async () => {
    const world = web(3)
    for (let at = 0; at < 200; at++) await world.send(question(at))
    const before = world.known
    expect(before).toBeGreaterThan(100)
    world.monoMs += 101
    await world.send(question(1))
    expect(world.known).toBe(before)
  })
})

describe('the bounds of what is kept', () => {
  const env = { random: { draws: () => ({ below: () => 0, uint32: () => 0, fraction: () => 0 }) } }
  const made = (bytes: number) => ({ bytes: new Uint8Array(bytes), basis: new Basis(), metric: 'm' })
  const signed = (name: string) => signatureOf(question(1, `${name}.svc.`), 'udp') as Signature

  it('is one question for each hash: a later one takes the place of another', () => {
    const kept = new KeptAnswers(env)
    const [one, other] = [signed('a'), { ...signed('b'), hash: signed('a').hash }]
    kept.keep(one, made(1), 0)
    expect(kept.find(other, 0, 0)).toBeUndefined()
    kept.keep(other, made(2), 0)
    expect([kept.find(one, 0, 0), kept.find(other, 0, 0)?.bytes.length]).toEqual([undefined, 2])
    expect(kept.size).toEqual({ questions: 1, bytes: 2 })
  })

  it('are questions and bytes; what was not asked for again is dropped first', () => {
    const kept = new KeptAnswers(env, { questionsMax: 3, bytesMax: 1_000 })
    for (const name of ['a', 'b', 'c']) kept.keep(signed(name), made(100), 0)
    expect(kept.find(signed('a'), 0, 0)).toBeDefined()
    kept.keep(signed('d'), made(100), 0)
    expect(kept.size).toEqual({ questions: 3, bytes: 300 })
    expect([signed('a'), signed('b'), signed('d')].map((one) => kept.find(one, 0, 0) !== undefined)).toEqual([
      true,
      false,
      true,
    ])
    kept.keep(signed('e'), made(900), 0)
    expect(kept.size.bytes).toBeLessThanOrEqual(1_000)
    kept.keep(signed('f'), made(1_001), 0)
    expect(kept.find(signed('f'), 0, 0)).toBeUndefined()
    expect(kept.size.bytes).toBeLessThanOrEqual(1_000)
  })

  it('hold whatever is asked', () => {
    const kept = new KeptAnswers(env, { questionsMax: 16, bytesMax: 10_000 })
    for (let at = 0; at < 2_000; at++) {
      kept.keep(signed(`n${(at * 7) % 61}`), made((at * 37) % 2_000), 0)
      kept.find(signed(`n${(at * 11) % 61}`), 0, 0)
      expect(kept.size.questions).toBeLessThanOrEqual(16)
      expect(kept.size.bytes).toBeLessThanOrEqual(10_000)
    }
  })
})
