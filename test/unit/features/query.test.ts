import { describe, expect, it } from 'vitest'
import { emptyBytes } from '../../../src/base/bytes.ts'
import { err, ok } from '../../../src/base/result.ts'
import { execute as executeRoute } from '../../../src/features/query/execute-routes.ts'
import type { QueryReads } from '../../../src/features/query/execution.ts'
import { parseQuery } from '../../../src/http/query-parameters.ts'
import { failureText } from '../../../src/model/failure.ts'
import { settled } from './hand-clock.ts'
import { jsonOf, QueryWorld } from './query-world.ts'

const unknown = '11111111-0000-0000-0000-000000000000'
const web = { Service: { Service: 'web' } }

describe('defining a prepared query', () => {
  it('takes every field that there is, and shows what was not said as the field does', async () => {
    const world = new QueryWorld()
    const given = {
      Name: 'Q1',
      Token: 'secret',
      Service: {
        Service: 'web',
        Failover: { NearestN: 2, Datacenters: ['dc2'] },
        OnlyPassing: true,
        IgnoreCheckIDs: ['c1'],
        Near: '_agent',
        Tags: ['a', '!b'],
        NodeMeta: { zone: 'z1', arch: 'x' },
        Connect: true,
      },
      DNS: { TTL: '1m' },
    }
    const id = await world.create(given)
    const template = { Type: '', Regexp: '', RemoveEmptyTags: false }
    const indexes = { CreateIndex: 1, ModifyIndex: 1 }
    expect(await world.json(`/v1/query/${id}`)).toEqual([
      { ID: id, Session: '', Template: template, ...given, ...indexes },
    ])
    const plain = await world.create({ name: 'q2', service: { SERVICE: 'web' } })
    expect(await world.json(`/v1/query/${plain}`)).toMatchObject([
      { Service: { Tags: null, NodeMeta: null, IgnoreCheckIDs: null, Failover: { Datacenters: null } } },
    ])
    expect(((await world.json('/v1/query')) as unknown[]).length).toBe(2)
    expect(world.metrics).toContain('prepared-query.apply')
  })

  it('an update replaces the whole, keeps where it began, and may keep the name', async () => {
    const world = new QueryWorld()
    const id = await world.create({ Name: 'q', ...web, DNS: { TTL: '10s' } })
    const body = JSON.stringify({ ID: unknown, Name: 'q', Service: { Service: 'db' } })
    expect(await world.server.request('PUT', `/v1/query/${id.toUpperCase()}`, body)).toEqual({
      kind: 'empty',
      status: 200,
    })
    expect(await world.json(`/v1/query/${id}`)).toMatchObject([
      { ID: id, Service: { Service: 'db' }, DNS: { TTL: '' }, CreateIndex: 1, ModifyIndex: 2 },
    ])
  })

  it('one that is deleted is gone, under its ID and its name, and the name is free again', async () => {
    const world = new QueryWorld()
    const id = await world.create({ Name: 'q', ...web })
    await world.server.request('DELETE', `/v1/query/${id}`)
    expect(await world.failure(`/v1/query/${id}`)).toBe('not-found: Query not found')
    expect(await world.failure('/v1/query/q/execute')).toBe('not-found: Query not found')
    await world.create({ Name: 'q', ...web })
  })

  it.each([
    [{ Name: 'x' }, 'Must provide a Service name to query'],
    [web, 'Must be bound to a session'],
    [{ Name: 'x', Service: { Service: 'web', Failover: { NearestN: -1 } } }, "Bad NearestN '-1', must be >= 0"],
    [{ Name: 'x', ...web, DNS: { TTL: '-1ns' } }, "DNS TTL '-1', must be >=0"],
    [{ Name: 'x', ...web, DNS: { TTL: '5' } }, `Bad DNS TTL '5': time: invalid duration "5"`],
    [
      { Name: 'x', ...web, Token: '<hidden>' },
      "Bad Token '<hidden>', it looks like a query definition with a redacted token was submitted",
    ],
    [
      { Name: 'x', Service: { Service: 'web', NodeMeta: { 'a b': '' } } },
      "Invalid node metadata filters: Couldn't load metadata pair ('a b', ''): Key contains invalid characters",
    ],
    [{ Name: 'x'.repeat(257), ...web }, 'Name is longer than 256 bytes'],
    [
      { Name: 'x', Service: { Service: 'web', Tags: new Array(1_000).fill('x'.repeat(66)) } },
      'its texts take more than 65536 characters',
    ],
  ])('is refused: %j', async (body, line) => {
    expect(await new QueryWorld().refusal(body)).toBe(`bad-request: Invalid prepared query: ${line}`)
  })

  it('keys of the product itself may be asked for in metadata, though nobody may give them', async () => {
    await new QueryWorld().create({ Name: 'x', Service: { Service: 'web', NodeMeta: { 'svc-network-segment': '' } } })
  })

  it.each([
    [{ Template: { Type: 'zz' }, ...web }, "Bad Template.Type 'zz'"],
    [{ Template: { Type: 'name_prefix_match', Regexp: '(' }, ...web }, /^Bad Regexp: error parsing regexp/],
    [
      { Template: { Type: 'name_prefix_match' }, Service: { Service: '${name.nope}' } },
      "Bad evaluation for '${name.nope}' in Service.Service: unknown variable accessed: name.nope",
    ],
    [
      { Template: { Type: 'name_prefix_match' }, Service: { Service: 'web', Tags: ['a', '${'] } },
      /^Bad format '\$\{' in Service.Tags\[1\]: expected closing/,
    ],
    [
      { Template: { Type: 'name_prefix_match' }, Service: { Service: 'web', NodeMeta: { zone: '${1 + 1}' } } },
      /^Bad format .* in Service.NodeMeta\[zone\]: unknown interpolation/,
    ],
  ])('a template is tried when it is defined: %j', async (body, line) => {
    const refusal = await new QueryWorld().refusal(body)
    if (typeof line === 'string') expect(refusal).toBe(`bad-request: failed compiling template: ${line}`)
    else expect(refusal.replace('bad-request: failed compiling template: ', '')).toMatch(line)
  })

  it('a name belongs to one query, whatever the case of its letters, and is nobody else’s ID', async () => {
    const world = new QueryWorld()
    const id = await world.create({ Name: 'Web', ...web })
    const other = await world.create({ Name: 'other', ...web })
    const taken = "bad-request: name 'wEB' aliases an existing query name"
    expect(await world.refusal({ Name: 'wEB', ...web })).toBe(taken)
    expect(await world.refusal({ Name: 'wEB', ...web }, `/v1/query/${other}`)).toBe(taken)
    expect(await world.refusal({ Name: id, ...web })).toBe(`bad-request: name '${id}' aliases an existing query ID`)
    const everything = { Template: { Type: 'name_prefix_match' }, ...web }
    await world.create(everything)
    expect(await world.refusal(everything)).toBe('bad-request: a query template with an empty name already exists')
  })

  it('only what is there can be changed or deleted', async () => {
    const world = new QueryWorld()
    const line = `bad-request: Cannot modify non-existent prepared query: '${unknown}'`
    expect(await world.refusal({ Name: 'x', ...web }, `/v1/query/${unknown}`)).toBe(line)
    const deleted = await world.server.request('DELETE', `/v1/query/${unknown}`)
    expect(deleted).toMatchObject({ kind: 'failure', failure: { message: line.slice('bad-request: '.length) } })
  })

  it('a release that does not know queries yet proposes none', async () => {
    const world = new QueryWorld()
    const before = { major: 0, minor: 5, patch: 2 }
    Object.assign(world.server.context, { release: before })
    expect(await world.refusal({ Name: 'x', ...web })).toBe('unknown-method: ')
    expect(world.server.index).toBe(0)
  })

  it('before 0.7 a server does not keep Near', async () => {
    const world = new QueryWorld()
    Object.assign(world.server.context, { release: { major: 0, minor: 6, patch: 4 } })
    const id = await world.create({ Name: 'x', Service: { Service: 'web', Near: '_agent' } })
    expect(await world.json(`/v1/query/${id}`)).toMatchObject([{ Service: { Near: '' } }])
  })
})

