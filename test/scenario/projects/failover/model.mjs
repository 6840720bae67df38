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
    'are written and read after the leader has crashed': async (c) => {
      const settings = newSettings(c)
      await settings.put('color', 'blue')
      c.crash(c.leader)
      await settings.put('color', 'green')
      assert.equal(await settings.get('color'), 'green')
    },

    'are read through another agent': async (c) => {
      const settings = newSettings(c)
      await settings.put('color', 'blue')
      c.crash('c1')
      assert.equal(await settings.get('color'), 'blue')
    },

    'are written after an outage of half a minute, and not before': async (c) => {
      const settings = newSettings(c)
      await settings.put('color', 'blue')
      const servers = c.nodes.filter((node) => node.startsWith('s'))
      for (const server of servers) c.crash(server)
      let isWritten = false
      const writing = settings.put('color', 'green').then(() => {
        isWritten = true
      })
      await c.advance('30s')
      assert.equal(isWritten, false)
      for (const server of servers) c.restart(server)
      await writing
      assert.equal(await settings.get('color'), 'green')
    },

    'are followed from one agent to another without missing a change': async (c) => {
      const settings = newSettings(c)
      await settings.put('color', 'blue')
      const { index } = await settings.current('color')
      let seen
      const following = settings.next('color', index).then((read) => {
        seen = read.value
      })
      await c.advance('1s')
      c.crash('c1')
      await c.fetch('c2', '/v1/kv/settings/color', { method: 'PUT', body: 'green' })
      await c.until(() => seen !== undefined, '60s')
      await following
      assert.equal(seen, 'green')
    },
  },
)
