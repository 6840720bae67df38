import { describe, expect, it } from 'vitest'
import { policyDelete, policySet, tokenCreate, tokenDelete, tokenUpdate } from '../../../src/features/acl/commands.ts'
import { aclFeature } from '../../../src/features/acl/feature.ts'
import { legacyBootstrap, legacyDelete, legacySet } from '../../../src/features/acl/legacy/legacy-commands.ts'
import {
  anonymousAccessor,
  managementLink,
  managementPolicyId,
  type PolicyRow,
} from '../../../src/features/acl/model.ts'
import { replicateTokens } from '../../../src/features/acl/replication/replication-commands.ts'
import { bootstrap, enterNewMode, migrateTokens, putBuiltins } from '../../../src/features/acl/system/mode-commands.ts'
import * as views from '../../../src/features/acl/views.ts'
import type { CommandDefinition } from '../../../src/features/contract/command.ts'
import { modifyIndexOf } from '../../../src/model/log-position.ts'
import { Store } from '../../../src/store/store.ts'
import type { ReadTransaction } from '../../../src/store/types.ts'

class Tokens {
  readonly store = new Store(aclFeature.tables ?? [])

  /** Applies at the next index: 11, 12, 13 … The body goes through the schema of the command, as in the log. */
  do<Body, Outcome>(command: CommandDefinition<Body, Outcome>, body: Body): Outcome {
    const read = command.body.parse(body)
    return this.store.apply(modifyIndexOf(Math.max(this.store.index, 10) + 1), (tx) => command.apply(tx, read))
  }

  read(): ReadTransaction {
    return this.store.read()
  }

  legacy(id: string, type: 'client' | 'management' = 'client', rules = `key "${id}" { policy = "read" }`) {
    return this.do(legacySet, { id, name: `name of ${id}`, type, rules, unlessThere: false })
  }

  migrate(...secrets: readonly string[]): number {
    const tokens = secrets.map((secret, i) => {
      const at = views.tokenBySecret(this.read(), secret)?.modifyIndex ?? 0
      return { secret, accessor: idOf(this.store.index * 1000 + i), at }
    })
    return this.do(migrateTokens, { tokens })
  }
}

function idOf(n: number): string {
  return `aaaaaaaa-0000-4000-8000-${String(n).padStart(12, '0')}`
}

const policy = { id: idOf(1), name: 'p1', description: '', rules: '', datacenters: [] }
const token = { accessor: idOf(7), secret: idOf(8), description: 'd', local: false, createdMs: 5, policies: [] }

