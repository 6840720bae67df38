import { describe, expect, it, vi } from 'vitest'
import { Entries } from '../../../src/agent/local/entries.ts'
import { checkOf, configOf, offer, ttl, withLocalServices } from './local-world.ts'

const alive = (id: string) => checkOf(`alive-${id}`, ttl(60_000), { serviceId: id })

describe('a registration at an agent with many services', () => {
  it('visits none of the others, and neither does what follows the managed proxies', async () => {
    await withLocalServices(configOf(), async ({ local }) => {
      local.onServicesChange(() => local.managedProxies())
      // The first one brings about a comparison with the catalog, which visits all of them.
      await local.registerService(offer('first'))
      const keys = vi.spyOn(Entries.prototype, 'keys')
      try {
        for (let at = 0; at < 20; at++) {
          const id = `web-${at}`
          expect((await local.registerService(offer(id, { port: 80 }, [alive(id)]))).ok).toBe(true)
        }
        expect(keys).not.toHaveBeenCalled()
        // The one that lists all of them is the spied one.
        expect(local.services()).toHaveLength(21)
        expect(keys).toHaveBeenCalledOnce()
      } finally {
        keys.mockRestore()
      }
    })
  })
})
