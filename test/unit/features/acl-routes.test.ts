import { beforeAll, describe, expect, it } from 'vitest'
import { enterNewMode } from '../../../src/features/acl/system/mode-commands.ts'
import { AclWorld } from './acl-world.ts'

const unknownId = '11111111-0000-0000-0000-000000000000'
const anonymous = '00000000-0000-0000-0000-000000000002'
const management = '00000000-0000-0000-0000-000000000001'
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

describe('policies', () => {
  let world: AclWorld
  beforeAll(async () => {
    world = await AclWorld.begun()
  })

  it('are made, read, replaced and deleted', async () => {
    const given = { Name: 'p1', Description: 'd', Rules: 'service_prefix "" { policy = "read" }', Datacenters: ['dc1'] }
    const made = await world.root('PUT /v1/acl/policy', given)
    expect(made).toMatchObject({ ...given, Hash: 's7MqNgz0oX/pR64t9EJIRbvx2GW+XqoYmUuGFLiFgnA=' })
    const id = String(made['ID'])
    expect(await world.root(`GET /v1/acl/policy/${id.toUpperCase()}`)).toEqual(made)
    const next = await world.root(`PUT /v1/acl/policy/${id}`, { ID: id, Name: 'p2' })
    expect(next).toMatchObject({ Name: 'p2', Rules: '', CreateIndex: made['CreateIndex'] })
    expect(next).not.toHaveProperty('Datacenters')
    expect(await world.root('GET /v1/acl/policies')).toMatchObject([{ ID: management }, { ID: id, Datacenters: null }])
    expect(await world.root(`DELETE /v1/acl/policy/${id}`)).toBe(true)
    expect(await world.root(`DELETE /v1/acl/policy/${id}`)).toBe(true)
    expect(await world.ask('root', `GET /v1/acl/policy/${id}`)).toEqual({ status: 403, body: 'ACL not found' })
  })

  it.each<[string, string | object, number, string]>([
    ['PUT /v1/acl/policy', { ID: unknownId, Name: 'x' }, 400, 'Bad request: Policy ID in URL and payload do not match'],
    [
      `PUT /v1/acl/policy/${unknownId}`,
      { ID: management, Name: 'x' },
      400,
      'Bad request: Policy ID in URL and payload do not match',
    ],
    ['GET /v1/acl/policy/', '', 400, 'Bad request: Missing policy ID'],
    ['DELETE /v1/acl/policy/', '', 400, 'Bad request: Missing policy ID'],
    ['PUT /v1/acl/policy', {}, 500, 'Invalid Policy: no Name is set'],
    [
      'PUT /v1/acl/policy',
      { Name: 'a b' },
      500,
      "Invalid Policy: invalid Name. Only alphanumeric characters, '-' and '_' are allowed",
    ],
    [
      'PUT /v1/acl/policy',
      { Name: 'a'.repeat(129) },
      500,
      "Invalid Policy: invalid Name. Only alphanumeric characters, '-' and '_' are allowed",
    ],
    [
      'PUT /v1/acl/policy',
      { Name: 'global-management' },
      500,
      'Invalid Policy: A Policy with Name "global-management" already exists',
    ],
    ['PUT /v1/acl/policy', { Name: 'x', Rules: 'operator = "list"' }, 500, 'Invalid operator policy: "list"'],
    ['PUT /v1/acl/policy/nope', { Name: 'x' }, 500, 'Policy ID invalid UUID'],
    [`PUT /v1/acl/policy/${unknownId}`, { Name: 'x' }, 500, `cannot find policy ${unknownId}`],
    [
      'GET /v1/acl/policy/nope',
      '',
      500,
      'failed acl policy lookup: failed acl policy lookup: index error: UUID must be 36 characters',
    ],
    [
      `DELETE /v1/acl/policy/${management}`,
      '',
      500,
      'Delete operation not permitted on the builtin global-management policy',
    ],
    [
      `PUT /v1/acl/policy/${management}`,
      { Name: 'x' },
      500,
      'Changing the Rules for the builtin global-management policy is not permitted',
    ],
  ])('%s %j is %i: %s', async (line, body, status, text) => {
    expect(await world.ask('root', line, body)).toEqual({ status, body: text })
  })
})

