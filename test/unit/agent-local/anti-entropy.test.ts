import { describe, expect, it } from 'vitest'
import { AntiEntropy } from '../../../src/agent/local/anti-entropy.ts'
import { LocalState } from '../../../src/agent/local/local-state.ts'
import { type NodeDump, nodeFactsOf, type RunningLocalServices } from '../../../src/agent/local/parts.ts'
import { compareText } from '../../../src/base/bytes.ts'
import { ok, type Result } from '../../../src/base/result.ts'
import type { Failure } from '../../../src/model/failure.ts'
import { modifyIndexOf } from '../../../src/model/log-position.ts'
import { HandClock, settled } from '../features/hand-clock.ts'
import { checkOf, configOf, nodeId, offer, serviceOf, ttl, withLocalServices } from './local-world.ts'

const noLeader = { kind: 'no-leader' } as const

describe('what an agent tells the catalog', () => {
  it('[REG-018] [AGT-030] a registration is in the catalog when it is answered, with its checks and its node, and the log says so', async () => {
    await withLocalServices(configOf({ nodeMeta: { rack: 'r1' } }), async ({ local, catalog, lines }) => {
      const check = checkOf('service:web', ttl(10_000), { serviceId: 'web', status: 'passing' })
      expect(await local.registerService(offer('web', { tags: ['a'] }, [check]))).toMatchObject({ ok: true })
      expect(catalog.asked).toEqual(['dump', '+service web', '+check service:web'])
      expect(catalog.services.get('web')).toEqual(serviceOf('web', { tags: ['a'] }))
      expect(catalog.checks.get('service:web')).toMatchObject({
        node: 'node-a',
        serviceId: 'web',
        serviceName: 'web',
        serviceTags: ['a'],
        status: 'passing',
      })
      expect(catalog.node).toEqual({
        id: nodeId,
        node: 'node-a',
        address: '10.0.0.1',
        taggedAddresses: [
          ['lan', '10.0.0.1'],
          ['wan', '10.0.0.1'],
        ],
        meta: [
          ['rack', 'r1'],
          ['svc-network-segment', ''],
        ],
      })
      expect(lines).toContain('info Synced service {"service":"web"}')
      expect(lines).toContain('info Synced check {"check":"service:web"}')
      expect(lines).toContain('info Synced node info {}')
    })
  })

  it('what is synced is not told again, and a service that goes takes its checks along', async () => {
    await withLocalServices(configOf(), async ({ local, catalog }) => {
      await local.registerService(offer('web', {}, [checkOf('c', ttl(10_000), { serviceId: 'web' })]))
      catalog.takeAsked()
      await local.registerService(offer('api'))
      expect(catalog.takeAsked()).toEqual(['+service api'])
      await local.deregisterService('web')
      expect(catalog.takeAsked()).toEqual(['-service web'])
      expect([...catalog.services.keys()]).toEqual(['api'])
      expect(catalog.checks.size).toBe(0)
      await local.deregisterService('nobody')
      expect(catalog.takeAsked()).toEqual([])
    })
  })

  it('what could not be told while no server could be reached is told again soon', async () => {
    await withLocalServices(configOf(), async ({ local, catalog, rest }) => {
      await local.registerService(offer('api'))
      catalog.takeAsked()
      catalog.failure = noLeader
      await local.registerService(offer('web', {}, [checkOf('c', ttl(10_000), { serviceId: 'web' })]))
      expect(catalog.takeAsked()).toEqual(['+service web', '+check c'])
      catalog.failure = undefined
      await rest(40_000)
      expect([...catalog.services.keys()]).toEqual(['api', 'web'])
    })
  })

  it('a change during a sync under way is synced by the next one', async () => {
    await withLocalServices(configOf(), async ({ local, catalog, rest }) => {
      await local.registerService(offer('web', { port: 1 }))
      catalog.takeAsked()
      catalog.before = () => rest(100)
      const first = local.registerService(offer('web', { port: 2 }))
      await rest(50)
      const second = local.registerService(offer('web', { port: 3 }))
      await first
      await second
      expect(catalog.takeAsked()).toEqual(['+service web', '+service web'])
      expect(catalog.services.get('web')?.port).toBe(3)
      const gone = local.registerService(offer('web', { port: 4 }))
      await rest(50)
      await Promise.all([gone, local.deregisterService('web')])
      expect(catalog.services.has('web')).toBe(false)
    })
  })

  it('a registration without a leader is answered nevertheless, and sent after a random pause', async () => {
    await withLocalServices(configOf(), async ({ local, catalog, lines, rest }) => {
      catalog.failure = noLeader
      expect(await local.registerService(offer('web'))).toMatchObject({ ok: true })
      expect(catalog.services.size).toBe(0)
      expect(lines).toContain('warn Failed to sync with the catalog {"error":"No cluster leader"}')
      catalog.failure = undefined
      await rest(16_000)
      expect(catalog.services.has('web')).toBe(true)
    })
  })

  it('one that is refused for want of a token is made up for soon at first, and then as others are', async () => {
    await withLocalServices(configOf(), async ({ local, catalog, lines, rest }) => {
      catalog.failure = { kind: 'token-not-found' }
      await local.registerService(offer('web'))
      const dumps = () => catalog.asked.filter((call) => call === 'dump').length
      const before = dumps()
      await rest(7_500)
      expect(dumps() - before).toBeGreaterThanOrEqual(3)
      expect(lines.filter((line) => line.includes('ACL not found'))).toHaveLength(1)
      catalog.failure = undefined
      await rest(16_000)
      expect(catalog.services.has('web')).toBe(true)
    })
  })

  it('a refusal of one thing keeps nothing else back', async () => {
    await withLocalServices(configOf(), async ({ local, catalog }) => {
      catalog.refused = 'a'
      await local.registerService(offer('a'))
      await local.registerService(offer('b'))
      expect([...catalog.services.keys()]).toEqual(['b'])
    })
  })
})

