import { describe, expect, it } from 'vitest'
import { err, type Result } from '../../../src/base/result.ts'
import { lockDelays } from '../../../src/features/kv/lock-delays.ts'
import { holdsTable, lockDelaysTable, tombstoneTable } from '../../../src/features/kv/tables.ts'
import type { Failure } from '../../../src/model/failure.ts'
import { failureOf, SessionWorld } from './session-world.ts'

const second = 1_000

async function begun(): Promise<SessionWorld> {
  const world = await SessionWorld.begun()
  world.server.begin(lockDelays)
  return world
}

function acquire(world: SessionWorld, session: string, value = 'mine', key = 'lock'): Promise<unknown> {
  return world.request('PUT', `/v1/kv/${key}?acquire=${session}`, value)
}

function release(world: SessionWorld, session: string, key = 'lock'): Promise<unknown> {
  return world.request('PUT', `/v1/kv/${key}?release=${session}`, 'done')
}

describe('acquiring', () => {
  it('a key without a holder, or that is not there, makes the session its holder', async () => {
    const world = await begun()
    const id = await world.create()
    expect(await acquire(world, id)).toBe(true)
    expect(await world.entry('lock')).toMatchObject({ Session: id, LockIndex: 1, Value: 'bWluZQ==' })
    await world.request('PUT', '/v1/kv/free', 'x')
    expect(await world.request('PUT', `/v1/kv/free?acquire=${id.toUpperCase()}&flags=7`, 'y')).toBe(true)
    expect(await world.entry('free')).toMatchObject({ Session: id, LockIndex: 1, Flags: 7, Value: 'eQ==' })
  })

  it('again by the holder changes the value, and neither LockIndex nor the fencing number', async () => {
    const world = await begun()
    const id = await world.create()
    const first = await world.server.request('PUT', `/v1/kv/lock?acquire=${id}&fence`, 'one')
    const again = await world.server.request('PUT', `/v1/kv/lock?acquire=${id}&fence`, 'two')
    expect(await world.server.request('PUT', `/v1/kv/lock?acquire=${id}`, 'two')).toEqual({ kind: 'json', value: true })
    expect(first).toMatchObject({ value: true, fence: 4 })
    expect(again).toMatchObject({ value: true, fence: 4 })
    expect(await world.entry('lock')).toMatchObject({ LockIndex: 1, Value: 'dHdv', CreateIndex: 4, ModifyIndex: 6 })
  })

  it('while another holds it answers false and changes nothing', async () => {
    const world = await begun()
    const [a, b] = [await world.create(), await world.create()]
    await acquire(world, a)
    expect(await world.server.request('PUT', `/v1/kv/lock?acquire=${b}`, 'yours')).toEqual({
      kind: 'json',
      value: false,
    })
    expect(await world.entry('lock')).toMatchObject({ Session: a, LockIndex: 1, Value: 'bWluZQ==' })
  })

  it('each change of holder adds one to LockIndex and gives a greater fencing number', async () => {
    const world = await begun()
    const [a, b] = [await world.create(), await world.create()]
    const fences: number[] = []
    for (const [at, id] of [a, b, a, a, b].entries()) {
      const done = await world.server.request('PUT', `/v1/kv/lock?fence&acquire=${id}`, 'v')
      fences.push((done as { fence: number }).fence)
      expect(await world.entry('lock')).toMatchObject({ Session: id, LockIndex: at + 1 })
      expect(await release(world, id)).toBe(true)
      expect(await world.entry('lock')).toMatchObject({ LockIndex: at + 1, Value: 'ZG9uZQ==' })
    }
    expect(fences).toEqual([...fences].sort((x, y) => x - y))
    expect(new Set(fences).size).toBe(5)
  })

  it('with a session that is not there tells so', async () => {
    const world = await begun()
    const request = (id: string) => world.server.request('PUT', `/v1/kv/lock?acquire=${id}`, 'v')
    const unknown = '11111111-0000-0000-0000-000000000000'
    expect(failureOf(await request(unknown))).toBe(`refused: invalid session "${unknown}"`)
    expect(failureOf(await request(''))).toBe('bad-request: missing session')
    expect(failureOf(await request('short'))).toBe(
      'bad-request: failed session lookup: index error: UUID must be 36 characters',
    )
  })
})

describe('releasing', () => {
  it('is for the holder alone', async () => {
    const world = await begun()
    const [a, b] = [await world.create(), await world.create()]
    await acquire(world, a)
    expect(await release(world, b)).toBe(false)
    expect(await release(world, 'short')).toBe(false)
    expect(await release(world, a, 'missing')).toBe(false)
    expect(await world.entry('lock')).toMatchObject({ Session: a })
    expect(await release(world, a)).toBe(true)
    expect(await release(world, a)).toBe(false)
    expect(failureOf(await world.server.request('PUT', '/v1/kv/lock?release=', 'v'))).toBe(
      'bad-request: missing session',
    )
  })

  it('lets the next one in at once', async () => {
    const world = await begun()
    const [a, b] = [await world.create(), await world.create()]
    await acquire(world, a)
    await release(world, a)
    expect(await acquire(world, b)).toBe(true)
  })
})

