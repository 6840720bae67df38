import { describe, expect, it } from 'vitest'
import { aliasOutcome, LocalAliases } from '../../../src/agent/local/alias-checks.ts'
import { LocalState } from '../../../src/agent/local/local-state.ts'
import { nodeFactsOf } from '../../../src/agent/local/parts.ts'
import type { CheckFacts, CheckProbe } from '../../../src/model/catalog.ts'
import { checkOf, configOf, type LocalWorld, nodeId, offer, serviceOf, ttl, withLocalServices } from './local-world.ts'

const alias = (service: string, node = ''): CheckProbe => ({ kind: 'alias', node, service })
const long = ttl(3_600_000)

function said({ local }: LocalWorld, checkId: string): readonly [status: string, output: string] {
  const check = local.checks().find((each) => each.checkId === checkId)
  return [check?.status ?? 'none', check?.output ?? '']
}

function seen(checkId: string, status: string, changes: Partial<CheckFacts> = {}): CheckFacts {
  const service = serviceOf('db')
  return {
    node: 'node-b',
    checkId,
    name: `name of ${checkId}`,
    status,
    notes: '',
    output: `out of ${checkId}`,
    serviceId: service.id,
    serviceName: service.service,
    serviceTags: [],
    definition: null,
    ...changes,
  }
}

describe('an alias check', () => {
  it('is as bad as the worst of what it stands for, whatever the order', () => {
    const one = (name: string, status: string) => ({ name, status, output: `${name}!` })
    expect(aliasOutcome([])).toEqual({ status: 'passing', output: 'No checks found.' })
    expect(aliasOutcome([one('a', 'passing')])).toEqual({ status: 'passing', output: 'All checks passing.' })
    const warning = { status: 'warning', output: 'Aliased check "w" failing: w!' }
    expect(aliasOutcome([one('a', 'passing'), one('w', 'warning'), one('b', 'passing')])).toEqual(warning)
    const critical = { status: 'critical', output: 'Aliased check "c" failing: c!' }
    expect(aliasOutcome([one('w', 'warning'), one('c', 'critical')])).toEqual(critical)
    expect(aliasOutcome([one('c', 'critical'), one('w', 'warning')])).toEqual(critical)
    const much = aliasOutcome([{ name: 'c', status: 'critical', output: 'x'.repeat(5_000) }])
    expect(much.output).toHaveLength(4_096)
    expect(much.output.startsWith('Aliased check "c" failing: xxx')).toBe(true)
  })
})

