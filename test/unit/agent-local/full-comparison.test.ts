import { describe, expect, it } from 'vitest'
import { syncScale } from '../../../src/agent/local/sync-pace.ts'
import { err } from '../../../src/base/result.ts'
import type { CheckFacts, ServiceFacts } from '../../../src/model/catalog.ts'
import { checkOf, configOf, offer, serviceOf, ttl, withLocalServices } from './local-world.ts'

function strangeCheck(checkId: string, serviceId = ''): CheckFacts {
  return {
    node: 'node-a',
    checkId,
    name: checkId,
    status: 'passing',
    notes: '',
    output: '',
    serviceId,
    serviceName: '',
    serviceTags: [],
    definition: null,
  }
}

describe('a full comparison that is refused', () => {
  const refused = err({ kind: 'token-not-found' } as const)

  it('as once the token of the agent was deleted, holds up no change of what has a token of its own', async () => {
    await withLocalServices(configOf(), async ({ local, catalog, rest }) => {
      const { dump } = catalog
      const check = checkOf('c', ttl(3_600_000), { serviceId: 'web', token: 'own', status: 'passing' })
      await local.registerService(offer('web', {}, [check]))
      catalog.dump = async () => refused
      await rest(130_000)
      await local.reportTtl('c', 'critical', 'down')
      expect(catalog.checks.get('c')).toMatchObject({ status: 'critical', output: 'down' })
      catalog.services.delete('web')
      catalog.dump = dump
      await rest(40_000)
      expect([...catalog.services.keys()]).toEqual(['web'])
    })
  })

  it('does not send again with each retry what is refused for its own token, but with the next change', async () => {
    await withLocalServices(configOf(), async ({ local, catalog, rest }) => {
      await local.registerService(offer('web', {}, [checkOf('c', ttl(3_600_000), { serviceId: 'web' })]))
      catalog.dump = async () => {
        catalog.asked.push('dump')
        return refused
      }
      await rest(130_000)
      catalog.refused = 'c'
      await local.reportTtl('c', 'passing', '')
      catalog.takeAsked()
      await rest(120_000)
      const asked = catalog.takeAsked()
      expect(new Set(asked)).toEqual(new Set(['dump']))
      expect(asked.length).toBeGreaterThan(5)
      catalog.refused = undefined
      await local.registerService(offer('db'))
      expect(catalog.checks.get('c')).toMatchObject({ status: 'passing' })
    })
  })

  it('sends with a retry what no server could be asked for meanwhile', async () => {
    await withLocalServices(configOf(), async ({ local, catalog, rest }) => {
      await local.registerService(offer('web', {}, [checkOf('c', ttl(3_600_000), { serviceId: 'web' })]))
      catalog.dump = async () => refused
      await rest(130_000)
      catalog.failure = { kind: 'no-leader' }
      await local.reportTtl('c', 'passing', '')
      catalog.failure = undefined
      await rest(20_000)
      expect(catalog.checks.get('c')).toMatchObject({ status: 'passing' })
    })
  })

  it('before the first one has shown whose the name of the node is, lets nothing be registered', async () => {
    await withLocalServices(configOf(), async ({ local, catalog, rest }) => {
      catalog.dump = async () => refused
      await local.registerService(offer('web'))
      await rest(130_000)
      expect(catalog.services.size).toBe(0)
    })
  })
})

