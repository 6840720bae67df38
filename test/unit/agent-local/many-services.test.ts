import { describe, expect, it, vi } from 'vitest'
import { Entries } from '../../../src/agent/local/entries.ts'
import { ok } from '../../../src/base/result.ts'
import { mayChangeCheck, mayChangeService, mayCheck, mayOffer } from '../../../src/features/agent/rights.ts'
import type { RouteContext } from '../../../src/features/contract/route-context.ts'
import { Rights } from '../features/rights-of.ts'
import { checkOf, configOf, offer, ttl, withLocalServices } from './local-world.ts'

const alive = (id: string) => checkOf(`alive-${id}`, ttl(60_000), { serviceId: id })

describe('the rights to one thing of an agent with many', () => {
  it('are judged without a visit to the others', async () => {
    const rights = new Rights(['service:web:write', 'node:node-a:write'])
    await withLocalServices(configOf(), async ({ local, env }) => {
      const { service, checks } = offer('web', {}, [alive('web'), checkOf('more', ttl(60_000), { serviceId: 'web' })])
      await local.registerService({ service, checks })
      const self = () => ({ nodeName: 'node-a' })
      const context = { env, local, self, authorizer: async () => ok(rights) } as unknown as RouteContext
      const keys = vi.spyOn(Entries.prototype, 'keys')
      try {
        const request = { call: {} }
        for (const allowed of [
          await mayChangeCheck(context, request, 'ALIVE-web'),
          await mayChangeService(context, request, 'WEB'),
          await mayCheck(context, request, alive('web')),
          await mayOffer(context, request, { service, checks }),
        ]) {
          expect(allowed.ok).toBe(true)
        }
        expect((await mayChangeCheck(context, request, 'other')).ok).toBe(false)
        expect(keys).not.toHaveBeenCalled()
      } finally {
        keys.mockRestore()
      }
    })
  })
})

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