describe('policies', () => {
  it('are found by ID and by name, and a name is taken once, whatever the case of its letters', () => {
    const tokens = new Tokens()
    expect(tokens.do(policySet, { policy, isNew: true })).toEqual({ id: policy.id })
    expect(views.policyByName(tokens.read(), 'P1')).toMatchObject({ ...policy, createIndex: 11, modifyIndex: 11 })
    expect(tokens.do(policySet, { policy: { ...policy, id: idOf(2), name: 'P1' }, isNew: true })).toEqual({
      refusal: 'Invalid Policy: A Policy with Name "P1" already exists',
    })
    tokens.do(policySet, { policy: { ...policy, name: 'p2' }, isNew: false })
    expect(views.policyByName(tokens.read(), 'p1')).toBeUndefined()
    expect(views.policyById(tokens.read(), policy.id)).toMatchObject({ name: 'p2', createIndex: 11, modifyIndex: 13 })
  })

  it('that are not there cannot be changed', () => {
    expect(new Tokens().do(policySet, { policy, isNew: false })).toEqual({ refusal: `cannot find policy ${policy.id}` })
  })

  it('take the rights of tokens with them when they go, and their links stay', () => {
    const tokens = new Tokens()
    tokens.do(policySet, { policy, isNew: true })
    tokens.do(tokenCreate, { ...token, policies: [{ id: '', name: 'p1' }] })
    const linked = views.tokenBySecret(tokens.read(), token.secret) as never
    expect(views.rightsOf(tokens.read(), linked, 'dc1')).toMatchObject({ policies: [{ name: 'p1' }] })
    tokens.do(policyDelete, { id: policy.id })
    expect(views.rightsOf(tokens.read(), linked, 'dc1')).toEqual({ kind: 'policies', policies: [] })
    expect(views.tokenBySecret(tokens.read(), token.secret)?.policies).toEqual([{ id: policy.id, name: 'p1' }])
  })

  it('of other datacenters give nothing here', () => {
    const tokens = new Tokens()
    tokens.do(policySet, { policy: { ...policy, datacenters: ['DC2'] }, isNew: true })
    tokens.do(tokenCreate, { ...token, policies: [{ id: policy.id, name: '' }] })
    const linked = views.tokenBySecret(tokens.read(), token.secret) as never
    expect(views.rightsOf(tokens.read(), linked, 'dc1')).toEqual({ kind: 'policies', policies: [] })
    expect(views.rightsOf(tokens.read(), linked, 'dc2')).toMatchObject({ policies: [{ name: 'p1' }] })
  })

  it('that are built in can be renamed, and nothing else', () => {
    const tokens = new Tokens()
    tokens.do(putBuiltins, { createdMs: 1, master: null })
    const {
      hash: _,
      createIndex: __,
      modifyIndex: ___,
      ...builtin
    } = views.policyById(tokens.read(), managementPolicyId) as PolicyRow
    const change = (changed: object) => tokens.do(policySet, { policy: { ...builtin, ...changed }, isNew: false })
    expect(change({ rules: '' })).toEqual({
      refusal: 'Changing the Rules for the builtin global-management policy is not permitted',
    })
    expect(change({ datacenters: ['dc1'] })).toEqual({
      refusal: 'Changing the Datacenters of the builtin global-management policy is not permitted',
    })
    expect(change({ name: 'all' })).toEqual({ id: managementPolicyId })
    tokens.do(policyDelete, { id: managementPolicyId })
    expect(views.policyById(tokens.read(), managementPolicyId)?.name).toBe('all')
  })
})

describe('tokens', () => {
  it('are found by secret and, whatever the case of its letters, by accessor', () => {
    const tokens = new Tokens()
    expect(tokens.do(tokenCreate, token)).toEqual({ id: token.accessor })
    const found = views.tokenByAccessor(tokens.read(), token.accessor.toUpperCase())
    expect(found).toMatchObject({ ...token, type: '', rules: '', createIndex: 11, modifyIndex: 11 })
    expect(views.tokenBySecret(tokens.read(), token.secret)).toBe(found)
    tokens.do(tokenDelete, { accessor: token.accessor })
    expect(views.tokenBySecret(tokens.read(), token.secret)).toBeUndefined()
  })

  it('name policies by name if these are there, by ID in any case, and each once', () => {
    const tokens = new Tokens()
    tokens.do(policySet, { policy, isNew: true })
    const named = [
      { id: '', name: 'p1' },
      { id: policy.id, name: 'other' },
      { id: idOf(99), name: 'x' },
    ]
    tokens.do(tokenCreate, { ...token, policies: named })
    expect(views.tokenByAccessor(tokens.read(), token.accessor)?.policies).toEqual([
      { id: policy.id, name: 'p1' },
      { id: idOf(99), name: '' },
    ])
    const unknown = { ...token, accessor: idOf(9), secret: idOf(10), policies: [{ id: '', name: 'nope' }] }
    expect(tokens.do(tokenCreate, unknown)).toEqual({ refusal: 'No such ACL policy with name "nope"' })
    expect(views.tokenCount(tokens.read())).toBe(1)
  })

  it('keep secret, local mode and time when everything else is replaced', () => {
    const tokens = new Tokens()
    tokens.do(tokenCreate, token)
    const change = { accessor: token.accessor, description: '', local: false, policies: [] }
    expect(tokens.do(tokenUpdate, { ...change, local: true })).toEqual({
      refusal: `cannot toggle local mode of ${token.accessor}`,
    })
    tokens.do(tokenUpdate, change)
    expect(views.tokenByAccessor(tokens.read(), token.accessor)).toMatchObject({
      secret: token.secret,
      description: '',
      createdMs: 5,
      createIndex: 11,
      modifyIndex: 13,
    })
    expect(tokens.do(tokenUpdate, { ...change, accessor: idOf(50) })).toEqual({
      refusal: `Cannot find token "${idOf(50)}"`,
    })
  })

  it('of anonymous callers cannot be deleted', () => {
    const tokens = new Tokens()
    tokens.do(putBuiltins, { createdMs: 1, master: null })
    tokens.do(tokenDelete, { accessor: anonymousAccessor })
    expect(views.tokenBySecret(tokens.read(), 'anonymous')).toMatchObject({ accessor: anonymousAccessor, createdMs: 1 })
  })
})

