import { describe, expect, it } from 'vitest'
import { writeJson } from '../../../src/base/json.ts'
import { catalogRegister } from '../../../src/features/catalog/commands.ts'
import type { HttpMethod, RouteResponse } from '../../../src/features/contract/route.ts'
import { LoneServer } from './lone-server.ts'

const idA = 'aaaaaaaa-1111-4000-8000-000000000001'
const idB = 'aaaaaaaa-2222-4000-8000-000000000002'

function jsonOf(response: RouteResponse): string {
  if (response.kind !== 'json') throw new Error(`not JSON: ${JSON.stringify(response)}`)
  return writeJson(response.value)
}

function bodyOf(response: RouteResponse): unknown {
  return JSON.parse(jsonOf(response))
}

function failureOf(response: RouteResponse): string {
  if (response.kind !== 'failure') throw new Error(`not a failure: ${jsonOf(response)}`)
  return `${response.failure.kind}: ${'message' in response.failure ? response.failure.message : ''}`
}

function indexOf(response: RouteResponse): number {
  return 'meta' in response ? (response.meta?.index ?? 0) : 0
}

async function put(server: LoneServer, what: 'register' | 'deregister', body: object): Promise<RouteResponse> {
  return server.request('PUT', `/v1/catalog/${what}`, JSON.stringify(body))
}

async function serverWith(...bodies: readonly object[]): Promise<LoneServer> {
  const server = new LoneServer()
  for (const body of bodies) expect(jsonOf(await put(server, 'register', body))).toBe('true')
  return server
}

const ext = { Node: 'ext', Address: '10.0.0.1' }

