import { beforeAll, describe, expect, it } from 'vitest'
import { AclWorld, unknownId } from './acl-world.ts'

const management = '00000000-0000-0000-0000-000000000001'

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
    const [method, target] = ['GET', line('old').slice('GET '.length)] as const
    expect(await world.server.request(method, target)).toMatchObject({
      kind: 'text',
      meta: { index: world.server.index },
    })
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
