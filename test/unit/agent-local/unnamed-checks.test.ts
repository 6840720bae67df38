import { describe, expect, it } from 'vitest'
import { createLocalServices } from '../../../src/agent/local/local-services.ts'
import type { ServiceDefinition } from '../../../src/model/catalog.ts'
import { value } from '../sim-world/in-simulation.ts'
import { checkOf, configOf, nodeId, offer, ttl, withLocalServices } from './local-world.ts'

const dataDir = '/data'

function web(...checkIds: readonly string[]): ServiceDefinition {
  return offer(
    'web',
    {},
    checkIds.map((id) => checkOf(id, ttl(60_000), { serviceId: 'web' })),
  )
}

describe('a service that is registered again', () => {
  it('keeps checks that are not named, unless it is said that these are to go: from memory, catalog and disk', async () => {
    const config = configOf({ dataDir })
    await withLocalServices(config, async ({ local, env, catalog }) => {
      const ids = () => local.checks().map(({ checkId }) => checkId)
      await value(local.registerService(web('one', 'two')))
      await value(local.registerCheck(checkOf('later', ttl(60_000), { serviceId: 'web' })))
      await value(local.registerCheck(checkOf('of-node', ttl(60_000))))
      await value(local.registerService(offer('other', {}, [checkOf('o', ttl(60_000), { serviceId: 'other' })])))
      await value(local.reportTtl('one', 'passing', 'well'))
      await value(local.registerService(web('one')))
      expect(ids()).toEqual(['later', 'o', 'of-node', 'one', 'two'])
      await value(local.registerService(web('ONE', 'three'), 'drop-others'))
      const left = ids()
      expect(left.map((id) => id.toLowerCase()).sort()).toEqual(['o', 'of-node', 'one', 'three'])
      expect([...catalog.checks.keys()].filter((id) => ['two', 'later'].includes(id))).toEqual([])
      expect(local.checks().find(({ checkId }) => checkId.toLowerCase() === 'one')?.status).toBe('passing')
      await local.stop()
      const again = createLocalServices(env, { config, nodeId, catalog, nodeCount: () => 1 })
      await value(again.start())
      expect(again.checks().map(({ checkId }) => checkId)).toEqual(left)
      await again.stop()
    })
  })

  it('keeps checks of files and its maintenance in any case', async () => {
    const ofFile = checkOf('of-file', ttl(60_000), { serviceId: 'web' })
    await withLocalServices(configOf({ checks: [ofFile], services: [offer('web')] }), async ({ local }) => {
      const maintenance = '_service_maintenance:web'
      await value(local.registerCheck(checkOf(maintenance, ttl(60_000), { serviceId: 'web' })))
      await value(local.registerCheck(checkOf('by-api', ttl(60_000), { serviceId: 'web' })))
      await value(local.registerService(offer('web'), 'drop-others'))
      expect(local.checks().map(({ checkId }) => checkId)).toEqual([maintenance, 'of-file'])
    })
  })
})