describe('PUT /v1/catalog/register', () => {
  it('refuses a duration that no client could read again in the answers about the check', async () => {
    const registered = (Interval: unknown) =>
      put(new LoneServer(), 'register', { ...ext, Check: { Name: 'a', Definition: { HTTP: 'http://x', Interval } } })
    for (const text of ['2562048h', `${'9'.repeat(400)}h`]) {
      const line = `invalid "Interval": time: invalid duration ${JSON.stringify(text)}`
      expect(failureOf(await registered(text))).toBe(`bad-request: Request decode failed: ${line}`)
    }
    for (const nanoseconds of [1e308, -1e308, 2 ** 64]) {
      expect(failureOf(await registered(nanoseconds))).toContain("* 'Check.Definition.Interval' is out of range")
    }
    expect(jsonOf(await registered('2562047h'))).toBe('true')
  })

  it.each<[string, string]>([
    ['', 'bad-request: Request decode failed: EOF'],
    ['[]', "bad-request: Request decode failed: 1 error(s) decoding:\n\n* '' expected a map, got 'slice'"],
    ['{}', 'bad-request: Must provide node'],
    ['{"Node":"n"}', 'bad-request: Must provide address if SkipNodeUpdate is not set'],
    ['{"Node":"n","Address":"a","ID":"bad"}', 'bad-request: Bad node ID: uuid string is wrong length'],
    [`{"Node":"n","Address":"a","ID":"${'z'.repeat(36)}"}`, 'bad-request: Bad node ID: uuid is improperly formatted'],
    ['{"Node":"n","Address":"a","Service":{"ID":"x"}}', 'bad-request: Must provide service name with ID'],
    [
      '{"Node":"n","Address":"a","Service":{"Service":"x","Address":"0.0.0.0"}}',
      'bad-request: Invalid service address',
    ],
    ['{"Node":"n","Address":"a","Service":{"Service":"x","Address":"::"}}', 'bad-request: Invalid service address'],
    ['{"Node":"n","Address":"a","Check":{"Status":"passing"}}', 'bad-request: Must provide check ID or name'],
    [
      '{"Node":"n","Address":"a","Service":{"Service":"x","Meta":{"bad key":"v"}}}',
      "bad-request: Invalid Service Meta: Couldn't load metadata pair ('bad key', 'v'): Key contains invalid characters",
    ],
    [
      '{"Node":"n","Address":"a","Service":{"Service":"x","Port":"80"}}',
      "bad-request: Request decode failed: 1 error(s) decoding:\n\n* 'Service.Port' expected type 'int', got unconvertible type 'string'",
    ],
    [
      '{"Node":"n","Address":"a","Check":{"CheckID":"c","ServiceID":"none"}}',
      'bad-request: failed inserting check: Missing service registration on node "n"',
    ],
    [
      '{"Node":"n","Address":"a","Check":{"CheckID":"c","Node":"other"}}',
      'bad-request: check node "other" does not match node "n"',
    ],
    [
      '{"Node":"n","Address":"a","Service":{"Service":"x","Kind":"connect-proxy"}}',
      'bad-request: 2 error(s) occurred:\n\n* Proxy.DestinationServiceName must be non-empty for Connect proxy services\n* Port must be set for a Connect proxy',
    ],
    ['{"Node":"n","Address":"a","Datacenter":"nope"}', 'unknown-datacenter: '],
  ])('%s is refused and leaves nothing', async (body, line) => {
    const server = new LoneServer()
    expect(failureOf(await server.request('PUT', '/v1/catalog/register', body))).toBe(line)
    expect(jsonOf(await server.request('GET', '/v1/catalog/nodes'))).toBe('[]')
  })

  it('does all or nothing: a check that does not fit leaves neither node nor service', async () => {
    const server = new LoneServer()
    const body = { ...ext, Service: { Service: 'web' }, Checks: [{ Name: 'ok' }, { Name: 'bad', ServiceID: 'none' }] }
    expect(failureOf(await put(server, 'register', body))).toContain('Missing service registration')
    expect(jsonOf(await server.request('GET', '/v1/catalog/nodes'))).toBe('[]')
    expect(jsonOf(await server.request('GET', '/v1/catalog/services'))).toBe('{}')
    expect(jsonOf(await server.request('GET', '/v1/health/state/any'))).toBe('[]')
  })

  it('ignores dc in the query, takes names in any case and ignores members it does not know', async () => {
    const server = new LoneServer()
    const body = '{"node":"n","ADDRESS":"a","datacenter":"dc1","service":{"service":"web","Unknown":1},"More":[]}'
    expect(jsonOf(await server.request('PUT', '/v1/catalog/register?dc=nope', body))).toBe('true')
    expect(Object.keys(bodyOf(await server.request('GET', '/v1/catalog/services')) as object)).toEqual(['web'])
  })

  it('makes IDs of names, a check critical, and weights that cannot be plain ones', async () => {
    const weights = [{ Passing: 0 }, { Passing: 65_536 }, { Passing: 1, Warning: -1 }, undefined]
    for (const Weights of weights) {
      const server = await serverWith({ ...ext, Service: { Service: 'web', Weights }, Check: { Name: 'c' } })
      const [entry] = bodyOf(await server.request('GET', '/v1/health/service/web')) as [Record<string, unknown>]
      expect(entry).toMatchObject({ Service: { ID: 'web', Weights: { Passing: 1, Warning: 1 } } })
      expect(entry).toMatchObject({ Checks: [{ CheckID: 'c', Name: 'c', Node: 'ext', Status: 'critical' }] })
    }
    const server = await serverWith({ ...ext, Service: { Service: 'web', Weights: { Passing: 10 } } })
    expect(jsonOf(await server.request('GET', '/v1/catalog/node/ext'))).toContain(
      '"Weights":{"Passing":10,"Warning":0}',
    )
  })

  it('fills in what a check says of its service, also when the service changes', async () => {
    const server = await serverWith({
      ...ext,
      Service: { ID: 's', Service: 'web', Tags: ['a'] },
      Check: { CheckID: 'c', ServiceID: 'S', ServiceName: 'wrong', ServiceTags: ['wrong'] },
    })
    const said = async () => bodyOf(await server.request('GET', '/v1/health/node/ext'))
    expect(await said()).toMatchObject([{ ServiceName: 'web', ServiceTags: ['a'], ModifyIndex: 1 }])
    await put(server, 'register', { ...ext, Service: { ID: 's', Service: 'api', Tags: [] } })
    expect(await said()).toMatchObject([{ ServiceName: 'api', ServiceTags: [], CreateIndex: 1, ModifyIndex: 2 }])
    expect(jsonOf(await server.request('GET', '/v1/health/checks/web'))).toBe('[]')
    expect(bodyOf(await server.request('GET', '/v1/health/checks/api'))).toHaveLength(1)
  })

  it('keeps what a check is to be run by, and leaves out what was not given', async () => {
    const Definition = { HTTP: 'http://x', Header: { B: ['1'], A: [] }, Interval: '10s', Timeout: 200_000_000 }
    const server = await serverWith({
      ...ext,
      Checks: [
        { Name: 'a', Definition },
        { Name: 'b', Definition: {} },
      ],
    })
    const checks = jsonOf(await server.request('GET', '/v1/health/node/ext'))
    expect(checks).toContain(
      '"Definition":{"HTTP":"http://x","Header":{"A":[],"B":["1"]},"Interval":"10s","Timeout":"200ms"}',
    )
    expect(checks).toContain(
      '"Name":"b","Status":"critical","Notes":"","Output":"","ServiceID":"","ServiceName":"","ServiceTags":[],"Definition":{}',
    )
  })

  it('leaves a check as it is that says to a client what its agent has said, without a definition', async () => {
    const server = await serverWith(ext)
    const facts = { node: 'ext', checkId: 'c', name: 'c', status: 'passing', notes: '', output: '' }
    const check = { ...facts, serviceId: '', serviceName: '', serviceTags: [], definition: null }
    const node = { id: '', node: 'ext', address: '10.0.0.1', taggedAddresses: null, meta: null }
    await server.context.propose(catalogRegister, { node, skipNodeUpdate: false, service: null, checks: [check] })
    for (const Definition of [undefined, null, {}, { HTTP: '', Header: {}, Interval: 0 }]) {
      await put(server, 'register', { ...ext, Check: { CheckID: 'c', Name: 'c', Status: 'passing', Definition } })
      const told = bodyOf(await server.request('GET', '/v1/health/node/ext'))
      expect(told).toMatchObject([{ Definition: {}, CreateIndex: 2, ModifyIndex: 2 }])
    }
  })

  it('with SkipNodeUpdate leaves the data of the node, but makes a node that is not there', async () => {
    const server = await serverWith(
      { ...ext, NodeMeta: { a: 'b' } },
      { Node: 'ext', SkipNodeUpdate: true, Service: { Service: 'web' } },
      { Node: 'new', SkipNodeUpdate: true },
    )
    expect(bodyOf(await server.request('GET', '/v1/catalog/nodes'))).toMatchObject([
      { Node: 'ext', Address: '10.0.0.1', Meta: { a: 'b' }, ModifyIndex: 1 },
      { Node: 'new', Address: '', Meta: null, ModifyIndex: 3 },
    ])
  })

  it('replaces the maps of a node whole', async () => {
    const server = await serverWith(
      { ...ext, NodeMeta: { a: '1' }, TaggedAddresses: { lan: 'x' } },
      { ...ext, NodeMeta: { b: '2' } },
    )
    const [node] = bodyOf(await server.request('GET', '/v1/catalog/nodes')) as [object]
    expect(node).toMatchObject({ Meta: { b: '2' }, TaggedAddresses: null, CreateIndex: 1, ModifyIndex: 2 })
  })
})

