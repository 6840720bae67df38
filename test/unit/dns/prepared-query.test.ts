import { describe, expect, it, vi } from 'vitest'
import { byteString } from '../../../src/base/bytes.ts'
import { QueriesUnderWay } from '../../../src/dns/queries-under-way.ts'
import { decodeResponse, encodeQuestion } from '../../../src/dns-wire/question.ts'
import type { Env } from '../../../src/env/env.ts'
import { CatalogWorld } from './catalog-world.ts'

function begun(config: ConstructorParameters<typeof CatalogWorld>[0] = {}): CatalogWorld {
  const world = new CatalogWorld(config)
  world.place({ node: 'n1', address: '10.0.0.1', service: { service: 'Web', port: 80 }, checks: ['passing'] })
  world.place({ node: 'n2', address: '10.0.0.2', service: { service: 'Web', port: 81 }, checks: ['warning'] })
  world.place({ node: 'n3', address: '10.0.0.3', service: { service: 'Web', port: 82 }, checks: ['critical'] })
  return world
}

describe('a prepared query by DNS', () => {
  it('dns 15: is found by name, whatever its dots and the case of its letters, and by ID', async () => {
    const world = begun()
    world.define('My.Query', {})
    const found = (name: string): string[] => [`${name} 0 A 10.0.0.1`, `${name} 0 A 10.0.0.2`]
    expect((await world.ask('my.query.query.svc.')).answers).toEqual(found('my.query.query.svc.'))
    expect((await world.ask('MY.query.Query.dc1.svc.')).answers).toEqual(found('MY.query.Query.dc1.svc.'))
    const id = '00000000-0000-4000-8000-000000000001.query.svc.'
    expect((await world.ask(id)).answers).toEqual(found(id))
  })

  it('health is what the query says, not what DNS is told for services', async () => {
    const world = begun({ onlyPassing: true })
    world.define('any', {})
    world.define('sure', { onlyPassing: true })
    expect((await world.ask('any.query.svc.')).answers).toHaveLength(2)
    expect((await world.ask('sure.query.svc.')).answers).toEqual(['sure.query.svc. 0 A 10.0.0.1'])
  })

  it('SRV has ports and targets', async () => {
    const world = begun()
    world.define('q', { onlyPassing: true })
    const reply = await world.ask('q.query.svc.', 'SRV')
    expect(reply.answers).toEqual(['q.query.svc. 0 SRV 1 1 80 n1.node.dc1.svc.'])
    expect(reply.additionals).toContain('n1.node.dc1.svc. 0 A 10.0.0.1')
  })

  it('dns 35: one that is not there, or finds nothing, is NXDOMAIN with SOA', async () => {
    const world = begun()
    world.define('none', { service: 'nope' })
    for (const name of ['nobody', 'none']) {
      const reply = await world.ask(`${name}.query.svc.`)
      expect([reply.rcode, reply.answers, reply.authorities.length]).toEqual(['NXDOMAIN', [], 1])
    }
  })

  it('dns 20, 36: an unknown datacenter, and servers that cannot be asked, are SERVFAIL', async () => {
    const world = begun()
    world.define('q', {})
    expect((await world.ask('q.query.mars.svc.')).rcode).toBe('SERVFAIL')
    world.failure = { kind: 'no-leader' }
    expect((await world.ask('q.query.svc.')).rcode).toBe('SERVFAIL')
  })

  it('a template that cannot be rendered, or is asked for by ID, is SERVFAIL', async () => {
    const world = begun()
    world.define('t-', { service: '${name.suffix}' }, '', 'name_prefix_match')
    expect((await world.ask('t-web.query.svc.')).answers).toHaveLength(2)
    expect((await world.ask('00000000-0000-4000-8000-000000000001.query.svc.')).rcode).toBe('SERVFAIL')
  })

  it('dns 92: has its own time to live, in whole seconds, else that of its service', async () => {
    const world = begun({ serviceTtlS: [['web', 30]] })
    world.define('own', { onlyPassing: true }, '1m1900ms')
    world.define('other', { onlyPassing: true })
    world.define('long', { onlyPassing: true }, '999999h')
    expect((await world.ask('own.query.svc.')).answers).toEqual(['own.query.svc. 61 A 10.0.0.1'])
    expect((await world.ask('other.query.svc.')).answers).toEqual(['other.query.svc. 30 A 10.0.0.1'])
    expect((await world.ask('long.query.svc.')).answers).toEqual(['long.query.svc. 2147483647 A 10.0.0.1'])
  })

  it('dns 92: has the time to live of a service whose name is not ASCII', async () => {
    const world = new CatalogWorld({ serviceTtlS: [[byteString('café'), 30]] })
    world.place({ node: 'n1', address: '10.0.0.1', service: { service: 'Café', port: 80 }, checks: ['passing'] })
    world.define('q', { service: 'Café' })
    expect((await world.ask('q.query.svc.')).answers).toEqual(['q.query.svc. 30 A 10.0.0.1'])
  })

  it('dns 73, 74: is cut like the answers of a service', async () => {
    const world = new CatalogWorld({ aRecordLimit: 2 })
    for (let n = 1; n <= 9; n++) world.place({ node: `n${n}`, address: `10.0.0.${n}`, service: { service: 'web' } })
    world.define('q', {})
    expect((await world.ask('q.query.svc.')).answers).toHaveLength(2)
    expect((await world.ask('q.query.svc.', 'SRV')).answers).toHaveLength(3)
  })

  it('is kept as fresh as the configuration wants: an old answer is asked for again', async () => {
    const world = begun({ maxStaleMs: 1_000 })
    world.define('q', {})
    world.lastContactMs = 2_000
    expect((await world.ask('q.query.svc.')).rcode).toBe('NOERROR')
    expect(world.reads.map(({ consistency }) => consistency)).toEqual(['stale', 'default'])
    expect(world.warnings).toEqual(['Query results too stale, re-requesting'])
  })

  it('dns 15: near to a caller is near to his address, or to that of the subnet that a resolver names', async () => {
    const world = new CatalogWorld()
    for (let n = 1; n <= 9; n++) world.place({ node: `n${n}`, address: `10.9.9.${n}`, service: { service: 'web' } })
    world.define('q', { near: '_ip' })
    const subnet = [0, 8, 0, 8, 0, 1, 32, 0, 10, 9, 9, 4]
    for (let n = 0; n < 4; n++) {
      // The caller has the address of n9.
      const own = await world.ask('q.query.svc.', 'A', { transport: 'tcp' })
      expect(own.received.answers[0]).toMatchObject({ address: '10.9.9.9' })
      const question = encodeQuestion({ id: 7, name: 'q.query.svc.', type: 'A', udpSize: 4_096 })
      question[question.length - 1] = subnet.length
      const answer = (await world.send(Uint8Array.from([...question, ...subnet]))) as Uint8Array
      expect([...answer].slice(answer.length - 5)).toEqual([32, 10, 9, 9, 4])
      expect(firstAddress(answer)).toBe('10.9.9.4')
    }
  })

  it('dns 15: a subnet may be one of IPv6', async () => {
    const world = new CatalogWorld()
    for (let n = 1; n <= 9; n++) world.place({ node: `n${n}`, address: `fd00::${n}`, service: { service: 'web' } })
    world.define('q', { near: '_ip' })
    const subnet = [0, 8, 0, 20, 0, 2, 128, 0, 0xfd, ...Array.from({ length: 14 }, () => 0), 4]
    for (let n = 0; n < 4; n++) {
      const question = encodeQuestion({ id: 7, name: 'q.query.svc.', type: 'AAAA', udpSize: 4_096 })
      question[question.length - 1] = subnet.length
      const answer = await world.send(Uint8Array.from([...question, ...subnet]))
      const read = decodeResponse(answer as Uint8Array)
      expect(read.ok && read.value.answers[0]).toMatchObject({ address: 'fd00::4' })
    }
  })

  it('dns 82: says for which subnet it holds; other answers hold for all', async () => {
    const world = begun()
    world.define('q', {})
    const subnet = [0, 8, 0, 7, 0, 1, 24, 0, 192, 0, 2]
    const scopeOf = async (name: string): Promise<number | undefined> => {
      const question = encodeQuestion({ id: 7, name, type: 'A', udpSize: 4_096 })
      question[question.length - 1] = subnet.length
      const answer = await world.send(Uint8Array.from([...question, ...subnet]))
      return answer?.at(-4)
    }
    expect(await scopeOf('q.query.svc.')).toBe(24)
    expect(await scopeOf('web.service.svc.')).toBe(0)
    expect(await scopeOf('nobody.query.svc.')).toBe(0)
  })
})

