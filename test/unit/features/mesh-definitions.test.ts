import { describe, expect, it } from 'vitest'
import { parseServiceDefinition } from '../../../src/features/agent/definitions.ts'
import type { ServiceDefinition } from '../../../src/model/catalog.ts'
import type { Release } from '../../../src/model/release.ts'

type Dialect = 'http' | 'file'

function definition(value: unknown, dialect: Dialect = 'http', release?: Release): ServiceDefinition {
  const parsed = parseServiceDefinition(value, dialect, release)
  if (!parsed.ok) throw new Error(parsed.error.message)
  return parsed.value
}

function problem(value: unknown, dialect: Dialect = 'http', release?: Release) {
  const parsed = parseServiceDefinition(value, dialect, release)
  return parsed.ok ? undefined : parsed.error
}

const several = (...lines: string[]) => `${lines.length} error(s) occurred:\n\n* ${lines.join('\n* ')}`

describe('a proxy', () => {
  const facts = {
    destination: 'web',
    destinationId: 'web-1',
    localAddress: '127.0.0.1',
    localPort: 8080,
    config: '{"B":[1,{"x":null}],"__proto__":"p","a":12345678901234567890}',
    upstreams: [
      {
        type: 'service',
        namespace: '',
        name: 'db',
        datacenter: '',
        localAddress: '',
        localPort: 9191,
        config: '{"connect_timeout_ms":1000}',
      },
      {
        type: 'prepared_query',
        namespace: 'n',
        name: 'geo',
        datacenter: 'dc2',
        localAddress: '127.0.0.2',
        localPort: 9192,
        config: '',
      },
    ],
  }
  const config = Object.fromEntries<unknown>([
    ['a', 12345678901234567890n],
    ['__proto__', 'p'],
    ['B', [1, { x: null }]],
  ])

  it('names the service that it stands for and its upstreams, in the spellings of the API and of files', () => {
    const camel = {
      Name: 'p',
      Kind: 'connect-proxy',
      Port: 9,
      Proxy: {
        DestinationServiceName: 'web',
        DestinationServiceID: 'web-1',
        LocalServiceAddress: '127.0.0.1',
        LocalServicePort: 8080,
        Config: config,
        Upstreams: [
          { DestinationName: 'db', LocalBindPort: 9191, Config: { connect_timeout_ms: 1000 } },
          {
            DestinationType: 'prepared_query',
            DestinationNamespace: 'n',
            DestinationName: 'geo',
            Datacenter: 'dc2',
            LocalBindAddress: '127.0.0.2',
            LocalBindPort: 9192,
          },
        ],
      },
    }
    const snake = {
      name: 'p',
      kind: 'connect-proxy',
      port: 9,
      proxy: {
        destination_service_name: 'web',
        destination_service_id: 'web-1',
        local_service_address: '127.0.0.1',
        local_service_port: 8080,
        config,
        upstreams: [
          { destination_name: 'db', local_bind_port: 9191, config: { connect_timeout_ms: 1000 } },
          {
            destination_type: 'prepared_query',
            destination_namespace: 'n',
            destination_name: 'geo',
            datacenter: 'dc2',
            local_bind_address: '127.0.0.2',
            local_bind_port: 9192,
          },
        ],
      },
    }
    for (const [value, dialect] of [
      [camel, 'http'],
      [snake, 'http'],
      [snake, 'file'],
    ] as const) {
      expect(definition(value, dialect).service).toMatchObject({
        kind: 'connect-proxy',
        mesh: { native: false, proxy: facts },
      })
    }
  })

  it('was named by its destination alone until 1.3.0, and may be still', () => {
    const old = { Name: 'p', Kind: 'connect-proxy', Port: 9, ProxyDestination: 'web' }
    const before: Release = { major: 1, minor: 2, patch: 3 }
    expect(definition(old).service.mesh?.proxy).toMatchObject({ destination: 'web', upstreams: [] })
    expect(definition(old, 'http', before).service.mesh?.proxy).toMatchObject({ destination: 'web' })
    const both = { ...old, Proxy: { DestinationServiceName: 'api' } }
    expect(definition(both).service.mesh?.proxy?.destination).toBe('api')
    expect(definition(both, 'http', before).service.mesh?.proxy?.destination).toBe('web')
    const firstMesh: Release = { major: 1, minor: 1, patch: 0 }
    expect(definition({ ...both, Connect: { Native: true } }, 'http', firstMesh).service).not.toHaveProperty('mesh')
    expect(problem({ name: 'p', proxy_destination: 'web' }, 'file', firstMesh)?.message).toBe(
      'invalid config key "proxy_destination"',
    )
  })

  it.each([
    [
      { Name: 'x', Kind: 'connect-proxy' },
      several(
        'Proxy.DestinationServiceName must be non-empty for Connect proxy services',
        'Port must be set for a Connect proxy',
      ),
    ],
    [
      { Name: 'x', Kind: 'connect-proxy', Port: 1, ProxyDestination: 'web', Connect: { Native: true } },
      several('A Proxy cannot also be Connect Native, only typical services'),
    ],
    [
      { Name: 'x', Connect: { SidecarService: { ID: 'y' } } },
      several('A SidecarService cannot specify an ID as this is managed by the agent'),
    ],
    [
      { Name: 'x', Connect: { SidecarService: { Connect: { SidecarService: {}, Proxy: {} } } } },
      several('A SidecarService cannot have a nested SidecarService', 'A SidecarService cannot have a managed proxy'),
    ],
    [
      { Name: 'x', Connect: { Native: true, Proxy: {}, SidecarService: {} } },
      several(
        'Services that are Connect native may not have a proxy configuration',
        'Services with a Connect managed proxy must have a port set',
        'A service cannot have both a SidecarService and a managed proxy',
      ),
    ],
    [
      { Name: 'x', Kind: 'connect-proxy', Port: 1, ProxyDestination: 'web', Connect: { Proxy: {} } },
      several('A Proxy cannot have a managed proxy'),
    ],
    [
      { Name: 'x', Port: 1, Connect: { Proxy: { Command: 'sh', ExecMode: 5, Config: [] } } },
      "Request decode failed: 3 error(s) decoding:\n\n* 'Connect.Proxy.Command': source data must be an array or slice, " +
        "got string\n* 'Connect.Proxy.Config' expected a map, got 'array'\n" +
        "* 'Connect.Proxy.ExecMode' expected type 'string', got unconvertible type 'float64'",
    ],
    [
      { Name: 'x', Connect: { SidecarService: { Check: { Interval: '1s' } } } },
      'Invalid check in sidecar_service: TTL must be > 0 for TTL checks',
    ],
    [
      { Name: 'x', Connect: { SidecarService: { Meta: { 'bad key': '' } } } },
      "Invalid Service Meta: Couldn't load metadata pair ('bad key', ''): Key contains invalid characters",
    ],
    [
      { Name: 'x', Proxy: { Config: 5, Upstreams: { a: 1 }, LocalServicePort: '80' } },
      "Request decode failed: 3 error(s) decoding:\n\n* 'Proxy.Config' expected a map, got 'float64'\n" +
        "* 'Proxy.LocalServicePort' expected type 'int', got unconvertible type 'string'\n" +
        "* 'Proxy.Upstreams': source data must be an array or slice, got object",
    ],
  ])('that is %j is refused: %s', (value, message) => {
    expect(problem(value)?.message).toBe(message)
  })
})

