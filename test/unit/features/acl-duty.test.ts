import { describe, expect, it } from 'vitest'
import { unrestricted } from '../../../src/access/authorizer.ts'
import { concatBytes } from '../../../src/base/bytes.ts'
import { policySet } from '../../../src/features/acl/commands.ts'
import { legacySet } from '../../../src/features/acl/legacy/legacy-commands.ts'
import { enterNewMode, migrateTokens } from '../../../src/features/acl/system/mode-commands.ts'
import { tokenBatchEndpoint } from '../../../src/features/acl/tokens/token-endpoints.ts'
import { tokenDeleteEndpoint } from '../../../src/features/acl/tokens/token-write-endpoints.ts'
import * as views from '../../../src/features/acl/views.ts'
import { restoreBegin, restorePiece, restoreTake } from '../../../src/features/snapshot/commands.ts'
import { AclWorld, unknownId } from './acl-world.ts'

const old = { name: 'node-b', datacenter: 'dc1', why: 'runs 1.3.1' }

async function withLegacyTokens(count: number): Promise<AclWorld> {
  const world = new AclWorld()
  world.missing = [old]
  for (let i = 0; i < count; i++) {
    const rules = 'key "old/" { policy = "write" }'
    const token = { id: `secret-${i}`, name: `n${i}`, type: 'client', rules, unlessThere: false } as const
    await world.server.context.propose(legacySet, token)
  }
  return world
}

function left(world: AclWorld): number {
  return [...views.unmigratedTokens(world.server.read())].length
}

function accessors(world: AclWorld): readonly (readonly [string, string])[] {
  return [...views.allTokens(world.server.read())].map(({ secret, accessor }) => [secret, accessor] as const).sort()
}

describe('the leader of the primary datacenter', () => {
  it('makes the policy with all rights, the anonymous token and the master token when the new mode comes', async () => {
    const world = new AclWorld()
    await world.lead()
    await world.clock.advance(3_000)
    expect(views.tokenCount(world.server.read())).toBe(0)
    await world.server.context.propose(enterNewMode, {})
    await world.clock.advance(1)
    const policies = (await world.root('GET /v1/acl/policies')) as unknown as object[]
    expect(policies).toMatchObject([{ ID: '00000000-0000-0000-0000-000000000001', Name: 'global-management' }])
    expect(world.token('anonymous')).toMatchObject({ accessor: '00000000-0000-0000-0000-000000000002', type: '' })
    expect(world.token('root')).toMatchObject({ description: 'Master Token', createIndex: 2, createdMs: 3_000 })
  })

  it('leaves no entry in the log where all of them are there', async () => {
    const world = new AclWorld()
    await world.lead()
    await world.server.context.propose(enterNewMode, {})
    await world.clock.advance(1)
    const before = world.server.read().index
    await world.lead()
    await world.clock.advance(1)
    expect(world.server.read().index).toBe(before)
  })

  it('makes legacy ones where the mode lasts, and these are migrated as others are', async () => {
    const world = new AclWorld()
    world.missing = [old]
    await world.lead()
    await world.clock.advance(1)
    expect(world.token('root')).toMatchObject({ type: 'management', accessor: '' })
    expect(world.token('anonymous')).toMatchObject({ type: 'client', accessor: '' })
    await world.server.context.propose(enterNewMode, {})
    await world.clock.advance(2_000)
    expect(world.token('anonymous')?.accessor).toBe('00000000-0000-0000-0000-000000000002')
    expect((await world.ask('root', 'GET /v1/acl/tokens')).status).toBe(200)
    expect((await world.ask('', 'PUT /v1/acl/bootstrap')).status).toBe(200)
  })

  it('begins again where it was refused', async () => {
    const world = new AclWorld()
    await world.server.context.propose(enterNewMode, {})
    world.server.failNext = { kind: 'overloaded', message: 'too much' }
    await world.lead()
    expect(world.token('anonymous')).toBeUndefined()
    await world.clock.advance(1_000)
    expect(world.token('anonymous')).toBeDefined()
  })
})