describe('the bootstrap', () => {
  const drawn = { accessor: idOf(3), secret: idOf(4), createdMs: 9 }

  it('is used up by the first, and open again for a caller that names its index', () => {
    const tokens = new Tokens()
    expect(tokens.do(bootstrap, { ...drawn, resetIndex: 0 })).toEqual({ id: drawn.accessor })
    const again = { ...drawn, accessor: idOf(5), secret: idOf(6) }
    expect(tokens.do(bootstrap, { ...again, resetIndex: 0 })).toEqual({ resetIndex: 11 })
    expect(tokens.do(bootstrap, { ...again, resetIndex: 12 })).toEqual({ resetIndex: 11 })
    expect(tokens.do(bootstrap, { ...again, resetIndex: 11 })).toEqual({ id: again.accessor })
    expect(views.bootstrapIndex(tokens.read())).toBe(14)
    const older = views.tokenByAccessor(tokens.read(), drawn.accessor) as never
    expect(views.rightsOf(tokens.read(), older, 'dc1')).toEqual({ kind: 'management' })
  })

  it('is used up by a master token, which is made once', () => {
    const tokens = new Tokens()
    tokens.do(putBuiltins, { createdMs: 1, master: { accessor: idOf(1), secret: 'root' } })
    tokens.do(putBuiltins, { createdMs: 2, master: { accessor: idOf(2), secret: 'root' } })
    expect(views.tokenBySecret(tokens.read(), 'root')).toMatchObject({
      accessor: idOf(1),
      description: 'Master Token',
      policies: [managementLink],
      createIndex: 11,
      modifyIndex: 11,
    })
    expect(tokens.do(bootstrap, { ...drawn, resetIndex: 0 })).toEqual({ resetIndex: 11 })
  })

  it('of legacy tokens is refused where there is a management token', () => {
    const open = new Tokens()
    open.legacy('a')
    expect(open.do(legacyBootstrap, { id: 'b' })).toEqual({ id: 'b' })
    expect(open.do(legacyBootstrap, { id: 'c' })).toEqual({ resetIndex: 12 })
    const closed = new Tokens()
    closed.legacy('m', 'management', '')
    expect(closed.do(legacyBootstrap, { id: 'b' })).toEqual({ resetIndex: 0 })
  })
})

