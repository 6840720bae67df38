import { describe, expect, it, vi } from 'vitest'
import { LinearRegexp } from '../../../src/base/linear-regexp.ts'
import { jsonOf, QueryWorld, web } from './query-world.ts'

const unknown = '11111111-0000-0000-0000-000000000000'

describe('defining a prepared query', () => {
  it('takes every field that there is, and shows what was not said as the field does', async () => {
    const world = new QueryWorld()
    const given = {
      Name: 'Q1',
      Token: 'secret',
      Service: {
        Service: 'web',
        Failover: { NearestN: 2, Datacenters: ['dc2'] },
        OnlyPassing: true,
        IgnoreCheckIDs: ['c1'],
        Near: '_agent',
        Tags: ['a', '!b'],
        NodeMeta: { zone: 'z1', arch: 'x' },
        Connect: true,
      },
      DNS: { TTL: '1m' },
    }
    const id = await world.create(given)
    const template = { Type: '', Regexp: '', RemoveEmptyTags: false }
    const indexes = { CreateIndex: 1, ModifyIndex: 1 }
    expect(await world.json(`/v1/query/${id}`)).toEqual([
      { ID: id, Session: '', Template: template, ...given, ...indexes },
    ])
    const plain = await world.create({ name: 'q2', service: { SERVICE: 'web' } })
    expect(await world.json(`/v1/query/${plain}`)).toMatchObject([
      { Service: { Tags: null, NodeMeta: null, IgnoreCheckIDs: null, Failover: { Datacenters: null } } },
    ])
    expect(((await world.json('/v1/query')) as unknown[]).length).toBe(2)
    expect(world.metrics).toContain('prepared-query.apply')
  })

  it('an update replaces the whole, keeps where it began, and may keep the name', async () => {
    const world = new QueryWorld()
    const id = await world.create({ Name: 'q', ...web, DNS: { TTL: '10s' } })
    const body = JSON.stringify({ ID: unknown, Name: 'q', Service: { Service: 'db' } })
    expect(await world.server.request('PUT', `/v1/query/${id.toUpperCase()}`, body)).toEqual({
      kind: 'empty',
      status: 200,
    })
    expect(await world.json(`/v1/query/${id}`)).toMatchObject([
      { ID: id, Service: { Service: 'db' }, DNS: { TTL: '' }, CreateIndex: 1, ModifyIndex: 2 },
    ])
  })

  it('one that is deleted is gone, under its ID and its name, and the name is free again', async () => {
    const world = new QueryWorld()
    const id = await world.create({ Name: 'q', ...web })
    await world.server.request('DELETE', `/v1/query/${id}`)
    expect(await world.failure(`/v1/query/${id}`)).toBe('not-found: Query not found')
    expect(await world.failure('/v1/query/q/execute')).toBe('not-found: Query not found')
    await world.create({ Name: 'q', ...web })
  })

  it.each([
    [{ Name: 'x' }, 'Must provide a Service name to query'],
    [web, 'Must be bound to a session'],
    [{ Name: 'x', Service: { Service: 'web', Failover: { NearestN: -1 } } }, "Bad NearestN '-1', must be >= 0"],
    [{ Name: 'x', ...web, DNS: { TTL: '-1ns' } }, "DNS TTL '-1', must be >=0"],
    [{ Name: 'x', ...web, DNS: { TTL: '5' } }, `Bad DNS TTL '5': time: invalid duration "5"`],
    [
      { Name: 'x', ...web, Token: '<hidden>' },
      "Bad Token '<hidden>', it looks like a query definition with a redacted token was submitted",
    ],
    [
      { Name: 'x', Service: { Service: 'web', NodeMeta: { 'a b': '' } } },
      "Invalid node metadata filters: Couldn't load metadata pair ('a b', ''): Key contains invalid characters",
    ],
    [{ Name: 'x'.repeat(257), ...web }, 'Name is longer than 256 bytes'],
    [
      { Name: 'x', Service: { Service: 'web', Tags: new Array(1_000).fill('x'.repeat(66)) } },
      'its texts take more than 65536 characters',
    ],
  ])('is refused: %j', async (body, line) => {
    expect(await new QueryWorld().refusal(body)).toBe(`bad-request: Invalid prepared query: ${line}`)
  })

  it('keys of the product itself may be asked for in metadata, though no node may set them', async () => {
    await new QueryWorld().create({ Name: 'x', Service: { Service: 'web', NodeMeta: { 'svc-network-segment': '' } } })
  })

  it.each([
    [{ Template: { Type: 'zz' }, ...web }, "Bad Template.Type 'zz'"],
    [{ Template: { Type: 'name_prefix_match', Regexp: '(' }, ...web }, /^Bad Regexp: error parsing regexp/],
    [
      { Template: { Type: 'name_prefix_match' }, Service: { Service: '${name.nope}' } },
      "Bad evaluation for '${name.nope}' in Service.Service: unknown variable accessed: name.nope",
    ],
    [
      { Template: { Type: 'name_prefix_match' }, Service: { Service: 'web', Tags: ['a', '${'] } },
      /^Bad format '\$\{' in Service.Tags\[1\]: expected closing/,
    ],
    [
      { Template: { Type: 'name_prefix_match' }, Service: { Service: 'web', NodeMeta: { zone: '${1 + 1}' } } },
      /^Bad format .* in Service.NodeMeta\[zone\]: unknown interpolation/,
    ],
  ])('a template is tried when it is defined: %j', async (body, line) => {
    const refusal = await new QueryWorld().refusal(body)
    if (typeof line === 'string') expect(refusal).toBe(`bad-request: failed compiling template: ${line}`)
    else expect(refusal.replace('bad-request: failed compiling template: ', '')).toMatch(line)
  })

  it('a name belongs to one query, whatever the case of its letters, and is the ID of no other query', async () => {
    const world = new QueryWorld()
    const id = await world.create({ Name: 'Web', ...web })
    const other = await world.create({ Name: 'other', ...web })
    const taken = "bad-request: name 'wEB' aliases an existing query name"
    expect(await world.refusal({ Name: 'wEB', ...web })).toBe(taken)
    expect(await world.refusal({ Name: 'wEB', ...web }, `/v1/query/${other}`)).toBe(taken)
    expect(await world.refusal({ Name: id, ...web })).toBe(`bad-request: name '${id}' aliases an existing query ID`)
    const everything = { Template: { Type: 'name_prefix_match' }, ...web }
    await world.create(everything)
    expect(await world.refusal(everything)).toBe('bad-request: a query template with an empty name already exists')
  })

  it('only what is there can be changed or deleted', async () => {
    const world = new QueryWorld()
    const line = `bad-request: Cannot modify non-existent prepared query: '${unknown}'`
    expect(await world.refusal({ Name: 'x', ...web }, `/v1/query/${unknown}`)).toBe(line)
    const deleted = await world.server.request('DELETE', `/v1/query/${unknown}`)
    expect(deleted).toMatchObject({ kind: 'failure', failure: { message: line.slice('bad-request: '.length) } })
  })

  it('a release that does not know queries yet proposes none', async () => {
    const world = new QueryWorld()
    const before = { major: 0, minor: 5, patch: 2 }
    Object.assign(world.server.context, { release: before })
    expect(await world.refusal({ Name: 'x', ...web })).toBe('unknown-method: ')
    expect(world.server.index).toBe(0)
  })

  it('before 0.7 a server does not keep Near', async () => {
    const world = new QueryWorld()
    Object.assign(world.server.context, { release: { major: 0, minor: 6, patch: 4 } })
    const id = await world.create({ Name: 'x', Service: { Service: 'web', Near: '_agent' } })
    expect(await world.json(`/v1/query/${id}`)).toMatchObject([{ Service: { Near: '' } }])
  })
})