describe('tokens', () => {
  let world: AclWorld
  let policy: string
  beforeAll(async () => {
    world = await AclWorld.begun()
    policy = String((await world.root('PUT /v1/acl/policy', { Name: 'p1' }))['ID'])
  })

  it('[ACL-023] have an accessor beside their secret, which the service draws', async () => {
    const made = await world.root('PUT /v1/acl/token/', {
      SecretID: unknownId,
      Description: 't1',
      Policies: [{ Name: 'p1' }],
    })
    expect(made).toMatchObject({ Description: 't1', Policies: [{ ID: policy, Name: 'p1' }], Local: false })
    expect(made['SecretID']).not.toBe(unknownId)
    expect(made['AccessorID']).not.toBe(made['SecretID'])
    expect(await world.root(`GET /v1/acl/token/${made['AccessorID']}`)).toEqual(made)
    expect(await world.ask(String(made['SecretID']), 'GET /v1/acl/token/self')).toEqual({ status: 200, body: made })
  })

  it('are replaced as a whole, but for secret and time', async () => {
    const made = await world.root('PUT /v1/acl/token', { Description: 't', Policies: [{ ID: policy }] })
    await world.clock.advance(5_000)
    const line = `PUT /v1/acl/token/${made['AccessorID']}`
    const changed = await world.root(line, made)
    expect(changed).toMatchObject({ ...made, ModifyIndex: expect.any(Number) })
    expect(await world.root(line, {})).toMatchObject({ Description: '', Policies: null, SecretID: made['SecretID'] })
    for (const [body, text] of [
      [{ SecretID: unknownId }, 'Changing a tokens SecretID is not permitted'],
      [{ Local: true }, `cannot toggle local mode of ${made['AccessorID']}`],
      [{ Rules: 'x' }, 'Rules cannot be specified for this token'],
      [{ Type: 'client' }, 'Type cannot be specified for this token'],
    ] as const) {
      expect(await world.ask('root', line, body)).toEqual({ status: 500, body: text })
    }
  })

  it('are cloned with their policies, and told by policy', async () => {
    const own = String((await world.root('PUT /v1/acl/policy', { Name: 'p2' }))['ID'])
    const made = await world.root('PUT /v1/acl/token', { Description: 'd', Policies: [{ ID: own }], Local: true })
    const line = `PUT /v1/acl/token/${made['AccessorID']}/clone`
    const copy = await world.root(line)
    expect(copy).toMatchObject({ Description: 'd', Policies: [{ ID: own, Name: 'p2' }], Local: true })
    expect(new Set([copy, made].flatMap(({ AccessorID, SecretID }) => [AccessorID, SecretID])).size).toBe(4)
    expect(await world.root(line, { Description: 'e' })).toMatchObject({ Description: 'e' })
    const bound = (await world.root(`GET /v1/acl/tokens?policy=${own}`)) as unknown as { Description: string }[]
    expect(bound.map(({ Description }) => Description).sort()).toEqual(['d', 'd', 'e'])
    await world.root(`PUT /v1/acl/policy/${own}`, { Name: 'renamed' })
    expect(await world.root(`GET /v1/acl/token/${made['AccessorID']}`)).toMatchObject({
      Policies: [{ Name: 'renamed' }],
    })
    await world.root(`DELETE /v1/acl/policy/${own}`)
    expect(await world.root(`GET /v1/acl/token/${made['AccessorID']}`)).toMatchObject({ Policies: [{ ID: own }] })
  })

  it('[ACL-002] give what their policies say, until one of them goes', async () => {
    const { secret } = await world.tokenOf('acl = "read"')
    const { Policies } = (await world.ask(secret, 'GET /v1/acl/token/self')).body as {
      Policies: { ID: string; Name: string }[]
    }
    const [{ ID, Name } = { ID: '', Name: '' }] = Policies
    expect((await world.ask(secret, 'GET /v1/acl/tokens')).status).toBe(200)
    await world.root(`PUT /v1/acl/policy/${ID}`, { Name, Rules: '' })
    expect((await world.ask(secret, 'GET /v1/acl/tokens')).status).toBe(403)
    await world.root(`PUT /v1/acl/policy/${ID}`, { Name, Rules: 'acl = "write"' })
    expect((await world.ask(secret, 'PUT /v1/acl/token', '{}')).status).toBe(200)
    await world.root(`DELETE /v1/acl/policy/${ID}`)
    expect((await world.ask(secret, 'GET /v1/acl/tokens')).status).toBe(403)
  })

  it('are deleted, themselves too, and are then unknown', async () => {
    const { accessor, secret } = await world.tokenOf('acl = "write"')
    expect(await world.ask(secret, `DELETE /v1/acl/token/${accessor}`)).toEqual({ status: 200, body: true })
    expect(await world.ask(secret, 'GET /v1/acl/token/self')).toEqual({ status: 403, body: 'ACL not found' })
    expect(await world.root(`DELETE /v1/acl/token/${unknownId}`)).toBe(true)
  })

  it('of nobody is not his own; the default token of the agent is', async () => {
    expect(await world.ask('', 'GET /v1/acl/token/self')).toEqual({ status: 403, body: 'ACL not found' })
    world.defaultToken = 'root'
    expect(await world.ask('', 'GET /v1/acl/token/self')).toMatchObject({ body: { Description: 'Master Token' } })
    world.defaultToken = ''
  })

  it('of anybody can be changed and not deleted', async () => {
    const given = { Description: 'Anonymous Token', Policies: [{ Name: 'p1' }] }
    expect(await world.root(`PUT /v1/acl/token/${anonymous}`, given)).toMatchObject({ SecretID: 'anonymous' })
    expect(await world.ask('root', `DELETE /v1/acl/token/${anonymous}`)).toEqual({
      status: 500,
      body: 'Delete operation not permitted on the anonymous token',
    })
  })

  it.each<[string, string | object, number, string]>([
    ['PUT /v1/acl/token', { AccessorID: 'x' }, 400, 'Bad request: Token Accessor ID in URL and payload do not match'],
    [
      `PUT /v1/acl/token/${unknownId}`,
      { AccessorID: 'x' },
      400,
      'Bad request: Token Accessor ID in URL and payload do not match',
    ],
    ['PUT /v1/acl/token', '{', 400, 'Bad request: Token decoding failed: unexpected EOF'],
    ['GET /v1/acl/token/', '', 400, 'Bad request: Missing token ID'],
    ['DELETE /v1/acl/token/', '', 400, 'Bad request: Missing token ID'],
    ['PUT /v1/acl/token', { Policies: [{ Name: 'nosuch' }] }, 500, 'No such ACL policy with name "nosuch"'],
    ['PUT /v1/acl/token/x', {}, 500, 'AccessorID is not a valid UUID'],
    [`PUT /v1/acl/token/${unknownId}`, {}, 500, `Cannot find token "${unknownId}"`],
    [`PUT /v1/acl/token/${unknownId}/clone`, '', 403, 'ACL not found'],
    ['DELETE /v1/acl/token/x', '', 500, 'Accessor ID is missing or an invalid UUID'],
    [`GET /v1/acl/token/${unknownId}`, '', 403, 'ACL not found'],
    [
      'GET /v1/acl/token/x',
      '',
      500,
      'failed acl token lookup: failed acl token lookup: index error: UUID must be 36 characters',
    ],
  ])('%s %j is %i: %s', async (line, body, status, text) => {
    expect(await world.ask('root', line, body)).toEqual({ status, body: text })
  })
})

