import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { describeCluster } from 'svc/sim'

/** What is tried here: a lock that gives its holder a number, so that storage can refuse a holder whose time is over. */
class Locker {
  constructor(fetch, key) {
    this.fetch = fetch
    this.key = key
  }

  /** The holder's number; undefined: another one holds the lock. */
  async take() {
    const body = JSON.stringify({ TTL: '10s', LockDelay: '1s' })
    const { ID } = await (await this.fetch('/v1/session/create', { method: 'PUT', body })).json()
    const taken = await this.fetch(`/v1/kv/${this.key}?acquire=${ID}`, { method: 'PUT', body: 'mine' })
    if ((await taken.json()) !== true) return undefined
    const [entry] = await (await this.fetch(`/v1/kv/${this.key}?consistent`)).json()
    return entry.Session === ID ? entry.LockIndex : undefined
  }
}

/** Storage that takes no write of an older holder than the one that it has seen. */
class FencedStorage {
  newest = 0

  write(fence) {
    if (fence < this.newest) return 'refused'
    this.newest = fence
    return 'written'
  }
}

describeCluster(
  { describe, it },
  'a locker',
  { servers: 3, clients: 2, seeds: 2 },
  {
    'does not let a holder write that was cut off while another one took over': async (c) => {
      const at = (node) => (path, init) => c.fetch(node, path, init)
      const storage = new FencedStorage()
      const first = await new Locker(at('c1'), 'door').take()
      assert.equal(storage.write(first), 'written')

      c.partition(
        ['c1'],
        c.nodes.filter((node) => node !== 'c1'),
      )
      const other = new Locker(at('c2'), 'door')
      let second
      for (let tries = 0; second === undefined && tries < 60; tries++) {
        await c.advance('1s')
        second = await other.take()
      }
      assert.ok(second > first, `the second holder's number ${second} is greater than ${first}`)
      assert.equal(storage.write(second), 'written')

      // The first holder wakes up, and does not know yet.
      c.heal()
      assert.equal(storage.write(first), 'refused')
    },

    'gives the lock to one of two that ask at the same moment, while the leader dies': async (c) => {
      const lockers = ['c1', 'c2'].map((node) => new Locker((path, init) => c.fetch(node, path, init), 'door'))
      c.crash(c.leader)
      const numbers = await Promise.all(lockers.map((locker) => locker.take().catch(() => undefined)))
      assert.ok(numbers.filter((number) => number !== undefined).length <= 1)
    },
  },
)
