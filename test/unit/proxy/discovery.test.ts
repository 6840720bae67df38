import { describe, expect, it } from 'vitest'
import { utf8 } from '../../../src/base/bytes.ts'
import { ok } from '../../../src/base/result.ts'
import type { AgentClient } from '../../../src/proxy/agent-client.ts'
import { discoveryOf } from '../../../src/proxy/discovery.ts'
import type { UpstreamPlan } from '../../../src/proxy/plan.ts'
import { HandClock, settled } from '../features/hand-clock.ts'

const proxyOfDb = {
  Node: { Node: 'n1', Address: '10.0.0.1', Datacenter: 'dc1' },
  Service: {
    ID: 'db-proxy',
    Kind: 'connect-proxy',
    Service: 'db-proxy',
    Address: '',
    Port: 21_000,
    Proxy: { DestinationServiceName: 'db' },
  },
  Checks: [],
}
const withPort = (Port: unknown) => ({ ...proxyOfDb, Service: { ...proxyOfDb.Service, Port } })

/** The addresses of an upstream, of which the agent says this. */
async function targets(type: UpstreamPlan['type'], instances: readonly unknown[]) {
  const clock = new HandClock()
  const said = type === 'service' ? instances : { Nodes: instances }
  const answer = { status: 200, headers: new Map([['x-svc-index', '7']]), body: utf8(JSON.stringify(said)) }
  let asked = 0
  const api: AgentClient = { ask: () => (asked++ === 0 ? Promise.resolve(ok(answer)) : new Promise(() => {})) }
  const listen = { host: '127.0.0.1', port: 1 }
  const discovery = discoveryOf(clock.env, api, { type, name: 'db', datacenter: '', listen, connectTimeoutMs: 1_000 })
  const found = discovery.targets(1_000)
  await settled()
  await clock.advance(1_000)
  discovery.close()
  const { error, value = [] } = (await found) as { readonly error?: string; readonly value?: readonly Found[] }
  return error ?? value.map(({ endpoint, expected }) => `${endpoint.host}:${endpoint.port} ${expected.service}`)
}

interface Found {
  readonly endpoint: { readonly host: string; readonly port: number }
  readonly expected: { readonly service: string }
}

describe.each(['service', 'prepared_query'] as const)('the instances of an upstream that is a %s', (type) => {
  it('are found although one was registered with what no proxy can dial', async () => {
    const strange = [withPort(70_000), withPort(-1), { Node: {}, Service: {} }, null]
    expect(await targets(type, [strange[0], proxyOfDb, ...strange])).toEqual(['10.0.0.1:21000 db'])
    expect(await targets(type, strange)).toEqual([])
    expect(await targets(type, [])).toEqual([])
  })
})
