import { beforeAll, describe, expect, it } from 'vitest'
import { unrestricted } from '../../../src/access/authorizer.ts'
import { err } from '../../../src/base/result.ts'
import { timeText } from '../../../src/features/acl/model.ts'
import { bootstrapEndpoint } from '../../../src/features/acl/system/system-endpoints.ts'
import * as views from '../../../src/features/acl/views.ts'
import { AclWorld, unknownId } from './acl-world.ts'

const anonymous = '00000000-0000-0000-0000-000000000002'

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

  it('say when they were made, to the millisecond, without zeros at the end', () => {
    expect([0, 1_000, 1_500, 1_230, 1_007].map(timeText)).toEqual([
      '0001-01-01T00:00:00Z',
      '1970-01-01T00:00:01Z',
      '1970-01-01T00:00:01.5Z',
      '1970-01-01T00:00:01.23Z',
      '1970-01-01T00:00:01.007Z',
    ])
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

  it('of anonymous callers are not their own; the default token of the agent is', async () => {
    expect(await world.ask('', 'GET /v1/acl/token/self')).toEqual({ status: 403, body: 'ACL not found' })
    world.defaultToken = 'root'
    expect(await world.ask('', 'GET /v1/acl/token/self')).toMatchObject({ body: { Description: 'Master Token' } })
    world.defaultToken = ''
  })

  it('of anonymous callers can be changed and not deleted', async () => {
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
    // An editor may leave whitespace around it.
    world.writeReset(`${' '.repeat(40)}${CreateIndex}\n`)
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

describe('a reset of the bootstrap whose outcome the leader does not learn', () => {
  it('leaves no file, which a restored snapshot could make valid, and is answered when it is sent again', async () => {
    const world = await AclWorld.begun('dc1', 'dc1', '')
    const first = (await world.ask('', 'PUT /v1/acl/bootstrap')).body as { CreateIndex: number }
    world.writeReset(String(first.CreateIndex))
    const { context } = world.server
    const { propose } = context
    const unheard: typeof propose = async (command, body, identity) => {
      await propose(command, body, identity)
      return err({ kind: 'outcome-unknown', message: 'it no longer leads' })
    }
    const identity = { origin: 'a', sequence: 1 }
    Object.assign(context, { propose: unheard })
    expect((await bootstrapEndpoint.serve(context, { legacy: false }, identity, unrestricted)).ok).toBe(false)
    expect(world.files.size).toBe(0)
    Object.assign(context, { propose })
    const again = await bootstrapEndpoint.serve(context, { legacy: false }, identity, unrestricted)
    expect(again).toMatchObject({ ok: true, value: { token: { description: 'Bootstrap Token (Global Management)' } } })
    expect(views.bootstrapIndex(world.server.read())).toBeGreaterThan(first.CreateIndex)
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
