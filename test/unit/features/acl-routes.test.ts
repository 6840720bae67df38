import { beforeAll, describe, expect, it } from 'vitest'
import { enterNewMode } from '../../../src/features/acl/system/mode-commands.ts'
import { AclWorld, unknownId } from './acl-world.ts'

const legacyLine = 'The ACL system is currently in legacy mode.'

/** Every path of the new API, with a body that it takes. */
const newPaths: readonly (readonly [line: string, body: string])[] = [
  ['GET /v1/acl/tokens', ''],
  ['PUT /v1/acl/token', '{}'],
  ['GET /v1/acl/token/self', ''],
  [`GET /v1/acl/token/${unknownId}`, ''],
  [`PUT /v1/acl/token/${unknownId}`, '{}'],
  [`PUT /v1/acl/token/${unknownId}/clone`, ''],
  [`DELETE /v1/acl/token/${unknownId}`, ''],
  ['GET /v1/acl/policies', ''],
  ['PUT /v1/acl/policy', '{"Name":"p"}'],
  [`GET /v1/acl/policy/${unknownId}`, ''],
  [`PUT /v1/acl/policy/${unknownId}`, '{"Name":"p"}'],
  [`DELETE /v1/acl/policy/${unknownId}`, ''],
  [`GET /v1/acl/rules/translate/${unknownId}`, ''],
  ['PUT /v1/acl/bootstrap', ''],
]

/** Answered in both modes. */
const translation = ['POST /v1/acl/rules/translate', 'key "a" { policy = "read" }'] as const

const oldPaths: readonly (readonly [line: string, body: string])[] = [
  ['PUT /v1/acl/create', ''],
  ['PUT /v1/acl/update', '{"ID":"x"}'],
  ['PUT /v1/acl/destroy/x', ''],
  ['GET /v1/acl/info/x', ''],
  ['PUT /v1/acl/clone/x', ''],
  ['GET /v1/acl/list', ''],
  ['GET /v1/acl/replication', ''],
  ['PUT /v1/agent/token/acl_token', '{}'],
]

describe('access control that is off', () => {
  it.each([...newPaths, translation, ...oldPaths])(
    'answers 401 before it looks at anything: %s',
    async (line, body) => {
      const world = new AclWorld()
      world.server.accessControl = undefined
      expect(await world.ask('', `${line}?wait=x`, body)).toEqual({ status: 401, body: 'ACL support disabled' })
    },
  )

  it('on the servers alone is told by them', async () => {
    const world = new AclWorld()
    world.server.serverAccess = undefined
    world.server.resolve = undefined
    if (world.server.accessControl === undefined) throw new Error('it is on')
    world.server.accessControl = { ...world.server.accessControl, refusesNew: () => undefined }
    for (const line of ['PUT /v1/acl/bootstrap', 'PUT /v1/acl/create', 'GET /v1/acl/status']) {
      expect(await world.ask('', line)).toEqual({ status: 401, body: 'ACL support disabled' })
    }
  })
})

