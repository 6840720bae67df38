import { describe, expect, it } from 'vitest'
import { createLocalServices } from '../../../src/agent/local/local-services.ts'
import { withManagedDefaults } from '../../../src/agent/local/managed-proxies.ts'
import { defaultManagedSettings, type ManagedSettings } from '../../../src/agent/settings/proxy-settings.ts'
import { parseServiceDefinition } from '../../../src/features/agent/definitions.ts'
import type { LocalServices } from '../../../src/features/contract/local-services.ts'
import type { ServiceDefinition } from '../../../src/model/catalog.ts'
import { configOf, nodeId, offer, withLocalServices } from './local-world.ts'

const dataDir = '/data'

function managed(name: string, proxy: object = {}, more: object = {}): ServiceDefinition {
  const read = parseServiceDefinition({ name, port: 80, connect: { proxy }, ...more }, 'file')
  if (!read.ok) throw new Error(read.error.message)
  return read.value
}

const settings = (changes: Partial<ManagedSettings> = {}) => ({
  bindAddress: '10.0.0.1',
  managedProxies: { ...defaultManagedSettings, ports: { min: 20_000, max: 20_001 }, viaApi: true, ...changes },
})
const portOf = (local: LocalServices, id: string) => local.services().find((service) => service.id === id)?.port
const refusalOf = async (local: LocalServices, definition: ServiceDefinition) => {
  const taken = await local.registerService(definition)
  return taken.ok ? undefined : taken.error
}