describe('two IDs that differ in capital letters alone', () => {
  it('are one, as in the catalog: a service that is spelled anew is never missing', async () => {
    const spelled = (id: string) =>
      configOf({ services: [offer(id, {}, [checkOf('C', ttl(60_000), { serviceId: id })])] })
    await withLocalServices(spelled('web'), async ({ local, catalog, rest }) => {
      await local.registerService(offer('api'))
      await local.reportTtl('c', 'passing', '')
      await local.reload(spelled('Web'))
      await rest(1_000)
      expect(catalog.takeAsked().filter((call) => call.startsWith('-'))).toEqual([])
      expect([...catalog.services.values()].map(({ id }) => id).sort()).toEqual(['Web', 'api'])
      expect(catalog.checks.get('c')).toMatchObject({ checkId: 'C', serviceId: 'Web', status: 'passing' })
      expect(local.services().map(({ id }) => id)).toEqual(['api', 'Web'])
      await local.deregisterService('wEB')
      expect(local.services().map(({ id }) => id)).toEqual(['api'])
      expect(local.checks()).toEqual([])
    })
  })
})

describe('outputs of checks', () => {
  it('a new output alone is synced later, a new status at once', async () => {
    await withLocalServices(configOf(), async ({ local, catalog, rest }) => {
      await local.registerCheck(checkOf('c', ttl(3_600_000)))
      await local.reportTtl('c', 'passing', 'one')
      expect(catalog.checks.get('c')).toMatchObject({ status: 'passing', output: 'one' })
      catalog.takeAsked()
      await local.reportTtl('c', 'passing', 'two')
      expect(local.checks()).toMatchObject([{ output: 'two' }])
      await rest(140_000)
      expect(catalog.takeAsked().filter((call) => call !== 'dump')).toEqual([])
      expect(catalog.checks.get('c')?.output).toBe('one')
      await rest(320_000)
      expect(catalog.checks.get('c')?.output).toBe('two')
      await local.reportTtl('c', 'passing', 'three')
      await local.reportTtl('c', 'warning', 'four')
      expect(catalog.checks.get('c')).toMatchObject({ status: 'warning', output: 'four' })
      catalog.takeAsked()
      await rest(500_000)
      expect(catalog.takeAsked().filter((call) => call !== 'dump')).toEqual([])
    })
  })

  it('keep no report waiting that has nothing to sync now, however long a sync takes', async () => {
    await withLocalServices(configOf(), async ({ local, catalog, rest }) => {
      await local.registerCheck(checkOf('c', ttl(3_600_000)))
      await local.reportTtl('c', 'passing', 'one')
      catalog.before = () => rest(100)
      const held = local.registerService(offer('web'))
      await rest(50)
      const answered: string[] = []
      const reported = ['one', 'two'].map(async (output) => {
        await local.reportTtl('c', 'passing', output)
        answered.push(output)
      })
      await rest(1)
      expect(answered).toEqual(['one', 'two'])
      await Promise.all([held, ...reported])
    })
  })

  it('are synced at once when configured so, and discarded when configured so', async () => {
    const checksConfig = { ...configOf().checksConfig, updateIntervalMs: 0 }
    await withLocalServices(configOf({ checksConfig }), async ({ local, catalog }) => {
      await local.registerCheck(checkOf('c', ttl(3_600_000)))
      await local.reportTtl('c', 'critical', 'one')
      expect(catalog.checks.get('c')?.output).toBe('one')
    })
    await withLocalServices(configOf({ checksConfig: { ...checksConfig, discardOutput: true } }), async ({ local }) => {
      await local.registerCheck(checkOf('c', ttl(3_600_000)))
      await local.reportTtl('c', 'passing', 'one')
      expect(local.checks()).toMatchObject([{ status: 'passing', output: '' }])
    })
  })
})

