import { describe, expect, it } from 'vitest'
import { Keeping } from '../../../src/agent/local/keeping.ts'
import { err, ok } from '../../../src/base/result.ts'
import { parseCheckDefinition, parseServiceDefinition } from '../../../src/features/agent/definitions.ts'
import { Rights } from '../features/rights-of.ts'
import { checkOf, configOf, type LocalWorld, offer, ttl, withLocalServices } from './local-world.ts'

const web = (token?: string) => {
  const check = checkOf('service:web', ttl(10_000), { serviceId: 'web', ...(token === undefined ? {} : { token }) })
  const { service, checks } = offer('web', {}, [check])
  return { service: token === undefined ? service : { ...service, token }, checks }
}

describe('the token with which the catalog is told', () => {
  it('is that of a service for it and its checks, and that of the agent for the node', async () => {
    await withLocalServices(configOf(), async ({ local, catalog, tokens }) => {
      Object.assign(tokens, { agent: 'of-agent', default: 'stand-in' })
      catalog.nodeApart = true
      catalog.nodeToken = 'of-agent'
      await local.registerService(web('of-web'))
      await local.registerCheck(checkOf('disk', ttl(10_000)))
      await local.registerService(offer('db'))
      expect([...catalog.tokens]).toEqual([
        ['+node', 'of-agent'],
        ['+service web', 'of-web'],
        ['+check service:web', 'of-web'],
        ['+check disk', 'stand-in'],
        ['+service db', 'stand-in'],
      ])
    })
  })

  it('is that with which they came also when they go, and the agent takes out what it never had', async () => {
    await withLocalServices(configOf(), async ({ local, catalog, tokens, rest }) => {
      Object.assign(tokens, { agent: 'of-agent', default: 'stand-in' })
      catalog.nodeApart = true
      await local.registerService(web('of-web'))
      await local.registerService(offer('db'))
      const { service } = offer('strange')
      catalog.services.set('strange', service)
      await local.deregisterService('web')
      await local.deregisterService('db')
      local.trigger()
      await rest(5_000)
      const gone = [...catalog.tokens].filter(([what]) => what.startsWith('-service'))
      expect(gone).toEqual([
        ['-service web', 'of-web'],
        ['-service db', 'of-agent'],
        ['-service strange', 'of-agent'],
      ])
    })
  })

  it('may be one that reads what the agent may not: what was told and cannot be seen is told again at every tenth comparison', async () => {
    const mayRead = new Rights(['node:node-a:read', 'service:db:read'])
    const rights = { now: () => ok(mayRead), resolve: async () => ok(mayRead) }
    const use = async ({ local, catalog, rest }: LocalWorld): Promise<void> => {
      await local.registerService(web('of-web'))
      await local.registerService(offer('db'))
      catalog.hidden.add('web')
      const compared = async (times: number): Promise<readonly string[]> => {
        catalog.takeAsked()
        for (let time = 0; time < times; time++) {
          local.trigger()
          await rest(5_000)
        }
        return catalog.takeAsked().filter((what) => what !== 'dump')
      }
      expect(await compared(8)).toEqual([])
      // What may be read is seen to be missing at once.
      catalog.services.delete('db')
      expect(await compared(1)).toEqual(['+service db'])
      expect(await compared(1)).toEqual(['+service web', '+check service:web'])
      expect(await compared(9)).toEqual([])
      // A change is told as ever.
      await local.registerService({ ...web('of-web'), service: { ...web('of-web').service, port: 81 } })
      expect(catalog.takeAsked()).toContain('+service web')
    }
    await withLocalServices(configOf(), use, undefined, undefined, rights)
  })

  it('may be one that reads what the agent may not: what goes while there is no leader is taken out, though not seen', async () => {
    const mayRead = new Rights(['node:node-a:read'])
    const rights = { now: () => ok(mayRead), resolve: async () => ok(mayRead) }
    const use = async ({ local, catalog, rest }: LocalWorld): Promise<void> => {
      catalog.hidden.add('web')
      await local.registerService(web('of-web'))
      await local.registerCheck(checkOf('c', ttl(10_000), { serviceId: 'web', token: 'of-web' }))
      for (const [go, left] of [
        [() => local.deregisterCheck('c'), ['service:web']],
        [() => local.deregisterService('web'), []],
      ] as const) {
        catalog.failure = { kind: 'no-leader' }
        await go()
        catalog.failure = undefined
        local.trigger()
        await rest(30_000)
        expect([...catalog.checks.keys()]).toEqual(left)
      }
      expect([...catalog.services.keys()]).toEqual([])
      catalog.takeAsked()
      await rest(600_000)
      expect(new Set(catalog.takeAsked())).toEqual(new Set(['dump']))
    }
    await withLocalServices(configOf(), use, undefined, undefined, rights)
  })

  it('is that of the agent where the own token of what goes is refused', async () => {
    await withLocalServices(configOf(), async ({ local, catalog, tokens, lines }) => {
      tokens.agent = 'of-agent'
      await local.registerService(web('of-web'))
      const deregister = catalog.deregister
      catalog.deregister = async (request, token) => {
        return token === 'of-agent' ? deregister(request, token) : err({ kind: 'token-not-found' })
      }
      await local.deregisterService('web')
      expect([catalog.services.size, catalog.checks.size]).toEqual([0, 0])
      expect(lines.filter((line) => line.startsWith('warn'))).toEqual([])
    })
  })

  it('keeps what goes by different tokens apart, and what goes by one together', async () => {
    await withLocalServices(configOf(), async ({ local, catalog, tokens, rest }) => {
      tokens.default = 'stand-in'
      catalog.failure = { kind: 'no-leader' }
      const named = (id: string, token: string) => ({ ...offer(id), service: { ...offer(id).service, token } })
      for (const each of [named('a', 'one'), named('b', 'one'), named('c', 'two'), named('d', 'two')]) {
        await local.registerService(each)
      }
      catalog.failure = undefined
      local.trigger()
      await rest(5_000)
      expect(catalog.together).toEqual([2, 2])
      expect(['a', 'b', 'c', 'd'].map((id) => catalog.tokens.get(`+service ${id}`))).toEqual([
        'one',
        'one',
        'two',
        'two',
      ])
    })
  })

  it('is kept with what came over the API, and never shown', async () => {
    await withLocalServices(configOf({ dataDir: '/data' }), async ({ local, catalog, env, lines }) => {
      await local.registerService(web('of-web'))
      expect(JSON.stringify([local.services(), local.checks(), [...catalog.services], lines])).not.toContain('of-web')
      const kept = await new Keeping(env, '/data').load()
      if (!kept.ok) throw new Error(kept.error.kind)
      const { services, checks } = kept.value
      expect([...services, ...checks].map(({ token }) => token)).toEqual(['of-web', 'of-web'])
    })
  })

  it('one that is refused costs that service alone, and is tried again', async () => {
    await withLocalServices(configOf(), async ({ local, catalog, tokens, lines, rest }) => {
      tokens.agent = 'of-agent'
      catalog.nodeApart = true
      catalog.nodeToken = 'another'
      await local.registerService(web('of-web'))
      expect(catalog.services.size).toBe(0)
      expect(lines).toContain('warn Failed to sync service "web": Permission denied {}')
      catalog.nodeToken = 'of-agent'
      local.trigger()
      await rest(5_000)
      expect([...catalog.services.keys()]).toEqual(['web'])
    })
  })
})

describe('a definition that names a token', () => {
  it('has it from a file, and over the API the token of the request instead', () => {
    const service = (dialect: 'http' | 'file', members: object) => {
      const parsed = parseServiceDefinition(members, dialect)
      return parsed.ok ? [parsed.value.service.token, ...parsed.value.checks.map(({ token }) => token)] : parsed.error
    }
    expect(service('file', { name: 'web', token: 't', checks: [{ ttl: '10s' }] })).toEqual(['t', 't'])
    expect(service('http', { Name: 'web', Token: 't', Checks: [{ TTL: '10s' }] })).toEqual([undefined, undefined])
    const check = parseCheckDefinition({ name: 'disk', ttl: '10s', token: 't' }, 'file')
    expect(check.ok && check.value.token).toBe('t')
  })
})
