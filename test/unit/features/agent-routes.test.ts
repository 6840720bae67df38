import { beforeEach, describe, expect, it } from 'vitest'
import { writeJson } from '../../../src/base/json.ts'
import { done, err, ok } from '../../../src/base/result.ts'
import type { LocalServices } from '../../../src/features/contract/local-services.ts'
import { nameKey } from '../../../src/features/contract/names.ts'
import type { RouteResponse } from '../../../src/features/contract/route.ts'
import type { Member, MemberStatus, Pool } from '../../../src/gossip/pool.ts'
import type { CheckDefinition, CheckFacts, ServiceDefinition, ServiceFacts } from '../../../src/model/catalog.ts'
import { FakePool, serverMember } from '../agent/fake-pool.ts'
import { LoneServer } from './lone-server.ts'

const versions = {
  protocolMin: 1,
  protocolMax: 5,
  protocolSpoken: 2,
  delegateMin: 2,
  delegateMax: 5,
  delegateSpoken: 4,
}

function member(name: string, status: MemberStatus, tags: Readonly<Record<string, string>>): Member {
  return { name, endpoint: { host: '10.0.0.1', port: 8301 }, tags, status, versions }
}

function jsonOf(response: RouteResponse): unknown {
  if (response.kind !== 'json') throw new Error(JSON.stringify(response))
  return JSON.parse(writeJson(response.value))
}

const written = { kind: 'empty', status: 200 }
const refused = (message: string, kind = 'bad-request') => ({ kind: 'failure', failure: { kind, message } })

/** Notes what it is told. */
class NotedLocal implements LocalServices {
  readonly told: unknown[] = []
  serviceFacts: ServiceFacts[] = []
  checkFacts: CheckFacts[] = []

  services = () => this.serviceFacts
  managedProxies = () => []
  checks = () => this.checkFacts
  service = (id: string) => this.serviceFacts.find((each) => nameKey(each.id) === nameKey(id))
  check = (id: string) => this.checkFacts.find(({ checkId }) => nameKey(checkId) === nameKey(id))
  onServicesChange = () => ({ close: () => undefined })
  registerService = async (definition: ServiceDefinition, others?: string) =>
    this.#note('+service', definition.service.id, ...(others === 'drop-others' ? [others] : []))
  deregisterService = async (id: string) => this.#note('-service', id)
  registerCheck = async (definition: CheckDefinition) => this.#note('+check', definition)
  deregisterCheck = async (id: string) => this.#note('-check', id)
  reportTtl = async (...told: [string, string, string]) => this.#note('ttl', ...told)

  #note(...told: unknown[]) {
    this.told.push(told)
    return done
  }
}

let server: LoneServer
let local: NotedLocal
let forced: string[]

beforeEach(() => {
  const members = [
    member('node-a', 'alive', { role: 'svc', dc: 'dc1' }),
    member('node-b', 'leaving', {}),
    member('node-c', 'left', {}),
    member('node-d', 'failed', { role: 'node' }),
  ]
  forced = []
  server = new LoneServer()
  local = new NotedLocal()
  server.local = local
  server.lan = {
    coordinateOf: () => undefined,
    members: () => members,
    self: () => members[0],
    forceLeave: (name: string) => {
      forced.push(name)
      return false
    },
  } as unknown as Pool
})

describe('GET /v1/agent/self', () => {
  it('has the six parts in order, of what the agent knows of itself and the pool of it', async () => {
    const response = await server.request('GET', '/v1/agent/self')
    expect(response).not.toHaveProperty('meta')
    const self = jsonOf(response) as Record<string, unknown>
    expect(Object.keys(self)).toEqual(['Config', 'DebugConfig', 'Coord', 'Member', 'Stats', 'Meta'])
    expect(self).toEqual({
      Config: {
        Datacenter: 'dc1',
        NodeName: 'node-a',
        NodeID: 'id-a',
        Revision: 'abc',
        Server: true,
        Version: '1.4.0',
      },
      DebugConfig: { Datacenter: 'dc1' },
      Coord: null,
      Member: {
        Name: 'node-a',
        Addr: '10.0.0.1',
        Port: 8301,
        Tags: { role: 'svc', dc: 'dc1' },
        Status: 1,
        ProtocolMin: 1,
        ProtocolMax: 5,
        ProtocolCur: 2,
        DelegateMin: 2,
        DelegateMax: 5,
        DelegateCur: 4,
      },
      Stats: { build: { version: '1.4.0' } },
      Meta: { 'svc-network-segment': '' },
    })
  })
})