describe('the legacy mode', () => {
  const missing = [{ name: 'node-b', datacenter: 'dc1', why: 'runs 1.3.1, which does not support it' }]
  const line = `${legacyLine} Missing: node-b in dc1 runs 1.3.1, which does not support it`

  it.each(newPaths)(
    '[ACL-030] refuses %s in the words of the field, and names the missing servers and why',
    async (path, body) => {
      const world = new AclWorld()
      world.missing = missing
      expect(await world.ask('whatever', path, body)).toEqual({ status: 500, body: line })
    },
  )

  it.each(newPaths)('[ACL-030] is told by the servers to a client of theirs: %s', async (path, body) => {
    const world = new AclWorld()
    world.missing = missing
    if (world.server.accessControl === undefined) throw new Error('it is on')
    world.server.accessControl = { ...world.server.accessControl, refusesNew: () => undefined }
    await world.lead()
    await world.clock.advance(10)
    expect(await world.ask('', path, body)).toEqual({ status: 500, body: line })
  })

  it('is told after what is wrong with URL or body', async () => {
    const world = new AclWorld()
    expect(await world.ask('', 'GET /v1/acl/token/')).toEqual({ status: 400, body: 'Bad request: Missing token ID' })
    expect((await world.ask('', 'PUT /v1/acl/policy', '{')).status).toBe(400)
  })

  it('has an answer to what went before, and says how it stands', async () => {
    const world = new AclWorld()
    world.missing = missing
    await world.lead()
    await world.clock.advance(10)
    const { ID } = await world.root('PUT /v1/acl/create', { Rules: 'key "" { policy = "read" }' })
    expect(await world.root(`GET /v1/acl/info/${ID}`)).toMatchObject([{ ID, Type: 'client' }])
    expect(await world.root('GET /v1/acl/list')).toHaveLength(3)
    expect((await world.ask('', 'GET /v1/acl/replication')).status).toBe(200)
    expect(await world.root('GET /v1/acl/status')).toEqual({
      Mode: 'legacy',
      NewSinceIndex: 0,
      MissingServers: [{ Name: 'node-b', Datacenter: 'dc1', Why: 'runs 1.3.1, which does not support it' }],
      TokensLeft: 3,
      MigratedTokens: 0,
      MigratedBatches: 0,
      CompleteSinceIndex: 0,
    })
  })

  it('[ACL-029] refuses the bootstrap with 500 and stays, until it has been left', async () => {
    const world = new AclWorld('dc1', 'dc1', '')
    world.missing = missing
    await world.lead()
    for (let attempt = 0; attempt < 3; attempt++) {
      expect(await world.ask('', 'PUT /v1/acl/bootstrap')).toEqual({ status: 500, body: line })
      expect((await world.ask('', 'GET /v1/acl/status')).body).toMatchObject({ Mode: 'legacy' })
    }
    await world.server.context.propose(enterNewMode, {})
    expect((await world.ask('', 'PUT /v1/acl/bootstrap')).status).toBe(200)
  })

  it('names so many servers and counts the others', async () => {
    const world = new AclWorld()
    world.missing = Array.from({ length: 20 }, (_, i) => ({ name: `n${i}`, datacenter: 'dc1', why: 'is old' }))
    const { body } = await world.ask('', 'GET /v1/acl/tokens')
    expect(body).toContain('n15 in dc1 is old; and 4 more')
    expect(body).not.toContain('n16')
  })

  it('has a bootstrap of its own, once', async () => {
    const world = new AclWorld('dc1', 'dc1', '')
    const made = await world.ask('', 'PUT /v1/acl/bootstrap?legacy=true')
    expect(made).toMatchObject({ status: 200, body: { AccessorID: '', SecretID: '', Hash: null, CreateIndex: 0 } })
    const { ID } = made.body as { ID: string }
    expect(await world.ask(ID, 'GET /v1/acl/list')).toMatchObject({ status: 200, body: [{ ID, Type: 'management' }] })
    expect(await world.ask('', 'PUT /v1/acl/bootstrap?legacy')).toEqual({
      status: 403,
      body: 'Permission denied: ACL bootstrap no longer allowed (reset index: 1)',
    })
  })
})

describe('a caller with all rights', () => {
  it('[ACL-045] gets an answer at every path of both APIs', async () => {
    const world = await AclWorld.begun('dc1', 'dc1', '')
    const { ID: root } = (await world.ask('', 'PUT /v1/acl/bootstrap')).body as { ID: string }
    const told = async (line: string, body: string | object = ''): Promise<Record<string, string>> => {
      const { status, body: said } = await world.ask(root, line, body)
      expect(status, line).toBe(200)
      return said as Record<string, string>
    }
    const { ID: policy } = await told('PUT /v1/acl/policy', { Name: 'p', Description: 'of p', Datacenters: ['dc1'] })
    const made = await told('PUT /v1/acl/token', { Description: 'of t', Policies: [{ ID: policy }] })
    const { AccessorID: token, SecretID: secret } = made
    const bound = { Policies: [{ ID: policy, Name: 'p' }], Local: false }
    expect(made).toMatchObject({ Description: 'of t', ...bound })
    expect(await told(`GET /v1/acl/token/${token}`)).toEqual(made)
    const copy = await told(`PUT /v1/acl/token/${token}/clone`)
    expect(copy).toMatchObject({ Description: 'of t', ...bound })
    expect([copy['AccessorID'], copy['SecretID']]).not.toEqual([token, secret])
    expect(await told(`PUT /v1/acl/token/${token}/clone`, { Description: 'named' })).toMatchObject({
      Description: 'named',
      ...bound,
    })
    expect(await told('GET /v1/acl/tokens')).toContainEqual(
      expect.objectContaining({ AccessorID: token, Description: 'of t', ...bound }),
    )
    expect(await told(`GET /v1/acl/policy/${policy}`)).toMatchObject({
      ID: policy,
      Name: 'p',
      Description: 'of p',
      Rules: '',
      Datacenters: ['dc1'],
    })
    const { ID: legacy } = await told('PUT /v1/acl/create', { Name: 'old', Rules: 'key "" { policy = "read" }' })
    await world.clock.advance(2_000)
    const migrated = world.token(String(legacy))?.accessor
    for (const [line, body] of [
      ['GET /v1/acl/tokens', ''],
      ['GET /v1/acl/token/self', ''],
      [`GET /v1/acl/token/${token}`, ''],
      [`PUT /v1/acl/token/${token}`, '{}'],
      [`PUT /v1/acl/token/${token}/clone`, ''],
      ['GET /v1/acl/policies', ''],
      [`GET /v1/acl/policy/${policy}`, ''],
      [`PUT /v1/acl/policy/${policy}`, '{"Name":"q"}'],
      ['POST /v1/acl/rules/translate', ''],
      [`GET /v1/acl/rules/translate/${migrated}`, ''],
      ['GET /v1/acl/replication', ''],
      ['GET /v1/acl/status', ''],
      [`GET /v1/acl/explain?resource=key&right=read&name=a&accessor=${token}`, ''],
      [`PUT /v1/acl/update`, JSON.stringify({ ID: legacy })],
      [`GET /v1/acl/info/${legacy}`, ''],
      [`PUT /v1/acl/clone/${legacy}`, ''],
      ['GET /v1/acl/list', ''],
      [`PUT /v1/acl/destroy/${legacy}`, ''],
      ['PUT /v1/agent/token/acl_token', '{}'],
      [`DELETE /v1/acl/token/${token}`, ''],
      [`DELETE /v1/acl/policy/${policy}`, ''],
    ] as const) {
      await told(line, body)
    }
  })
})