describe('a node with an ID', () => {
  it('is renamed by it: the old name is gone with what was on it, the new one was created when the old was', async () => {
    const server = await serverWith(
      { ...ext, ID: idA.toUpperCase(), Service: { Service: 'web' } },
      { ...ext, Node: 'new', ID: idA },
    )
    expect(bodyOf(await server.request('GET', '/v1/catalog/nodes'))).toMatchObject([
      { ID: idA, Node: 'new', CreateIndex: 1, ModifyIndex: 2 },
    ])
    expect(jsonOf(await server.request('GET', '/v1/catalog/service/web'))).toBe('[]')
  })

  it('is not renamed while its agent is alive: another agent came with a copy of its ID', async () => {
    const membership = (status: string) => ({ CheckID: 'serfHealth', Name: 'Serf Health Status', Status: status })
    const server = await serverWith({ ...ext, ID: idA, Service: { Service: 'web' }, Check: membership('passing') })
    expect(failureOf(await put(server, 'register', { ...ext, Node: 'copy', ID: idA }))).toContain(
      `Error while renaming Node ID: "${idA}": it is the ID of node ext, whose agent is alive`,
    )
    expect(jsonOf(await server.request('GET', '/v1/catalog/service/web'))).toContain('web')
    await put(server, 'register', { ...ext, ID: idA, Check: membership('critical') })
    await put(server, 'register', { ...ext, Node: 'copy', ID: idA })
    expect(bodyOf(await server.request('GET', '/v1/catalog/nodes'))).toMatchObject([{ ID: idA, Node: 'copy' }])
  })

  it('does not get the name of another', async () => {
    const server = await serverWith(
      { Node: 'ext5', Address: 'a', ID: idA },
      { ...ext, ID: idB },
      { Node: 'free', Address: 'b' },
    )
    const reserved = (by: string, name: string) =>
      `bad-request: failed inserting node: Error while renaming Node ID: "${by}": Node name ${name}`
    const other = 'bbbbbbbb-0000-4000-8000-000000000003'
    expect(failureOf(await put(server, 'register', { Node: 'ext5', Address: 'c', ID: other }))).toBe(
      `${reserved(other, 'ext5')} is reserved by node ${idA} with name ext5`,
    )
    expect(failureOf(await put(server, 'register', { Node: 'EXT5', Address: 'c', ID: idB }))).toBe(
      `${reserved(idB, 'EXT5')} is reserved by node ${idA} with name ext5`,
    )
    expect(failureOf(await put(server, 'register', { Node: 'free', Address: 'c', ID: idB }))).toBe(
      `${reserved(idB, 'free')} is reserved by node  with name free`,
    )
    expect(indexOf(await server.request('GET', '/v1/catalog/nodes'))).toBe(3)
  })

  it('that is new takes over a name that no ID holds, and keeps its ID when none is given', async () => {
    const server = await serverWith(ext, { ...ext, ID: idA }, { ...ext, Address: '10.0.0.2' })
    expect(bodyOf(await server.request('GET', '/v1/catalog/nodes'))).toMatchObject([
      { ID: idA, Node: 'ext', Address: '10.0.0.2', CreateIndex: 1, ModifyIndex: 3 },
    ])
  })

  it('is found by its name, its ID or the beginning of it that no other has', async () => {
    const server = await serverWith({ Node: 'n1', Address: 'a', ID: idA }, { Node: 'n2', Address: 'b', ID: idB })
    const found = async (text: string) => {
      const value = bodyOf(await server.request('GET', `/v1/catalog/node/${text}`)) as {
        Node: { Node: string }
      } | null
      return value?.Node.Node
    }
    expect(await found('N1')).toBe('n1')
    expect(await found(idB)).toBe('n2')
    expect(await found(idB.toUpperCase())).toBe('n2')
    expect(await found('aaaaaaaa-1')).toBe('n1')
    expect(await found('aaaaaaaa')).toBeUndefined()
    expect(await found('aaaaaaa')).toBeUndefined()
    await put(server, 'register', { Node: 'aaaaaaaa', Address: 'c' })
    expect(await found('aaaaaaaa')).toBe('aaaaaaaa')
  })
})