describe('the migration', () => {
  it('[ACL-036] [LIM-002] takes 128 tokens a second and not more, and proves its end', async () => {
    const world = await withLegacyTokens(300)
    await world.lead()
    await world.server.context.propose(enterNewMode, {})
    await world.clock.advance(999)
    expect(left(world)).toBe(300)
    const found: number[] = []
    for (let second = 0; second < 4; second++) {
      await world.clock.advance(1_000)
      found.push(left(world))
    }
    expect(found).toEqual([172, 44, 0, 0])
    expect(await world.root('GET /v1/acl/status')).toMatchObject({
      Mode: 'new',
      MissingServers: [],
      TokensLeft: 0,
      MigratedTokens: 300,
      MigratedBatches: 3,
      CompleteSinceIndex: views.migrationOf(world.server.read())?.completeIndex,
    })
    expect(new Set(accessors(world).map(([, accessor]) => accessor)).size).toBe(302)
    const [some, all] = ['migrated legacy tokens', 'all legacy tokens are migrated']
    const told = (world.logged as readonly (readonly unknown[])[]).map(([, , text]) => text)
    expect(told.filter((text) => text === some || text === all)).toEqual([some, some, all])
  })

  it('[ACL-038] leaves old and new tokens at work, those that are through and those that are not', async () => {
    const world = await withLegacyTokens(200)
    await world.lead()
    await world.server.context.propose(enterNewMode, {})
    await world.clock.advance(1_500)
    expect(left(world)).toBe(72)
    const { secret } = await world.tokenOf('key_prefix "new/" { policy = "write" }')
    expect((await world.ask(secret, 'PUT /v1/kv/new/a', 'x')).body).toBe(true)
    expect((await world.ask(secret, 'PUT /v1/kv/old/a', 'x')).status).toBe(403)
    for (let i = 0; i < 200; i++) {
      expect((await world.ask(`secret-${i}`, 'PUT /v1/kv/old/a', 'x')).body).toBe(true)
      expect((await world.ask(`secret-${i}`, 'PUT /v1/kv/new/a', 'x')).status).toBe(403)
    }
  })

  it('[ACL-039] continues under another leader, which begins with a pause and changes no accessor', async () => {
    const world = await withLegacyTokens(200)
    await world.lead()
    await world.server.context.propose(enterNewMode, {})
    await world.clock.advance(1_500)
    expect(left(world)).toBe(72)
    const before = new Map(accessors(world))
    // What the leader that goes had drawn for the rest, and what may still be on its way.
    const drawn = [...views.unmigratedTokens(world.server.read())].map(({ secret, modifyIndex: at }, i) => {
      return { secret, accessor: `99999999-0000-0000-0000-${String(i).padStart(12, '0')}`, at }
    })
    world.server.resign()
    await world.clock.advance(5_000)
    expect(left(world)).toBe(72)
    await world.lead()
    await world.clock.advance(999)
    expect(left(world)).toBe(72)
    await world.clock.advance(1)
    expect(left(world)).toBe(0)
    for (const [secret, accessor] of accessors(world)) {
      if (before.get(secret) !== '') expect(accessor).toBe(before.get(secret))
    }
    expect(views.migrationOf(world.server.read())).toMatchObject({ tokens: 200, batches: 2 })
    const after = accessors(world)
    expect(new Set(after.map(([, accessor]) => accessor)).size).toBe(after.length)
    expect(await world.server.context.propose(migrateTokens, { tokens: drawn })).toEqual({ ok: true, value: 0 })
    expect(accessors(world)).toEqual(after)
  })

  it('has nothing to do where there is no legacy token, and says so once', async () => {
    const world = await AclWorld.begun()
    await world.clock.advance(1_000)
    const { index } = world.server
    expect(views.migrationOf(world.server.read())).toMatchObject({ tokens: 0, batches: 0, completeIndex: index })
    await world.clock.advance(60_000)
    expect(world.server.index).toBe(index)
  })

  it('tries a batch again that was refused', async () => {
    const world = await AclWorld.begun()
    await world.clock.advance(1_000)
    await world.root('PUT /v1/acl/create', { ID: 'late' })
    world.server.failNext = { kind: 'overloaded', message: 'too much' }
    await world.clock.advance(1_000)
    expect(world.token('late')?.accessor).toBe('')
    await world.clock.advance(1_000)
    expect(world.token('late')?.accessor).toHaveLength(36)
  })
})

