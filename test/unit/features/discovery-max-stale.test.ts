import { describe, expect, it } from 'vitest'
import { LoneServer } from './lone-server.ts'

class Bounded extends LoneServer {
  override readonly discoveryMaxStaleMs: number = 15_000
}

const discovery = ['/v1/catalog/nodes', '/v1/catalog/service/web', '/v1/health/service/web', '/v1/health/state/any']

async function asked(server: LoneServer, path: string): Promise<readonly [consistency: unknown, maxStaleMs: unknown]> {
  server.reads.length = 0
  await server.request('GET', path)
  return [server.reads[0]?.consistency, server.reads[0]?.maxStaleMs]
}

describe('discovery_max_stale', () => {
  it.each(discovery)('makes %s stale and no older, where the caller says nothing of it', async (path) => {
    expect(await asked(new Bounded(), path)).toEqual(['stale', 15_000])
    expect(await asked(new LoneServer(), path)).toEqual(['default', 0])
  })

  it.each([
    ['stale', 'stale', 0],
    ['consistent', 'consistent', 0],
    ['leader', 'default', 0],
    ['cached', 'stale', 0],
    ['max_stale=3s', 'stale', 3_000],
    ['max_stale=0s', 'default', 0],
    ['max_stale=', 'stale', 15_000],
  ])('leaves ?%s as it is', async (query, consistency, maxStaleMs) => {
    expect(await asked(new Bounded(), `/v1/health/service/web?${query}`)).toEqual([consistency, maxStaleMs])
  })

  it('is said of in the answer, and is of no meaning to keys', async () => {
    const response = await new Bounded().request('GET', '/v1/catalog/services')
    expect(response).toMatchObject({ consistency: 'stale' })
    expect(await asked(new Bounded(), '/v1/kv/a')).toEqual(['default', 0])
  })
})
