import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { describeCluster } from 'svc/sim'
import { Settings } from './client.mjs'

const newSettings = (c) => new Settings({ fetch: c.fetch, wait: (ms) => c.advance(ms), agents: ['c1', 'c2'] })

describeCluster(
  { describe, it },
  'settings',
  { servers: 3, clients: 2, seeds: 1 },
  {
    'are read as they were written': async (c) => {
      const settings = newSettings(c)
      await settings.put('color', 'blue')
      assert.equal(await settings.get('color'), 'blue')
    },
  },
)
