import { describe, expect, it } from 'vitest'
import { AskedTokens } from '../../../../src/agent/access/asked-tokens.ts'
import { Authorizers } from '../../../../src/agent/access/authorizers.ts'
import { type StateStanding, StateTokens } from '../../../../src/agent/access/state-tokens.ts'
import { err, ok } from '../../../../src/base/result.ts'
import type { Env } from '../../../../src/env/env.ts'
import { policyDelete, policySet, tokenCreate, tokenDelete } from '../../../../src/features/acl/commands.ts'
import { legacyDelete, legacySet } from '../../../../src/features/acl/legacy/legacy-commands.ts'
import { managementLink } from '../../../../src/features/acl/model.ts'
import { putBuiltins } from '../../../../src/features/acl/system/mode-commands.ts'
import { HandClock } from '../../features/hand-clock.ts'
import { LoneServer } from '../../features/lone-server.ts'

const policyId = '11111111-1111-1111-1111-111111111111'
const accessor = '22222222-2222-2222-2222-222222222222'

/** A server that keeps tokens; `asked`: what the primary datacenter knows besides, where this is a secondary one. */
class Keeping {
  readonly clock = new HandClock()
  readonly env = {
    ...this.clock.env,
    metrics: { count: () => {}, gauge: () => {}, sample: () => {} },
  } as unknown as Env
  readonly server = new LoneServer(this.env)
  readonly tokens: StateTokens
  readonly asked: string[] = []
  standing: ReturnType<StateStanding['now']> = 'current'
  readonly settled = this.env.deferred<void>()
  #hasPolicy = false

  constructor(isSecondary = false, replicates = true) {
    const { env, server } = this
    const authorizers = new Authorizers({ env, defaultPolicy: 'deny', keyListPolicy: false, enforces: undefined })
    const ask = async (secret: string) => {
      this.asked.push(secret)
      return err({ kind: 'token-not-found' } as const)
    }
    const beyond = isSecondary
      ? new AskedTokens({ env, authorizers, downPolicy: 'deny', ttlMs: 30_000, ask })
      : undefined
    const state = { live: server.state.store.live, watch: server.context.watch }
    const standing = { now: () => this.standing, settled: () => this.settled.promise, ageMs: () => 7 }
    this.tokens = new StateTokens({ env, state, authorizers, datacenter: 'dc1', beyond, replicates, standing })
  }

  async policy(rules: string, datacenters: readonly string[] = []): Promise<void> {
    const policy = { id: policyId, name: 'p', description: '', rules, datacenters }
    const isNew = !this.#hasPolicy
    this.#hasPolicy = true
    await this.server.context.propose(policySet, { policy, isNew })
  }

  async token(secret: string, local = false): Promise<void> {
    const policies = [{ id: policyId, name: '' }]
    await this.server.context.propose(tokenCreate, { accessor, secret, createdMs: 0, description: '', local, policies })
  }

  legacy(id: string, rules: string, type: 'client' | 'management' = 'client') {
    return this.server.context.propose(legacySet, { id, name: '', type, rules, unlessThere: false })
  }

  since(secret: string): number {
    this.tokens.now(secret)
    return this.tokens.since(secret)
  }

  mayRead(secret: string): boolean | string {
    const now = this.tokens.now(secret)
    if (now === undefined) return 'to be asked for'
    return now.ok ? now.value.allows('key', 'k', 'read') : now.error.kind
  }
}

const reads = 'key "k" { policy = "read" }'

