import { describe, expect, it } from 'vitest'
import type { Authorizer } from '../../../src/access/authorizer.ts'
import type { RegistrantRights } from '../../../src/agent/access/running-access.ts'
import { hiddenOutput } from '../../../src/agent/local/alias-checks.ts'
import { err, ok } from '../../../src/base/result.ts'
import type { CheckFacts, CheckProbe } from '../../../src/model/catalog.ts'
import type { Failure } from '../../../src/model/failure.ts'
import { Rights } from '../features/rights-of.ts'
import { checkOf, configOf, type LocalWorld, offer, ttl, withLocalServices } from './local-world.ts'

const alias = (service: string, node = ''): CheckProbe => ({ kind: 'alias', node, service })
const long = ttl(3_600_000)

const readsDb = new Rights(['service:db:read'])
const readsNode = new Rights(['service:db:read', 'node:node-a:read'])
const authorizers: Readonly<Record<string, Authorizer>> = { 'reads-db': readsDb, 'reads-node': readsNode }

/** What tokens may do, known at once or only when it is asked for. */
class Registrants implements RegistrantRights {
  known = true
  asked = 0
  /** No rights can be resolved. */
  failure: Failure | undefined

  now(token: string) {
    return this.known ? this.#of(token) : undefined
  }

  async resolve(token: string) {
    this.asked++
    return this.failure === undefined ? this.#of(token) : err(this.failure)
  }

  #of(token: string) {
    const found = authorizers[token]
    return found === undefined ? err({ kind: 'token-not-found' } as const) : ok(found)
  }
}

function outputs({ local }: LocalWorld): Readonly<Record<string, string>> {
  const aliases = local.checks().filter(({ checkId }) => checkId.startsWith('a-'))
  return Object.fromEntries(aliases.map(({ checkId, status, output }) => [checkId, `${status}: ${output}`]))
}

function withRights(rights: Registrants, use: (world: LocalWorld) => Promise<void>): Promise<void> {
  return withLocalServices(configOf(), use, undefined, undefined, rights)
}

async function begun(world: LocalWorld, probe = alias('db')): Promise<void> {
  const { local } = world
  await local.registerService(offer('mine'))
  await local.registerService(offer('db', {}, [checkOf('c-db', long, { serviceId: 'db' })]))
  for (const token of ['reads-db', 'none']) {
    await local.registerCheck(checkOf(`a-${token}`, probe, { token, serviceId: 'mine' }))
  }
  await world.rest(1)
}

const thereOnB: CheckFacts = {
  ...{ node: 'node-b', checkId: 'c-db', name: 'c-db', status: 'critical', notes: '', output: 'out' },
  ...{ serviceId: 'db-1', serviceName: 'db', serviceTags: [], definition: null },
}

const told = 'critical: Aliased check "c-db" failing: '
const hidden = `critical: ${hiddenOutput}`

describe('what an alias check says', () => {
  it('is the output of what it stands for where its registrant may read that, and the status always', async () => {
    await withRights(new Registrants(), async (world) => {
      await begun(world)
      expect(outputs(world)).toEqual({ 'a-reads-db': told, 'a-none': hidden })
      await world.local.reportTtl('c-db', 'passing', 'fine')
      await world.rest(1)
      const passing = 'passing: All checks passing.'
      expect(outputs(world)).toEqual({ 'a-reads-db': passing, 'a-none': passing })
    })
  })

  it('is nothing of the node to a registrant that may not read it, and rather what may be told', async () => {
    await withRights(new Registrants(), async (world) => {
      const { local } = world
      await local.registerCheck(checkOf('b-disk', long))
      await local.registerService(offer('db'))
      await local.registerService(offer('mine'))
      for (const token of ['reads-db', 'reads-node']) {
        await local.registerCheck(checkOf(`a-${token}`, alias('db'), { token, serviceId: 'mine' }))
      }
      await world.rest(1)
      expect(outputs(world)).toEqual({
        'a-reads-db': hidden,
        'a-reads-node': 'critical: Aliased check "b-disk" failing: ',
      })
      await local.registerCheck(checkOf('c-db', long, { serviceId: 'db' }))
      await world.rest(1)
      expect(outputs(world)['a-reads-db']).toBe(told)
    })
  })

  it('is nothing through an alias of another registrant, whose token may read it', async () => {
    await withRights(new Registrants(), async (world) => {
      await begun(world)
      await world.local.registerService(
        offer('between', {}, [checkOf('b-between', alias('db'), { serviceId: 'between', token: 'reads-db' })]),
      )
      await world.local.registerCheck(checkOf('a-through', alias('between'), { token: 'none', serviceId: 'mine' }))
      await world.rest(1)
      expect(outputs(world)['a-through']).toBe(hidden)
    })
  })

  it('does not wait for the rights of its registrant: it is told once they are known, and asked for once', async () => {
    const rights = new Registrants()
    rights.known = false
    await withRights(rights, async (world) => {
      await begun(world)
      await world.rest(10)
      expect(outputs(world)).toEqual({ 'a-reads-db': told, 'a-none': hidden })
      const { asked } = rights
      await world.rest(60_000)
      expect([asked, rights.asked]).toEqual([3, 3])
    })
  })

  it.each(['', 'node-b'])('is told at last where the rights could not be resolved at first: on %j', async (node) => {
    const rights = new Registrants()
    rights.known = false
    rights.failure = { kind: 'no-leader' }
    await withRights(rights, async (world) => {
      const output = node === '' ? '' : 'out'
      world.catalog.see([{ ...thereOnB, output }], 5)
      await begun(world, alias(node === '' ? 'db' : 'db-1', node))
      await world.rest(40_000)
      expect(outputs(world)).toEqual({ 'a-reads-db': hidden, 'a-none': hidden })
      rights.failure = undefined
      await world.rest(20_000)
      expect(outputs(world)).toEqual({ 'a-reads-db': `${told}${output}`, 'a-none': hidden })
      const { asked } = rights
      await world.rest(60_000)
      // One for the agent's own token, for the comparison with the catalog.
      expect(rights.asked).toBeLessThanOrEqual(asked + 1)
    })
  })

  it('is nothing new when the rights become known while the other node cannot be read', async () => {
    const rights = new Registrants()
    rights.known = false
    rights.failure = { kind: 'no-leader' }
    await withRights(rights, async (world) => {
      const { catalog, local } = world
      catalog.see([{ ...thereOnB, status: 'passing' }], 5)
      await local.registerCheck(checkOf('a-reads-db', alias('db-1', 'node-b'), { token: 'reads-db' }))
      await world.rest(3_000)
      expect(outputs(world)['a-reads-db']).toBe('passing: All checks passing.')
      catalog.failure = { kind: 'no-leader' }
      catalog.see([])
      const said = new Set<string | undefined>()
      await world.rest(5_000)
      rights.failure = undefined
      for (let second = 0; second < 60; second++) {
        said.add(outputs(world)['a-reads-db'])
        await world.rest(1_000)
      }
      expect([...said]).toEqual(['critical: Failure checking aliased node or service: No cluster leader'])
    })
  })

  it('is of another node what its registrant may read there', async () => {
    await withRights(new Registrants(), async (world) => {
      world.catalog.see([thereOnB], 5)
      await begun(world, alias('db-1', 'node-b'))
      expect(outputs(world)).toEqual({ 'a-reads-db': `${told}out`, 'a-none': hidden })
    })
  })

  it('is everything where access control is off', async () => {
    await withLocalServices(configOf(), async (world) => {
      await begun(world)
      expect(outputs(world)).toEqual({ 'a-reads-db': told, 'a-none': told })
    })
  })
})
