import { beforeAll, describe, expect, it } from 'vitest'
import { AclWorld } from './acl-world.ts'

const rules = 'key "" { policy = "read" } key "w/" { policy = "write" }'
const uuid = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/

describe('legacy tokens in the new mode', () => {
  let world: AclWorld
  beforeAll(async () => {
    world = await AclWorld.begun()
  })

  it('[ACL-025] are made, read, replaced and deleted by the former API', async () => {
    const { ID } = await world.root('PUT /v1/acl/create', { Name: 'old', Type: 'client', Rules: rules })
    expect(await world.ask('', `GET /v1/acl/info/${ID}`)).toMatchObject({
      status: 200,
      body: [{ ID, Name: 'old', Type: 'client', Rules: rules }],
    })
    expect(await world.root('PUT /v1/acl/update', { ID, Name: 'new' })).toEqual({ ID })
    expect(await world.root(`GET /v1/acl/info/${ID}`)).toMatchObject([{ Name: 'new', Rules: '' }])
    expect(await world.root(`PUT /v1/acl/destroy/${ID}`)).toBe(true)
    expect(await world.root(`PUT /v1/acl/destroy/${ID}`)).toBe(true)
    expect(await world.root(`GET /v1/acl/info/${ID}`)).toEqual([])
  })

  it('may have any ID, and are made by an update too', async () => {
    expect(await world.root('PUT /v1/acl/create', { ID: 'my own' })).toEqual({ ID: 'my own' })
    expect(await world.root('PUT /v1/acl/update', { ID: 'another', Type: 'management' })).toEqual({ ID: 'another' })
    expect(await world.root('GET /v1/acl/info/another')).toMatchObject([{ Type: 'management' }])
    expect((await world.ask('another', 'GET /v1/acl/tokens')).status).toBe(200)
  })

  it('are listed with the master token, and without those of the new kind', async () => {
    await world.root('PUT /v1/acl/token', { Description: 'of the new kind' })
    const list = (await world.root('GET /v1/acl/list')) as unknown as { ID: string; Name: string }[]
    expect(list.map(({ ID }) => ID)).toContain('root')
    expect(list.map(({ Name }) => Name)).not.toContain('of the new kind')
    expect(list.map(({ Name }) => Name)).not.toContain('Anonymous Token')
  })

  it('are cloned under another ID', async () => {
    await world.root('PUT /v1/acl/create', { ID: 'source', Name: 'n', Rules: rules })
    const { ID } = await world.root('PUT /v1/acl/clone/source')
    expect(ID).not.toBe('source')
    expect(await world.root(`GET /v1/acl/info/${ID}`)).toMatchObject([{ Name: 'n', Rules: rules, Type: 'client' }])
  })

  it('[ACL-035] get an accessor about a second later, one for ever, and keep their rules', async () => {
    await world.root('PUT /v1/acl/create', { ID: 'migrated', Name: 'm', Rules: rules })
    await world.root('PUT /v1/acl/create', { ID: 'manages', Name: 'of all rights', Type: 'management' })
    const listed = async (): Promise<readonly (readonly [string, string])[]> => {
      const all = (await world.root('GET /v1/acl/tokens')) as unknown as { Description: string; AccessorID: string }[]
      const both = all.filter(({ Description }) => ['m', 'of all rights'].includes(Description))
      return both.map(({ Description, AccessorID }) => [Description, AccessorID] as const)
    }
    expect((await listed()).map(([, accessor]) => accessor)).toEqual(['', ''])
    await world.clock.advance(1_000)
    const { accessor } = world.token('migrated') ?? {}
    const { accessor: other } = world.token('manages') ?? {}
    expect([accessor, other]).toEqual([expect.stringMatching(uuid), expect.stringMatching(uuid)])
    expect(new Map(await listed())).toEqual(
      new Map([
        ['m', accessor],
        ['of all rights', other],
      ]),
    )
    expect(new Set([accessor, other, 'migrated', 'manages']).size).toBe(4)
    expect(await world.root(`GET /v1/acl/token/${accessor}`)).toMatchObject({
      SecretID: 'migrated',
      Description: 'm',
      Rules: rules,
      Policies: null,
      CreateTime: '0001-01-01T00:00:00Z',
    })
    expect(await world.ask('root', `PUT /v1/acl/token/${accessor}/clone`)).toEqual({
      status: 500,
      body: 'Cannot clone a legacy ACL with this endpoint',
    })
    await world.root('PUT /v1/acl/update', { ID: 'migrated', Rules: '' })
    await world.clock.advance(2_000)
    expect(world.token('migrated')?.accessor).toBe(accessor)
    const stubs = (await world.root('GET /v1/acl/tokens')) as unknown as { AccessorID: string }[]
    expect(stubs.find(({ AccessorID }) => AccessorID === accessor)).not.toHaveProperty('Legacy')
  })

  it('[ACL-037] are told by the new API before they have one, without it', async () => {
    await world.root('PUT /v1/acl/create', { ID: 'fresh', Name: 'fresh', Rules: rules })
    const stubs = (await world.root('GET /v1/acl/tokens')) as unknown as Record<string, unknown>[]
    const stub = stubs.find(({ Description }) => Description === 'fresh')
    expect(stub).toMatchObject({ AccessorID: '', Hash: null, Legacy: true })
    expect(await world.ask('fresh', 'GET /v1/acl/token/self')).toMatchObject({ body: { AccessorID: '', Rules: rules } })
  })

  it('[ACL-026] have no policies, and become tokens of the new kind with them', async () => {
    await world.root('PUT /v1/acl/policy', { Name: 'p1', Rules: 'acl = "read"' })
    await world.root('PUT /v1/acl/create', { ID: 'linked', Rules: rules, Policies: [{ Name: 'p1' }] })
    expect(world.token('linked')?.policies).toEqual([])
    await world.clock.advance(1_000)
    expect((await world.ask('linked', 'GET /v1/acl/tokens')).status).toBe(403)
    await world.root('PUT /v1/acl/update', { ID: 'linked', Rules: rules, Policies: [{ Name: 'p1' }] })
    expect(world.token('linked')?.policies).toEqual([])
    const line = `PUT /v1/acl/token/${world.token('linked')?.accessor}`
    expect(await world.root(line, { Policies: [{ Name: 'p1' }] })).toMatchObject({ SecretID: 'linked' })
    expect((await world.ask('linked', 'GET /v1/acl/tokens')).status).toBe(200)
    expect(await world.root('GET /v1/acl/info/linked')).toEqual([])
  })

  it.each<[string, string | object, number, string]>([
    ['PUT /v1/acl/create', '{', 400, 'Request decode failed: unexpected EOF'],
    ['PUT /v1/acl/update', { Name: 'x' }, 400, 'ACL ID must be set'],
    ['PUT /v1/acl/destroy/', '', 400, 'Missing ACL'],
    ['GET /v1/acl/info/', '', 400, 'Missing ACL'],
    ['PUT /v1/acl/clone/', '', 400, 'Missing ACL'],
    ['PUT /v1/acl/clone/nope', '', 403, 'Permission denied'],
    ['PUT /v1/acl/create', { Type: 'king' }, 500, 'Invalid ACL Type'],
    ['PUT /v1/acl/create', { ID: 'manage' }, 403, 'Permission denied: Cannot modify root ACL'],
    ['PUT /v1/acl/destroy/allow', '', 403, 'Permission denied: Cannot modify root ACL'],
    ['PUT /v1/acl/destroy/anonymous', '', 403, 'Permission denied: Cannot delete anonymous token'],
  ])('%s %j is %i: %s', async (line, body, status, text) => {
    expect(await world.ask('root', line, body)).toEqual({ status, body: text })
  })

  it('hold rules that can be read, or are refused with the place', async () => {
    expect(await world.ask('root', 'PUT /v1/acl/create', { Rules: 'key {' })).toEqual({
      status: 500,
      body: 'ACL rule compilation failed: Failed to parse ACL rules: At 1:7: object expected closing RBRACE got: EOF',
    })
  })

  it('are not what tokens of the new kind are: the former API does not touch these', async () => {
    const { secret } = await world.tokenOf('')
    const refusal = { status: 500, body: 'Cannot use legacy endpoint to modify a non-legacy token' }
    expect(await world.ask('root', 'PUT /v1/acl/update', { ID: secret })).toEqual(refusal)
    expect(await world.ask('root', `PUT /v1/acl/destroy/${secret}`)).toEqual(refusal)
    expect(await world.ask('root', `PUT /v1/acl/clone/${secret}`)).toMatchObject({ status: 403 })
  })
})
