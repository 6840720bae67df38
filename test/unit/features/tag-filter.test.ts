import { describe, expect, it } from 'vitest'
import { serviceNodesEndpoint } from '../../../src/features/catalog/endpoint.ts'
import { oneTagSent, type TagFilter, tagsSent } from '../../../src/features/discovery/tag-filter.ts'
import { serviceHealthEndpoint } from '../../../src/features/health/endpoint.ts'
import { parseRelease, type Release } from '../../../src/model/release.ts'
import { LoneServer } from './lone-server.ts'

function release(text: string): Release {
  const parsed = parseRelease(text)
  if (parsed === undefined) throw new Error(`${text} is no release`)
  return parsed
}

/** Instances w1 with tag t1, w2 with t2, w12 with both. */
async function serverWithTags(): Promise<LoneServer> {
  const server = new LoneServer()
  for (const [id, tags] of [
    ['w1', ['t1']],
    ['w2', ['t2']],
    ['w12', ['t1', 't2']],
  ] as const) {
    const body = { Node: 'n', Address: '10.0.0.1', Service: { ID: id, Service: 'web', Tags: tags } }
    await server.request('PUT', '/v1/catalog/register', JSON.stringify(body))
  }
  return server
}

function foundBy(server: LoneServer, filter: TagFilter, asked: Release): { catalog: string; health: string } {
  const args = { service: 'web', ...filter, connect: false }
  const ids = (found: readonly { readonly service: { readonly id: string } }[]): string =>
    found.map(({ service }) => service.id).join(' ')
  return {
    catalog: ids(serviceNodesEndpoint.query(server.read(), args, asked).value),
    health: ids(serviceHealthEndpoint.query(server.read(), args, asked).value),
  }
}

const all = 'w1 w12 w2'
const t1 = 'w1 w12'

describe('tags that instances must have', () => {
  it.each([
    // asking, asked, one tag: catalog and health; both tags; a tag that no service has
    ['1.2.3', '1.2.3', [t1, t1], [t1, t1], ['', '']],
    ['1.2.3', '1.3.0', [all, t1], [all, t1], [all, '']],
    ['1.2.3', '1.3.1', [t1, t1], [t1, t1], ['', '']],
    ['1.2.3', '1.4.0', [t1, t1], [t1, t1], ['', '']],
    ['1.3.0', '1.3.0', [t1, t1], ['w12', 'w12'], ['', '']],
    ['1.4.0', '1.4.0', [t1, t1], ['w12', 'w12'], ['', '']],
    ['1.3.0', '1.2.3', ['', ''], ['', ''], ['', '']],
    ['1.4.0', '1.2.3', ['', ''], ['', ''], ['', '']],
  ])('an agent of %s, servers of %s: one tag gives %j, two give %j, and one that nobody has %j', async (...row) => {
    const [asking, asked, one, two, nobodys] = row
    const server = await serverWithTags()
    const found = [['t1'], ['t1', 't2'], ['t3']].map((tags) => {
      const { catalog, health } = foundBy(server, tagsSent(tags, release(asking)), release(asked))
      return [catalog, health]
    })
    expect(found).toEqual([one, two, nobodys])
    const none = foundBy(server, tagsSent([], release(asking)), release(asked))
    expect(none).toEqual({ catalog: all, health: all })
  })

  it.each(['1.2.3', '1.3.0', '1.3.1', '1.4.0'])(
    'one tag of DNS is read by health of %s as by any other',
    async (asked) => {
      expect(foundBy(await serverWithTags(), oneTagSent('t1'), release(asked)).health).toBe(t1)
    },
  )
})