describe('a full comparison', () => {
  it('[REG-024] brings back what was taken out and takes out what this agent does not hold', async () => {
    await withLocalServices(configOf(), async ({ local, catalog, rest }) => {
      await local.registerService(offer('web', {}, [checkOf('c', ttl(3_600_000), { serviceId: 'web' })]))
      catalog.services.delete('web')
      catalog.checks.delete('c')
      catalog.services.set('strange', serviceOf('strange'))
      catalog.checks.set('strange-check', strangeCheck('strange-check'))
      catalog.takeAsked()
      await rest(120_000)
      expect(catalog.takeAsked()).toEqual([
        'dump',
        '+service web',
        '+check c',
        '-service strange',
        '-check strange-check',
      ])
      expect([...catalog.services.keys()]).toEqual(['web'])
      expect([...catalog.checks.keys()]).toEqual(['c'])
    })
  })

  it.each([
    { port: 81 },
    { address: '10.1.1.1' },
    { tags: ['b'] },
    { service: 'other' },
    { kind: 'connect-proxy' },
    { meta: [['a', 'b'] as const] },
    { weights: { passing: 2, warning: 1 } },
    { weights: { passing: 1, warning: 0 } },
    { enableTagOverride: true },
  ] satisfies Partial<ServiceFacts>[])('[REG-024] puts right what was changed of a service: %j', async (changed) => {
    await withLocalServices(configOf(), async ({ local, catalog, rest }) => {
      await local.registerService(offer('web'))
      catalog.services.set('web', { ...catalog.services.get('web'), ...changed } as never)
      await rest(120_000)
      expect(catalog.services.get('web')).toEqual(expect.objectContaining(serviceOf('web')))
    })
  })

  it.each([
    { name: 'other' },
    { status: 'passing' },
    { notes: 'n' },
    { output: 'o' },
    { serviceId: '', serviceName: '' },
  ] satisfies Partial<CheckFacts>[])('[REG-024] puts right what was changed of a check: %j', async (changed) => {
    await withLocalServices(configOf(), async ({ local, catalog, rest }) => {
      await local.registerService(offer('web', {}, [checkOf('c', ttl(3_600_000), { serviceId: 'web' })]))
      const before = catalog.checks.get('c')
      catalog.checks.set('c', { ...before, ...changed } as never)
      await rest(120_000)
      expect(catalog.checks.get('c')).toEqual(before)
    })
  })

  it.each([
    [true, ['svc']],
    [false, []],
  ])('server %s: leaves the membership check alone, and of the services %j', async (server, left) => {
    await withLocalServices(configOf({ server }), async ({ local, catalog, rest }) => {
      await local.registerCheck(checkOf('own', ttl(3_600_000)))
      catalog.services.set('svc', serviceOf('svc'))
      catalog.checks.set('serfHealth', strangeCheck('serfHealth'))
      await rest(120_000)
      expect([...catalog.services.keys()]).toEqual(left)
      expect([...catalog.checks.keys()].sort()).toEqual(['own', 'serfHealth'])
    })
  })

  it('[REG-012] overridden tags stay where the service allows it, and are put right where it does not', async () => {
    await withLocalServices(configOf(), async ({ local, catalog, rest }) => {
      await local.registerService(offer('free', { enableTagOverride: true, tags: ['a'] }))
      await local.registerService(offer('bound', { tags: ['a'] }))
      for (const id of ['free', 'bound'])
        catalog.services.set(id, { ...catalog.services.get(id), tags: ['b'] } as never)
      catalog.takeAsked()
      await rest(120_000)
      expect(catalog.takeAsked()).toEqual(['dump', '+service bound'])
      expect(catalog.services.get('free')?.tags).toEqual(['b'])
      expect(catalog.services.get('bound')?.tags).toEqual(['a'])
      expect(local.services().map(({ id, tags }) => [id, tags])).toEqual([
        ['bound', ['a']],
        ['free', ['b']],
      ])
    })
  })

  it('takes tags of before from the catalog after a restart, and tells it of tags that are new', async () => {
    const service = { enableTagOverride: true, tags: ['a'] }
    await withLocalServices(configOf({ services: [offer('web', service)] }), async ({ local, catalog, rest }) => {
      catalog.node = local.nodeFacts()
      catalog.services.set('web', serviceOf('web', { ...service, tags: ['b'] }))
      catalog.services.set('api', serviceOf('api', { ...service, tags: ['b'] }))
      await local.registerService(offer('api', service))
      expect(catalog.services.get('web')?.tags).toEqual(['b'])
      expect(catalog.services.get('api')?.tags).toEqual(['a'])
      catalog.services.set('api', serviceOf('api', { ...service, tags: ['c'] }))
      await rest(120_000)
      expect(catalog.services.get('api')?.tags).toEqual(['c'])
    })
  })

  it('puts the data of its node right', async () => {
    await withLocalServices(configOf(), async ({ local, catalog, rest }) => {
      await local.registerService(offer('web'))
      catalog.node = { ...local.nodeFacts(), meta: [['other', 'x']] }
      catalog.takeAsked()
      await rest(120_000)
      expect(catalog.takeAsked()).toEqual(['dump', '+node'])
      expect(catalog.node).toEqual(local.nodeFacts())
    })
  })

  it('comes soon after a server has come within reach, not before', async () => {
    await withLocalServices(configOf({ services: [offer('web')] }), async ({ local, catalog, rest }) => {
      await rest(1_000)
      expect(catalog.asked).toEqual([])
      local.trigger()
      local.trigger()
      await rest(200)
      expect(catalog.takeAsked()).toEqual(['dump', '+service web'])
      local.silence()
      local.trigger()
      await rest(600_000)
      expect(catalog.asked).toEqual([])
    })
  })

  it('comes less often in a large cluster: log2(nodes / 128) + 1, rounded up', () => {
    expect([1, 128, 129, 256, 257, 512, 1_024].map(syncScale)).toEqual([1, 1, 2, 2, 3, 3, 4])
  })
})