describe('an alias of a service of this agent', () => {
  it('follows its checks and those of the node at once, and no others', async () => {
    await withLocalServices(configOf(), async (world) => {
      const { local, catalog } = world
      await local.registerService(offer('db', {}, [checkOf('c-db', long, { serviceId: 'db' })]))
      await local.registerService(offer('other', {}, [checkOf('c-other', long, { serviceId: 'other' })]))
      await local.registerService(offer('web', {}, [checkOf('a', alias('db'), { serviceId: 'web' })]))
      await world.rest(1)
      expect(said(world, 'a')).toEqual(['critical', 'Aliased check "c-db" failing: '])
      await local.reportTtl('c-db', 'passing', 'fine')
      await world.rest(1)
      expect(said(world, 'a')).toEqual(['passing', 'All checks passing.'])
      await local.reportTtl('c-db', 'warning', 'hm')
      await world.rest(100)
      expect(said(world, 'a')).toEqual(['warning', 'Aliased check "c-db" failing: hm'])
      expect(catalog.checks.get('a')).toMatchObject({ status: 'warning' })
      await local.registerCheck(checkOf('c-node', long))
      await world.rest(1)
      expect(said(world, 'a')).toEqual(['critical', 'Aliased check "c-node" failing: '])
      await local.deregisterCheck('c-node')
      await local.deregisterService('db')
      await world.rest(1)
      expect(said(world, 'a')).toEqual(['passing', 'No checks found.'])
    })
  })

  it('counts no check any more that was registered again for another service', async () => {
    await withLocalServices(configOf(), async (world) => {
      const { local } = world
      await local.registerService(offer('db', {}, [checkOf('c', long, { serviceId: 'db' })]))
      await local.registerService(offer('other'))
      await local.registerCheck(checkOf('of-db', alias('db')))
      await local.registerService(offer('web', {}, [checkOf('of-other', alias('other'), { serviceId: 'web' })]))
      await world.rest(1)
      expect([said(world, 'of-db')[0], said(world, 'of-other')[0]]).toEqual(['critical', 'critical'])
      await local.reportTtl('c', 'critical', 'gone')
      await world.rest(1)
      await local.registerCheck(checkOf('c', long, { serviceId: 'other' }))
      await world.rest(1)
      expect(said(world, 'of-db')).toEqual(['passing', 'No checks found.'])
      expect(said(world, 'of-other')).toEqual(['critical', 'Aliased check "c" failing: gone'])
    })
  })

  it('does not count itself, nor is held by another that stands for it', async () => {
    await withLocalServices(configOf(), async (world) => {
      const { local } = world
      for (const [id, other] of [
        ['one', 'two'],
        ['two', 'one'],
      ] as const) {
        await local.registerService(offer(id, {}, [checkOf(`a-${id}`, alias(other), { serviceId: id })]))
      }
      await local.registerCheck(checkOf('a-node', alias('one')))
      await world.rest(10)
      for (const id of ['a-one', 'a-two', 'a-node']) expect(said(world, id)[0], id).toBe('passing')
      await local.registerCheck(checkOf('c', long, { serviceId: 'one' }))
      await world.rest(10)
      for (const id of ['a-one', 'a-two', 'a-node']) expect(said(world, id)[0], id).toBe('critical')
      await local.reportTtl('c', 'passing', '')
      await world.rest(10)
      for (const id of ['a-one', 'a-two', 'a-node']) expect(said(world, id)[0], id).toBe('passing')
    })
  })

  it('is one of a chain however long', async () => {
    const length = 16_300
    const state = new LocalState(nodeFactsOf(configOf(), nodeId), { services: () => {}, checks: () => {} })
    for (let at = 0; at < length; at++) {
      const definition = checkOf(`a${at}`, alias(`s${at + 1}`), { serviceId: `s${at}`, status: 'passing' })
      state.putCheck(definition, 'api', 0)
    }
    state.putCheck(checkOf('end', long, { serviceId: `s${length}`, status: 'warning' }), 'api', 0)
    const told: string[] = []
    await withLocalServices(configOf(), async ({ env, rest }) => {
      const aliases = new LocalAliases(env, state, (checkId, { status }) => void told.push(`${checkId} ${status}`))
      for (const at of [0, length - 60]) {
        aliases.follow(checkOf(`a${at}`, long, { serviceId: `s${at}` }), {
          kind: 'alias',
          node: '',
          service: `s${at + 1}`,
        })
      }
      await rest(1)
      aliases.stop()
    })
    expect(told).toEqual(['a0 passing', `a${length - 60} warning`])
  })

  it('says no more once it is taken out', async () => {
    await withLocalServices(configOf(), async (world) => {
      const { local } = world
      await local.registerService(offer('db', {}, [checkOf('c-db', long, { serviceId: 'db' })]))
      await local.registerCheck(checkOf('a', alias('db')))
      await world.rest(1)
      await local.registerCheck(checkOf('a', long))
      await local.reportTtl('a', 'passing', 'by hand')
      await local.reportTtl('c-db', 'warning', 'hm')
      await world.rest(10)
      expect(said(world, 'a')).toEqual(['passing', 'by hand'])
    })
  })
})

