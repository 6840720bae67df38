import { describe, expect, it } from 'vitest'
import { writeJson } from '../../../src/base/json.ts'
import { serviceNodesEndpoint } from '../../../src/features/catalog/endpoint.ts'
import { registerAllEndpoint, registerEndpoint } from '../../../src/features/catalog/write-endpoints.ts'
import type { RouteResponse } from '../../../src/features/contract/route.ts'
import { serviceHealthEndpoint } from '../../../src/features/health/endpoint.ts'
import { settingsJson, settingsText } from '../../../src/features/mesh/settings-text.ts'
import { instancesOfQuery } from '../../../src/features/query/instances.ts'
import type { ServiceQuery } from '../../../src/features/query/model.ts'
import type { RegisterRequest, ServiceFacts } from '../../../src/model/catalog.ts'
import type { MeshFacts } from '../../../src/model/mesh-service.ts'
import { newestRelease } from '../../../src/model/release.ts'
import { LoneServer } from './lone-server.ts'
import { type Grant, Rights } from './rights-of.ts'

function jsonOf(response: RouteResponse): string {
  if (response.kind === 'json') return writeJson(response.value)
  if (response.kind === 'shared-json') return writeJson(response.json())
  throw new Error(`not JSON: ${JSON.stringify(response)}`)
}

async function register(server: LoneServer, service: object, node = 'n'): Promise<void> {
  const body = { Node: node, Address: '10.0.0.1', Service: service }
  expect(jsonOf(await server.request('PUT', '/v1/catalog/register', JSON.stringify(body)))).toBe('true')
}

async function idsAt(server: LoneServer, path: string, id: 'ServiceID' | 'ID' = 'ServiceID'): Promise<unknown> {
  const entries = JSON.parse(jsonOf(await server.request('GET', path))) as { Service: { ID: string } }[]
  return entries.map((entry) =>
    id === 'ID' ? entry.Service.ID : (entry as unknown as { ServiceID: string }).ServiceID,
  )
}

const proxy = { Service: 'web-proxy', Kind: 'connect-proxy', Port: 9, Proxy: { DestinationServiceName: 'Web' } }
const proxyMesh: MeshFacts = {
  native: false,
  proxy: { destination: 'web', destinationId: '', localAddress: '', localPort: 0, config: '', upstreams: [] },
}

describe('the ways to a service over the mesh', () => {
  it('are shown to a caller that may read the proxy and its node, only if it may read the service as well', async () => {
    const server = new LoneServer()
    await register(server, proxy)
    const asked = { service: 'web', connect: true }
    const tx = server.context.read()
    for (const { access, query } of [serviceHealthEndpoint, serviceNodesEndpoint]) {
      if (access.kind !== 'filters') throw new Error('the answer is not filtered')
      const { value } = query(tx, asked, newestRelease)
      const shown = (...grants: readonly Grant[]) => access.filter(new Rights(grants), value as never, asked, tx)
      expect(shown('node:n:read', 'service:web-proxy:read')).toEqual([])
      expect(shown('node:n:read', 'service:web-proxy:read', 'service:web:read')).toEqual(value)
      expect(value).toHaveLength(1)
    }
  })

  it('are proxies that stand for it and instances that need none, whatever the tags that are asked for', async () => {
    const server = new LoneServer()
    await register(server, { Service: 'web', Port: 80 })
    await register(server, proxy)
    await register(server, { ID: 'web-2', Service: 'web', Connect: { Native: true } }, 'm')
    await register(server, { Service: 'old', Kind: 'connect-proxy', Port: 1, ProxyDestination: 'web' }, 'm')
    await register(server, { Service: 'other', Kind: 'connect-proxy', Port: 1, ProxyDestination: 'db' }, 'm')
    await register(server, { Service: 'pot', Kind: 'teapot', Proxy: { DestinationServiceName: 'web' } }, 'm')
    const ways = ['old', 'web-2', 'web-proxy']
    expect(await idsAt(server, '/v1/catalog/connect/web?tag=none')).toEqual(ways)
    expect(await idsAt(server, '/v1/health/connect/WEB?tag=none', 'ID')).toEqual(ways)
    expect(await idsAt(server, '/v1/catalog/service/web')).toEqual(['web-2', 'web'])
    expect(await idsAt(server, '/v1/catalog/connect/old')).toEqual([])
    expect(await idsAt(server, '/v1/catalog/connect/pot')).toEqual([])
  })

  it('are found by prepared queries that ask for them, tags and all', async () => {
    const server = new LoneServer()
    await register(server, { Service: 'web' })
    await register(server, { ...proxy, Tags: ['v1'] })
    await register(server, { ...proxy, ID: 'p2' }, 'm')
    const query: ServiceQuery = {
      service: 'web',
      failover: { nearestN: 0, datacenters: [] },
      onlyPassing: false,
      ignoreCheckIds: null,
      near: '',
      tags: null,
      nodeMeta: null,
      connect: false,
    }
    const found = (asked: Partial<ServiceQuery>, connect = false) => {
      const { entries } = instancesOfQuery(server.read(), { ...query, ...asked }, connect)
      return entries.map((entry) => entry.service.id)
    }
    expect(found({})).toEqual(['web'])
    expect(found({}, true)).toEqual(['p2', 'web-proxy'])
    expect(found({ connect: true, tags: ['v1'] })).toEqual(['web-proxy'])
    expect(found({ connect: true, tags: ['!v1'] })).toEqual(['p2'])
  })

  it('are told with all that their owners said, and read again as they were told', async () => {
    const server = new LoneServer()
    const said = {
      DestinationServiceName: 'web',
      DestinationServiceID: 'web-1',
      LocalServiceAddress: '127.0.0.1',
      LocalServicePort: 80,
      Config: { text: 'bar', number: 1.5, nested: { list: [1, 'a', null] } },
      Upstreams: [{ DestinationName: 'db', LocalBindPort: 9191 }],
    }
    await register(server, { ...proxy, Proxy: said })
    const [told] = JSON.parse(jsonOf(await server.request('GET', '/v1/health/connect/web'))) as [{ Service: object }]
    const upstream = { DestinationType: 'service', Datacenter: '', Config: null, ...said.Upstreams[0] }
    expect(told.Service).toMatchObject({
      Kind: 'connect-proxy',
      Proxy: { ...said, Upstreams: [upstream] },
      Connect: {},
    })
    const { index } = server
    await register(server, told.Service as object)
    expect(server.index).toBe(index + 1)
    expect(told.Service).toMatchObject({ ModifyIndex: index })
    const again = JSON.parse(jsonOf(await server.request('GET', '/v1/health/connect/web'))) as unknown
    expect(again).toEqual([told])
  })
})