describe('rules of the legacy grammar', () => {
  const old = 'key "foo/" { policy = "write" } service "web" { policy = "read" }'
  const now = 'key_prefix "foo/" {\n  policy = "write"\n}\n\nservice_prefix "web" {\n  policy = "read"\n}'

  it('are told in the new one, of a text and of a token', async () => {
    const world = await AclWorld.begun()
    expect(await world.ask('root', 'POST /v1/acl/rules/translate', old)).toEqual({ status: 200, body: now })
    await world.root('PUT /v1/acl/create', { ID: 'old', Rules: old })
    await world.clock.advance(2_000)
    const line = (secret: string) => `GET /v1/acl/rules/translate/${world.token(secret)?.accessor}`
    expect(await world.ask('root', line('old'))).toEqual({ status: 200, body: now })
    expect(await world.ask('root', line('root'))).toEqual({
      status: 500,
      body: 'The specified token does not have any rules set',
    })
  })

  it('that cannot be read are refused with the place', async () => {
    const world = await AclWorld.begun()
    expect(await world.ask('root', 'POST /v1/acl/rules/translate', 'key {')).toEqual({
      status: 400,
      body: 'Bad request: Failed to parse rules: At 1:7: object expected closing RBRACE got: EOF',
    })
  })
})

describe('the bootstrap', () => {
  it('gives a token with all rights once, and again where the leader finds the right number', async () => {
    const world = await AclWorld.begun('dc1', 'dc1', '')
    const first = await world.ask('', 'PUT /v1/acl/bootstrap')
    expect(first).toMatchObject({ status: 200, body: { Description: 'Bootstrap Token (Global Management)' } })
    const { ID, SecretID, CreateIndex } = first.body as { ID: string; SecretID: string; CreateIndex: number }
    expect(ID).toBe(SecretID)
    const closed = `Permission denied: ACL bootstrap no longer allowed (reset index: ${CreateIndex})`
    expect(await world.ask('', 'PUT /v1/acl/bootstrap')).toEqual({ status: 403, body: closed })
    world.writeReset('999')
    expect(await world.ask('', 'PUT /v1/acl/bootstrap')).toEqual({
      status: 500,
      body: `Invalid bootstrap reset index (specified 999, reset index: ${CreateIndex})`,
    })
    world.writeReset('no number')
    expect(await world.ask('', 'PUT /v1/acl/bootstrap')).toEqual({ status: 403, body: closed })
    world.writeReset(`${CreateIndex}\n`)
    const second = await world.ask('', 'PUT /v1/acl/bootstrap?legacy=true')
    expect(second.status).toBe(200)
    expect(world.files.size).toBe(0)
    const { CreateIndex: next, ID: other } = second.body as { CreateIndex: number; ID: string }
    expect(await world.ask('', 'PUT /v1/acl/bootstrap')).toMatchObject({
      body: expect.stringContaining(`reset index: ${next}`),
    })
    for (const secret of [ID, other]) expect((await world.ask(secret, 'GET /v1/acl/tokens')).status).toBe(200)
  })
})

