// Wrong: it demands a write while there is no quorum.
import { describe, it } from 'node:test'
import { describeCluster } from 'svc/sim'
import { Settings } from './client.mjs'

describeCluster(
  { describe, it },
  'settings',
  { servers: 3, clients: 1, seeds: 1 },
  {
    'are written without a quorum': async (c) => {
      const settings = new Settings({ fetch: c.fetch, wait: (ms) => c.advance(ms), agents: ['c1'] })
      for (const server of c.nodes.filter((node) => node !== c.leader && node !== 'c1')) c.crash(server)
      let isWritten = false
      const writing = settings.put('color', 'blue').then(
        () => {
          isWritten = true
        },
        () => undefined,
      )
      await c.until(() => isWritten, '10s')
      await writing
    },
  },
)
