import { describe, expect, it } from 'vitest'
import type { RegistrantRights } from '../../../src/agent/access/running-access.ts'
import { err, ok } from '../../../src/base/result.ts'
import type { Failure } from '../../../src/model/failure.ts'
import { type Grant, Rights } from '../features/rights-of.ts'
import { checkOf, configOf, type LocalWorld, offer, ttl, withLocalServices } from './local-world.ts'

const denied: Failure = { kind: 'permission-denied', message: 'Permission denied' }
const long = ttl(3_600_000)

/** What tokens may do, by their secrets; what is not here is none. */
class Tokens implements RegistrantRights {
  readonly granted = new Map<string, readonly Grant[]>()

  now(secret: string) {
    const grants = this.granted.get(secret)
    if (grants === undefined) return err({ kind: 'token-not-found' } as const)
    return ok(Object.assign(new Rights(grants), { accessor: `accessor-of-${secret}` }))
  }

  async resolve(secret: string) {
    return this.now(secret)
  }
}

function withTokens(tokens: Tokens, use: (world: LocalWorld) => Promise<void>): Promise<void> {
  return withLocalServices(
    configOf(),
    async (world) => {
      Object.assign(world.tokens, { agent: 'secret-of-agent', default: 'secret-of-agent' })
      world.catalog.nodeApart = true
      await use(world)
    },
    undefined,
    undefined,
    tokens,
  )
}

function failed({ lines }: LocalWorld): readonly string[] {
  return lines.filter((line) => line.startsWith('warn Failed')).map((line) => line.slice('warn '.length, -' {}'.length))
}

/** Several comparisons and retries pass by. */
const longWhileMs = 600_000

describe('what servers refuse an agent', () => {
  it('is reported once, with the thing, the accessor of its token and the right that this lacks', async () => {
    const tokens = new Tokens()
    tokens.granted.set('secret-of-agent', ['node:node-a:read'])
    tokens.granted.set('secret-of-web', [])
    await withTokens(tokens, async (world) => {
      const { local, catalog } = world
      catalog.before = async () => {
        catalog.failure = catalog.asked.at(-1) === 'dump' ? undefined : denied
      }
      await local.registerService({
        ...offer('web-1'),
        service: { ...offer('web-1', { service: 'web' }).service, token: 'secret-of-web' },
      })
      await local.registerCheck(checkOf('disk', long))
      await local.registerCheck(checkOf('c', long, { serviceId: 'web-1', token: 'secret-of-web' }))
      await world.rest(longWhileMs)
      expect([...failed(world)].sort()).toEqual([
        'Failed to sync check "c" of service "web-1": token accessor-of-secret-of-web lacks service:write on "web"',
        'Failed to sync check "disk" of node "node-a": token accessor-of-secret-of-agent lacks node:write on "node-a"',
        'Failed to sync node "node-a": token accessor-of-secret-of-agent lacks node:write on "node-a"',
        'Failed to sync service "web-1": token accessor-of-secret-of-web lacks service:write on "web"',
      ])
    })
  })

  it('is reported again when the reason changes, and when the thing was accepted in between', async () => {
    const tokens = new Tokens()
    await withTokens(tokens, async (world) => {
      const { local, catalog } = world
      tokens.granted.set('secret-of-agent', ['node:node-a:write'])
      catalog.before = async () => {
        catalog.failure = catalog.asked.at(-1)?.startsWith('+service') === true ? denied : undefined
      }
      await local.registerService(offer('web'))
      await world.rest(longWhileMs)
      const lacks = 'Failed to sync service "web": token accessor-of-secret-of-agent lacks service:write on "web"'
      expect(failed(world)).toEqual([lacks])
      tokens.granted.delete('secret-of-agent')
      await world.rest(longWhileMs)
      const unknown = 'Failed to sync service "web": its token is unknown to the servers (ACL not found)'
      expect(failed(world)).toEqual([lacks, unknown])
      tokens.granted.set('secret-of-agent', ['node:node-a:write', 'service:web:write'])
      await world.rest(longWhileMs)
      const elsewhere =
        /^Failed to sync service "web": Permission denied, although, as far as this agent knows, token \S+ has the rights for it/
      expect(failed(world)[2]).toMatch(elsewhere)
      catalog.before = async () => undefined
      catalog.failure = undefined
      await world.rest(longWhileMs)
      expect(catalog.services.has('web')).toBe(true)
      catalog.services.clear()
      catalog.before = async () => {
        catalog.failure = catalog.asked.at(-1)?.startsWith('+service') === true ? denied : undefined
      }
      await world.rest(longWhileMs)
      expect(failed(world).slice(3)).toEqual([failed(world)[2]])
    })
  })

  it('is reported where rights cannot be compared, and where nothing may be removed, without a secret', async () => {
    const tokens = new Tokens()
    tokens.granted.set('secret-of-agent', [])
    await withTokens(tokens, async (world) => {
      const { local, catalog } = world
      await local.registerService(offer('web'))
      catalog.failure = denied
      await local.deregisterService('web')
      await world.rest(longWhileMs)
      const lacks = (right: string) => `token accessor-of-secret-of-agent lacks node:${right} on "node-a"`
      expect([...failed(world)].sort()).toEqual([
        `Failed to compare node "node-a" with the catalog: ${lacks('read')}`,
        `Failed to deregister service "web": ${lacks('write')}`,
      ])
    })
  })
})
