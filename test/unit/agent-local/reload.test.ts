import { describe, expect, it } from 'vitest'
import { createLocalServices } from '../../../src/agent/local/local-services.ts'
import { inSimulation } from '../sim-world/in-simulation.ts'
import { FakeCatalog } from './fake-catalog.ts'
import { checkOf, configOf, nodeId, offer, serviceOf, ttl, withLocalServices } from './local-world.ts'

const fileCheck = checkOf('web-check', ttl(600_000), { serviceId: 'web' })

describe('definitions of configuration files', () => {
  it('[REG-017] are offered from the start on', async () => {
    const config = configOf({ services: [offer('web', {}, [fileCheck])], checks: [checkOf('node', ttl(1_000))] })
    await withLocalServices(config, async ({ local, catalog, rest }) => {
      expect(local.services()).toEqual([serviceOf('web')])
      local.trigger()
      await rest(1_000)
      expect([...catalog.services.keys()]).toEqual(['web'])
      expect([...catalog.checks.keys()].sort()).toEqual(['node', 'web-check'])
    })
  })

  it('may be those of several agents, which share nothing of them', async () => {
    const config = configOf({ services: [offer('web', { enableTagOverride: true, tags: ['own'] }, [fileCheck])] })
    const before = JSON.stringify(config)
    await withLocalServices(config, async (first) => {
      const parts = { config, nodeId, catalog: new FakeCatalog(), nodeCount: () => 1 }
      const second = createLocalServices(first.env, parts)
      await second.start()
      first.local.trigger()
      await first.rest(1_000)
      first.catalog.services.set('web', serviceOf('web', { enableTagOverride: true, tags: ['theirs'] }))
      first.local.trigger()
      await first.rest(1_000)
      await first.local.reportTtl('web-check', 'passing', 'first')
      await first.local.registerService(offer('more'))
      const offered = [first.local, second].map((local) => local.services().map(({ id, tags }) => [id, ...tags]))
      expect(offered).toEqual([[['more'], ['web', 'theirs']], [['web', 'own']]])
      expect(second.checks()).toMatchObject([{ status: 'critical', output: '' }])
      await second.stop()
    })
    expect(JSON.stringify(config)).toBe(before)
  })

  it('that do not hold keep the agent from starting, and say which check it is', async () => {
    const script = checkOf('s', { kind: 'script', argv: ['sh'], intervalMs: 1_000, timeoutMs: 1_000 })
    const lost = checkOf('lost', ttl(1_000), { serviceId: 'nope' })
    for (const [checks, message] of [
      [[script], /^check "s": Scripts are disabled on this agent; to enable, configure/],
      [[lost], /^check "lost": ServiceID "nope" does not exist$/],
    ] as const) {
      await inSimulation({}, async (simulation) => {
        const node = simulation.addNode({ name: 'a', host: '10.0.0.1' })
        const parts = { config: configOf({ checks }), nodeId, catalog: new FakeCatalog(), nodeCount: () => 1 }
        const started = await simulation.play(node, (env) => createLocalServices(env, parts).start(), 1_000)
        expect(started).toEqual({
          ok: false,
          error: { kind: 'configuration', message: expect.stringMatching(message), remedy: 'correct the definition' },
        })
      })
    }
  })
})

