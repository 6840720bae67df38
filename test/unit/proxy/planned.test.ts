import { describe, expect, it } from 'vitest'
import { utf8 } from '../../../src/base/bytes.ts'
import { trustDomainsOf } from '../../../src/pki/trust-domains.ts'
import { isExpected, serviceOf } from '../../../src/proxy/identity.ts'
import { planOf, sidecarOf } from '../../../src/proxy/planned.ts'

const json = (value: unknown) => utf8(JSON.stringify(value))
const registered = {
  Kind: 'connect-proxy',
  ID: 'web-proxy',
  Port: 21_000,
  Proxy: {
    DestinationServiceName: 'web',
    DestinationServiceID: 'web-1',
    LocalServiceAddress: '127.0.0.1',
    LocalServicePort: 8080,
    Upstreams: [
      { DestinationType: 'service', DestinationName: 'db', LocalBindPort: 9191 },
      {
        DestinationType: 'prepared_query',
        DestinationName: 'geo',
        Datacenter: 'dc2',
        LocalBindAddress: '127.0.0.2',
        LocalBindPort: 9192,
        Config: { connect_timeout_ms: 50 },
      },
    ],
  },
}

describe('what a registered proxy is to do', () => {
  it('is read from what the agent tells of it', () => {
    expect(planOf(json(registered))).toEqual({
      ok: true,
      value: {
        service: 'web',
        inbound: {
          listen: { host: '0.0.0.0', port: 21_000 },
          local: { host: '127.0.0.1', port: 8080 },
          connectTimeoutMs: 1_000,
        },
        upstreams: [
          {
            type: 'service',
            name: 'db',
            datacenter: '',
            listen: { host: '127.0.0.1', port: 9191 },
            connectTimeoutMs: 10_000,
          },
          {
            type: 'prepared_query',
            name: 'geo',
            datacenter: 'dc2',
            listen: { host: '127.0.0.2', port: 9192 },
            connectTimeoutMs: 50,
          },
        ],
      },
    })
    const Config = { bind_address: '10.0.0.1', bind_port: 7, local_connect_timeout_ms: 9, telemetry: {} }
    expect(planOf(json({ ...registered, Proxy: { ...registered.Proxy, Config } }))).toMatchObject({
      value: { inbound: { listen: { host: '10.0.0.1', port: 7 }, connectTimeoutMs: 9 } },
    })
  })

  it.each([
    ['{', 'the registration cannot be used: it is no service'],
    [{ ID: 'web', Port: 1 }, 'the service web is not a proxy (Kind connect-proxy)'],
    [{ ...registered, Port: 70_000 }, 'the registration cannot be used: Port'],
    [
      {
        ...registered,
        Proxy: { ...registered.Proxy, Upstreams: [{ DestinationType: 'x', DestinationName: 'd', LocalBindPort: 1 }] },
      },
      'the upstream d is of an unknown kind',
    ],
  ])('%j is none: %s', (value, error) => {
    expect(planOf(typeof value === 'string' ? utf8(value) : json(value))).toEqual({ ok: false, error })
  })

  it('is that of the one sidecar of an instance', () => {
    const other = { ...registered, ID: 'b', Proxy: { ...registered.Proxy, DestinationServiceID: 'web-2' } }
    const web = { ID: 'web-1', Port: 80 }
    expect(sidecarOf(json({ a: registered, b: other, web }), 'web-2')).toEqual({ ok: true, value: 'b' })
    expect(sidecarOf(json({ a: registered, b: other }), 'WEB-2')).toEqual({ ok: true, value: 'b' })
    // Another program reads these settings.
    const envoy = { ...registered, ID: 'envoy', Proxy: { ...registered.Proxy, Config: { bind_port: '443' } } }
    expect(sidecarOf(json({ a: { ...envoy, Port: 70_000 }, b: other, c: 1 }), 'web-2')).toEqual({
      ok: true,
      value: 'b',
    })
    expect(sidecarOf(json({ a: envoy }), 'web-1')).toEqual({ ok: true, value: 'envoy' })
    expect(sidecarOf(json({ a: registered }), 'x')).toMatchObject({ error: 'No sidecar proxy registered for x' })
    expect(sidecarOf(json({ a: registered, c: { ...registered, ID: 'c' } }), 'web-1')).toMatchObject({
      error: expect.stringMatching(/^More than one sidecar proxy registered for web-1.*: web-proxy, c$/),
    })
  })
})

describe('a peer that shows a certificate', () => {
  const domain = '11111111-0000-4000-8000-000000000000.svc'
  const uri = `spiffe://${domain}/ns/default/dc/dc1/svc/web`
  const domains = trustDomainsOf(domain, ['11111111-0000-4000-8000-000000000000', 'former'])
  const of = (...uris: string[]) => serviceOf({ names: [], uris }, domains)?.id

  it('is a service of this mesh by its one URI, or refused', () => {
    expect(of(uri)).toMatchObject({ service: 'web', datacenter: 'dc1' })
    for (const uris of [[], [uri, uri], [`spiffe://${domain}`], [uri.replace('1', '2')], ['https://web']]) {
      expect(of(...uris)).toBeUndefined()
    }
    expect(serviceOf(undefined, domains)).toBeUndefined()
  })

  it('may be of the mesh that this one was until it joined another, and of no other', () => {
    expect(of(uri.replace(domain, 'former.svc'))).toMatchObject({ service: 'web' })
    expect(of(uri.replace(domain, 'formerly.svc'))).toBeUndefined()
    expect(of(uri.replace(domain, domain.replace('.svc', '.other')))).toBeUndefined()
  })

  it('is the one that was looked for, whatever the case of letters', () => {
    const id = of(uri)
    if (id === undefined) throw new Error('nobody')
    expect(isExpected(id, { service: 'WEB', datacenter: 'DC1' })).toBe(true)
    expect(isExpected(id, { service: 'webs', datacenter: 'dc1' })).toBe(false)
    expect(isExpected(id, { service: 'web', datacenter: 'dc2' })).toBe(false)
    expect(isExpected({ ...id, namespace: 'other' }, { service: 'web', datacenter: 'dc1' })).toBe(false)
  })
})