describe('a query that is bound to a session', () => {
  it('needs no name, is refused without its session, and goes with it', async () => {
    const world = new QueryWorld()
    await world.place({ node: 'node-a', checks: { 'node-alive': 'passing' } })
    const body = JSON.stringify({ Checks: ['node-alive'] })
    const { ID } = jsonOf(await world.server.request('PUT', '/v1/session/create', body)) as { ID: string }
    const bound = await world.create({ Session: ID.toUpperCase(), ...web })
    const stays = await world.create({ Name: 'stays', ...web })
    expect(await world.refusal({ Session: unknown, ...web })).toBe(`bad-request: invalid session "${unknown}"`)
    expect(await world.refusal({ Session: 'short', ...web })).toMatch(/UUID must be 36 characters$/)
    const everything = { Template: { Type: 'name_prefix_match' }, ...web }
    await world.create(everything)
    expect(await world.refusal({ Session: ID, ...everything })).toMatch(/with an empty name already exists$/)
    expect(await world.create({ Session: ID, ...web })).toMatch(/^[0-9a-f-]{36}$/)
    expect(await world.nodes(bound)).toEqual(['node-a'])
    const before = world.server.index
    await world.place({ node: 'node-a', checks: { 'node-alive': 'critical' } })
    expect(world.server.index).toBe(before + 1)
    expect(await world.failure(`/v1/query/${bound}`)).toBe('not-found: Query not found')
    expect(await world.json('/v1/query')).toMatchObject([{ ID: stays }, { Template: everything.Template }])
  })
})