describe('a managed proxy', () => {
  const proxy = {
    exec_mode: 'daemon',
    command: ['run', 'it'],
    config: { bind_port: 5 },
    upstreams: [{ destination_name: 'db', local_bind_port: 1 }],
  }

  it('is a proxy that comes with its service, in the spellings of the API and of files', () => {
    const camel = {
      ID: 'web-1',
      Name: 'web',
      Port: 80,
      Address: '10.0.0.7',
      Connect: {
        Proxy: {
          ExecMode: 'daemon',
          Command: ['run', 'it'],
          Config: { bind_port: 5 },
          Upstreams: [{ DestinationName: 'db', LocalBindPort: 1 }],
        },
      },
    }
    const snake = { id: 'web-1', name: 'web', port: 80, address: '10.0.0.7', connect: { proxy } }
    for (const [value, dialect] of [
      [camel, 'http'],
      [snake, 'file'],
    ] as const) {
      const { service, sidecar } = definition(value, dialect)
      expect(service).not.toHaveProperty('mesh')
      expect(sidecar).toMatchObject({
        service: {
          kind: 'connect-proxy',
          id: 'web-1-proxy',
          service: 'web-proxy',
          address: '10.0.0.7',
          sidecarOf: 'web-1',
          managed: { execMode: 'daemon', command: ['run', 'it'] },
          mesh: {
            proxy: {
              destination: 'web',
              destinationId: 'web-1',
              config: '{"bind_port":5}',
              upstreams: [{ name: 'db' }],
            },
          },
        },
        checks: [],
      })
    }
  })

  it('has the token of its service', () => {
    const inFile = { name: 'web', port: 80, token: 'own', connect: { proxy: {} } }
    expect(definition(inFile, 'file').sidecar?.service.token).toBe('own')
  })
})