describe('many registrations at once', () => {
  const ids = Array.from({ length: 100 }, (_, at) => `web-${at}`)
  const registerAll = (local: RunningLocalServices) =>
    Promise.all(
      ids.map((id) => local.registerService(offer(id, {}, [checkOf(`c-${id}`, ttl(10_000), { serviceId: id })]))),
    )

  it('are synced in few calls, each service with its checks, and are in the catalog when they are acknowledged', async () => {
    await withLocalServices(configOf(), async ({ local, catalog }) => {
      await local.registerService(offer('first'))
      const answers = await registerAll(local)
      expect(answers.every(({ ok: isOk }) => isOk)).toBe(true)
      expect([...catalog.services.keys()].sort(compareText)).toEqual(['first', ...ids].sort(compareText))
      expect(catalog.checks.size).toBe(ids.length)
      expect(catalog.together.reduce((a, b) => a + b, 0)).toBeGreaterThan(90)
      expect(catalog.together.length).toBeLessThan(5)
      expect(Math.max(...catalog.together)).toBeLessThanOrEqual(64)
    })
  })

  it('leave out one that is refused, and tell of it', async () => {
    await withLocalServices(configOf(), async ({ local, catalog, lines }) => {
      catalog.refused = 'web-50'
      await registerAll(local)
      expect([catalog.services.size, catalog.services.has('web-50')]).toEqual([99, false])
      expect(lines).toContain('warn Failed to sync with the catalog {"error":"not that one"}')
    })
  })

  it('are synced few at a time where any part of them is long', async () => {
    await withLocalServices(configOf(), async ({ local, catalog }) => {
      await local.registerService(offer('first'))
      const address = 'x'.repeat(100 << 10)
      await Promise.all(ids.slice(0, 20).map((id) => local.registerService(offer(id, { address }))))
      expect(catalog.services.size).toBe(21)
      expect(Math.max(...catalog.together)).toBe(3)
    })
  })

  it.each<Failure>([
    { kind: 'too-large', message: 'no' },
    { kind: 'unknown-method', method: 'Catalog.RegisterAll' },
  ])('are synced one by one where they cannot be together: $kind', async (failure) => {
    await withLocalServices(configOf(), async ({ local, catalog }) => {
      catalog.failureTogether = failure
      await registerAll(local)
      expect(catalog.services.size).toBe(100)
    })
  })
})

describe('the end of an agent', () => {
  it('leaves no timer behind, also when it comes during a comparison with the catalog', async () => {
    const clock = new HandClock()
    const { env } = clock
    const answer = env.deferred<Result<NodeDump | null, Failure>>()
    const told = async () => ok(true)
    const checksOn = async () => ok({ checks: [], index: modifyIndexOf(1) })
    const registerAll = async () => ok([])
    const catalog = {
      nodeApart: false,
      dump: () => answer.promise,
      register: told,
      registerAll,
      deregister: told,
      checksOn,
    }
    const state = new LocalState(nodeFactsOf(configOf(), nodeId), { services: () => {}, checks: () => {} })
    const tokens = { agent: '', default: '' }
    const sync = new AntiEntropy({ env, state, catalog, tokens, leaders: undefined, nodeCount: () => 1 })
    sync.start()
    sync.changed()
    await clock.advance(0)
    sync.stop()
    answer.resolve(ok(null))
    await settled()
    expect(clock.timers).toBe(0)
  })
})