describe('queries in a snapshot', () => {
  it('are found as before once it is restored, by ID, name, template and session', async () => {
    const world = new QueryWorld()
    await world.place({ node: 'node-a', checks: { 'node-alive': 'passing' } })
    const { ID } = jsonOf(
      await world.server.request('PUT', '/v1/session/create', JSON.stringify({ Checks: ['node-alive'] })),
    ) as { ID: string }
    const service = { Service: '${name.suffix}', NodeMeta: { ['__proto__']: 'x', a: 'b' }, Tags: ['a'] }
    await world.create({ Name: 'T-', Template: { Type: 'name_prefix_match' }, Service: service })
    await world.create({ Session: ID, ...web })
    const before = await world.json('/v1/query')
    const other = new QueryWorld()
    other.restoreFrom(world)
    expect(await other.json('/v1/query')).toEqual(before)
    expect(other.server.state.store.digest()).toEqual(world.server.state.store.digest())
    expect((await other.explained('t-web')).Service['Service']).toBe('web')
    await other.place({ node: 'node-a', checks: { 'node-alive': 'critical' } })
    expect(await other.json('/v1/query')).toHaveLength(1)
  })
})

describe('a template', () => {
  const template = { Type: 'name_prefix_match' }

  it('answers names that begin with its own; the exact name wins, then the longest', async () => {
    const world = new QueryWorld()
    const named = (service: string): object => ({ Template: template, Service: { Service: service } })
    await world.create({ Name: '', ...named('any-${name.full}') })
    await world.create({ Name: 'geo-', ...named('geo-${name.suffix}') })
    await world.create({ Name: 'geo-db-', ...named('db-${name.suffix}-${name.prefix}') })
    await world.create({ Name: 'geo-db-x', Service: { Service: 'exact' } })
    const asked = async (name: string): Promise<unknown> => (await world.explained(name)).Service['Service']
    expect(await asked('web')).toBe('any-web')
    expect(await asked('geo-web')).toBe('geo-web')
    expect(await asked('GEO-Web')).toBe('geo-Web')
    expect(await asked('geo-db-y')).toBe('db-y-geo-db-')
    expect(await asked('geo-db-x')).toBe('exact')
    expect(await asked('geo-db-x.y')).toBe('db-x.y-geo-db-')
  })

  it('interpolates every text of what it looks for, and drops tags that come out empty where it is told to', async () => {
    const world = new QueryWorld()
    const service = {
      Service: '${match(2)}',
      Failover: { NearestN: 1, Datacenters: ['${match(1)}', '$${x}'] },
      IgnoreCheckIDs: ['c-${ match( 2 ) }'],
      Near: '${name.suffix}',
      Tags: ['${match(3)}', 'a${agent.segment}', '${match(9)}', '${match(-1)}'],
      NodeMeta: { zone: '${match(1)}' },
    }
    const regexp = '^geo-(.*?)-([^\\-]+?)(-x)?$'
    const create = (name: string, removeEmpty: boolean): Promise<string> =>
      world.create({
        Name: name,
        Template: { ...template, Regexp: regexp, RemoveEmptyTags: removeEmpty },
        Service: service,
      })
    const id = await create('geo-', false)
    expect((await world.explained('geo-dc2-web')).Service).toMatchObject({
      Service: 'web',
      Failover: { NearestN: 1, Datacenters: ['dc2', '${x}'] },
      IgnoreCheckIDs: ['c-web'],
      Near: 'dc2-web',
      Tags: ['', 'a', '', ''],
      NodeMeta: { zone: 'dc2' },
    })
    await create('geo-dc2', true)
    expect((await world.explained('geo-dc2-web')).Service['Tags']).toEqual(['a'])
    expect((await world.explained('geo-nomatch')).Service['Service']).toBe('')
    expect(await world.nodes('geo-nomatch')).toEqual([])
    expect(await world.failure(`/v1/query/${id}/execute`)).toBe(
      'bad-request: prepared query templates can only be resolved up by name, not by ID',
    )
  })

  it('is bounded in what it may become', async () => {
    const world = new QueryWorld()
    await world.create({ Name: 'a', Template: template, Service: { Service: '${name.full}'.repeat(1_000) } })
    expect((await world.explained('abc')).Service['Service']).toBe('abc'.repeat(1_000))
    expect(await world.failure(`/v1/query/a${'b'.repeat(100)}/explain`)).toBe(
      'bad-request: the rendered query has more than 65536 characters',
    )
  })

  it('answers no name of more than 512 bytes: its expression is matched against the name each time', async () => {
    const world = new QueryWorld()
    await world.create({ Name: 'a', Template: { ...template, Regexp: '(a?){900}[xy]' }, ...web })
    expect(await world.nodes(`a${'b'.repeat(511)}`)).toEqual([])
    const compiled = vi.spyOn(LinearRegexp.prototype, 'groups')
    expect(await world.failure(`/v1/query/a${'b'.repeat(512)}/execute`)).toBe('not-found: Query not found')
    expect(compiled).not.toHaveBeenCalled()
    compiled.mockRestore()
  })
})
