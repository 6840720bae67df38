import { describe, expect, it } from 'vitest'
import { createLocalAgent } from '../../../src/agent/local/local-agent.ts'
import type { LocalAgent } from '../../../src/features/contract/local-agent.ts'
import type { ServiceDefinition } from '../../../src/model/catalog.ts'
import { proxyKind } from '../../../src/model/mesh-service.ts'
import { checkOf, configOf, nodeId, offer, serviceOf, ttl, withLocalAgent } from './local-world.ts'

const dataDir = '/data'

function withSidecar(id: string, port = 0, given: ServiceDefinition['checks'] = []): ServiceDefinition {
  const beside = serviceOf(`${id}-sidecar-proxy`, {
    kind: proxyKind,
    port,
    mesh: {
      native: false,
      proxy: {
        destination: id,
        destinationId: id,
        localAddress: '127.0.0.1',
        localPort: 80,
        config: '',
        upstreams: [],
      },
    },
  })
  return { ...offer(id), sidecar: { service: { ...beside, sidecarOf: id }, checks: given } }
}

const portsOf = (agent: LocalAgent) => agent.services().map(({ id, port }) => [id, port])
const refusalOf = async (agent: LocalAgent, definition: ServiceDefinition) => {
  const taken = await agent.registerService(definition)
  return taken.ok ? undefined : taken.error
}

describe('a sidecar', () => {
  it('comes with its service, on the lowest free port of the range, which it keeps, and goes with it', async () => {
    await withLocalAgent(configOf({ sidecarPorts: { min: 21_000, max: 21_002 } }), async ({ agent, catalog }) => {
      await agent.registerService(offer('taken', { port: 21_001 }))
      await Promise.all(['a', 'b'].map((id) => agent.registerService(withSidecar(id))))
      await agent.registerService(withSidecar('b'))
      expect(portsOf(agent)).toEqual([
        ['a', 80],
        ['a-sidecar-proxy', 21_000],
        ['b', 80],
        ['b-sidecar-proxy', 21_002],
        ['taken', 21_001],
      ])
      expect(catalog.services.get('b-sidecar-proxy')).toEqual({
        ...serviceOf('b-sidecar-proxy'),
        kind: proxyKind,
        port: 21_002,
        mesh: withSidecar('b').sidecar?.service.mesh,
      })
      expect(await refusalOf(agent, withSidecar('c'))).toEqual({
        kind: 'bad-request',
        message:
          'Invalid SidecarService: no port provided for sidecar_service and none left in the configured range [21000, 21002]',
      })
      expect(await refusalOf(agent, withSidecar('c', 5))).toBeUndefined()
      await agent.registerService(offer('a'))
      await agent.deregisterService('b')
      expect(portsOf(agent).flat()).toEqual([
        'a',
        80,
        'a-sidecar-proxy',
        21_000,
        'c',
        80,
        'c-sidecar-proxy',
        5,
        'taken',
        21_001,
      ])
      expect([...catalog.services.keys()].sort()).toEqual(['a', 'a-sidecar-proxy', 'c', 'c-sidecar-proxy', 'taken'])
      expect([...catalog.checks.keys()].filter((id) => id.includes('b-sidecar'))).toEqual([])
    })
  })

  it('is checked by whether it listens and by its service, unless it names checks of its own', async () => {
    await withLocalAgent(configOf(), async ({ agent, rest }) => {
      await agent.registerService({
        ...withSidecar('web'),
        checks: [checkOf('web-check', ttl(60_000), { serviceId: 'web', status: 'passing' })],
      })
      await agent.registerService(
        withSidecar('own', 0, [checkOf('mine', ttl(1_000), { serviceId: 'own-sidecar-proxy' })]),
      )
      await rest(100)
      expect(agent.checks().map(({ checkId, name, serviceId, status }) => [checkId, name, serviceId, status])).toEqual([
        ['mine', 'mine', 'own-sidecar-proxy', 'critical'],
        ['service:web-sidecar-proxy:1', 'Connect Sidecar Listening', 'web-sidecar-proxy', 'critical'],
        ['service:web-sidecar-proxy:2', 'Connect Sidecar Aliasing web', 'web-sidecar-proxy', 'passing'],
        ['web-check', 'web-check', 'web', 'passing'],
      ])
      await agent.reportTtl('web-check', 'critical', 'gone')
      await rest(100)
      const alias = agent.checks().find(({ checkId }) => checkId === 'service:web-sidecar-proxy:2')
      expect(alias).toMatchObject({ status: 'critical', output: 'Aliased check "web-check" failing: gone' })
    })
  })

  it('needs a port where none is to be chosen', async () => {
    await withLocalAgent(configOf({ sidecarPorts: { min: 0, max: 0 } }), async ({ agent }) => {
      expect(await refusalOf(agent, withSidecar('web'))).toMatchObject({
        message: 'Invalid SidecarService: no port provided for sidecar_service and auto-assignment disabled in config',
      })
      expect(agent.services()).toEqual([])
    })
  })

  it('has its port, and goes with its service, after its agent has started again', async () => {
    const config = configOf({ dataDir, services: [withSidecar('file')] })
    await withLocalAgent({ ...config, services: [] }, async ({ env, agent, catalog }) => {
      await agent.registerService(withSidecar('web'))
      await agent.stop()
      const again = createLocalAgent(env, { config, nodeId, catalog, nodeCount: () => 1 })
      expect(await again.start()).toMatchObject({ ok: true })
      expect(portsOf(again)).toEqual([
        ['file', 80],
        ['file-sidecar-proxy', 21_001],
        ['web', 80],
        ['web-sidecar-proxy', 21_000],
      ])
      await again.deregisterService('web')
      expect(portsOf(again).map(([id]) => id)).toEqual(['file', 'file-sidecar-proxy'])
      await again.stop()
    })
  })

  it('of a file keeps its port over a reload, and is gone when the file no more asks for it', async () => {
    const config = configOf({ services: [withSidecar('a'), withSidecar('b')] })
    await withLocalAgent(config, async ({ agent, rest }) => {
      await agent.reload({ ...config, services: [withSidecar('c'), withSidecar('b'), offer('a')] })
      await rest(100)
      expect(portsOf(agent)).toEqual([
        ['a', 80],
        ['b', 80],
        ['b-sidecar-proxy', 21_001],
        ['c', 80],
        ['c-sidecar-proxy', 21_002],
      ])
      const full = { ...config, sidecarPorts: { min: 21_001, max: 21_001 } }
      expect(await agent.reload({ ...full, services: [withSidecar('b'), withSidecar('d')] })).toEqual({
        ok: false,
        error: {
          kind: 'bad-request',
          message:
            'service "d": Invalid SidecarService: no port provided for sidecar_service and none left in the configured range [21001, 21001]',
        },
      })
    })
  })
})
