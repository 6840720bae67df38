import { describe, expect, it } from 'vitest'
import { writeJson } from '../../../src/base/json.ts'
import type { Env } from '../../../src/env/env.ts'
import type { RouteResponse } from '../../../src/features/contract/route.ts'
import { coordinateBatches } from '../../../src/features/coordinate/duty.ts'
import { originCoordinate } from '../../../src/model/coordinate.ts'
import { HandClock } from './hand-clock.ts'
import { LoneServer } from './lone-server.ts'
import { Rights } from './rights-of.ts'

function jsonOf(response: RouteResponse): unknown {
  if (response.kind !== 'json') throw new Error(`not JSON: ${JSON.stringify(response)}`)
  return JSON.parse(writeJson(response.value))
}

function coordinate(x: number): object {
  return { Vec: [x, 0, 0, 0, 0, 0, 0, 0], Error: 0.5, Adjustment: 0, Height: 0.01 }
}

/** Nodes a (at 0), b (at 5), c (at 1), and d, of which nothing is known; `web` on each. */
async function placed(): Promise<{ server: LoneServer; clock: HandClock }> {
  const clock = new HandClock()
  const server = new LoneServer(clock.env as unknown as Env)
  server.lan = { coordinateOf: () => originCoordinate } as never
  server.begin(coordinateBatches)
  for (const node of ['a', 'b', 'c', 'd']) {
    await server.request(
      'PUT',
      '/v1/catalog/register',
      JSON.stringify({
        Node: node,
        Address: '10.0.0.1',
        Service: { Service: 'web' },
        Check: { CheckID: 'w', Name: 'w', ServiceID: 'web', Status: 'passing' },
      }),
    )
  }
  for (const [node, x] of [
    ['a', 0],
    ['b', 5],
    ['c', 1],
    ['nobody', 2],
  ] as const) {
    expect(await update(server, { Node: node, Coord: coordinate(x) })).toEqual({ kind: 'empty', status: 200 })
  }
  await clock.advance(5_000)
  return { server, clock }
}

function update(server: LoneServer, body: object): Promise<RouteResponse> {
  return server.request('PUT', '/v1/coordinate/update', JSON.stringify(body))
}

async function nodesOf(server: LoneServer, target: string): Promise<string[]> {
  const entries = jsonOf(await server.request('GET', target)) as { Node: string | { Node: string } }[]
  return entries.map(({ Node }) => (typeof Node === 'string' ? Node : Node.Node))
}