describe('tokens of the agent', () => {
  it('are set and cleared by a caller that may write the agent', async () => {
    const world = await AclWorld.begun()
    const writer = (await world.tokenOf('agent "node-a" { policy = "write" }')).secret
    const kinds = [
      'acl_token',
      'acl_agent_token',
      'acl_agent_master_token',
      'acl_replication_token',
      'connect_replication_token',
    ]
    for (const kind of kinds) {
      expect(await world.ask(writer, `PUT /v1/agent/token/${kind}`, { Token: kind })).toEqual({ status: 200, body: '' })
    }
    expect([...world.slots]).toEqual([
      ['default', 'acl_token'],
      ['agent', 'acl_agent_token'],
      ['agent-master', 'acl_agent_master_token'],
      ['replication', 'acl_replication_token'],
      ['mesh-replication', 'connect_replication_token'],
    ])
    await world.ask(writer, 'PUT /v1/agent/token/acl_token', { Token: '' })
    expect(world.slots.get('default')).toBe('')
    expect(await world.ask(writer, 'PUT /v1/agent/token/default', { Token: 'x' })).toEqual({
      status: 404,
      body: 'Token "default" is unknown',
    })
    expect((await world.ask(writer, 'PUT /v1/agent/token/acl_token', '{')).status).toBe(400)
    const other = (await world.tokenOf('agent "node-b" { policy = "write" }')).secret
    expect((await world.ask(other, 'PUT /v1/agent/token/acl_token', '{')).status).toBe(403)
  })
})