describe('PUT /v1/catalog/deregister', () => {
  it.each<[string, string]>([
    ['', 'bad-request: Request decode failed: EOF'],
    ['{"ServiceID":"x"}', 'bad-request: Must provide node'],
    ['{"Node":"n","Datacenter":"nope"}', 'unknown-datacenter: '],
  ])('%j is refused', async (body, line) => {
    expect(failureOf(await new LoneServer().request('PUT', '/v1/catalog/deregister', body))).toBe(line)
  })

  it('takes out an instance with its checks, a check, or the node with everything, whatever else is named', async () => {
    const server = await serverWith({
      ...ext,
      Service: { ID: 's', Service: 'web' },
      Checks: [{ CheckID: 'n' }, { CheckID: 'c', ServiceID: 's' }].map((check) => ({ ...check, Name: 'x' })),
    })
    const checks = async () => {
      const all = bodyOf(await server.request('GET', '/v1/health/node/ext')) as { CheckID: string }[]
      return all.map(({ CheckID }) => CheckID)
    }
    expect(jsonOf(await put(server, 'deregister', { Node: 'ext', ServiceID: 's', CheckID: 'n' }))).toBe('true')
    expect(await checks()).toEqual(['n'])
    expect(jsonOf(await put(server, 'deregister', { Node: 'ext', CheckID: 'n' }))).toBe('true')
    expect(await checks()).toEqual([])
    expect(jsonOf(await put(server, 'deregister', { Node: 'ext' }))).toBe('true')
    expect(jsonOf(await server.request('GET', '/v1/catalog/nodes'))).toBe('[]')
  })

  it('answers true for what is not there, and moves no index', async () => {
    const server = await serverWith({ ...ext, Service: { Service: 'web' } })
    const before = indexOf(await server.request('GET', '/v1/health/service/web'))
    for (const body of [{ Node: 'none' }, { Node: 'ext', ServiceID: 'none' }, { Node: 'ext', CheckID: 'none' }]) {
      expect(jsonOf(await put(server, 'deregister', body))).toBe('true')
    }
    expect(indexOf(await server.request('GET', '/v1/health/service/web'))).toBe(before)
    expect(indexOf(await server.request('GET', '/v1/catalog/nodes'))).toBe(before)
  })
})