describe('a key that is held', () => {
  it('takes plain and conditional writes, and keeps its holder and LockIndex', async () => {
    const world = await begun()
    const id = await world.create()
    await acquire(world, id)
    expect(await world.request('PUT', '/v1/kv/lock', 'plain')).toBe(true)
    expect(await world.entry('lock')).toMatchObject({ Session: id, LockIndex: 1, Value: 'cGxhaW4=' })
    const index = (await world.entry('lock'))?.['ModifyIndex']
    expect(await world.request('PUT', `/v1/kv/lock?cas=${index}`, 'cas')).toBe(true)
    expect(await world.entry('lock')).toMatchObject({ Session: id, LockIndex: 1, Value: 'Y2Fz' })
  })

  it('can be deleted, by itself, conditionally and with a prefix; then its locks begin anew', async () => {
    const world = await begun()
    const id = await world.create()
    for (const way of ['', '?cas=INDEX', '?recurse']) {
      await acquire(world, id)
      const index = (await world.entry('lock'))?.['ModifyIndex']
      expect(await world.request('DELETE', `/v1/kv/lock${way.replace('INDEX', String(index))}`)).toBe(true)
      expect(await world.entry('lock')).toBeUndefined()
      expect(world.server.read().count(holdsTable)).toBe(0)
    }
    await acquire(world, id)
    expect(await world.entry('lock')).toMatchObject({ LockIndex: 1 })
  })
})

describe('when a session ends', () => {
  it('[KV-009] with the membership check of its node, its locks are free in the same command', async () => {
    const world = await begun()
    const id = await world.create({ LockDelay: '0s' })
    await acquire(world, id)
    const before = world.server.index
    await world.check('node-a', 'serfHealth', 'critical')
    expect(world.server.index).toBe(before + 1)
    expect(await world.sessions()).toEqual([])
    const entry = await world.entry('lock')
    expect(entry).toMatchObject({ LockIndex: 1, Value: 'bWluZQ==', ModifyIndex: before + 1 })
    expect(entry?.['Session']).toBeUndefined()
  })

  it('with the behaviour delete, what it holds goes with it, and only that', async () => {
    const world = await begun()
    const [a, b] = [await world.create({ Behavior: 'delete' }), await world.create()]
    await acquire(world, a, 'x', 'one')
    await acquire(world, a, 'x', 'two')
    await acquire(world, a, 'x', 'given-up')
    await release(world, a, 'given-up')
    await acquire(world, b, 'x', 'other')
    await world.request('PUT', `/v1/session/destroy/${a}`)
    expect(await world.request('GET', '/v1/kv/?keys')).toEqual(['given-up', 'other'])
    expect([...world.server.read().all(tombstoneTable)].map(({ key }) => key)).toEqual(['one', 'two'])
    expect([...world.server.read().all(holdsTable)].map(({ key }) => key)).toEqual(['other'])
  })
})