describe('tokens in the state of a server', () => {
  it('have the rights of their policies as they are now, at once', async () => {
    const keeping = new Keeping()
    await keeping.policy('')
    await keeping.token('t')
    expect([keeping.mayRead('t'), keeping.mayRead('other')]).toEqual([false, 'token-not-found'])
    await keeping.policy(reads)
    expect(keeping.mayRead('t')).toBe(true)
    await keeping.policy(reads, ['dc2'])
    expect(keeping.mayRead('t')).toBe(false)
    await keeping.policy(reads, ['DC1'])
    expect(keeping.mayRead('t')).toBe(true)
    await keeping.server.context.propose(policyDelete, { id: policyId })
    expect(keeping.mayRead('t')).toBe(false)
    await keeping.server.context.propose(tokenDelete, { accessor })
    expect(keeping.mayRead('t')).toBe('token-not-found')
  })

  it('have had them since the last command that changed them, whatever becomes of other tokens', async () => {
    const keeping = new Keeping()
    await keeping.policy('')
    await keeping.token('t')
    const made = keeping.server.index
    await keeping.legacy('other', '')
    expect(keeping.since('t')).toBe(made)
    await keeping.policy(reads)
    const changed = keeping.server.index
    await keeping.legacy('other', '', 'management')
    await keeping.server.context.propose(legacyDelete, { id: 'other' })
    expect(keeping.since('t')).toBe(changed)
    await keeping.server.context.propose(policyDelete, { id: policyId })
    expect(keeping.since('t')).toBe(keeping.server.index)
  })

  it('have had them since they came, the anonymous one too, which need not be there', async () => {
    const keeping = new Keeping()
    expect(keeping.since('')).toBe(0)
    await keeping.legacy('anonymous', reads)
    expect(keeping.since('')).toBe(keeping.server.index)
  })

  it('of the former kind have those of their own rules, every label a prefix', async () => {
    const keeping = new Keeping()
    await keeping.legacy('t', 'key "" { policy = "read" }')
    await keeping.legacy('m', '', 'management')
    expect([keeping.mayRead('t'), keeping.mayRead('m')]).toEqual([true, true])
    const management = keeping.tokens.now('m')
    expect(management?.ok && management.value.unrestricted).toBe(true)
    await keeping.legacy('t', 'key "" { policy = "deny" }')
    expect(keeping.mayRead('t')).toBe(false)
    await keeping.server.context.propose(legacyDelete, { id: 't' })
    expect(keeping.mayRead('t')).toBe('token-not-found')
  })

  it('keep their authorizer when others change', async () => {
    const keeping = new Keeping()
    await keeping.legacy('t', '')
    const before = keeping.tokens.now('t')
    await keeping.legacy('other', '')
    const after = keeping.tokens.now('t')
    expect(before?.ok && after?.ok && before.value === after.value).toBe(true)
  })

  it('give no rights at all where their rules cannot be read', async () => {
    const keeping = new Keeping()
    await keeping.legacy('t', 'key "" { policy =')
    expect(keeping.mayRead('t')).toBe(false)
    expect(keeping.clock.logged).toEqual(['rules cannot be read: tokens with them have no rights'])
  })

  it('stand in for the anonymous one where there is none, and are that one where there is', async () => {
    const keeping = new Keeping()
    expect(keeping.mayRead('')).toBe(false)
    await keeping.server.context.propose(putBuiltins, { createdMs: 0, master: null })
    expect(keeping.mayRead('')).toBe(false)
    const anonymous = keeping.tokens.now('')
    expect(anonymous?.ok && anonymous.value.accessor).toBe('00000000-0000-0000-0000-000000000002')
    const other = new Keeping()
    await other.legacy('anonymous', 'key "" { policy = "read" }')
    expect(other.mayRead('')).toBe(true)
  })

  it('do everything by the policy that gives all rights', async () => {
    const keeping = new Keeping()
    await keeping.server.context.propose(putBuiltins, { createdMs: 0, master: null })
    const policies = [managementLink]
    const token = { accessor, secret: 't', createdMs: 0, description: '', local: false, policies }
    await keeping.server.context.propose(tokenCreate, token)
    const now = keeping.tokens.now('t')
    expect(now?.ok && [now.value.unrestricted, now.value.accessor]).toEqual([true, accessor])
  })
})

describe('a server that has started', () => {
  it('judges no token by a state that is being completed: the caller waits for that', async () => {
    const keeping = new Keeping()
    await keeping.legacy('t', 'key "" { policy = "read" }')
    keeping.standing = 'coming'
    expect([keeping.mayRead('t'), keeping.mayRead('new')]).toEqual(['to be asked for', 'to be asked for'])
    const [old, made] = [keeping.tokens.resolve('t'), keeping.tokens.resolve('new')]
    const told = keeping.tokens.rightsFor({ secret: 'new', datacenter: 'dc1' })
    await keeping.legacy('new', 'key "" { policy = "read" }')
    await keeping.legacy('t', 'key "" { policy = "deny" }')
    keeping.standing = 'current'
    keeping.settled.resolve()
    const mayRead = [await old, await made].map((found) => found.ok && found.value.allows('key', 'k', 'read'))
    expect([mayRead, (await told).ok]).toEqual([[false, true], true])
  })

  it.each(['coming', 'lost'] as const)(
    'and is %s in the end says that nobody can tell of what it does not know',
    async (standing) => {
      const keeping = new Keeping()
      await keeping.legacy('t', 'key "" { policy = "read" }')
      keeping.standing = standing
      keeping.settled.resolve()
      const nobodyCanTell = { ok: false, error: { kind: 'no-leader' } }
      expect(await keeping.tokens.resolve('new')).toEqual(nobodyCanTell)
      expect(await keeping.tokens.resolve('')).toEqual(nobodyCanTell)
      expect(await keeping.tokens.rightsFor({ secret: 'new', datacenter: 'dc1' })).toEqual(nobodyCanTell)
      const known = await keeping.tokens.resolve('t')
      expect(known.ok && known.value.allows('key', 'k', 'read')).toBe(true)
    },
  )
})

describe('a server that is cut off, with a down policy of deny', () => {
  it('refuses every request, and tells others that it cannot tell', async () => {
    const keeping = new Keeping()
    await keeping.legacy('m', '', 'management')
    keeping.standing = 'cut-off'
    expect([keeping.mayRead('m'), keeping.mayRead('other')]).toEqual([false, false])
    expect(await keeping.tokens.rightsFor({ secret: 'm', datacenter: 'dc1' })).toEqual({
      ok: false,
      error: { kind: 'no-leader' },
    })
    keeping.standing = 'current'
    expect([keeping.mayRead('m'), keeping.mayRead('other')]).toEqual([true, 'token-not-found'])
  })
})