describe('coordinates of nodes', () => {
  it('[CAT-035] are told by the nodes, gathered and replicated together, and listed', async () => {
    const { server } = await placed()
    const index = server.index
    expect(await nodesOf(server, '/v1/coordinate/nodes')).toEqual(['a', 'b', 'c'])
    expect(jsonOf(await server.request('GET', '/v1/coordinate/node/b'))).toEqual([
      { Node: 'b', Segment: '', Coord: coordinate(5) },
    ])
    expect(await nodesOf(server, '/v1/coordinate/nodes?segment=alpha')).toEqual([])
    expect(server.index).toBe(index)
    expect(await server.request('GET', '/v1/coordinate/node/d')).toEqual({ kind: 'empty', status: 404 })
  })

  it('of a node are for callers that may read what they name: the ID of a node that they may read is no such name', async () => {
    const { server } = await placed()
    const ID = '11111111-2222-3333-4444-555555555555'
    await server.request('PUT', '/v1/catalog/register', JSON.stringify({ Node: 'Front', Address: '10.0.0.9', ID }))
    server.authorizer = new Rights(['node:Front:read'])
    expect(await server.request('GET', '/v1/coordinate/node/front')).toEqual({ kind: 'empty', status: 404 })
    for (const name of [ID, ID.slice(0, 8), 'b'])
      expect(await server.request('GET', `/v1/coordinate/node/${name}`)).toMatchObject({
        failure: { kind: 'permission-denied' },
      })
  })

  it('of a node go with it', async () => {
    const { server } = await placed()
    await server.request('PUT', '/v1/catalog/deregister', JSON.stringify({ Node: 'b' }))
    expect(await nodesOf(server, '/v1/coordinate/nodes')).toEqual(['a', 'c'])
  })

  it('of servers are told by datacenter', async () => {
    const { server } = await placed()
    server.servers = [{ id: 'id-a', name: 'a', address: '10.0.0.1:8300', raftProtocol: 3 }] as never
    expect(jsonOf(await server.request('GET', '/v1/coordinate/datacenters'))).toEqual([
      { Datacenter: 'dc1', AreaID: 'wan', Coordinates: [{ Node: 'a.dc1', Segment: '', Coord: coordinate(0) }] },
    ])
  })

  it('[CAT-034] of servers of several datacenters are told by datacenter, as the pool of all has them', async () => {
    const { server } = await placed()
    const place = (x: number) => ({ vec: [x, 0, 0, 0, 0, 0, 0, 0], error: 0, adjustment: 0, height: 0 })
    server.wanView = {
      own: place(0),
      servers: [
        { name: 'b.dc1', datacenter: 'dc1', coordinate: place(1) },
        { name: 'c.dc2', datacenter: 'dc2', coordinate: undefined },
        { name: 'a.dc1', datacenter: 'dc1', coordinate: place(2) },
      ],
    }
    const told = jsonOf(await server.request('GET', '/v1/coordinate/datacenters')) as {
      Datacenter: string
      AreaID: string
      Coordinates: { Node: string; Segment: string; Coord: { Vec: number[] } }[]
    }[]
    expect(told.map((one) => [one.Datacenter, one.AreaID])).toEqual([
      ['dc1', 'wan'],
      ['dc2', 'wan'],
    ])
    expect(told.map((one) => one.Coordinates.map(({ Node, Coord }) => [Node, Coord.Vec[0]]))).toEqual([
      [
        ['b.dc1', 1],
        ['a.dc1', 2],
      ],
      [],
    ])
  })

  const undecoded = 'Request decode failed: 1 error(s) decoding:\n\n* '
  for (const [body, message] of [
    [{ Node: 'a', Coord: { ...coordinate(1), Vec: [1] } }, 'incompatible coordinate'],
    [
      { Node: 'a', Coord: { ...coordinate(1), Height: 'x' } },
      `${undecoded}'Coord.Height' expected type 'float64', got unconvertible type 'string'`,
    ],
    [{ Node: 'a', Coord: { Vec: 1 } }, `${undecoded}'Coord.Vec': source data must be an array or slice, got float64`],
    [{ Node: 'a', Coord: [1, 2] }, `${undecoded}'Coord' expected a map, got 'slice'`],
    [{ Node: 'a', Coord: {} }, 'incompatible coordinate'],
    [{ Node: 'a' }, 'Must provide Node and Coord'],
    [{ Node: 'a', Coord: null }, 'Must provide Node and Coord'],
    [{ Coord: coordinate(1) }, 'Must provide Node and Coord'],
  ] as const) {
    it(`${JSON.stringify(body)} is refused`, async () => {
      const { server } = await placed()
      expect(await update(server, body)).toMatchObject({ failure: { kind: 'bad-request', message } })
    })
  }

  it('are taken with names in any case, and 0 for what is left out, as in every body', async () => {
    const { server } = await placed()
    const body = { node: 'a', COORD: { vec: [0, 0, 0, 0, 0, 0, 0, 0], height: 1 } }
    expect(await update(server, body)).toEqual({ kind: 'empty', status: 200 })
  })

  it('are refused where none are kept', async () => {
    const { server } = await placed()
    server.lan = { coordinateOf: () => undefined } as never
    expect(await server.request('GET', '/v1/coordinate/nodes')).toEqual({
      kind: 'text',
      status: 401,
      text: 'Coordinate support disabled',
    })
  })
})

describe('[CAT-013] near', () => {
  for (const target of [
    '/v1/catalog/nodes',
    '/v1/catalog/service/web',
    '/v1/health/service/web',
    '/v1/health/checks/web',
    '/v1/health/state/passing',
  ]) {
    it(`sorts ${target}: the node itself first, nodes without coordinates last`, async () => {
      const { server } = await placed()
      expect(await nodesOf(server, target)).toEqual(['a', 'b', 'c', 'd'])
      expect(await nodesOf(server, `${target}?near=b`)).toEqual(['b', 'c', 'a', 'd'])
      expect(await nodesOf(server, `${target}?near=a`)).toEqual(['a', 'c', 'b', 'd'])
      expect(await nodesOf(server, `${target}?near=nobody`)).toEqual(['a', 'b', 'c', 'd'])
    })
  }

  it('_agent is the agent that is asked', async () => {
    const { server } = await placed()
    server.self = { ...server.self, nodeName: 'b' }
    expect(await nodesOf(server, '/v1/catalog/nodes?near=_agent')).toEqual(['b', 'c', 'a', 'd'])
  })
})