describe('a query that is bound to a session', () => {
  it('needs no name, is refused without its session, and goes with it', async () => {
    const world = new QueryWorld()
    await world.place({ node: 'node-a', checks: { 'node-alive': 'passing' } })
    const body = JSON.stringify({ Checks: ['node-alive'] })
    const { ID } = jsonOf(await world.server.request('PUT', '/v1/session/create', body)) as { ID: string }
    const bound = await world.create({ Session: ID.toUpperCase(), ...web })
    const stays = await world.create({ Name: 'stays', ...web })
    expect(await world.refusal({ Session: unknown, ...web })).toBe(`bad-request: invalid session "${unknown}"`)
    expect(await world.refusal({ Session: 'short', ...web })).toMatch(/UUID must be 36 characters$/)
    expect(await world.nodes(bound)).toEqual(['node-a'])
    const before = world.server.index
    await world.place({ node: 'node-a', checks: { 'node-alive': 'critical' } })
    expect(world.server.index).toBe(before + 1)
    expect(await world.failure(`/v1/query/${bound}`)).toBe('not-found: Query not found')
    expect(await world.json('/v1/query')).toMatchObject([{ ID: stays }])
  })
})

describe('executing a query', () => {
  const checks = { c1: 'passing' }

  it('finds what has every tag and none that is refused, whatever the case, on nodes with the metadata', async () => {
    const world = new QueryWorld()
    await world.place({ node: 'n1', tags: ['A', 'b'], meta: [['zone', 'z1']], checks })
    await world.place({ node: 'n2', tags: ['a', 'Cc'], meta: [['zone', 'z1']], checks })
    await world.place({ node: 'n3', tags: ['a'], meta: [['zone', 'z2']], checks })
    await world.place({ node: 'n4', tags: ['a'], service: 'db', checks })
    await world.create({ Name: 'all', ...web })
    await world.create({ Name: 'tags', Service: { Service: 'WEB', Tags: ['a', '!cC'] } })
    await world.create({ Name: 'meta', Service: { Service: 'web', NodeMeta: { zone: 'z1' } } })
    expect([...(await world.nodes('all'))].sort()).toEqual(['n1', 'n2', 'n3'])
    expect([...(await world.nodes('TAGS'))].sort()).toEqual(['n1', 'n3'])
    expect([...(await world.nodes('meta'))].sort()).toEqual(['n1', 'n2'])
    expect(await world.nodes('all', '?connect=true')).toEqual([])
    expect(await world.nodes('all', '?limit=2')).toHaveLength(2)
    expect(await world.nodes('all', '?limit=-1')).toHaveLength(3)
  })

  it.each([
    [{}, ['passing', 'warning']],
    [{ OnlyPassing: true }, ['passing']],
    [{ OnlyPassing: true, IgnoreCheckIDs: ['c1'] }, ['critical', 'passing', 'warning']],
    [{ IgnoreCheckIDs: ['node1'] }, ['node-critical', 'passing', 'warning']],
  ])('health counts as the query says: %j', async (more, found) => {
    const world = new QueryWorld()
    for (const status of ['passing', 'warning', 'critical']) await world.place({ node: status, checks: { c1: status } })
    await world.place({ node: 'node-critical', checks: { node1: 'critical', c1: 'passing' } })
    await world.create({ Name: 'q', Service: { Service: 'web', ...more } })
    expect([...(await world.nodes('q'))].sort()).toEqual(found)
  })

  it('draws another order each time', async () => {
    const world = new QueryWorld()
    for (let n = 0; n < 12; n++) await world.place({ node: `n${n}`, checks })
    await world.create({ Name: 'q', ...web })
    const orders = [await world.nodes('q'), await world.nodes('q'), await world.nodes('q')]
    expect(new Set(orders.map((order) => order.join(' '))).size).toBeGreaterThan(1)
    for (const order of orders) expect([...order].sort()).toEqual([...(orders[0] as string[])].sort())
  })

  it('is not waited for, and says that it has no index', async () => {
    const world = new QueryWorld()
    await world.create({ Name: 'q', ...web })
    const response = await world.server.request('GET', '/v1/query/q/execute?index=99&wait=10m')
    expect(response).toMatchObject({ meta: { index: 1 }, value: { Index: 0, ConsistencyLevel: 'leader', Nodes: [] } })
    expect(world.server.reads.at(-1)).toMatchObject({ minIndex: 0 })
  })

  it.each([
    ['?limit=x', /^bad-request: Bad limit: /],
    ['?connect=maybe', /^bad-request: Error parsing 'connect' value: /],
    ['?dc=mars', /^unknown-datacenter/],
    ['?stale&consistent', /^bad-request: Cannot specify/],
  ])('refuses %s', async (parameters, line) => {
    const world = new QueryWorld()
    await world.create({ Name: 'q', ...web })
    expect(await world.failure(`/v1/query/q/execute${parameters}`)).toMatch(line)
  })
})

