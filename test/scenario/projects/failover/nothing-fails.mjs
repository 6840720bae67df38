// Wrong: nothing fails while the client works.
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { describeCluster } from 'svc/sim'
import { Settings } from './client.mjs'

describeCluster(
  { describe, it },
  'settings',
  { servers: 3, clients: 2, seeds: 1 },
  {
    'are read as they were written': async (c) => {
      const settings = new Settings({ fetch: c.fetch, wait: (ms) => c.advance(ms), agents: ['c1', 'c2'] })
      await settings.put('color', 'blue')
      c.crash(c.leader)
      await c.advance('30s')
      assert.equal(await settings.get('color'), 'blue')
    },
  },
)