describe('GET /v1/agent/members', () => {
  it('shows every member that the pool knows, with the number of its status', async () => {
    for (const query of ['', '?segment=_all', '?wan', '?segment=']) {
      const members = jsonOf(await server.request('GET', `/v1/agent/members${query}`)) as Record<string, unknown>[]
      expect(members.map((one) => [one['Name'], one['Status']])).toEqual([
        ['node-a', 1],
        ['node-b', 2],
        ['node-c', 3],
        ['node-d', 4],
      ])
    }
  })

  it('has no segments, and the pool of all datacenters where there is one: otherwise null', async () => {
    const get = (query: string) => server.request('GET', `/v1/agent/members?${query}`)
    expect(await get('segment=alpha')).toEqual(
      refused('Network segments are not supported in this version of Svc', 'refused'),
    )
    expect(await get('segment=alpha&wan=1')).toEqual(refused('Cannot provide a segment with wan=true'))
    expect(await get('wan=1')).toEqual({ kind: 'json', value: null })
    server.wan = new FakePool([serverMember(1, 'failed')]).pool
    const members = jsonOf(await get('wan=0')) as Record<string, unknown>[]
    expect(members.map((one) => [one['Name'], one['Status']])).toEqual([['s1', 4]])
  })
})

describe('the place of the agent in the pool', () => {
  it('join asks for the address as it is, and says why no member was found', async () => {
    const asked: string[] = []
    server.join = async (addresses) => {
      asked.push(...addresses)
      return addresses[0] === '10.0.0.2:8301' ? ok(1) : err('nobody')
    }
    expect(await server.request('PUT', '/v1/agent/join/10.0.0.2:8301')).toEqual(written)
    expect(await server.request('PUT', '/v1/agent/join/10.0.0.3:8301')).toEqual(refused('nobody', 'refused'))
    server.joinWan = async (addresses) => {
      asked.push(`wan ${addresses[0]}`)
      return err('WAN Federation is disabled')
    }
    expect(await server.request('PUT', '/v1/agent/join/10.0.0.2:8302?wan=1')).toEqual(
      refused('WAN Federation is disabled', 'refused'),
    )
    expect(await server.request('PUT', '/v1/agent/join/')).toEqual(
      refused('Missing address to join: PUT /v1/agent/join/<address>'),
    )
    expect(asked).toEqual(['10.0.0.2:8301', '10.0.0.3:8301', 'wan 10.0.0.2:8302'])
  })

  it.each([
    '10.0.0.300',
    '10.0.0.1:0',
    '10.0.0.1:65536',
    '10.0.0.1:port',
    '10.0.0.1:8301:9',
    '[10.0.0.1]:8301',
    '[fe80::1',
    'a%20b',
    'a%00b',
    'a..b',
    '-a',
    'http:%2F%2F10.0.0.1',
    '%FF%FE',
    'a'.repeat(300),
  ])('[HTP-058] join of %s is the mistake of the caller, and nobody is asked', async (address) => {
    server.join = async () => {
      throw new Error('nobody is to be asked')
    }
    const answer = await server.request('PUT', `/v1/agent/join/${address}`)
    expect(answer).toMatchObject({ kind: 'failure', failure: { kind: 'bad-request' } })
  })

  it.each(['10.0.0.1', '10.0.0.1:1', '::1', '[::1]', '[fe80::1%25eth0]:65535', 'node-1.example.', 'n_1:8301'])(
    '[HTP-058] join of %s is tried',
    async (address) => {
      server.join = async () => ok(1)
      expect(await server.request('PUT', `/v1/agent/join/${address}`)).toEqual(written)
    },
  )

  it('[HTP-058] force-leave is answered whether there is such a member or not', async () => {
    expect(await server.request('PUT', '/v1/agent/force-leave/nödel')).toEqual(written)
    expect(await server.request('PUT', '/v1/agent/force-leave/')).toEqual(written)
    expect(forced).toEqual(['nödel', ''])
  })

  it('[HTP-058] force-leave is of both pools, and in that of all datacenters also by the name without the own one', async () => {
    const wanForced: string[] = []
    server.wan = { forceLeave: (name: string) => wanForced.push(name) > 0 } as unknown as Pool
    await server.request('PUT', '/v1/agent/force-leave/b')
    expect(forced).toEqual(['b'])
    expect(wanForced).toEqual(['b', 'b.dc1'])
  })

  it('leave and reload are the agent’s', async () => {
    server.leave = async () => done
    server.reload = async () => err({ kind: 'bad-request', message: 'a line' })
    expect(await server.request('PUT', '/v1/agent/leave')).toEqual(written)
    expect(await server.request('PUT', '/v1/agent/reload')).toEqual(refused('a line', 'bad-request'))
  })
})