describe('a managed proxy', () => {
  it('comes with its service, on the lowest free port of the range, which it keeps, and goes with it', async () => {
    await withLocalServices(configOf(settings()), async ({ local, catalog }) => {
      await local.registerService(offer('taken', { port: 20_000 }))
      await local.registerService(managed('a'))
      await local.registerService(managed('a'))
      expect(portOf(local, 'a-proxy')).toBe(20_001)
      expect(await refusalOf(local, managed('b'))).toEqual({
        kind: 'bad-request',
        message: 'no port provided for proxy bind_port and none left in the allocated range [20000, 20001]',
      })
      expect(await refusalOf(local, managed('b', { config: { bind_port: 9_000 } }))).toBeUndefined()
      expect(portOf(local, 'b-proxy')).toBe(9_000)
      expect(local.managedProxies().map(({ proxy, target }) => [proxy.id, target?.id])).toEqual([
        ['a-proxy', 'a'],
        ['b-proxy', 'b'],
      ])
      await local.deregisterService('a')
      expect(local.managedProxies().map(({ proxy }) => proxy.id)).toEqual(['b-proxy'])
      expect([...catalog.services.keys()].sort()).toEqual(['b', 'b-proxy', 'taken'])
      expect([...catalog.checks.keys()]).toEqual(['service:b-proxy'])
    })
  })

  it('has what it does not say from the settings of its agent, and is checked by whether it listens', async () => {
    const defaults = { daemonCommand: ['run'], config: '{"bind_address":"0.0.0.0","x":1,"y":1}' }
    await withLocalServices(configOf(settings(defaults)), async ({ local }) => {
      await local.registerService(managed('a', { config: { x: 2, local_service_address: '10.0.0.9:81' } }))
      await local.registerService(
        managed('b', { command: ['own'], config: { bind_address: '10.0.0.2', bind_port: 7, disable_tcp_check: true } }),
      )
      const [a, b] = local.managedProxies()
      expect([a?.managed, b?.managed]).toEqual([
        { execMode: 'daemon', command: ['run'] },
        { execMode: 'daemon', command: ['own'] },
      ])
      expect(a?.proxy).toMatchObject({ address: '', port: 20_000 })
      expect(a?.proxy.mesh?.proxy).toMatchObject({
        localAddress: '10.0.0.9',
        localPort: 81,
        config: '{"bind_address":"0.0.0.0","bind_port":20000,"local_service_address":"10.0.0.9:81","x":2,"y":1}',
      })
      expect(b?.proxy).toMatchObject({ address: '10.0.0.2', port: 7 })
      expect(local.checks().map(({ checkId, name }) => [checkId, name])).toEqual([
        ['service:a-proxy', 'Connect Proxy Listening'],
      ])
    })
    await withLocalServices(configOf(settings()), async ({ local }) => {
      await local.registerService(managed('a'))
      expect(local.managedProxies()[0]?.proxy.mesh?.proxy?.config).toBe(
        '{"bind_address":"10.0.0.1","bind_port":20000,"local_service_address":"127.0.0.1:80"}',
      )
    })
  })

  it('of a script is registered with a command of its own', async () => {
    await withLocalServices(configOf(settings()), async ({ local }) => {
      expect(await local.registerService(managed('a', { exec_mode: 'script', command: ['/own', '-x'] }))).toMatchObject(
        {
          ok: true,
        },
      )
      const [shown] = local.managedProxies()
      expect(shown).toMatchObject({ proxy: { port: 20000 }, managed: { execMode: 'script', command: ['/own', '-x'] } })
    })
  })

  it.each([
    [{ exec_mode: 'x' }, 'Invalid managed proxy: exec_mode cannot be "x"'],
    [{ config: { bind_port: 'x' } }, 'Invalid managed proxy: bind_port is no port'],
    [{ config: { bind_port: 0 } }, 'Invalid managed proxy: bind_port is no port'],
    [{ config: { bind_address: 5 } }, 'Invalid managed proxy: bind_address is no address'],
    [{ config: { local_service_address: 'x' } }, 'Invalid managed proxy: local_service_address is not host:port'],
    [{ config: { upstreams: {} } }, 'Invalid managed proxy: upstreams of its config cannot be read'],
    [
      { config: { upstreams: [{ destination_name: 'db' }] } },
      'Invalid managed proxy: upstreams of its config cannot be read at 0.local_bind_port',
    ],
  ])('that says %j is refused: %s', async (proxy, message) => {
    await withLocalServices(configOf(settings()), async ({ local }) => {
      expect(await refusalOf(local, managed('a', proxy))).toEqual({ kind: 'bad-request', message })
      expect(local.services()).toEqual([])
    })
  })

  it.each([
    [{ tcp_check_address: '192.168.0.1' }, '192.168.0.1:20000'],
    [{ tcp_check_address: '', bind_address: '0.0.0.0' }, '127.0.0.1:20000'],
    [{ bind_address: '::1', bind_port: 7 }, '[::1]:7'],
    [{ disable_tcp_check: true }, undefined],
  ])('with the settings %j is checked at %s', (config, address) => {
    const { sidecar } = managed('a', { config })
    if (sidecar?.service.managed === undefined) throw new Error('it has no managed proxy')
    const place = { settings: settings().managedProxies, bindAddress: '10.0.0.1', taken: [] }
    const made = withManagedDefaults(sidecar.service, sidecar.service.managed, place)
    const probes = made.ok ? made.value.checks.map(({ probe }) => probe.kind === 'tcp' && probe.address) : made
    expect(probes).toEqual(address === undefined ? [] : [address])
  })

  it('takes upstreams from its settings where releases before 1.3.0 have them, unless it has some of its own', async () => {
    const old = { destination_type: 'prepared_query', destination_name: 'near', destination_datacenter: 'dc2' }
    const upstreams = [{ ...old, local_bind_address: '127.0.0.2', local_bind_port: 9_191, connect_timeout_ms: 100 }]
    const own = [{ destination_name: 'db', local_bind_port: 9_192 }]
    await withLocalServices(configOf(settings()), async ({ local }) => {
      await local.registerService(managed('a', { config: { upstreams } }))
      await local.registerService(managed('b', { config: { upstreams }, upstreams: own }))
      const [a, b] = local.managedProxies().map(({ proxy }) => proxy.mesh?.proxy?.upstreams)
      expect(a).toEqual([
        {
          type: 'prepared_query',
          namespace: '',
          name: 'near',
          datacenter: 'dc2',
          localAddress: '127.0.0.2',
          localPort: 9_191,
          config: '{"connect_timeout_ms":100}',
        },
      ])
      expect(b?.map(({ name }) => name)).toEqual(['db'])
    })
  })

  it('has the token of its service', async () => {
    await withLocalServices(
      configOf({ ...settings(), services: [managed('a', {}, { token: 'own' })] }),
      async (world) => {
        expect(world.local.managedProxies().map(({ token }) => token)).toEqual(['own'])
      },
    )
  })

  it('comes over the API where that is allowed, and comes back after a restart only while it is', async () => {
    await withLocalServices(configOf(settings({ viaApi: false })), async ({ local }) => {
      expect(await refusalOf(local, managed('a'))).toEqual({
        kind: 'bad-request',
        message: 'Bad request: Managed proxy registration via the API is disallowed.',
      })
    })
    const config = configOf({ ...settings(), dataDir })
    await withLocalServices(config, async ({ local, env, catalog }) => {
      await local.registerService(managed('a', { command: ['run'] }))
      await local.stop()
      const again = async (given: typeof config) => {
        const next = createLocalServices(env, { config: given, nodeId, catalog, nodeCount: () => 1 })
        await next.start()
        return next
      }
      const second = await again(config)
      expect(second.managedProxies()).toMatchObject([{ proxy: { port: 20_000 }, managed: { command: ['run'] } }])
      await second.stop()
      const third = await again({ ...config, ...settings({ viaApi: false }) })
      expect([third.managedProxies(), third.services().map(({ id }) => id)]).toEqual([[], ['a']])
      expect(third.checks()).toEqual([])
      await third.stop()
    })
  })
})