describe('a state that is put in the place of this one', () => {
  it('brings its tokens, which are migrated, and does not bring the legacy mode back', async () => {
    const before = await withLegacyTokens(3)
    const world = await AclWorld.begun()
    await world.clock.advance(2_000)
    const archive = before.server.state.store.archive()
    const pieces: Uint8Array[] = []
    for (let piece = archive.next(); piece !== undefined; piece = archive.next()) pieces.push(piece)
    const bytes = concatBytes(pieces)
    const { context } = world.server
    await context.propose(restoreBegin, { id: 'r', sizeBytes: bytes.length })
    await context.propose(restorePiece, { id: 'r', offset: 0, bytes })
    expect(await context.propose(restoreTake, { id: 'r' })).toMatchObject({ value: { kind: 'replaced' } })
    expect(views.isNewMode(world.server.read())).toBe(true)
    expect(left(world)).toBe(3)
    world.server.resign()
    await world.lead()
    await world.clock.advance(2_000)
    expect(left(world)).toBe(0)
    expect(await world.root('GET /v1/acl/policies')).toHaveLength(1)
    expect((await world.ask('secret-0', 'PUT /v1/kv/old/a', 'x')).body).toBe(true)
  })
})

describe('a secondary datacenter', () => {
  async function two(): Promise<{ readonly primary: AclWorld; readonly secondary: AclWorld }> {
    const primary = await AclWorld.begun()
    const secondary = new AclWorld('dc-two', 'dc1', '')
    secondary.server.peers.set('dc1', primary.server)
    await secondary.server.context.propose(enterNewMode, {})
    return { primary, secondary }
  }

  /** Both clocks, for each datacenter has its own. */
  async function pass({ primary, secondary }: Awaited<ReturnType<typeof two>>, ms: number): Promise<void> {
    for (let at = 0; at < ms; at += 500) {
      await primary.clock.advance(500)
      await secondary.clock.advance(500)
    }
  }

  it('[ACL-046] copies policies and global tokens, what changes and what goes', async () => {
    const both = await two()
    const { primary, secondary } = both
    const { secret, accessor } = await primary.tokenOf('acl = "read"')
    await primary.root('PUT /v1/acl/token', { Description: 'stays there', Local: true })
    await secondary.lead()
    await pass(both, 1_000)
    expect((await secondary.ask(secret, 'GET /v1/acl/tokens')).status).toBe(200)
    const copied = (await secondary.root('GET /v1/acl/tokens')) as unknown as { Description: string }[]
    expect(copied.map(({ Description }) => Description)).not.toContain('stays there')
    await primary.root(`DELETE /v1/acl/token/${accessor}`)
    await pass(both, 2_000)
    expect(secondary.token(secret)).toBeUndefined()
    expect(await secondary.root('GET /v1/acl/replication')).toMatchObject({
      Enabled: true,
      Running: true,
      SourceDatacenter: 'dc1',
      ReplicationType: 'tokens',
      ReplicatedIndex: expect.any(Number),
      ReplicatedTokenIndex: views.tokensIndex(primary.server.read()),
      LastSuccess: expect.stringMatching(/^1970-/),
      LastError: '0001-01-01T00:00:00Z',
      LastErrorMessage: '',
    })
  })

  it('copies policies alone where it is not to copy tokens', async () => {
    const both = await two()
    both.secondary.replicatesTokens = false
    await both.secondary.lead()
    await pass(both, 1_000)
    expect(views.tokenCount(both.secondary.server.read())).toBe(0)
    expect([...views.allPolicies(both.secondary.server.read())]).toHaveLength(1)
    const { body } = await both.secondary.ask('', 'GET /v1/acl/replication')
    expect(body).toMatchObject({ ReplicationType: 'policies', ReplicatedTokenIndex: 0 })
  })

  it('answers about tokens as the primary one where it keeps none, and of its own state where it does', async () => {
    const both = await two()
    const { primary, secondary } = both
    const { secret, accessor } = await primary.tokenOf('acl = "read"')
    const { ID: legacy } = await primary.root('PUT /v1/acl/create', { Name: 'legacy' })
    secondary.replicatesTokens = false
    await secondary.lead()
    await pass(both, 2_000)
    // The simple world resolves tokens by its own state.
    secondary.server.resolve = primary.server.resolve
    const lines = [
      'GET /v1/acl/token/self',
      `GET /v1/acl/token/${accessor}`,
      'GET /v1/acl/tokens',
      `GET /v1/acl/info/${legacy}`,
    ]
    for (const line of lines) {
      const told = await primary.ask(secret, line)
      expect([line, told.status, told.body]).not.toEqual([line, 200, []])
      expect([line, await secondary.ask(secret, line)]).toEqual([line, told])
    }
    expect(await secondary.root('GET /v1/acl/list')).toEqual(await primary.root('GET /v1/acl/list'))
    const { ID: copy } = await secondary.root(`PUT /v1/acl/clone/${legacy}`)
    expect(primary.token(String(copy))).toMatchObject({ description: 'legacy' })
    secondary.server.unknownMethods.add('ACL.TokensKept')
    expect((await secondary.ask(secret, 'GET /v1/acl/tokens')).body).toEqual([])
    secondary.server.unknownMethods.clear()
    secondary.replicatesTokens = true
    expect((await secondary.ask(secret, 'GET /v1/acl/tokens')).body).toEqual([])
  })

  it('explains a token by its accessor where it keeps tokens, and says where to ask otherwise', async () => {
    const both = await two()
    const { primary, secondary } = both
    const { secret, accessor } = await primary.tokenOf('acl = "read"')
    await secondary.lead()
    await pass(both, 2_000)
    const of = (other: string) => `GET /v1/acl/explain?resource=operator&right=read&accessor=${other}`
    expect(await secondary.ask(secret, of(accessor))).toMatchObject({ status: 200, body: { AccessorID: accessor } })
    expect(await secondary.ask(secret, of('unknown'))).toEqual({ status: 403, body: 'ACL not found' })
    secondary.replicatesTokens = false
    expect(await secondary.ask(secret, of(accessor))).toEqual({
      status: 500,
      body: 'this datacenter keeps no tokens: ask with the token itself, or for its accessor in datacenter dc1',
    })
    expect(await secondary.ask(secret, of(''))).toMatchObject({ status: 200, body: { AccessorID: accessor } })
    expect(await secondary.ask('', of(accessor))).toMatchObject({ status: 403 })
  })

  it('says what fails, goes on when it is mended, and tells how far behind it may be', async () => {
    const both = await two()
    const { primary, secondary } = both
    await secondary.lead()
    await pass(both, 1_000)
    secondary.server.peers.delete('dc1')
    await pass(both, 10_000)
    const failing = (await secondary.root('GET /v1/acl/replication')) as { LagMilliseconds: number }
    expect(failing).toMatchObject({ LastErrorMessage: 'No path to datacenter' })
    expect(failing.LagMilliseconds).toBeGreaterThan(8_000)
    secondary.server.peers.set('dc1', primary.server)
    await pass(both, 35_000)
    const well = (await secondary.root('GET /v1/acl/replication')) as { LagMilliseconds: number }
    expect(well.LagMilliseconds).toBeLessThan(5_000)
  })

  it('writes in the primary datacenter what holds everywhere, and its own tokens itself', async () => {
    const both = await two()
    const { primary, secondary } = both
    await secondary.lead()
    await pass(both, 1_000)
    const policy = await secondary.root('PUT /v1/acl/policy', { Name: 'p1' })
    expect(await primary.root(`GET /v1/acl/policy/${policy['ID']}`)).toEqual(policy)
    const global = await secondary.root('PUT /v1/acl/token', { Description: 'global' })
    const local = await secondary.root('PUT /v1/acl/token', { Description: 'local', Local: true })
    expect(primary.token(String(global['SecretID']))).toBeDefined()
    expect(primary.token(String(local['SecretID']))).toBeUndefined()
    await pass(both, 2_000)
    expect(secondary.token(String(global['SecretID']))).toMatchObject({ description: 'global', local: false })
    expect(secondary.token(String(local['SecretID']))).toMatchObject({ description: 'local', local: true })
    const copy = await secondary.root(`PUT /v1/acl/token/${global['AccessorID']}/clone`)
    expect(primary.token(String(copy['SecretID']))).toBeDefined()
    await secondary.root(`DELETE /v1/acl/token/${global['AccessorID']}`)
    await secondary.root(`DELETE /v1/acl/token/${local['AccessorID']}`)
    expect(primary.token(String(global['SecretID']))).toBeUndefined()
    expect(secondary.token(String(local['SecretID']))).toBeUndefined()
    const { ID } = await secondary.root('PUT /v1/acl/create', { Name: 'legacy' })
    expect(primary.token(String(ID))).toMatchObject({ description: 'legacy' })
  })

  it('says of a local token that it was deleted, when that is asked again because the answer was lost', async () => {
    const both = await two()
    const { primary, secondary } = both
    await secondary.lead()
    await pass(both, 1_000)
    const local = await secondary.root('PUT /v1/acl/token', { Local: true })
    const remove = (sequence: number) => {
      const args = { accessor: String(local['AccessorID']) }
      return tokenDeleteEndpoint.serve(secondary.server.context, args, { origin: 'a', sequence }, unrestricted)
    }
    expect(await remove(1)).toEqual({ ok: true, value: { here: true } })
    expect(await remove(1)).toEqual({ ok: true, value: { here: true } })
    expect(await remove(2)).toEqual({ ok: true, value: { there: true } })
    expect(primary.token(String(local['SecretID']))).toBeUndefined()
  })

  it('writes nothing for an agent that takes it for the primary datacenter', async () => {
    const both = await two()
    const { primary, secondary } = both
    await primary.lead()
    await primary.root('PUT /v1/acl/create', { ID: 'a' })
    await secondary.lead()
    await pass(both, 3_000)
    const { accessControl } = secondary.server
    if (accessControl === undefined) throw new Error('it is off')
    secondary.server.accessControl = { ...accessControl, primaryDatacenter: 'dc-two' }
    const before = secondary.server.index
    for (const line of ['PUT /v1/acl/destroy/a', 'PUT /v1/acl/create']) {
      const { status, body } = await secondary.ask('root', line)
      expect([status, body], line).toEqual([500, 'tokens are written in the primary datacenter'])
    }
    expect([secondary.server.index, secondary.token('a')?.secret]).toEqual([before, 'a'])
  })

  it('says that a policy could not be removed, and removes it later', async () => {
    const both = await two()
    const { primary, secondary } = both
    const { ID } = await primary.root('PUT /v1/acl/policy', { Name: 'p1' })
    await secondary.lead()
    await pass(both, 1_000)
    const copied = () => [...views.allPolicies(secondary.server.read())].some(({ id }) => id === ID)
    expect(copied()).toBe(true)
    await primary.root(`DELETE /v1/acl/policy/${ID}`)
    secondary.server.failNext = { kind: 'overloaded', message: 'full' }
    await pass(both, 1_000)
    expect(await secondary.root('GET /v1/acl/replication')).toMatchObject({ LastErrorMessage: 'full' })
    await pass(both, 10_000)
    expect(copied()).toBe(false)
  })

  it('copies policies that are too large together for one entry of the log', async () => {
    const both = await two()
    const { primary, secondary } = both
    const rules = (name: string): string => `# ${'x'.repeat(950_000)}\nkey "${name}" { policy = "read" }`
    const names = ['p1', 'p2', 'p3', 'p4', 'p5']
    for (const [at, name] of names.entries()) {
      const policy = {
        id: `${unknownId.slice(0, -1)}${at}`,
        name,
        description: '',
        rules: rules(name),
        datacenters: [],
      }
      await primary.server.context.propose(policySet, { policy, isNew: true })
    }
    await secondary.lead()
    await pass(both, 1_000)
    const copied = new Map([...views.allPolicies(secondary.server.read())].map(({ name, rules }) => [name, rules]))
    for (const name of names) expect(copied.get(name) === rules(name), name).toBe(true)
    expect(await secondary.root('GET /v1/acl/replication')).toMatchObject({ LastErrorMessage: '' })
  })

  it('copies a change that moves a text from one member to the next, which leaves the hash as it is', async () => {
    const both = await two()
    const { primary, secondary } = both
    const body = { Name: 'p1', Description: 'it reads', Rules: '# all\nkey_prefix "" { policy = "read" }' }
    const made = await primary.root('PUT /v1/acl/policy', body)
    await secondary.lead()
    await pass(both, 1_000)
    const moved = { ...body, Description: 'it reads# all\nkey_prefix "" { policy = "read" }', Rules: '' }
    const changed = await primary.root(`PUT /v1/acl/policy/${made['ID']}`, moved)
    expect(changed['Hash']).toBe(made['Hash'])
    await pass(both, 3_000)
    expect(views.policyById(secondary.server.read(), String(made['ID']))).toMatchObject({ rules: '' })
  })

  it('copies a new token when it has its policies, and leaves it to the primary datacenter until then', async () => {
    const both = await two()
    const { primary, secondary } = both
    await secondary.lead()
    await pass(both, 1_000)
    const { propose } = secondary.server.context
    const failing: typeof propose = async (command, body, identity) =>
      command.kind === 'acl.replicate-policies'
        ? { ok: false, error: { kind: 'overloaded', message: 'full' } }
        : propose(command, body, identity)
    Object.assign(secondary.server.context, { propose: failing })
    const { secret } = await primary.tokenOf('acl = "read"')
    const plain = await primary.root('PUT /v1/acl/token', { Policies: [{ Name: 'global-management' }] })
    await pass(both, 5_000)
    expect(secondary.token(secret)).toBeUndefined()
    expect(secondary.token(String(plain['SecretID']))).toBeDefined()
    Object.assign(secondary.server.context, { propose })
    await pass(both, 40_000)
    expect((await secondary.ask(secret, 'GET /v1/acl/tokens')).status).toBe(200)
  })

  it('leaves a new token for later that is given a policy between the list and the token itself', async () => {
    const both = await two()
    const { primary, secondary } = both
    await primary.root('PUT /v1/acl/policy', { Name: 'p1', Rules: 'key_prefix "" { policy = "read" }' })
    await secondary.lead()
    await pass(both, 1_000)
    const { propose, readElsewhere } = secondary.server.context
    const failing: typeof propose = async (command, body, identity) =>
      command.kind === 'acl.replicate-policies'
        ? { ok: false, error: { kind: 'overloaded', message: 'full' } }
        : propose(command, body, identity)
    const made = await primary.root('PUT /v1/acl/token', { Policies: [{ Name: 'p1' }] })
    const secret = String(made['SecretID'])
    const meanwhile: typeof readElsewhere = async (endpoint, ...asked) => {
      if (endpoint.method !== tokenBatchEndpoint.method) return readElsewhere(endpoint, ...asked)
      Object.assign(secondary.server.context, { readElsewhere })
      await primary.root('PUT /v1/acl/policy', { Name: 'p2', Rules: 'acl = "read"' })
      const Policies = [{ Name: 'p1' }, { Name: 'p2' }]
      await primary.root(`PUT /v1/acl/token/${made['AccessorID']}`, { Policies })
      return readElsewhere(endpoint, ...asked)
    }
    Object.assign(secondary.server.context, { propose: failing, readElsewhere: meanwhile })
    await pass(both, 5_000)
    expect(secondary.server.context.readElsewhere).toBe(readElsewhere)
    expect(secondary.token(secret)).toBeUndefined()
    Object.assign(secondary.server.context, { propose })
    await pass(both, 40_000)
    expect((await secondary.ask(secret, 'GET /v1/acl/tokens')).status).toBe(200)
  })

  it('has no local tokens where it copies none', async () => {
    const both = await two()
    await both.secondary.lead()
    await pass(both, 1_000)
    both.secondary.replicatesTokens = false
    expect(await both.secondary.ask('root', 'PUT /v1/acl/token', { Local: true })).toEqual({
      status: 500,
      body: 'Local tokens are disabled',
    })
  })

  it('copies legacy tokens in the legacy mode, and has their accessors once the new mode is there', async () => {
    const primary = new AclWorld()
    primary.missing = [old]
    await primary.lead()
    await primary.clock.advance(1)
    await primary.root('PUT /v1/acl/create', { ID: 'a', Rules: 'key "" { policy = "read" }' })
    await primary.root('PUT /v1/acl/create', { ID: 'b' })
    const secondary = new AclWorld('dc-two', 'dc1', '')
    secondary.missing = [old]
    secondary.server.peers.set('dc1', primary.server)
    const both = { primary, secondary }
    await secondary.lead()
    await pass(both, 1_000)
    expect([...views.allTokens(secondary.server.read())].map(({ secret }) => secret)).toEqual([
      'a',
      'anonymous',
      'b',
      'root',
    ])
    expect(await secondary.root('GET /v1/acl/replication')).toMatchObject({ ReplicationType: 'legacy' })
    await primary.root('PUT /v1/acl/destroy/b')
    await pass(both, 2_000)
    expect(secondary.token('b')).toBeUndefined()
    await primary.server.context.propose(enterNewMode, {})
    await secondary.server.context.propose(enterNewMode, {})
    await pass(both, 5_000)
    expect(accessors(secondary)).toEqual(accessors(primary))
    expect(left(secondary)).toBe(0)
  })
})