describe('a sidecar', () => {
  it('is known from the service that it comes with; its port and usual checks are left to its agent', () => {
    const web = { ID: 'web-1', Name: 'web', Port: 8080, Address: '10.0.0.7', Connect: { SidecarService: {} } }
    expect(definition(web).sidecar).toEqual({
      service: {
        kind: 'connect-proxy',
        id: 'web-1-sidecar-proxy',
        service: 'web-sidecar-proxy',
        tags: [],
        address: '10.0.0.7',
        meta: null,
        port: 0,
        weights: { passing: 1, warning: 1 },
        enableTagOverride: false,
        weightless: true,
        sidecarOf: 'web-1',
        mesh: {
          native: false,
          proxy: {
            destination: 'web',
            destinationId: 'web-1',
            localAddress: '127.0.0.1',
            localPort: 8080,
            config: '',
            upstreams: [],
          },
        },
      },
      checks: [],
    })
    expect(definition(web).service).not.toHaveProperty('mesh')
    expect(definition({ name: 'web', connect: { native: true, sidecar_service: {} } }, 'file')).toMatchObject({
      service: { mesh: { native: true, proxy: null } },
      sidecar: { service: { id: 'web-sidecar-proxy' } },
    })
  })

  it('has what it says for itself: name, port, token, where the service is, what it reaches, checks', () => {
    const value = {
      Name: 'web',
      Port: 80,
      Token: 'unheard',
      Connect: {
        sidecar_service: {
          Name: 'side',
          Port: 1234,
          Token: 'own',
          Tags: ['v1'],
          Proxy: { LocalServiceAddress: '10.1.1.1', Upstreams: [{ destination_name: 'db', local_bind_port: 1 }] },
          Check: { TTL: '10s' },
        },
      },
    }
    const { service, sidecar } = definition(value)
    expect(service.token).toBeUndefined()
    expect(sidecar).toMatchObject({
      service: {
        service: 'side',
        port: 1234,
        token: 'own',
        tags: ['v1'],
        mesh: { proxy: { localAddress: '10.1.1.1', localPort: 80, upstreams: [{ name: 'db', localPort: 1 }] } },
      },
      checks: [{ checkId: 'service:web-sidecar-proxy', serviceId: 'web-sidecar-proxy', token: 'own' }],
    })
    const inFile = { name: 'web', token: 'file', connect: { sidecar_service: {} } }
    expect(definition(inFile, 'file').sidecar?.service.token).toBe('file')
  })

  it.each([
    [{}, '127.0.0.1', 8080],
    [{ LocalServiceAddress: '10.1.1.1' }, '10.1.1.1', 8080],
    [{ LocalServicePort: 9 }, '127.0.0.1', 9],
    [{ LocalServiceAddress: '10.1.1.1', LocalServicePort: 9 }, '10.1.1.1', 9],
    [{ LocalServiceAddress: '10.1.1.1', LocalServicePort: 0 }, '10.1.1.1', 8080],
  ])('that says %j of where its service is finds it at %s:%i', (said, localAddress, localPort) => {
    const value = { Name: 'web', Port: 8080, Connect: { SidecarService: { Proxy: said } } }
    expect(definition(value).sidecar?.service.mesh?.proxy).toMatchObject({ localAddress, localPort })
  })

  it('is read past before 1.3.0', () => {
    const value = { Name: 'web', Connect: { SidecarService: {} } }
    expect(definition(value, 'http', { major: 1, minor: 2, patch: 3 })).not.toHaveProperty('sidecar')
  })
})