describe('what is near', () => {
  async function placed(): Promise<QueryWorld> {
    const world = new QueryWorld()
    for (const [node, address, seconds] of [
      ['node-a', '10.0.0.1', 0],
      ['b', '10.0.0.2', 5],
      ['c', '10.0.0.3', 1],
      ['d', '10.0.0.4', 3],
      ['e', '10.0.0.5', undefined],
    ] as const) {
      await world.place({ node, address })
      if (seconds !== undefined) await world.locate(node, seconds)
    }
    await world.create({ Name: 'agent', Service: { Service: 'web', Near: '_agent' } })
    await world.create({ Name: 'ip', Service: { Service: 'web', Near: '_ip' } })
    await world.create({ Name: 'named', Service: { Service: 'web', Near: 'b' } })
    return world
  }

  it('[CAT-038] comes first, with nothing said in the request: to the agent that is asked, to a node, or to one that the caller names instead', async () => {
    const world = await placed()
    expect(await world.nodes('agent')).toEqual(['node-a', 'c', 'd', 'b', 'e'])
    expect(await world.nodes('named')).toEqual(['b', 'd', 'c', 'node-a', 'e'])
    expect(await world.nodes('agent', '?near=b')).toEqual(['b', 'd', 'c', 'node-a', 'e'])
    expect(await world.nodes('named', '?near=_agent&limit=2')).toEqual(['node-a', 'c'])
  })

  it('of a caller is what is near to the node that has his address', async () => {
    const world = await placed()
    const execute = async (ip: string): Promise<readonly string[]> => {
      const done = await world.execute('ip', {}, { ip })
      return done.ok ? done.value.entries.map(({ node }) => node.node) : []
    }
    expect(await execute('10.0.0.3')).toEqual(['c', 'node-a', 'd', 'b', 'e'])
    expect([...(await execute('10.9.9.9'))].sort()).toEqual(['b', 'c', 'd', 'e', 'node-a'])
  })

  it('is kept once for all callers, unless the address of each counts', async () => {
    const { server } = await placed()
    const asked: string[] = []
    const agent = Object.create(server.agent, {
      cached: {
        value: (...given: Parameters<typeof server.agent.cached>) => {
          asked.push(JSON.stringify(given[1]))
          return server.agent.cached(...given)
        },
      },
    }) as typeof server.agent
    const execute = async (name: string, client: string, query = '?cached'): Promise<number> => {
      asked.length = 0
      const parameters = parseQuery(query.slice(1))
      if (!parameters.ok) throw new Error(parameters.error)
      const request = { method: 'GET', rest: name, headers: new Map(), body: emptyBytes, call: { client } } as const
      const answer = await executeRoute(agent, { ...request, query: parameters.value })
      expect(answer).toMatchObject({ kind: 'json' })
      return asked.filter((each) => each.includes(client)).length
    }
    expect([await execute('agent', '10.0.0.3'), asked.length]).toEqual([0, 1])
    expect([await execute('named', '10.0.0.3'), asked.length]).toEqual([0, 1])
    expect([await execute('named', '10.0.0.3', '?cached&near=_ip'), asked.length]).toEqual([1, 2])
    expect([await execute('ip', '10.0.0.3'), asked.length]).toEqual([1, 2])
    expect([await execute('ip', '10.0.0.3', '?cached&near=_agent'), asked.length]).toEqual([0, 1])
  })

  it('the node itself is the first although others are just as near, or nothing is known of its place', async () => {
    const world = new QueryWorld()
    for (const node of ['a', 'b', 'c', 'd', 'e', 'f']) {
      await world.place({ node })
      await world.locate(node, 1)
    }
    await world.place({ node: 'nowhere' })
    await world.create({ Name: 'd', Service: { Service: 'web', Near: 'd' } })
    await world.create({ Name: 'nowhere', Service: { Service: 'web', Near: 'nowhere' } })
    for (let n = 0; n < 5; n++) {
      expect((await world.nodes('d'))[0]).toBe('d')
      expect((await world.nodes('nowhere'))[0]).toBe('nowhere')
    }
  })
})