describe('legacy tokens', () => {
  it('are replaced as a whole, and have the rights that their rules give', () => {
    const tokens = new Tokens()
    tokens.legacy('any text at all')
    expect(tokens.legacy('any text at all', 'client', '')).toEqual({ id: 'any text at all' })
    const found = views.tokenBySecret(tokens.read(), 'any text at all')
    expect(found).toMatchObject({ accessor: '', hash: '', createdMs: 0, createIndex: 11, modifyIndex: 12, rules: '' })
    expect(views.rightsOf(tokens.read(), found as never, 'dc1')).toEqual({ kind: 'legacy', rules: '' })
  })

  it('are not what tokens of the new kind are', () => {
    const tokens = new Tokens()
    tokens.do(tokenCreate, token)
    const refusal = { refusal: 'Cannot use legacy endpoint to modify a non-legacy token' }
    expect(tokens.legacy(token.secret)).toEqual(refusal)
    expect(tokens.do(legacyDelete, { id: token.secret })).toEqual(refusal)
    expect(tokens.do(legacyDelete, { id: 'nobody' })).toEqual({ id: 'nobody' })
  })

  it('become tokens of the new kind when a change gives them policies', () => {
    const tokens = new Tokens()
    tokens.do(policySet, { policy, isNew: true })
    tokens.legacy('a')
    tokens.migrate('a')
    const { accessor } = views.tokenBySecret(tokens.read(), 'a') as { accessor: string }
    tokens.do(tokenUpdate, { accessor, description: 'new', local: false, policies: [{ id: policy.id, name: '' }] })
    const upgraded = views.tokenByAccessor(tokens.read(), accessor)
    expect(upgraded).toMatchObject({ secret: 'a', rules: '', type: '', description: 'new' })
    expect(views.rightsOf(tokens.read(), upgraded as never, 'dc1')).toMatchObject({ policies: [{ name: 'p1' }] })
  })
})

describe('the migration', () => {
  it('gives each legacy token one accessor for ever, whatever later batches say', () => {
    const tokens = new Tokens()
    tokens.legacy('a')
    tokens.legacy('b')
    expect(tokens.migrate('a', 'b', 'nobody')).toBe(2)
    const [a, b] = ['a', 'b'].map((secret) => views.tokenBySecret(tokens.read(), secret))
    expect(a).toMatchObject({ createIndex: 11, modifyIndex: 13, createdMs: 0, policies: [], type: 'client' })
    expect(a?.accessor).not.toBe(b?.accessor)
    expect(a?.hash).not.toBe('')
    expect(tokens.migrate('a', 'b')).toBe(0)
    expect(views.tokenBySecret(tokens.read(), 'a')).toEqual(a)
  })

  it('passes over what has changed since the leader looked, and what takes the accessor of another', () => {
    const tokens = new Tokens()
    tokens.legacy('a')
    tokens.legacy('a', 'client', 'key "" { policy = "deny" }')
    const late = { secret: 'a', accessor: idOf(1), at: 11 }
    expect(tokens.do(migrateTokens, { tokens: [late] })).toBe(0)
    expect(tokens.do(migrateTokens, { tokens: [{ ...late, at: 12 }] })).toBe(1)
    tokens.legacy('b')
    expect(tokens.do(migrateTokens, { tokens: [{ secret: 'b', accessor: idOf(1), at: 15 }] })).toBe(0)
    expect([...views.unmigratedTokens(tokens.read())].map(({ secret }) => secret)).toEqual(['b'])
  })

  it('gives the anonymous token its own accessor, and management tokens the policy with all rights', () => {
    const tokens = new Tokens()
    tokens.legacy('anonymous')
    tokens.legacy('m', 'management', '')
    tokens.migrate('anonymous', 'm')
    expect(views.tokenBySecret(tokens.read(), 'anonymous')).toMatchObject({ accessor: anonymousAccessor, policies: [] })
    expect(views.tokenBySecret(tokens.read(), 'm')).toMatchObject({ policies: [managementLink], type: 'management' })
  })

  it('leaves what a token may do as it was', () => {
    const tokens = new Tokens()
    tokens.legacy('c')
    tokens.legacy('m', 'management', '')
    const rights = () =>
      ['c', 'm'].map((secret) =>
        views.rightsOf(tokens.read(), views.tokenBySecret(tokens.read(), secret) as never, 'dc1'),
      )
    const before = rights()
    tokens.migrate('c', 'm')
    expect(rights()).toEqual(before)
  })

  it('says when none was left, how many there were and in how many batches', () => {
    const tokens = new Tokens()
    for (const secret of ['a', 'b', 'c']) tokens.legacy(secret)
    tokens.migrate('a', 'b')
    expect(views.migrationOf(tokens.read())).toMatchObject({ tokens: 2, batches: 1, completeIndex: 0 })
    tokens.migrate('c')
    expect(views.migrationOf(tokens.read())).toMatchObject({ tokens: 3, batches: 2, completeIndex: 15 })
    expect(tokens.migrate()).toBe(0)
    expect(views.migrationOf(tokens.read())).toMatchObject({ tokens: 3, batches: 2, completeIndex: 15 })
  })

  it('takes 128 tokens at once and no more', () => {
    const batch = Array.from({ length: 129 }, (_, i) => ({ secret: `s${i}`, accessor: idOf(i), at: 0 }))
    expect(migrateTokens.body.safeParse({ tokens: batch }).success).toBe(false)
    expect(migrateTokens.body.safeParse({ tokens: batch.slice(1) }).success).toBe(true)
  })
})

