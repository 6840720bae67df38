import { describe, expect, it } from 'vitest'
import { createLocalServices } from '../../../src/agent/local/local-services.ts'
import type { LocalServices } from '../../../src/features/contract/local-services.ts'
import type { ServiceDefinition } from '../../../src/model/catalog.ts'
import { proxyKind } from '../../../src/model/mesh-service.ts'
import { checkOf, configOf, nodeId, offer, serviceOf, ttl, withLocalServices } from './local-world.ts'

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

const portsOf = (local: LocalServices) => local.services().map(({ id, port }) => [id, port])
const refusalOf = async (local: LocalServices, definition: ServiceDefinition) => {
  const taken = await local.registerService(definition)
  return taken.ok ? undefined : taken.error
}

describe('a sidecar', () => {
  it('comes with its service, on the lowest free port of the range, which it keeps, and goes with it', async () => {
    await withLocalServices(configOf({ sidecarPorts: { min: 21_000, max: 21_002 } }), async ({ local, catalog }) => {
      await local.registerService(offer('taken', { port: 21_001 }))
      await Promise.all(['a', 'b'].map((id) => local.registerService(withSidecar(id))))
      await local.registerService(withSidecar('b'))
      expect(portsOf(local)).toEqual([
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
      expect(await refusalOf(local, withSidecar('c'))).toEqual({
        kind: 'bad-request',
        message:
          'Invalid SidecarService: no port provided for sidecar_service and none left in the configured range [21000, 21002]',
      })
      expect(await refusalOf(local, withSidecar('c', 5))).toBeUndefined()
      await local.registerService(offer('a'))
      await local.deregisterService('b')
      expect(portsOf(local).flat()).toEqual([
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
    await withLocalServices(configOf(), async ({ local, rest }) => {
      await local.registerService({
        ...withSidecar('web'),
        checks: [checkOf('web-check', ttl(60_000), { serviceId: 'web', status: 'passing' })],
      })
      await local.registerService(
        withSidecar('own', 0, [checkOf('mine', ttl(1_000), { serviceId: 'own-sidecar-proxy' })]),
      )
      await rest(100)
      expect(local.checks().map(({ checkId, name, serviceId, status }) => [checkId, name, serviceId, status])).toEqual([
        ['mine', 'mine', 'own-sidecar-proxy', 'critical'],
        ['service:web-sidecar-proxy:1', 'Connect Sidecar Listening', 'web-sidecar-proxy', 'critical'],
        ['service:web-sidecar-proxy:2', 'Connect Sidecar Aliasing web', 'web-sidecar-proxy', 'passing'],
        ['web-check', 'web-check', 'web', 'passing'],
      ])
      await local.reportTtl('web-check', 'critical', 'gone')
      await rest(100)
      const alias = local.checks().find(({ checkId }) => checkId === 'service:web-sidecar-proxy:2')
      expect(alias).toMatchObject({ status: 'critical', output: 'Aliased check "web-check" failing: gone' })
    })
  })

  it('needs a port where none is to be chosen', async () => {
    await withLocalServices(configOf({ sidecarPorts: { min: 0, max: 0 } }), async ({ local }) => {
      expect(await refusalOf(local, withSidecar('web'))).toMatchObject({
        message: 'Invalid SidecarService: no port provided for sidecar_service and auto-assignment disabled in config',
      })
      expect(local.services()).toEqual([])
    })
  })

  it('has its port, and goes with its service, after its agent has started again', async () => {
    const config = configOf({ dataDir, services: [withSidecar('file')] })
    await withLocalServices({ ...config, services: [] }, async ({ env, local, catalog }) => {
      await local.registerService(withSidecar('web'))
      await local.stop()
      const again = createLocalServices(env, { config, nodeId, catalog, nodeCount: () => 1 })
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
    await withLocalServices(config, async ({ local, rest }) => {
      await local.reload({ ...config, services: [withSidecar('c'), withSidecar('b'), offer('a')] })
      await rest(100)
      expect(portsOf(local)).toEqual([
        ['a', 80],
        ['b', 80],
        ['b-sidecar-proxy', 21_001],
        ['c', 80],
        ['c-sidecar-proxy', 21_002],
      ])
      const full = { ...config, sidecarPorts: { min: 21_001, max: 21_001 } }
      expect(await local.reload({ ...full, services: [withSidecar('b'), withSidecar('d')] })).toEqual({
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
