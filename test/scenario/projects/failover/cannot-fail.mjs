// Wrong: every error is caught, so the test passes whatever the client does.
import { describe, it } from 'node:test'
import { describeCluster } from 'svc/sim'
import { Settings } from './client.mjs'

describeCluster(
  { describe, it },
  'settings',
  { servers: 3, clients: 2, seeds: 1 },
  {
    'survive the loss of an agent': async (c) => {
      const settings = new Settings({ fetch: c.fetch, wait: (ms) => c.advance(ms), agents: ['c1', 'c2'] })
      c.crash('c1')
      try {
        await settings.put('color', 'blue')
        await settings.get('color')
      } catch {
        await c.advance('1s')
      }
    },
  },
)