describe('local services and checks', () => {
  it('have IDs of any letters', async () => {
    await server.request('PUT', '/v1/agent/service/deregister/ü/x')
    await server.request('PUT', '/v1/agent/check/pass/ü?note=gut')
    expect(local.told).toEqual([
      ['-service', 'ü/x'],
      ['ttl', 'ü', 'passing', 'gut'],
    ])
  })

  it('[REG-019] are not registered when the definition does not hold', async () => {
    for (const body of ['', '{', '[]', '{}', '{"Name":"x","Port":"abc"}', '{"Name":"x","Check":{"TTL":"soon"}}']) {
      const response = await server.request('PUT', '/v1/agent/service/register', body)
      expect(response).toMatchObject({ kind: 'failure', failure: { kind: 'bad-request' } })
      expect(await server.request('PUT', '/v1/agent/check/register', body)).toMatchObject({ kind: 'failure' })
    }
    expect(local.told).toEqual([])
  })

  it('takes the place of checks that are not named when it is said so', async () => {
    const path = '/v1/agent/service/register'
    for (const query of ['', '?replace-existing-checks', '?replace-existing-checks=true', '?replace-existing-checks=0'])
      expect(await server.request('PUT', `${path}${query}`, '{"Name":"x"}')).toMatchObject({ status: 200 })
    expect(local.told).toEqual([
      ['+service', 'x'],
      ['+service', 'x', 'drop-others'],
      ['+service', 'x', 'drop-others'],
      ['+service', 'x'],
    ])
    expect(await server.request('PUT', `${path}?replace-existing-checks=perhaps`, '{"Name":"x"}')).toEqual(
      refused('Invalid value for replace-existing-checks: "perhaps"'),
    )
  })

  it('a report of more than 4096 bytes is cut, and says so', async () => {
    const body = JSON.stringify({ Status: 'warning', Output: `${'a'.repeat(4_096)}${'b'.repeat(904)}` })
    await server.request('PUT', '/v1/agent/check/update/c', body)
    const output = `${'a'.repeat(4_096)} ... (captured 4096 of 5000 bytes)`
    expect(local.told.splice(0)).toEqual([['ttl', 'c', 'warning', output]])
    const twoBytesEach = JSON.stringify({ Status: 'warning', Output: `a${'ü'.repeat(2_048)}` })
    await server.request('PUT', '/v1/agent/check/update/c', twoBytesEach)
    const whole = `a${'ü'.repeat(2_047)} ... (captured 4096 of 4097 bytes)`
    expect(local.told).toEqual([['ttl', 'c', 'warning', whole]])
  })
})

describe('maintenance', () => {
  const check = (rest: object) => ({
    serviceId: '',
    status: 'critical',
    probe: { kind: 'fixed' },
    deregisterCriticalServiceAfterMs: 0,
    ...rest,
  })

  it('of the node is a check that stays critical, set once', async () => {
    const put = (query: string) => server.request('PUT', `/v1/agent/maintenance?${query}`)
    expect(await put('enable=false')).toEqual(written)
    expect(local.told).toEqual([])
    expect(await put('enable=T&reason=disk%20swap')).toEqual(written)
    const named = { checkId: '_node_maintenance', name: 'Node Maintenance Mode', notes: 'disk swap' }
    expect(local.told.splice(0)).toEqual([['+check', check(named)]])
    local.checkFacts = [{ checkId: '_node_maintenance' } as CheckFacts]
    expect(await put('enable=1')).toEqual(written)
    expect(local.told).toEqual([])
    expect(await put('enable=0')).toEqual(written)
    expect(local.told).toEqual([['-check', '_node_maintenance']])
    expect(await put('enable=yes')).toEqual(refused('Invalid value for enable: "yes"'))
  })

  it('of a service is one of that service, with words of its own where none are given', async () => {
    local.serviceFacts = [{ id: 'web' } as ServiceFacts]
    expect(await server.request('PUT', '/v1/agent/service/maintenance/web?enable=true')).toEqual(written)
    const notes = 'Maintenance mode is enabled for this service, but no reason was provided. This is a default message.'
    const named = { checkId: '_service_maintenance:web', name: 'Service Maintenance Mode', serviceId: 'web', notes }
    expect(local.told).toEqual([['+check', check(named)]])
  })

  it('of a service ends by its ID in any letters, as such IDs are equal at the agent', async () => {
    local.serviceFacts = [{ id: 'web' } as ServiceFacts]
    local.checkFacts = [{ checkId: '_service_maintenance:Web' } as CheckFacts]
    for (const id of ['web', 'WEB']) {
      expect(await server.request('PUT', `/v1/agent/service/maintenance/${id}?enable=true`)).toEqual(written)
      expect(local.told).toEqual([])
      expect(await server.request('PUT', `/v1/agent/service/maintenance/${id}?enable=false`)).toEqual(written)
      expect(local.told.splice(0)).toEqual([['-check', '_service_maintenance:web']])
    }
  })
})