describe('failing over', () => {
  const failover = { NearestN: 1, Datacenters: ['dc9', 'dc4', 'dc2'] }
  const others = async () => ok(['dc2', 'dc3', 'dc4'])

  async function defined(service: object = {}): Promise<QueryWorld> {
    const world = new QueryWorld()
    await world.create({ Name: 'q', Service: { Service: 'web', Failover: failover, ...service } })
    return world
  }

  /** Another datacenter, in which a query finds what one here would find on these nodes. */
  function elsewhere(world: QueryWorld, there: Readonly<Record<string, readonly string[]>>) {
    const asked: string[] = []
    const reads: QueryReads = {
      query: async (endpoint, args, datacenter) => {
        if (datacenter === 'dc1') return world.plainly(endpoint, args)
        asked.push(`${endpoint.method} ${datacenter}`)
        const nodes = there[datacenter]
        if (nodes === undefined) return err({ kind: 'deadline-exceeded', message: 'nobody there' })
        const other = new QueryWorld()
        for (const node of nodes) await other.place({ node, tags: ['v1'] })
        return other.plainly(endpoint, args)
      },
      elsewhere: async () => err({ kind: 'unknown-method', method: 'x' }),
      otherDatacenters: others,
    }
    return { asked, reads }
  }

  async function outcome(world: QueryWorld, reads: QueryReads, call = {}) {
    const done = await world.execute('q', reads, call)
    if (!done.ok) throw new Error(failureText(done.error))
    const { entries, datacenter, failovers } = done.value
    return { nodes: entries.map(({ node }) => node.node), datacenter, failovers }
  }

  it('is not done while something is found here', async () => {
    const world = await defined()
    await world.place({ node: 'n1' })
    const { asked, reads } = elsewhere(world, {})
    expect(await outcome(world, reads)).toEqual({ nodes: ['n1'], datacenter: 'dc1', failovers: 0 })
    expect(asked).toEqual([])
  })

  it('asks the nearest, then the named that there are, each once, until one has something', async () => {
    const world = await defined({ Tags: ['v1'] })
    await world.place({ node: 'here', tags: ['v2'] })
    const { asked, reads } = elsewhere(world, { dc2: [], dc4: ['r1', 'r2', 'r3'] })
    const found = await outcome(world, reads, { limit: 2, near: '_agent' })
    expect(found).toMatchObject({ datacenter: 'dc4', failovers: 2 })
    expect(found.nodes).toHaveLength(2)
    expect(asked).toEqual(['PreparedQuery.ExecuteRemote dc2', 'PreparedQuery.ExecuteRemote dc4'])
    expect(world.metrics).toContain('prepared-query.execute_remote')
  })

  it('passes over a datacenter that cannot be asked, with a line in the log', async () => {
    const world = await defined()
    const { reads } = elsewhere(world, { dc4: ['r1'] })
    expect(await outcome(world, reads)).toEqual({ nodes: ['r1'], datacenter: 'dc4', failovers: 2 })
    expect(world.clock.logged).toEqual(['could not ask another datacenter'])
  })

  it('waits for a datacenter that does not answer for 3 s, and goes on', async () => {
    const world = await defined()
    const { reads } = elsewhere(world, { dc4: ['r1'] })
    const silent: QueryReads['query'] = (endpoint, args, datacenter, until) =>
      datacenter === 'dc2'
        ? new Promise((resolve) => until?.onAbort?.(() => resolve(err({ kind: 'cancelled' }))))
        : reads.query(endpoint, args, datacenter, until)
    let done: unknown
    void outcome(world, { ...reads, query: silent }).then((found) => {
      done = found
    })
    await settled()
    await world.clock.advance(2_999)
    expect(done).toBe(undefined)
    await world.clock.advance(1)
    await settled()
    expect(done).toEqual({ nodes: ['r1'], datacenter: 'dc4', failovers: 2 })
    expect(world.clock.timers).toBe(0)
  })

  it('that finds nothing is no failure, and says how many were tried', async () => {
    const world = await defined()
    const { reads } = elsewhere(world, { dc2: [], dc4: [] })
    expect(await outcome(world, reads)).toEqual({ nodes: [], datacenter: 'dc4', failovers: 2 })
    const gone = elsewhere(world, {})
    expect(await outcome(world, gone.reads)).toEqual({ nodes: [], datacenter: 'dc1', failovers: 2 })
  })

  it('takes a template as it was rendered here', async () => {
    const world = new QueryWorld()
    const service = { Service: '${name.suffix}', Failover: { Datacenters: ['dc2'] } }
    await world.create({ Name: 'q', Template: { Type: 'name_prefix_match' }, Service: service })
    const { reads } = elsewhere(world, { dc2: ['r1'] })
    const done = await world.execute('qweb', reads)
    expect(done).toMatchObject({ ok: true, value: { service: 'web', datacenter: 'dc2', failovers: 1 } })
    expect(done.ok && done.value.entries).toHaveLength(1)
  })

  it('in another datacenter does not sort by what is near here', async () => {
    const world = await defined({ Near: '_agent' })
    const { asked, reads } = elsewhere(world, { dc3: ['x'] })
    const origins: unknown[] = []
    const noting: QueryReads['query'] = (endpoint, args, datacenter) => {
      origins.push((args as { readonly origin: unknown }).origin)
      return reads.query(endpoint, args, datacenter)
    }
    const done = await world.execute('q', { ...reads, query: noting }, { datacenter: 'dc3' })
    expect(done).toEqual(err({ kind: 'not-found', message: 'Query not found' }))
    expect(asked).toEqual(['PreparedQuery.Execute dc3'])
    expect(origins).toEqual([null])
  })
})