describe('a caller without rights', () => {
  let world: AclWorld
  let reader: string
  let other: string
  beforeAll(async () => {
    world = await AclWorld.begun()
    reader = (await world.tokenOf('acl = "read"')).secret
    other = (await world.tokenOf('key_prefix "" { policy = "write" }')).secret
  })

  const open = ['GET /v1/acl/token/self', 'PUT /v1/acl/bootstrap', 'GET /v1/acl/info/x', 'GET /v1/acl/replication']

  it('is refused everything but what is open', async () => {
    for (const [line, body] of [...newPaths, translation, ...oldPaths].filter(([each]) => !open.includes(each))) {
      expect(await world.ask(other, line, body), line).toEqual({ status: 403, body: 'Permission denied' })
      expect(await world.ask('', line, body), line).toEqual({ status: 403, body: 'Permission denied' })
      expect(await world.ask('bogus', line, body), line).toMatchObject(
        line.startsWith('PUT /v1/acl/clone') ? { status: 403 } : { status: 403, body: 'ACL not found' },
      )
    }
  })

  it('is told why: about its own token every caller, about others those that may read tokens', async () => {
    const asked = 'GET /v1/acl/explain?resource=key&name=a%2Fb&right'
    const { accessor } = await world.tokenOf('key_prefix "a/" { policy = "read" }')
    const own = await world.ask(other, `${asked}=write`)
    expect(own).toMatchObject({
      status: 200,
      body: {
        ...{ Resource: 'key', Name: 'a/b', Right: 'write', Allowed: true },
        ...{ DecidedBy: 'rule', Rule: 'key_prefix ""', Level: 'write' },
      },
    })
    expect(await world.ask(other, `${asked}=read&accessor=${accessor}`)).toEqual({
      status: 403,
      body: 'Permission denied',
    })
    expect(await world.ask(reader, `${asked}=write&accessor=${accessor}`)).toMatchObject({
      status: 200,
      body: { AccessorID: accessor, Allowed: false, Rule: 'key_prefix "a/"', Level: 'read' },
    })
    expect(await world.ask(reader, `${asked}=read&accessor=nobody`)).toEqual({ status: 403, body: 'ACL not found' })
    expect(await world.ask('', 'GET /v1/acl/explain?resource=operator&right=read')).toMatchObject({
      status: 200,
      body: { Allowed: false, DecidedBy: 'default', Rule: '', Level: 'deny', Policy: '' },
    })
    expect(await world.ask('bogus', `${asked}=read`)).toEqual({ status: 403, body: 'ACL not found' })
  })

  it.each(['', '?resource=key&right=look&name=a', '?resource=web&right=read', '?resource=node&right=list&name=a'])(
    'is told what is missing in what he wants explained: %j',
    async (query) => {
      expect(await world.ask(reader, `GET /v1/acl/explain${query}`)).toMatchObject({ status: 400 })
    },
  )

  it('reads with acl:read, and writes nothing', async () => {
    expect(await world.ask(reader, 'GET /v1/acl/policies')).toMatchObject({ status: 200 })
    expect(await world.ask(reader, 'PUT /v1/acl/token', '{}')).toEqual({ status: 403, body: 'Permission denied' })
  })

  it('reads no secret of another: not even of tokens that he may list', async () => {
    const { accessor, secret } = await world.tokenOf('')
    expect(await world.ask(reader, `GET /v1/acl/token/${accessor}`)).toMatchObject({
      status: 200,
      body: { AccessorID: accessor, SecretID: '<hidden>' },
    })
    const list = await world.ask(reader, 'GET /v1/acl/tokens')
    expect(list.status).toBe(200)
    expect(JSON.stringify(list.body)).not.toContain(secret)
    expect(JSON.stringify(await world.root('GET /v1/acl/tokens'))).not.toContain(secret)
    expect(await world.root(`GET /v1/acl/token/${accessor}`)).toMatchObject({ SecretID: secret })
  })
})