describe('what the catalog answers', () => {
  it('has its members in the order of the field', async () => {
    const server = await serverWith({
      ID: idA,
      Node: 'n',
      Address: '10.0.0.1',
      TaggedAddresses: { wan: 'w', lan: 'l' },
      NodeMeta: { b: '2', a: '1' },
      Service: {
        ID: 's',
        Service: 'web',
        Tags: ['y', 'x', 'y'],
        Address: '10.9.9.9',
        Meta: { k: 'v' },
        Port: 80,
        Kind: 'odd',
      },
    })
    const node = `"ID":"${idA}","Node":"n","Address":"10.0.0.1","Datacenter":"dc1","TaggedAddresses":{"lan":"l","wan":"w"}`
    expect(jsonOf(await server.request('GET', '/v1/catalog/nodes'))).toBe(
      `[{${node},"Meta":{"a":"1","b":"2"},"CreateIndex":1,"ModifyIndex":1}]`,
    )
    expect(jsonOf(await server.request('GET', '/v1/catalog/service/web'))).toBe(
      `[{${node},"NodeMeta":{"a":"1","b":"2"},"ServiceKind":"odd","ServiceID":"s","ServiceName":"web","ServiceTags":["y","x","y"],` +
        '"ServiceAddress":"10.9.9.9","ServiceWeights":{"Passing":1,"Warning":1},"ServiceMeta":{"k":"v"},"ServicePort":80,' +
        '"ServiceEnableTagOverride":false,"ServiceProxyDestination":"","ServiceProxy":{},"ServiceConnect":{},' +
        '"CreateIndex":1,"ModifyIndex":1}]',
    )
    expect(jsonOf(await server.request('GET', '/v1/catalog/node/n'))).toBe(
      `{"Node":{${node},"Meta":{"a":"1","b":"2"},"CreateIndex":1,"ModifyIndex":1},` +
        '"Services":{"s":{"Kind":"odd","ID":"s","Service":"web","Tags":["y","x","y"],"Address":"10.9.9.9","Meta":{"k":"v"},"Port":80,' +
        '"Weights":{"Passing":1,"Warning":1},"EnableTagOverride":false,"ProxyDestination":"","Proxy":{},"Connect":{},' +
        '"CreateIndex":1,"ModifyIndex":1}}}',
    )
    expect(jsonOf(await server.request('GET', '/v1/catalog/services'))).toBe('{"web":["y","x"]}')
    expect(jsonOf(await server.request('GET', '/v1/catalog/datacenters'))).toBe('["dc1"]')
  })

  it('says nothing of what was not given in the way of the field', async () => {
    const server = await serverWith({ ...ext, Service: { Service: 'web' } })
    const entry = jsonOf(await server.request('GET', '/v1/catalog/service/web'))
    for (const part of [
      '"ID":""',
      '"TaggedAddresses":null',
      '"NodeMeta":null',
      '"ServiceKind":""',
      '"ServiceTags":[]',
      '"ServiceMeta":{}',
    ]) {
      expect(entry).toContain(part)
    }
    const node = jsonOf(await server.request('GET', '/v1/catalog/node/ext'))
    expect(node).toContain('"Services":{"web":{"ID":"web","Service":"web","Tags":[],"Address":"","Meta":null,')
  })

  it('filters by every tag, whatever the case, and by every pair of metadata', async () => {
    const server = await serverWith(
      { Node: 'a', Address: 'a', NodeMeta: { rack: '1', x: '' }, Service: { Service: 'web', Tags: ['Blue', 'v1'] } },
      { Node: 'b', Address: 'b', NodeMeta: { rack: '2' }, Service: { Service: 'web', Tags: ['blue'] } },
    )
    const nodes = async (query: string) => {
      const found = bodyOf(await server.request('GET', `/v1/catalog/service/WEB?${query}`)) as { Node: string }[]
      return found.map(({ Node }) => Node).join()
    }
    expect(await nodes('')).toBe('a,b')
    expect(await nodes('tag=BLUE')).toBe('a,b')
    expect(await nodes('tag=blue&tag=V1')).toBe('a')
    expect(await nodes('tag=blue&tag=none')).toBe('')
    expect(await nodes('node-meta=rack:2')).toBe('b')
    expect(await nodes('node-meta=rack:1&node-meta=x')).toBe('a')
    expect(await nodes('node-meta=rack')).toBe('')
    expect(await nodes('near=_agent&cached')).toBe('a,b')
    expect(jsonOf(await server.request('GET', '/v1/catalog/services?node-meta=rack:2'))).toBe('{"web":["blue"]}')
    expect(jsonOf(await server.request('GET', '/v1/catalog/connect/web'))).toBe('[]')
  })

  it.each<[HttpMethod, string, string]>([
    ['GET', '/v1/catalog/service/', 'Missing service name'],
    ['GET', '/v1/catalog/connect/', 'Missing service name'],
    ['GET', '/v1/catalog/node/', 'Missing node name'],
    ['GET', '/v1/health/node/', 'Missing node name'],
    ['GET', '/v1/health/checks/', 'Missing service name'],
    ['GET', '/v1/health/service/', 'Missing service name'],
    ['GET', '/v1/health/connect/', 'Missing service name'],
    ['GET', '/v1/health/state/', 'Missing check state'],
    ['GET', '/v1/catalog/nodes?index=x', 'Invalid index'],
    ['GET', '/v1/health/service/?wait=x', 'Invalid wait time'],
  ])('%s %s is refused: %s', async (method, target, line) => {
    expect(failureOf(await new LoneServer().request(method, target))).toBe(`bad-request: ${line}`)
  })

  it('says how consistent it was, and that a failed read has read nothing', async () => {
    const server = new LoneServer()
    expect(await server.request('GET', '/v1/catalog/nodes?stale')).toMatchObject({ consistency: 'stale' })
    expect(await server.request('GET', '/v1/health/state/any?consistent')).toMatchObject({ consistency: 'consistent' })
    expect(await server.request('GET', '/v1/catalog/nodes?dc=nope')).toMatchObject({
      kind: 'failure',
      failure: { kind: 'unknown-datacenter' },
      meta: { index: 1, knownLeader: false, lastContactMs: 0 },
    })
  })
})
