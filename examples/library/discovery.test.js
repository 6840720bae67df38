import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { describeCluster } from 'svc/sim'

/** What is tried here: a client that finds instances of a service, and keeps what it knew while nobody can tell. */
class Discovery {
  known = []

  constructor(fetch) {
    this.fetch = fetch
  }

  async addresses(service) {
    try {
      const answer = await this.fetch(`/v1/health/service/${service}?passing`, { within: '5s' })
      if (!answer.ok) return this.known
      this.known = (await answer.json()).map(({ Node }) => Node.Address)
    } catch (error) {
      if (!(error instanceof TypeError)) throw error
    }
    return this.known
  }
}

const serve = async (c, node) => {
  const body = JSON.stringify({ Name: 'web', Port: 8080 })
  const { status } = await c.fetch(node, '/v1/agent/service/register', { method: 'PUT', body })
  assert.equal(status, 200)
}

describeCluster(
  { describe, it },
  'a client of service discovery',
  { servers: 3, clients: 3 },
  {
    'sees an instance go when its machine dies, over HTTP and DNS': async (c) => {
      for (const node of ['c1', 'c2']) await serve(c, node)
      const discovery = new Discovery((path, init) => c.fetch('c3', path, init))
      await c.advance('5s')
      const both = await discovery.addresses('web')
      assert.equal(both.length, 2)

      c.crash('c1')
      await c.advance('1m')
      const left = await discovery.addresses('web')
      assert.equal(left.length, 1)
      const { answers } = await c.resolve('c3', 'web.service.svc')
      assert.deepEqual(
        answers.map(({ address }) => address),
        left,
      )
    },

    'keeps what it knew while all servers are gone, and learns anew when they are back': async (c) => {
      await serve(c, 'c1')
      const discovery = new Discovery((path, init) => c.fetch('c3', path, init))
      await c.advance('5s')
      const before = await discovery.addresses('web')
      assert.equal(before.length, 1)

      for (const server of ['s1', 's2', 's3']) c.kill(server)
      await c.advance('3m')
      assert.deepEqual(await discovery.addresses('web'), before)

      for (const server of ['s1', 's2', 's3']) c.restart(server)
      await c.until(() => c.leader !== undefined)
      await serve(c, 'c2')
      await c.advance('3m')
      assert.equal((await discovery.addresses('web')).length, 2)
    },
  },
)