describe('tokens of the primary datacenter', () => {
  const none = { put: [], remove: [], removeUnmigrated: 0 }
  const copied = { ...token, type: '' as const, rules: '' }

  it('leave a local token alone that has the accessor or the secret of one of them', () => {
    for (const its of [{ secret: idOf(9) }, { accessor: idOf(9) }]) {
      const tokens = new Tokens()
      tokens.do(tokenCreate, { ...token, local: true, description: 'own' })
      tokens.do(replicateTokens, { ...none, put: [{ ...copied, ...its }] })
      expect([...views.allTokens(tokens.read())]).toMatchObject([{ ...token, local: true, description: 'own' }])
      tokens.do(replicateTokens, { ...none, remove: [token.accessor] })
      expect(views.tokenCount(tokens.read())).toBe(1)
    }
  })

  it('take the place of a copy with another secret, and are not copied where they are local there', () => {
    const tokens = new Tokens()
    tokens.do(replicateTokens, {
      ...none,
      put: [copied, { ...copied, accessor: idOf(5), secret: idOf(6), local: true }],
    })
    tokens.do(replicateTokens, { ...none, put: [{ ...copied, secret: idOf(9) }] })
    expect([...views.allTokens(tokens.read())].map(({ secret }) => secret)).toEqual([idOf(9)])
  })

  it('end copies without an accessor, no more at once than it says', () => {
    const tokens = new Tokens()
    for (const id of ['a', 'b', 'c']) tokens.legacy(id)
    const left = () => [...views.unmigratedTokens(tokens.read())].length
    tokens.do(replicateTokens, none)
    expect(left()).toBe(3)
    tokens.do(replicateTokens, { ...none, removeUnmigrated: 2 })
    expect(left()).toBe(1)
  })
})

describe('the state', () => {
  it('is the same after a snapshot, the mode in it', () => {
    const tokens = new Tokens()
    tokens.do(enterNewMode, {})
    expect(tokens.do(enterNewMode, {})).toBe(false)
    tokens.do(putBuiltins, { createdMs: 1_700_000_000_123, master: { accessor: idOf(1), secret: 'root ü' } })
    tokens.do(policySet, { policy, isNew: true })
    tokens.do(tokenCreate, { ...token, policies: [{ id: policy.id, name: '' }] })
    tokens.legacy('old')
    tokens.migrate('old')
    tokens.legacy('older')
    const store = new Store(aclFeature.tables ?? [])
    const bytes = tokens.store.snapshot()
    const sink = store.restore()
    for (let piece = bytes.next(); piece !== undefined; piece = bytes.next()) sink.write(piece)
    expect(sink.finish()).toMatchObject({ ok: true })
    for (const table of aclFeature.tables ?? []) {
      expect([...store.read().all(table)]).toEqual([...tokens.read().all(table)])
    }
    expect(views.newModeIndex(store.read())).toBe(11)
    expect(views.isNewMode(store.read())).toBe(true)
  })
})