describe('the lock delay', () => {
  it('keeps every session out for as long as the session said, and no longer', async () => {
    const world = await begun()
    const [a, b] = [await world.create({ LockDelay: '5s' }), await world.create()]
    await acquire(world, a)
    await world.request('PUT', `/v1/session/destroy/${a}`)
    expect(await acquire(world, b)).toBe(false)
    await world.clock.advance(5 * second - 1)
    expect(await acquire(world, b)).toBe(false)
    await world.clock.advance(1)
    expect(await acquire(world, b)).toBe(true)
    expect(world.server.read().count(lockDelaysTable)).toBe(0)
  })

  it('is 15 s unless the session says, at most 60 s whatever it says, and none where it says 0', async () => {
    const world = await begun()
    const [plain, long, none] = [
      await world.create(),
      await world.create({ LockDelay: '90s' }),
      await world.create({ LockDelay: 0 }),
    ]
    const next = await world.create()
    await acquire(world, plain, 'v', 'plain')
    await acquire(world, long, 'v', 'long')
    await acquire(world, none, 'v', 'none')
    for (const id of [plain, long, none]) await world.request('PUT', `/v1/session/destroy/${id}`)
    expect(await acquire(world, next, 'v', 'none')).toBe(true)
    await world.clock.advance(15 * second - 1)
    expect(await acquire(world, next, 'v', 'plain')).toBe(false)
    await world.clock.advance(1)
    expect(await acquire(world, next, 'v', 'plain')).toBe(true)
    await world.clock.advance(45 * second - 1)
    expect(await acquire(world, next, 'v', 'long')).toBe(false)
    await world.clock.advance(1)
    expect(await acquire(world, next, 'v', 'long')).toBe(true)
  })

  it('begins anew with a new leader, and no session acquires the key before that has begun its duties', async () => {
    const world = await begun()
    const [a, b] = [await world.create({ LockDelay: '5s' }), await world.create()]
    await acquire(world, a)
    await world.request('PUT', `/v1/session/destroy/${a}`)
    await world.clock.advance(4 * second)
    world.server.resign()
    await world.clock.advance(4 * second)
    expect(await acquire(world, b)).toBe(false)
    world.server.begin(lockDelays)
    await world.clock.advance(5 * second - 1)
    expect(await acquire(world, b)).toBe(false)
    await world.clock.advance(1)
    expect(await acquire(world, b)).toBe(true)
  })

  it('that began after the leader judged an earlier one refuses the lock', async () => {
    const world = await begun()
    const [a, b, c] = [
      await world.create({ LockDelay: '5s' }),
      await world.create({ LockDelay: '5s' }),
      await world.create(),
    ]
    await acquire(world, a)
    await world.request('PUT', `/v1/session/destroy/${a}`)
    await world.clock.advance(5 * second)
    expect(await acquire(world, b)).toBe(true)
    await world.request('PUT', `/v1/session/destroy/${b}`)
    await world.clock.advance(4 * second)
    expect(await acquire(world, c)).toBe(false)
    await world.clock.advance(1 * second)
    expect(await acquire(world, c)).toBe(true)
  })

  it('does not prevent writes of the key, nor is it begun by a clean release', async () => {
    const world = await begun()
    const [a, b] = [await world.create(), await world.create()]
    await acquire(world, a)
    await release(world, a)
    await world.request('PUT', `/v1/session/destroy/${a}`)
    expect(await acquire(world, b)).toBe(true)
    await world.request('PUT', `/v1/session/destroy/${b}`)
    expect(await world.request('PUT', '/v1/kv/lock', 'x')).toBe(true)
  })

  it('is forgotten when it is over, and then nothing keeps time any more', async () => {
    const world = await begun()
    const a = await world.create({ LockDelay: '5s' })
    for (let i = 0; i < 3; i++) await acquire(world, a, 'v', `lock-${i}`)
    await world.request('PUT', `/v1/session/destroy/${a}`)
    await world.clock.advance(59 * second)
    expect(world.server.read().count(lockDelaysTable)).toBe(3)
    await world.clock.advance(61 * second)
    expect(world.server.read().count(lockDelaysTable)).toBe(0)
    expect(world.clock.timers).toBe(0)
  })

  it('is forgotten for every key where several that began apart are found to be over at once', async () => {
    const world = await begun()
    for (let i = 0; i < 3; i++) {
      const id = await world.create({ LockDelay: '5s' })
      await acquire(world, id, 'v', `lock-${i}`)
      await world.request('PUT', `/v1/session/destroy/${id}`)
      await world.clock.advance(10 * second)
    }
    // Two minutes after the first one began: the second look at what is over finds the other two.
    await world.clock.advance(91 * second)
    expect(world.server.read().count(lockDelaysTable)).toBe(0)
  })

  it('is not looked after by a server that leads no more, also if it was about to forget one then', async () => {
    const world = await begun()
    const a = await world.create({ LockDelay: '5s' })
    await acquire(world, a)
    await world.request('PUT', `/v1/session/destroy/${a}`)
    let lost = (_: Result<never, Failure>): void => {}
    const pending = new Promise<Result<never, Failure>>((resolve) => {
      lost = resolve
    })
    Object.defineProperty(world.server.context, 'propose', { value: () => pending })
    await world.clock.advance(91 * second)
    world.server.resign()
    lost(err({ kind: 'not-leader', leader: undefined }))
    await world.clock.advance(60 * second)
    expect([world.server.read().count(lockDelaysTable), world.clock.timers]).toEqual([1, 0])
  })

  it('many that begin soon after one another are each kept in full, and almost no longer', async () => {
    const world = await begun()
    const ids = []
    for (let i = 0; i < 40; i++) {
      const id = await world.create({ LockDelay: '10s' })
      await acquire(world, id, 'v', `lock-${i}`)
      ids.push(id)
    }
    const next = await world.create()
    for (const id of ids) {
      await world.request('PUT', `/v1/session/destroy/${id}`)
      await world.clock.advance(7)
    }
    // The last one ended 7 ms ago, the first one 280 ms ago.
    await world.clock.advance(10 * second - 281)
    for (let i = 0; i < 40; i++) expect(await acquire(world, next, 'v', `lock-${i}`)).toBe(false)
    for (let i = 0; i < 40; i++) {
      await world.clock.advance(i === 0 ? 1 + 49 : 7)
      expect(await acquire(world, next, 'v', `lock-${i}`)).toBe(true)
    }
  })
})
