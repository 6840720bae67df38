import { describe, expect, it } from 'vitest'
import { sessionChecksTable } from '../../../src/features/session/tables.ts'
import { failureOf, SessionWorld } from './session-world.ts'

const unknown = '11111111-0000-0000-0000-000000000000'

describe('creating a session', () => {
  it('without a body gives one of the own node, with the membership check and a lock delay of 15 s', async () => {
    const world = await SessionWorld.begun()
    const response = (await world.request('PUT', '/v1/session/create')) as { ID: string }
    expect(await world.request('GET', `/v1/session/info/${response.ID}`)).toEqual([
      {
        ID: response.ID,
        Name: '',
        Node: 'node-a',
        Checks: ['serfHealth'],
        LockDelay: 15_000_000_000,
        Behavior: 'release',
        TTL: '',
        CreateIndex: 3,
        ModifyIndex: 3,
      },
    ])
  })

  it('takes what the body says, and reads no checks back as null', async () => {
    const world = await SessionWorld.begun()
    const body = { name: 'x', TTL: '90m', Behavior: 'delete', LockDelay: '90s', Checks: [], NODE: 'NODE-A' }
    const id = await world.create(body)
    expect(await world.request('GET', `/v1/session/info/${id}`)).toMatchObject([
      { Name: 'x', Node: 'node-a', Checks: null, TTL: '90m', Behavior: 'delete', LockDelay: 90_000_000_000 },
    ])
  })

  it.each([
    [20, 20_000_000_000],
    [999, 999_000_000_000],
    [1000, 1000],
    [0, 0],
    ['1500us', 1_500_000],
  ])('a lock delay of %s is one of %s ns', async (given, nanoseconds) => {
    const world = await SessionWorld.begun()
    const id = await world.create({ LockDelay: given })
    expect(await world.request('GET', `/v1/session/info/${id}`)).toMatchObject([{ LockDelay: nanoseconds }])
  })

  it.each([
    [{ Node: 'nope' }, 'bad-request: Missing node registration'],
    [{ Checks: ['nope'] }, "bad-request: Missing check 'nope' registration"],
    [{ Behavior: 'explode' }, "bad-request: Invalid Behavior setting 'explode'"],
    [{ Behavior: 'constructor' }, "bad-request: Invalid Behavior setting 'constructor'"],
    [{ TTL: 'abc' }, 'bad-request: Session TTL \'abc\' invalid: time: invalid duration "abc"'],
    [{ TTL: '9999ms' }, "refused: Invalid Session TTL '9999000000', must be between [10s=24h0m0s]"],
    [{ TTL: '24h0m1s' }, "refused: Invalid Session TTL '86401000000000', must be between [10s=24h0m0s]"],
    [{ TTL: '-10s' }, "refused: Invalid Session TTL '-10000000000', must be between [10s=24h0m0s]"],
    [{ LockDelay: 'xyz' }, 'bad-request: Request decode failed: time: invalid duration "xyz"'],
    [
      { LockDelay: true },
      'bad-request: Request decode failed: LockDelay is neither a duration nor a number of nanoseconds',
    ],
    [{ LockDelay: '-5s' }, 'bad-request: Request decode failed: time: invalid duration "-5s"'],
  ])('%j is refused', async (body, failure) => {
    const world = await SessionWorld.begun()
    expect(failureOf(await world.server.request('PUT', '/v1/session/create', JSON.stringify(body)))).toBe(failure)
    expect(await world.sessions()).toEqual([])
  })

  it.each([
    ['2^63', '9223372036854775808'],
    ['10^30', '1e30'],
    ['10^400 - 1', '9'.repeat(400)],
  ])('a lock delay of %s ns is refused, because clients could not read it again in a list', async (_, nanoseconds) => {
    const world = await SessionWorld.begun()
    const response = await world.server.request('PUT', '/v1/session/create', `{"LockDelay":${nanoseconds}}`)
    const line = 'LockDelay is neither a duration nor a number of nanoseconds'
    expect(failureOf(response)).toBe(`bad-request: Request decode failed: ${line}`)
    expect(await world.sessions()).toEqual([])
  })

  it.each(['10s', '24h', '0s'])('a time to live of %s is taken', async (ttl) => {
    const world = await SessionWorld.begun()
    const id = await world.create({ TTL: ttl })
    expect(await world.request('GET', `/v1/session/info/${id}`)).toMatchObject([{ TTL: ttl }])
  })

  it('the least time to live is what the leader is configured with', async () => {
    const world = await SessionWorld.begun()
    const create = (ttl: string) => world.server.request('PUT', '/v1/session/create', JSON.stringify({ TTL: ttl }))
    world.server.sessionTtlMinMs = 2_500
    expect(await create('2.5s')).toMatchObject({ kind: 'json' })
    world.server.sessionTtlMinMs = 60_000
    expect(failureOf(await create('10s'))).toBe(
      "refused: Invalid Session TTL '10000000000', must be between [1m0s=24h0m0s]",
    )
  })

  it('is refused while one of its checks is critical, and not while it warns', async () => {
    const world = await SessionWorld.begun()
    await world.check('node-a', 'disk', 'critical')
    const body = JSON.stringify({ Checks: ['serfHealth', 'disk'] })
    const refused = await world.server.request('PUT', '/v1/session/create', body)
    expect(failureOf(refused)).toBe("bad-request: Check 'disk' is in critical state")
    await world.check('node-a', 'disk', 'warning')
    await world.create({ Checks: ['serfHealth', 'disk'] })
    expect(await world.sessions()).toHaveLength(1)
  })

  it('a node that no agent runs on has no membership check', async () => {
    const world = await SessionWorld.begun()
    await world.node('elsewhere')
    const refused = await world.server.request('PUT', '/v1/session/create', '{"Node":"elsewhere"}')
    expect(failureOf(refused)).toBe("bad-request: Missing check 'serfHealth' registration")
    await world.create({ Node: 'elsewhere', Checks: [] })
  })
})

