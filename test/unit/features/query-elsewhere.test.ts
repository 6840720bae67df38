import { describe, expect, it } from 'vitest'
import { ok } from '../../../src/base/result.ts'
import { executeElsewhereEndpoint } from '../../../src/features/query/elsewhere-endpoint.ts'
import { noChange } from '../../../src/model/log-position.ts'
import { QueryWorld } from './query-world.ts'
import { Rights } from './rights-of.ts'

const changed = { kind: 'refused', message: 'the query has changed meanwhile' }

/**
 * Two datacenters: a query in the first finds nothing there, and fails over to the second. Tokens are good for what a
 * test says.
 */
class TwoDatacenters {
  readonly here = new QueryWorld()
  readonly there = new QueryWorld()
  readonly tokens: string[] = []

  constructor() {
    const coordinate = { vec: [0, 0, 0, 0, 0, 0, 0, 0], error: 0.5, adjustment: 0, height: 0.01 }
    this.here.server.wanView = { own: coordinate, servers: [{ name: 's2', datacenter: 'dc2', coordinate }] }
    this.here.server.peers.set('dc2', this.there.server)
    this.there.server.resolve = (token) => {
      this.tokens.push(token)
      return ok(new Rights(token === 'of-query' ? ['node:n2:read', 'service:web:read'] : []))
    }
  }

  async begin(Token: string): Promise<string> {
    await this.there.place({ node: 'n2' })
    return this.here.create({ Name: 'q', Token, Service: { Service: 'web', Failover: { Datacenters: ['dc2'] } } })
  }

  ask(datacenter: string, idOrName = 'q') {
    const args = { idOrName, segment: '', connect: false, datacenter, stale: false }
    return this.here.server.agent.ask(
      executeElsewhereEndpoint,
      args,
      { consistency: 'default', minIndex: noChange, waitMs: 0, maxStaleMs: 0, datacenter: '' },
      {},
    )
  }
}

describe('a prepared query that fails over', () => {
  it('with a token of its own finds what that may read, whichever caller executes it', async () => {
    const world = new TwoDatacenters()
    await world.begin('of-query')
    world.here.server.call = { token: 'of-caller' }
    expect(await world.here.nodes('q')).toEqual(['n2'])
    expect(world.tokens).toEqual(['of-query'])
    expect(await world.here.json('/v1/query/q/execute')).toMatchObject({ Datacenter: 'dc2', Failovers: 1 })
    expect(JSON.stringify(await world.here.json('/v1/query/q/execute'))).not.toContain('of-query')
  })

  it('without one finds what its caller may read', async () => {
    const world = new TwoDatacenters()
    await world.begin('')
    world.here.server.call = { token: 'of-caller' }
    expect(await world.here.nodes('q')).toEqual([])
    expect(world.tokens).toEqual(['of-caller'])
  })

  it('is asked for by its servers nowhere but where it fails over to, and only if it has a token', async () => {
    const world = new TwoDatacenters()
    expect(await world.ask('dc2')).toEqual({ ok: false, error: changed })
    const id = await world.begin('of-query')
    expect(await world.ask('dc2')).toMatchObject({ ok: true, value: { entries: [{ node: { node: 'n2' } }] } })
    for (const datacenter of ['dc1', 'dc3', ''])
      expect(await world.ask(datacenter)).toEqual({ ok: false, error: changed })
    const nowhere = { Name: 'q', Token: 'of-query', Service: { Service: 'web' } }
    await world.here.server.request('PUT', `/v1/query/${id}`, JSON.stringify(nowhere))
    expect(await world.ask('dc2')).toEqual({ ok: false, error: changed })
    const tokenless = { Name: 'q', Token: '', Service: { Service: 'web', Failover: { Datacenters: ['dc2'] } } }
    await world.here.server.request('PUT', `/v1/query/${id}`, JSON.stringify(tokenless))
    expect(await world.ask('dc2')).toEqual({ ok: false, error: changed })
  })

  it('leaves it to the caller’s token where its servers are of an earlier release', async () => {
    const world = new TwoDatacenters()
    await world.begin('of-query')
    const asked: string[] = []
    await world.here.execute('q', {
      query: async (endpoint, args, datacenter) => {
        if (datacenter === 'dc1') return world.here.plainly(endpoint, args)
        asked.push(endpoint.method)
        return world.there.plainly(endpoint, args)
      },
      otherDatacenters: async () => ok(['dc2']),
    })
    expect(asked).toEqual(['PreparedQuery.ExecuteRemote'])
  })
})