/** Of the first record of the answer: its name is a pointer of two bytes, its data four. */
function firstAddress(message: Uint8Array): string {
  const questionEnd = 12 + 'q.query.svc.'.length + 1 + 4
  return [...message.subarray(questionEnd + 12, questionEnd + 16)].join('.')
}

describe('prepared queries under way', () => {
  it('are 256 at most: one more is refused at once, until one of them is over', async () => {
    const refused: string[] = []
    const queries = new QueriesUnderWay({ metrics: { count: (name: string) => refused.push(name) } } as unknown as Env)
    const ends: (() => void)[] = []
    const execute = () => new Promise<string>((resolve) => ends.push(() => resolve('found')))
    const running = Array.from({ length: 256 }, () => queries.run(execute))
    expect(await queries.run(execute)).toBeUndefined()
    expect(refused).toEqual(['dns.refused_queries'])
    ends[0]?.()
    expect(await running[0]).toBe('found')
    const next = queries.run(execute)
    for (const end of ends) end()
    expect(await next).toBe('found')
  })

  it('that is refused fails, and says nothing of whether it exists', async () => {
    const world = begun()
    world.define('q', {})
    const run = vi.spyOn(QueriesUnderWay.prototype, 'run').mockResolvedValue(undefined)
    expect((await world.ask('q.query.svc.')).rcode).toBe('SERVFAIL')
    run.mockRestore()
    expect((await world.ask('q.query.svc.')).rcode).toBe('NOERROR')
  })
})