describe('an alias of what is on another node', () => {
  it('reads its checks, waits for them to change, and counts the service and the node alone', async () => {
    await withLocalServices(configOf(), async (world) => {
      const { local, catalog } = world
      catalog.see([seen('c', 'passing'), seen('x', 'critical', { serviceId: 'cache' })], 5)
      await local.registerCheck(checkOf('a', alias('db', 'node-b')))
      await world.rest(1)
      expect(said(world, 'a')).toEqual(['passing', 'All checks passing.'])
      catalog.see([seen('c', 'passing'), seen('m', 'critical', { serviceId: '' })])
      await world.rest(1)
      expect(said(world, 'a')).toEqual(['critical', 'Aliased check "name of m" failing: out of m'])
      catalog.see([])
      await world.rest(1)
      expect(said(world, 'a')).toEqual(['passing', 'No checks found.'])
      const asked = catalog.takeAsked().filter((each) => each.startsWith('checks on'))
      expect(asked).toEqual([
        'checks on node-b after 0',
        'checks on node-b after 5',
        ...[6, 7].map((at) => `checks on node-b after ${at}`),
      ])
    })
  })

  it('reads a node that changes all the time a few times a second, and then what it says at last', async () => {
    await withLocalServices(configOf(), async (world) => {
      const { catalog } = world
      catalog.see([seen('c', 'critical')])
      await world.local.registerCheck(checkOf('a', alias('db', 'node-b')))
      for (let n = 0; n < 1_000; n++) {
        catalog.see([seen('c', n % 2 === 0 ? 'critical' : 'warning')])
        await world.rest(1)
      }
      catalog.see([seen('c', 'passing')])
      const asked = catalog.takeAsked().filter((each) => each.startsWith('checks on'))
      expect(asked.length).toBeGreaterThan(8)
      expect(asked.length).toBeLessThan(20)
      await world.rest(251)
      expect(said(world, 'a')).toEqual(['passing', 'All checks passing.'])
    })
  })

  it('asks anew without waiting where the index went back', async () => {
    await withLocalServices(configOf(), async (world) => {
      world.catalog.see([seen('c', 'critical')], 90)
      await world.local.registerCheck(checkOf('a', alias('db', 'node-b')))
      await world.rest(1)
      world.catalog.see([seen('c', 'passing')], 3)
      await world.rest(1)
      expect(said(world, 'a')[0]).toBe('passing')
      expect(world.catalog.waits.size).toBe(1)
      world.catalog.see([seen('c', 'warning')], 4)
      await world.rest(1)
      expect(said(world, 'a')[0]).toBe('warning')
    })
  })

  it('is critical when it cannot be read twice, tries ever more rarely, and recovers', async () => {
    await withLocalServices(configOf(), async (world) => {
      const { catalog } = world
      await world.local.registerCheck(checkOf('a', alias('db', 'node-b'), { status: 'passing' }))
      await world.rest(1)
      catalog.failure = { kind: 'no-leader' }
      catalog.see([])
      await world.rest(500)
      expect(said(world, 'a')[0]).toBe('passing')
      await world.rest(1_000)
      expect(said(world, 'a')).toEqual(['critical', 'Failure checking aliased node or service: No cluster leader'])
      catalog.takeAsked()
      await world.rest(600_000)
      const asked = catalog.takeAsked().filter((each) => each.startsWith('checks on'))
      expect(asked.length).toBeGreaterThan(8)
      expect(asked.length).toBeLessThan(20)
      catalog.failure = undefined
      await world.rest(61_000)
      expect(said(world, 'a')[0]).toBe('passing')
    })
  })

  it('is what the node says as soon as that can be read again, though nothing has changed there', async () => {
    await withLocalServices(configOf(), async (world) => {
      const { catalog } = world
      catalog.see([seen('c', 'passing')], 50)
      await world.local.registerCheck(checkOf('a', alias('db', 'node-b')))
      await world.rest(1)
      catalog.failure = { kind: 'no-leader' }
      for (const end of [...catalog.waits]) end()
      await world.rest(4_000)
      expect(said(world, 'a')[0]).toBe('critical')
      catalog.failure = undefined
      await world.rest(4_000)
      expect(said(world, 'a')).toEqual(['passing', 'All checks passing.'])
      expect(catalog.waits.size).toBe(1)
    })
  })

  it('does not count itself on the own node, and leaves nothing waiting when it ends', async () => {
    await withLocalServices(configOf(), async (world) => {
      const { local, catalog } = world
      catalog.see([seen('a', 'critical', { serviceId: '' }), seen('serfHealth', 'passing', { serviceId: '' })], 5)
      await local.registerCheck(checkOf('a', alias('db', 'Node-A')))
      await world.rest(1)
      expect(said(world, 'a')).toEqual(['passing', 'All checks passing.'])
      expect(catalog.waits.size).toBe(1)
      await local.deregisterCheck('a')
      await world.rest(1)
      expect(catalog.waits.size).toBe(0)
    })
  })
})
