import { describe, expect, it } from 'vitest'
import { serviceChecksEndpoint, serviceHealthEndpoint } from '../../../src/features/health/endpoint.ts'
import type { Release } from '../../../src/model/release.ts'
import { LoneServer } from './lone-server.ts'
import { Rights } from './rights-of.ts'

const register = (server: LoneServer, name: string) =>
  server.request(
    'PUT',
    '/v1/catalog/register',
    JSON.stringify({ Node: 'a', Address: '10.0.0.1', SkipNodeUpdate: true, Service: { Service: name } }),
  )

describe('the index of the health and of the checks of one service', () => {
  it.each<[Release, boolean]>([
    [{ major: 1, minor: 0, patch: 6 }, true],
    [{ major: 1, minor: 0, patch: 7 }, false],
  ])('as %j, moves with another service: %s', async (release, moves) => {
    const server = new LoneServer()
    await register(server, 'web')
    const args = { service: 'web', connect: false }
    const indexes = () => [
      serviceHealthEndpoint.query(server.read(), args, release).index,
      serviceChecksEndpoint.query(server.read(), args, release).index,
    ]
    const before = indexes()
    await register(server, 'api')
    const after = indexes()
    expect(after.map((index, at) => index > (before[at] ?? 0))).toEqual([moves, moves])
  })
})

describe('instances that are asked for by ?passing', () => {
  it.each<[Release, readonly string[]]>([
    [{ major: 0, minor: 8, patch: 4 }, ['', 'a', '', '', '']],
    [{ major: 0, minor: 8, patch: 5 }, ['', 'a', 'a', '', 'bad-request']],
  ])('as %j, are those that pass, whatever its value before 0.8.5', async (release, seen) => {
    const server = new LoneServer()
    Object.assign(server.agent, { release })
    await register(server, 'web')
    const check = { Node: 'a', SkipNodeUpdate: true, Check: { Name: 'c', Status: 'critical' } }
    await server.request('PUT', '/v1/catalog/register', JSON.stringify({ ...check, Address: '10.0.0.1' }))
    const found: string[] = []
    for (const query of ['?passing', '', '?passing=0', '?passing=1', '?passing=yes']) {
      const response = await server.request('GET', `/v1/health/service/web${query}`)
      if (response.kind === 'failure') found.push(response.failure.kind)
      else found.push(JSON.stringify(response).includes('"Node":"a"') ? 'a' : '')
    }
    expect(found).toEqual(seen)
  })
})

describe('the instances of a service', () => {
  it('are found by its name in any case by a token that may read it as it is registered', async () => {
    const server = new LoneServer()
    await register(server, 'web')
    server.authorizer = new Rights(['node:a:read', 'service:web:read'])
    for (const name of ['web', 'WEB']) {
      const response = await server.request('GET', `/v1/health/service/${name}`)
      expect(JSON.stringify(response), name).toContain('"Node":"a"')
    }
  })
})