describe('a reload', () => {
  it('[AGT-029] replaces what is changed in one step: the catalog is never without it', async () => {
    const before = configOf({ services: [offer('web', { port: 1 }, [fileCheck]), offer('same')] })
    const after = configOf({ services: [offer('web', { port: 2, tags: ['new'] }, [fileCheck]), offer('same')] })
    await withLocalServices(before, async ({ local, catalog, rest }) => {
      await local.reportTtl('web-check', 'passing', 'well')
      catalog.takeAsked()
      expect(await local.reload(after)).toMatchObject({ ok: true })
      expect(local.services()).toEqual([serviceOf('same'), serviceOf('web', { port: 2, tags: ['new'] })])
      expect(local.checks()).toMatchObject([{ status: 'passing', output: 'well', serviceTags: ['new'] }])
      await rest(1_000)
      expect(catalog.takeAsked()).toEqual(['+service web', '+check web-check'])
      expect(catalog.services.get('web')).toMatchObject({ port: 2, tags: ['new'] })
      expect(catalog.checks.get('web-check')).toMatchObject({ status: 'passing' })
    })
  })

  it('of an unchanged configuration changes nothing, and no check begins anew', async () => {
    const services = [offer('web', {}, [fileCheck])]
    await withLocalServices(configOf({ services }), async ({ local, catalog, rest }) => {
      await local.reportTtl('web-check', 'passing', '')
      await rest(300_000)
      catalog.takeAsked()
      await local.reload(configOf({ services: [offer('web', {}, [{ ...fileCheck }])] }))
      await rest(299_000)
      expect(local.checks()).toMatchObject([{ status: 'passing' }])
      await rest(2_000)
      expect(local.checks()).toMatchObject([{ status: 'critical' }])
      expect(catalog.asked.filter((call) => call.startsWith('+service') || call.startsWith('-'))).toEqual([])
    })
  })

  it('brings the new before it takes the old away', async () => {
    const before = configOf({
      services: [offer('web-1', { service: 'web' }, [])],
      checks: [checkOf('old', ttl(1_000))],
    })
    const after = configOf({ services: [offer('web-2', { service: 'web' }, [])] })
    await withLocalServices(before, async ({ local, catalog, rest }) => {
      await local.registerService(offer('api'))
      catalog.takeAsked()
      await local.reload(after)
      await rest(500)
      expect(catalog.takeAsked()).toEqual(['+service web-2', '-service web-1', '-check old'])
      expect(local.services().map(({ id }) => id)).toEqual(['api', 'web-2'])
      expect(local.checks()).toEqual([])
    })
  })

  it('takes what the API brought over when a file defines it, and brings back what the API took out', async () => {
    const config = configOf({ services: [offer('web')] })
    await withLocalServices(config, async ({ local }) => {
      await local.registerService(offer('web', { port: 1 }))
      await local.reload(config)
      expect(local.services()).toEqual([serviceOf('web')])
      await local.deregisterService('web')
      await local.reload(config)
      expect(local.services()).toEqual([serviceOf('web')])
      await local.reload(configOf())
      expect(local.services()).toEqual([])
    })
  })

  it('leaves overridden tags of an unchanged service alone', async () => {
    const config = configOf({ services: [offer('web', { tags: ['a'], enableTagOverride: true })] })
    await withLocalServices(config, async ({ local, catalog, rest }) => {
      await local.registerService(offer('other'))
      catalog.services.set('web', serviceOf('web', { tags: ['b'], enableTagOverride: true }))
      await rest(120_000)
      await local.reload(config)
      await rest(120_000)
      expect(catalog.services.get('web')?.tags).toEqual(['b'])
    })
  })

  it('takes over metadata of the node and settings of checks', async () => {
    await withLocalServices(configOf(), async ({ local, catalog, rest }) => {
      await local.registerCheck(checkOf('c', ttl(60_000)))
      const checksConfig = { ...configOf().checksConfig, discardOutput: true }
      await local.reload(configOf({ nodeMeta: { rack: 'r2' }, checksConfig }))
      await rest(100)
      expect(catalog.node?.meta).toEqual([
        ['rack', 'r2'],
        ['svc-network-segment', ''],
      ])
      await local.reportTtl('c', 'passing', 'words')
      expect(local.checks()).toMatchObject([{ output: '' }])
    })
  })

  it('that discards outputs removes those that are shown', async () => {
    await withLocalServices(configOf(), async ({ local, catalog, rest }) => {
      await local.registerCheck(checkOf('c', ttl(60_000)))
      await local.reportTtl('c', 'warning', 'a secret')
      await local.reload(configOf({ checksConfig: { ...configOf().checksConfig, discardOutput: true } }))
      await rest(100)
      expect(local.checks()).toMatchObject([{ status: 'warning', output: '' }])
      expect(catalog.checks.get('c')).toMatchObject({ status: 'warning', output: '' })
    })
  })

  it('that does not hold changes nothing', async () => {
    await withLocalServices(configOf({ services: [offer('web')] }), async ({ local }) => {
      const bad = configOf({ checks: [checkOf('c', ttl(1_000), { serviceId: 'nope' })] })
      expect(await local.reload(bad)).toMatchObject({ ok: false })
      expect(local.services()).toEqual([serviceOf('web')])
      expect(local.checks()).toEqual([])
    })
  })
})
