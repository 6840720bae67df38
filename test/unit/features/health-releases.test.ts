import { describe, expect, it } from 'vitest'
import { serviceChecksEndpoint, serviceHealthEndpoint } from '../../../src/features/health/endpoint.ts'
import type { Release } from '../../../src/model/release.ts'
import { LoneServer } from './lone-server.ts'

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