describe('a server', () => {
  const service: ServiceFacts = {
    kind: 'connect-proxy',
    id: 'p',
    service: 'p',
    tags: [],
    address: '',
    meta: null,
    port: 9,
    weights: { passing: 1, warning: 1 },
    enableTagOverride: false,
    mesh: proxyMesh,
  }
  const node = { id: '', node: 'n', address: 'a', taggedAddresses: null, meta: null }
  const request: RegisterRequest = { node, skipNodeUpdate: false, service, checks: [] }

  it('tells others of a service in the mesh by commands that those of before 1.2.0 do not know', async () => {
    const kinds: string[] = []
    const proposing = (release: { major: number; minor: number; patch: number }) =>
      ({
        release,
        env: { clock: { monoMs: () => 0 }, metrics: { sample: () => undefined, count: () => undefined } },
        propose: async (command: { kind: string }, body: unknown) => {
          kinds.push(`${command.kind} ${JSON.stringify(body).includes('"mesh"') ? 'with' : 'without'}`)
          return { ok: true, value: { refusal: null } }
        },
      }) as unknown as LoneServer['context']
    const { mesh: _mesh, ...plain } = service
    const offers = [
      { service: plain, checks: [] },
      { service, checks: [] },
    ]
    for (const release of [
      { major: 1, minor: 4, patch: 0 },
      { major: 1, minor: 1, patch: 0 },
    ]) {
      const server = proposing(release)
      await registerEndpoint.serve(server, { ...request, service: plain }, undefined, undefined as never)
      await registerEndpoint.serve(server, request, undefined, undefined as never)
      await registerAllEndpoint.serve(server, { node, skipNodeUpdate: false, offers }, undefined, undefined as never)
    }
    expect(kinds).toEqual([
      'catalog.register without',
      'catalog.register-mesh with',
      'catalog.register-all-mesh with',
      'catalog.register without',
      'catalog.register without',
      'catalog.register-all without',
    ])
  })
})

describe('settings that mean nothing here', () => {
  it('are one text for equal ones, digit for digit, and no name in them is a member of an object of ours', () => {
    const members: [string, unknown][] = [
      ['z', 2n ** 64n],
      ['__proto__', { polluted: true }],
      ['a', [true, null, 'é<', 1e21]],
    ]
    const text = settingsText(new Map(members))
    expect(settingsText(Object.fromEntries([...members].reverse()))).toBe(text)
    expect(settingsText(settingsJson(text))).toBe(text)
    expect(({} as { polluted?: boolean }).polluted).toBeUndefined()
    expect([settingsText(undefined), settingsText(null), settingsText({})]).toEqual(['', '', '{}'])
  })
})
