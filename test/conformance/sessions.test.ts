import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { ask, begin, type Reply } from './ask.ts'
import type { GoldenTarget } from './golden/golden-target.ts'
import { worlds } from './worlds.ts'

describe.each(worlds.map((world) => [world.name, world] as const))('sessions and locks %s', (_name, { start }) => {
  let target: GoldenTarget
  let stop: (() => Promise<void>) | undefined

  beforeAll(async () => {
    const agent = await start('default')
    target = agent.target
    stop = agent.stop
  })
  afterAll(() => stop?.())

  async function create(body: object = {}): Promise<string> {
    const created = await ask(target, 'PUT /v1/session/create', JSON.stringify(body))
    expect(created.status).toBe(200)
    return (plain(created) as { ID: string }).ID
  }

  async function text(line: string, body = ''): Promise<string> {
    const reply = await ask(target, line, body)
    return `${reply.status} ${reply.text}`
  }

  async function holderOf(key: string): Promise<string | undefined> {
    const reply = await ask(target, `GET /v1/kv/${key}`)
    return reply.status === 404 ? undefined : (plain(reply) as [{ Session?: string }])[0].Session
  }

  /** Asks until the answer is 200 `true`; how many milliseconds that took. */
  async function untilTrue(line: string): Promise<number> {
    const sinceMs = target.nowMs()
    while ((await text(line)) !== '200 true') await target.pause(50)
    return target.nowMs() - sinceMs
  }

  it('[KV-005] [KV-006] [KV-007] info, list and node show a session in the shape of the field', async () => {
    const id = await create({ Name: 'worker', TTL: '60s', Behavior: 'delete', LockDelay: '5s' })
    const [shown] = plain(await ask(target, `GET /v1/session/info/${id}`)) as [{ Node: string }]
    expect(shown).toMatchObject({
      ID: id,
      Name: 'worker',
      Checks: ['serfHealth'],
      LockDelay: 5_000_000_000,
      Behavior: 'delete',
      TTL: '60s',
    })
    for (const path of ['list', `node/${shown.Node}`]) {
      const listed = await ask(target, `GET /v1/session/${path}`)
      expect(plain(listed)).toContainEqual(shown)
      expect(listed.index()).toBeGreaterThan(0)
    }
    expect(plain(await ask(target, `PUT /v1/session/renew/${id}`, ''))).toEqual([shown])
    expect(await text(`PUT /v1/session/destroy/${id}`)).toBe('200 true')
    expect(await text(`GET /v1/session/info/${id}`)).toBe('200 []')
    expect(await text(`PUT /v1/session/renew/${id}`)).toBe(`404 Session id '${id}' not found`)
  })

  it('a watcher of the list is woken by a session that comes, and by one that goes', async () => {
    let index = (await ask(target, 'GET /v1/session/list')).index()
    const watched = async (change: () => Promise<unknown>): Promise<void> => {
      const watcher = begin(target, `GET /v1/session/list?index=${index}`)
      await target.pause(100)
      await change()
      const woken = await target.until(watcher)
      expect(woken.index()).toBeGreaterThan(index)
      index = woken.index()
    }
    let id = ''
    await watched(async () => {
      id = await create()
    })
    await watched(() => text(`PUT /v1/session/destroy/${id}`))
  })

  it('a lock goes from holder to holder, each with a greater fencing number', async () => {
    const [a, b] = [await create(), await create()]
    const first = await ask(target, `PUT /v1/kv/lock?acquire=${a}&fence&flags=7`, 'mine')
    expect([first.status, first.text]).toEqual([200, 'true'])
    expect(await text(`PUT /v1/kv/lock?acquire=${b}`, 'yours')).toBe('200 false')
    expect(await text(`PUT /v1/kv/lock?release=${b}`, 'yours')).toBe('200 false')
    const refused = await ask(target, 'PUT /v1/txn', transaction({ Verb: 'lock', Key: 'lock', Session: b }))
    expect([refused.status, plain(refused)]).toMatchObject([
      409,
      { Errors: [{ OpIndex: 0, What: 'failed to lock key "lock", lock is already held' }] },
    ])
    expect(await text('PUT /v1/kv/lock', 'a plain write')).toBe('200 true')
    expect(await holderOf('lock')).toBe(a)
    expect(await text(`PUT /v1/kv/lock?release=${a}`, 'free')).toBe('200 true')
    expect(await holderOf('lock')).toBeUndefined()
    const second = await ask(target, `PUT /v1/kv/lock?acquire=${b}&fence`, 'yours')
    expect(fenceOf(second)).toBeGreaterThan(fenceOf(first))
    expect(plain(await ask(target, 'GET /v1/kv/lock'))).toMatchObject([{ LockIndex: 2, Session: b }])
    const done = await ask(
      target,
      'PUT /v1/txn',
      transaction({ Verb: 'check-session', Key: 'lock', Session: b }, { Verb: 'unlock', Key: 'lock', Session: b }),
    )
    expect(done.status).toBe(200)
    expect(await holderOf('lock')).toBeUndefined()
    await text('DELETE /v1/kv/lock')
  })

  it('[KV-008] keys, flags, trees, conditions, locks, transactions, and what sessions do when they end', async () => {
    expect(await text('PUT /v1/kv/all/a?flags=7', 'one')).toBe('200 true')
    expect(plain(await ask(target, 'GET /v1/kv/all/a'))).toMatchObject([{ Key: 'all/a', Flags: 7, Value: 'b25l' }])
    expect(await text('GET /v1/kv/all/a?raw')).toBe('200 one')
    expect(await text('PUT /v1/kv/all/b/c?cas=0', 'two')).toBe('200 true')
    expect(await text('PUT /v1/kv/all/b/c?cas=0', 'again')).toBe('200 false')
    const [{ ModifyIndex: at } = { ModifyIndex: 0 }] = plain(await ask(target, 'GET /v1/kv/all/b/c')) as {
      ModifyIndex: number
    }[]
    expect(await text(`PUT /v1/kv/all/b/c?cas=${at - 1}`, 'early')).toBe('200 false')
    expect(await text(`PUT /v1/kv/all/b/c?cas=${at + 1}`, 'late')).toBe('200 false')
    expect(await text('GET /v1/kv/all/b/c?raw')).toBe('200 two')
    expect(await text(`PUT /v1/kv/all/b/c?cas=${at}`, 'three')).toBe('200 true')
    expect(await text('GET /v1/kv/all/b/c?raw')).toBe('200 three')
    expect(await text('GET /v1/kv/all/?keys&separator=/')).toBe('200 ["all/a","all/b/"]')
    expect(plain(await ask(target, 'GET /v1/kv/all/?recurse'))).toMatchObject([{ Key: 'all/a' }, { Key: 'all/b/c' }])
    const moved = transaction({ Verb: 'delete', Key: 'all/a' }, { Verb: 'set', Key: 'all/d', Value: 'eA==' })
    expect((await ask(target, 'PUT /v1/txn', moved)).status).toBe(200)
    expect(await text('GET /v1/kv/all/?keys')).toBe('200 ["all/b/c","all/d"]')

    const ends = { TTL: '30s', LockDelay: '1s' }
    const [keeps, takes] = [
      await create({ ...ends, Behavior: 'release' }),
      await create({ ...ends, Behavior: 'delete' }),
    ]
    for (const [key, id] of [
      ['all/kept', keeps],
      ['all/taken', takes],
    ] as const) {
      expect(await text(`PUT /v1/kv/${key}?acquire=${id}`, 'held')).toBe('200 true')
      expect((await ask(target, `PUT /v1/session/renew/${id}`, '')).status).toBe(200)
      expect(await text(`PUT /v1/session/destroy/${id}`)).toBe('200 true')
    }
    const next = await create()
    expect(await text(`PUT /v1/kv/all/kept?acquire=${next}`)).toBe('200 false')
    expect(await text('GET /v1/kv/all/?keys')).toBe('200 ["all/b/c","all/d","all/kept"]')
    await untilTrue(`PUT /v1/kv/all/kept?acquire=${next}`)
    expect(await holderOf('all/kept')).toBe(next)
    expect(await text('DELETE /v1/kv/all/?recurse')).toBe('200 true')
    expect(await text('GET /v1/kv/all/?recurse')).toBe('404 ')
  })

  it('[KV-009] a check that turns critical ends the session and frees its locks, and the lock delay keeps others out', async () => {
    const check = { ID: 'alive', Name: 'alive', TTL: '60s', Status: 'passing' }
    expect(await text('PUT /v1/agent/check/register', JSON.stringify(check))).toBe('200 ')
    const [a, b] = [await create({ Checks: ['serfHealth', 'alive'], LockDelay: '1s' }), await create()]
    expect(await text(`PUT /v1/kv/held?acquire=${a}`)).toBe('200 true')
    const index = (await ask(target, 'GET /v1/kv/held')).index()
    const watcher = begin(target, `GET /v1/kv/held?index=${index}`)
    await target.pause(100)
    const failedMs = target.nowMs()
    await text('PUT /v1/agent/check/fail/alive')
    expect(plain(await target.until(watcher))).toMatchObject([{ LockIndex: 1 }])
    expect(await holderOf('held')).toBeUndefined()
    expect(await text(`GET /v1/session/info/${a}`)).toBe('200 []')
    expect(await text(`PUT /v1/kv/held?acquire=${b}`)).toBe('200 false')
    await untilTrue(`PUT /v1/kv/held?acquire=${b}`)
    expect(target.nowMs() - failedMs).toBeGreaterThanOrEqual(1_000)
    const refused = await ask(target, 'PUT /v1/session/create', JSON.stringify({ Checks: ['alive'] }))
    expect([refused.status, refused.text]).toEqual([400, "Check 'alive' is in critical state"])
    await text('DELETE /v1/kv/held')
    await text('PUT /v1/agent/check/deregister/alive')
  })

  it('[LIM-013] a time to live is from 10 s to 24 h, and a transaction has at most 64 operations and 512 KiB of values', async () => {
    for (const [ttl, status] of [
      ['9999ms', 500],
      ['10s', 200],
      ['24h', 200],
      ['24h0m1s', 500],
    ] as const) {
      const reply = await ask(target, 'PUT /v1/session/create', JSON.stringify({ TTL: ttl }))
      expect([ttl, reply.status]).toEqual([ttl, status])
    }
    const sets = (count: number, bytes: number) =>
      transaction(...Array.from({ length: count }, (_, i) => ({ Verb: 'set', Key: `t${i}`, Value: base64Of(bytes) })))
    const some = async (count: number, bytes: number) => (await ask(target, 'PUT /v1/txn', sets(count, bytes))).status
    expect([await some(64, 1), await some(65, 1), await some(1, 524_288), await some(1, 524_289)]).toEqual([
      200, 413, 200, 413,
    ])
    expect([await some(2, 262_144), await some(2, 262_145)]).toEqual([200, 413])
  })
})

function plain(reply: Reply): unknown {
  return JSON.parse(reply.text)
}

function fenceOf(reply: Reply): number {
  return Number(reply.headers.get('x-svc-fence'))
}

function transaction(...operations: readonly object[]): string {
  return JSON.stringify(operations.map((KV) => ({ KV })))
}

function base64Of(bytes: number): string {
  return Buffer.alloc(bytes).toString('base64')
}