describe('reading sessions', () => {
  it('[KV-005] [KV-006] [KV-007] info, list and node answer arrays, and nothing found is an empty one', async () => {
    const world = await SessionWorld.begun()
    await world.node('node-b')
    const a = await world.create()
    const b = await world.create({ Node: 'node-b', Checks: [] })
    expect(await world.sessions()).toEqual([a, b].sort())
    expect(await world.request('GET', '/v1/session/node/node-B')).toMatchObject([{ ID: b }])
    expect(await world.request('GET', '/v1/session/node/nope')).toEqual([])
    expect(await world.request('GET', `/v1/session/info/${a.toUpperCase()}`)).toMatchObject([{ ID: a }])
    expect(await world.request('GET', `/v1/session/info/${unknown}`)).toEqual([])
  })

  it('what is not an ID is the caller’s mistake', async () => {
    const world = await SessionWorld.begun()
    for (const [method, path] of [
      ['GET', 'info'],
      ['PUT', 'destroy'],
      ['PUT', 'renew'],
    ] as const) {
      expect(failureOf(await world.server.request(method, `/v1/session/${path}/`))).toBe('bad-request: Missing session')
      expect(failureOf(await world.server.request(method, `/v1/session/${path}/short`))).toBe(
        'bad-request: failed session lookup: index error: UUID must be 36 characters',
      )
    }
    expect(failureOf(await world.server.request('GET', '/v1/session/node/'))).toBe('bad-request: Missing node name')
  })

  it('the index is that of the last session that came or went', async () => {
    const world = await SessionWorld.begun()
    const id = await world.create()
    const list = () => world.server.request('GET', '/v1/session/list')
    expect(await list()).toMatchObject({ meta: { index: 3 } })
    await world.request('PUT', '/v1/kv/a', 'x')
    expect(await list()).toMatchObject({ meta: { index: 3 } })
    await world.request('PUT', `/v1/session/destroy/${id}`)
    expect(await list()).toMatchObject({ meta: { index: 5 } })
    expect(await world.server.request('GET', `/v1/session/info/${id}`)).toMatchObject({ meta: { index: 5 } })
  })
})

describe('the end of a session', () => {
  it('destroying answers true, again and for an unknown one too', async () => {
    const world = await SessionWorld.begun()
    const id = await world.create()
    expect(await world.request('PUT', `/v1/session/destroy/${id.toUpperCase()}`)).toBe(true)
    expect(await world.request('PUT', `/v1/session/destroy/${id}`)).toBe(true)
    expect(await world.sessions()).toEqual([])
  })

  it('comes with its node, and no other', async () => {
    const world = await SessionWorld.begun()
    await world.node('node-b')
    const kept = await world.create()
    await world.create({ Node: 'node-b', Checks: [] })
    await world.deregister('node-b')
    expect(await world.sessions()).toEqual([kept])
  })

  it('comes with any of its checks that turns critical or is taken out, in the same command', async () => {
    const world = await SessionWorld.begun()
    await world.check('node-a', 'Disk', 'passing')
    await world.check('node-a', 'fan', 'passing')
    const plain = await world.create()
    const disk = await world.create({ Checks: ['disk', 'serfHealth'] })
    const fan = await world.create({ Checks: ['fan'] })
    expect(await world.sessions()).toEqual([plain, disk, fan].sort())
    await world.check('node-a', 'Disk', 'warning')
    expect(await world.sessions()).toHaveLength(3)
    const before = world.server.index
    await world.check('node-a', 'Disk', 'critical')
    expect(world.server.index).toBe(before + 1)
    expect(await world.sessions()).toEqual([plain, fan].sort())
    await world.deregister('node-a', 'fan')
    expect(await world.sessions()).toEqual([plain])
    expect(world.server.read().count(sessionChecksTable)).toBe(1)
  })
})