describe('queries in a snapshot', () => {
  it('are found as before once it is restored, by ID, name, template and session', async () => {
    const world = new QueryWorld()
    await world.place({ node: 'node-a', checks: { 'node-alive': 'passing' } })
    const { ID } = jsonOf(
      await world.server.request('PUT', '/v1/session/create', JSON.stringify({ Checks: ['node-alive'] })),
    ) as { ID: string }
    const service = { Service: '${name.suffix}', NodeMeta: { ['__proto__']: 'x', a: 'b' }, Tags: ['a'] }
    await world.create({ Name: 'T-', Template: { Type: 'name_prefix_match' }, Service: service })
    await world.create({ Session: ID, ...web })
    const before = await world.json('/v1/query')
    const other = new QueryWorld()
    other.restoreFrom(world)
    expect(await other.json('/v1/query')).toEqual(before)
    expect(other.server.state.store.digest()).toEqual(world.server.state.store.digest())
    expect((await other.explained('t-web')).Service['Service']).toBe('web')
    await other.place({ node: 'node-a', checks: { 'node-alive': 'critical' } })
    expect(await other.json('/v1/query')).toHaveLength(1)
  })
})

describe('a template', () => {
  const template = { Type: 'name_prefix_match' }

  it('answers names that begin with its own; the exact name wins, then the longest', async () => {
    const world = new QueryWorld()
    const named = (service: string): object => ({ Template: template, Service: { Service: service } })
    await world.create({ Name: '', ...named('any-${name.full}') })
    await world.create({ Name: 'geo-', ...named('geo-${name.suffix}') })
    await world.create({ Name: 'geo-db-', ...named('db-${name.suffix}-${name.prefix}') })
    await world.create({ Name: 'geo-db-x', Service: { Service: 'exact' } })
    const asked = async (name: string): Promise<unknown> => (await world.explained(name)).Service['Service']
    expect(await asked('web')).toBe('any-web')
    expect(await asked('geo-web')).toBe('geo-web')
    expect(await asked('GEO-Web')).toBe('geo-Web')
    expect(await asked('geo-db-y')).toBe('db-y-geo-db-')
    expect(await asked('geo-db-x')).toBe('exact')
    expect(await asked('geo-db-x.y')).toBe('db-x.y-geo-db-')
  })

  it('interpolates every text of what it looks for, and drops tags that come out empty where it is told to', async () => {
    const world = new QueryWorld()
    const service = {
      Service: '${match(2)}',
      Failover: { NearestN: 1, Datacenters: ['${match(1)}', '$${x}'] },
      IgnoreCheckIDs: ['c-${ match( 2 ) }'],
      Near: '${name.suffix}',
      Tags: ['${match(3)}', 'a${agent.segment}', '${match(9)}', '${match(-1)}'],
      NodeMeta: { zone: '${match(1)}' },
    }
    const regexp = '^geo-(.*?)-([^\\-]+?)(-x)?$'
    const create = (name: string, removeEmpty: boolean): Promise<string> =>
      world.create({
        Name: name,
        Template: { ...template, Regexp: regexp, RemoveEmptyTags: removeEmpty },
        Service: service,
      })
    const id = await create('geo-', false)
    expect((await world.explained('geo-dc2-web')).Service).toMatchObject({
      Service: 'web',
      Failover: { NearestN: 1, Datacenters: ['dc2', '${x}'] },
      IgnoreCheckIDs: ['c-web'],
      Near: 'dc2-web',
      Tags: ['', 'a', '', ''],
      NodeMeta: { zone: 'dc2' },
    })
    await create('geo-dc2', true)
    expect((await world.explained('geo-dc2-web')).Service['Tags']).toEqual(['a'])
    expect((await world.explained('geo-nomatch')).Service['Service']).toBe('')
    expect(await world.nodes('geo-nomatch')).toEqual([])
    expect(await world.failure(`/v1/query/${id}/execute`)).toBe(
      'bad-request: prepared query templates can only be resolved up by name, not by ID',
    )
  })

  it('is bounded in what it may become', async () => {
    const world = new QueryWorld()
    await world.create({ Name: 'a', Template: template, Service: { Service: '${name.full}'.repeat(1_000) } })
    expect((await world.explained('abc')).Service['Service']).toBe('abc'.repeat(1_000))
    expect(await world.failure(`/v1/query/a${'b'.repeat(100)}/explain`)).toBe(
      'bad-request: the rendered query has more than 65536 characters',
    )
  })
})