describe('a server that is cut off, or is no longer', () => {
  it('has changed the rights of every token, which callers that wait with one must learn', async () => {
    const keeping = new Keeping()
    await keeping.legacy('t', reads)
    const made = keeping.server.index
    await keeping.server.request('PUT', '/v1/kv/a', 'x')
    expect(keeping.since('t')).toBe(made)
    keeping.standing = 'cut-off'
    const cut = keeping.server.index
    expect([cut > made, keeping.since('t'), keeping.since('other')]).toEqual([true, cut, cut])
    await keeping.server.request('PUT', '/v1/kv/a', 'y')
    expect(keeping.since('t')).toBe(cut)
    keeping.standing = 'current'
    expect([keeping.server.index > cut, keeping.since('t')]).toEqual([true, keeping.server.index])
  })
})

describe('a server of a secondary datacenter', () => {
  it('asks the primary one for what it does not have', async () => {
    const keeping = new Keeping(true)
    await keeping.legacy('here', 'key "" { policy = "read" }')
    expect([keeping.mayRead('here'), keeping.mayRead('there'), keeping.mayRead('')]).toEqual([
      true,
      'to be asked for',
      'to be asked for',
    ])
    await keeping.tokens.resolve('there')
    expect([keeping.asked, keeping.mayRead('there')]).toEqual([['there'], 'token-not-found'])
  })

  it('that replicates no tokens asks for all of them: what its state has left was never revoked there', async () => {
    const keeping = new Keeping(true, false)
    await keeping.legacy('left', 'key "" { policy = "read" }')
    await keeping.legacy('anonymous', 'key "" { policy = "read" }')
    expect([keeping.mayRead('left'), keeping.mayRead('')]).toEqual(['to be asked for', 'to be asked for'])
    const refusals = [
      await keeping.tokens.resolve('left'),
      await keeping.tokens.rightsFor({ secret: 'left', datacenter: 'dc1' }),
    ]
    expect(refusals).toEqual([err({ kind: 'token-not-found' }), err({ kind: 'token-not-found' })])
    expect(keeping.asked).toEqual(['left'])
  })
})

describe('other agents', () => {
  it('are told what a token may do in their datacenter, and how old that is at most', async () => {
    const keeping = new Keeping()
    await keeping.policy(reads, ['dc2'])
    await keeping.token('t')
    const rules = [{ policy: 'p', grammar: 'new', text: reads }]
    const told = (datacenter: string) => keeping.tokens.rightsFor({ secret: 't', datacenter })
    expect(await told('dc2')).toEqual(ok({ rights: { accessor, management: false, rules }, ageMs: 7 }))
    expect(await told('dc1')).toEqual(ok({ rights: { accessor, management: false, rules: [] }, ageMs: 7 }))
    expect(await keeping.tokens.rightsFor({ secret: 'other', datacenter: 'dc2' })).toEqual(
      err({ kind: 'token-not-found' }),
    )
    expect(await keeping.tokens.rightsFor({ secret: 'manage', datacenter: 'dc2' })).toMatchObject({
      error: { message: 'Cannot resolve root ACL' },
    })
  })

  it('learn nothing of a token that is of another datacenter alone', async () => {
    const keeping = new Keeping()
    await keeping.policy(reads)
    await keeping.token('t', true)
    expect((await keeping.tokens.rightsFor({ secret: 't', datacenter: 'dc1' })).ok).toBe(true)
    expect(await keeping.tokens.rightsFor({ secret: 't', datacenter: 'dc2' })).toEqual(err({ kind: 'token-not-found' }))
  })
})

describe('a follower of a token of the state', () => {
  it('is told once, when its own rights change', async () => {
    const keeping = new Keeping()
    await keeping.policy(reads)
    await keeping.token('t')
    const now = keeping.tokens.now('t')
    if (now?.ok !== true) throw new Error('no token')
    let told = 0
    keeping.tokens.onChange('t', now.value, () => told++)
    await keeping.legacy('other', '')
    await keeping.server.request('PUT', '/v1/kv/a', 'x')
    expect(told).toBe(0)
    await keeping.policy('')
    expect(told).toBe(1)
    await keeping.policy(reads)
    expect(told).toBe(1)
  })

  it('is told no more once it has gone, and soon if its rights are others already', async () => {
    const keeping = new Keeping()
    await keeping.legacy('t', '')
    await keeping.legacy('m', '', 'management')
    const [client, management] = [keeping.tokens.now('t'), keeping.tokens.now('m')]
    if (client?.ok !== true || management?.ok !== true) throw new Error('no token')
    const told: string[] = []
    keeping.tokens.onChange('t', client.value, () => told.push('gone')).close()
    keeping.tokens.onChange('t', management.value, () => told.push('other'))
    expect(told).toEqual([])
    await keeping.clock.advance(0)
    await keeping.server.context.propose(legacyDelete, { id: 't' })
    expect(told).toEqual(['other'])
    expect(keeping.clock.timers).toBe(0)
  })
})
