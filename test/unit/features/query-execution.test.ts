import { describe, expect, it } from 'vitest'
import { emptyBytes } from '../../../src/base/bytes.ts'
import { err, ok } from '../../../src/base/result.ts'
import type { ReadMeta } from '../../../src/features/contract/reading.ts'
import { executeEndpoint } from '../../../src/features/query/execute-endpoints.ts'
import { execute as executeRoute } from '../../../src/features/query/execute-routes.ts'
import type { QueryReads } from '../../../src/features/query/execution.ts'
import { metaJson } from '../../../src/features/query/execution-json.ts'
import { parseQuery } from '../../../src/http/query-parameters.ts'
import { failureText } from '../../../src/model/failure.ts'
import { logIndexOf } from '../../../src/model/log-position.ts'
import { settled } from './hand-clock.ts'
import { QueryWorld, web } from './query-world.ts'

describe('the freshness that an execution reports', () => {
  it('is in nanoseconds, beside the consistency in the words of the field', () => {
    const meta = { index: logIndexOf(7), knownLeader: true, lastContactMs: 1.5 }
    expect(metaJson(meta as unknown as ReadMeta, 'stale')).toEqual({
      Index: 0,
      LastContact: 1_500_000,
      KnownLeader: true,
      ConsistencyLevel: 'stale',
    })
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

  it('shows beside the node the address of the instance, as reads of health do', async () => {
    const world = new QueryWorld()
    await world.place({ node: 'n1', address: '10.0.0.1', ownAddress: '10.9.9.9' })
    await world.place({ node: 'n2', address: '10.0.0.2' })
    await world.create({ Name: 'q', ...web })
    const { Nodes } = (await world.json('/v1/query/q/execute')) as { Nodes: { Address: string }[] }
    expect(Nodes.map(({ Address }) => Address).sort()).toEqual(['10.0.0.2', '10.9.9.9'])
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

  it('of a caller behind a proxy is what is near to the first address that the proxy names', async () => {
    const world = await placed()
    const { server } = world
    server.call = { client: '10.0.0.2' }
    for (const [forwarded, nearest] of [
      ['', 'b'],
      [' ', 'b'],
      ['10.0.0.4, 10.0.0.3', 'd'],
      ['::ffff:10.0.0.4', 'd'],
      ['unknown', 'b'],
      ['10.0.0.4:55555', 'b'],
    ] as const) {
      server.headers = new Map([['x-forwarded-for', forwarded]])
      expect((await world.nodes('ip'))[0], forwarded).toBe(nearest)
    }
  })

  it('of a caller is found by the address itself, however it is written', async () => {
    const world = await placed()
    await world.place({ node: 'f', address: 'FD00::0:36' })
    await world.place({ node: 'g', address: 'db.internal:5' })
    for (const [ip, nearest] of [
      ['fd00::36', 'f'],
      ['fd00:0:0:0:0:0:0:36', 'f'],
      ['::ffff:10.0.0.2', 'b'],
      ['db.internal:5', 'g'],
    ] as const) {
      const done = await world.execute('ip', {}, { ip })
      expect(done.ok && done.value.entries[0]?.node.node, ip).toBe(nearest)
    }
    for (const ip of ['nothing', 'not:one']) {
      const answer = await world.plainly(executeEndpoint, {
        ...{ idOrName: 'ip', segment: '', connect: false },
        origin: { node: 'node-a', ip, near: '' },
      })
      expect(answer).toMatchObject({ value: { value: { near: '', distances: null } } })
    }
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
      const request = {
        method: 'GET',
        rest: name,
        headers: () => new Map(),
        body: emptyBytes,
        call: { client },
      } as const
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

  it('of a caller whose own answer cannot be had is a failure, though the one for all callers is kept', async () => {
    const { server } = await placed()
    const { cached } = server.agent
    const value = async (...given: Parameters<typeof cached>) =>
      JSON.stringify(given[1]).includes('10.0.0.3') ? err({ kind: 'no-leader' } as const) : cached(...given)
    Object.defineProperty(server.agent, 'cached', { value })
    expect(await server.request('GET', '/v1/query/ip/execute?cached')).toMatchObject({ kind: 'json' })
    server.headers = new Map([['x-forwarded-for', '10.0.0.3']])
    const failed = await server.request('GET', '/v1/query/ip/execute?cached')
    expect(failed).toMatchObject({ failure: { kind: 'no-leader' } })
  })

  it('of an agent that has kept it tells its age in whole seconds that have passed', async () => {
    const { server } = await placed()
    const { cached } = server.agent
    const value = async (...given: Parameters<typeof cached>) => {
      const found = await cached(...given)
      return found.ok ? { ...found, value: { ...found.value, hit: true, ageMs: 2_999 } } : found
    }
    Object.defineProperty(server.agent, 'cached', { value })
    const answer = await server.request('GET', '/v1/query/named/execute?cached')
    expect(answer).toMatchObject({ kind: 'json', cache: { hit: true, ageS: 2 } })
  })

  it('is told in numbers that travel between agents, however far a node says that it is', async () => {
    const world = await placed()
    await world.locate('b', 1e308)
    const origin = { node: 'node-a', ip: '', near: '' }
    const args = { idOrName: 'agent', segment: '', connect: false, origin }
    const answer = await world.plainly(executeEndpoint, args)
    const found = answer.ok ? answer.value.value : undefined
    expect(executeEndpoint.reply.safeParse(found).success).toBe(true)
    expect((await world.nodes('agent')).slice(0, 3)).toEqual(['node-a', 'c', 'd'])
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

  it.each([
    ['', null],
    ['&near=_agent', null],
    ['&near=b', { node: '', ip: '', near: 'b' }],
  ])(
    'in another datacenter says nothing of this agent, even if the caller asks for what is near to it: %s',
    async (near, origin) => {
      const { server } = await defined()
      const origins: unknown[] = []
      const query = async (_endpoint: unknown, args: { readonly origin: unknown }) => {
        origins.push(args.origin)
        return err({ kind: 'no-leader' } as const)
      }
      const agent = Object.create(server.agent, { query: { value: query } }) as typeof server.agent
      const parameters = parseQuery(`dc=dc3${near}`)
      if (!parameters.ok) throw new Error(parameters.error)
      const request = { method: 'GET', rest: 'q', headers: () => new Map(), body: emptyBytes, call: {} } as const
      await executeRoute(agent, { ...request, query: parameters.value })
      expect(origins).toEqual([origin])
    },
  )

  it.each([
    ['b', ['b', 'c', 'node-a']],
    ['node-a', ['node-a', 'c', 'b']],
  ])('in another datacenter sorts by the node there that the caller names: %s', async (near, order) => {
    const there = new QueryWorld()
    for (const [node, seconds] of [
      ['node-a', 0],
      ['b', 5],
      ['c', 1],
    ] as const) {
      await there.place({ node })
      await there.locate(node, seconds)
    }
    await there.create({ Name: 'q', Service: { Service: 'web', Near: '_agent' } })
    const done = await there.execute('q', {}, { datacenter: 'dc3', near })
    expect(done.ok && done.value.entries.map(({ node }) => node.node)).toEqual(order)
  })
})
