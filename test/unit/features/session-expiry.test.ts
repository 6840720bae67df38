import { describe, expect, it } from 'vitest'
import { sessionCreate, sessionDestroy } from '../../../src/features/session/commands.ts'
import { sessionExpiry } from '../../../src/features/session/duty.ts'
import { sessionById } from '../../../src/features/session/views.ts'
import { settled } from './hand-clock.ts'
import { failureOf, SessionWorld } from './session-world.ts'

const second = 1_000

describe('the time to live of a session', () => {
  it('is twice as long as it says, from its creation', async () => {
    const world = await SessionWorld.begun()
    const id = await world.create({ TTL: '10s' })
    await world.clock.advance(20 * second - 1)
    expect(await world.sessions()).toEqual([id])
    await world.clock.advance(1)
    expect(await world.sessions()).toEqual([])
    expect(failureOf(await world.renew(id))).toBe(`not-found: Session id '${id}' not found`)
  })

  it('begins anew with each renewal, which answers the session and writes nothing', async () => {
    const world = await SessionWorld.begun()
    const id = await world.create({ TTL: '10s' })
    const before = world.server.index
    for (let i = 0; i < 5; i++) {
      await world.clock.advance(19 * second)
      expect(await world.renew(id)).toMatchObject({ kind: 'json', value: [{ ID: id, TTL: '10s' }] })
    }
    expect(world.server.index).toBe(before)
    expect(world.server.context.duty(sessionExpiry)?.alarmCount).toBe(1)
    await world.clock.advance(20 * second - 1)
    expect(await world.sessions()).toEqual([id])
    await world.clock.advance(1)
    expect(await world.sessions()).toEqual([])
  })

  it('is not a millisecond shorter after a renewal', async () => {
    const world = await SessionWorld.begun()
    const id = await world.create({ TTL: '10s' })
    await world.clock.advance(1)
    await world.renew(id)
    await world.clock.advance(20 * second - 1)
    expect(await world.sessions()).toEqual([id])
    await world.clock.advance(1)
    expect(await world.sessions()).toEqual([])
  })

  it('has no end where none was given', async () => {
    const world = await SessionWorld.begun()
    const id = await world.create({ TTL: '0s' })
    expect(await world.renew(id)).toMatchObject({ kind: 'json' })
    expect(world.clock.timers).toBe(0)
  })

  it('a new leader begins with the whole span: a change extends, and never shortens', async () => {
    const world = await SessionWorld.begun()
    const id = await world.create({ TTL: '10s' })
    await world.clock.advance(19 * second)
    world.server.resign()
    expect(world.clock.timers).toBe(0)
    await world.clock.advance(5 * second)
    world.server.begin(sessionExpiry)
    await world.clock.advance(20 * second - 1)
    expect(await world.sessions()).toEqual([id])
    await world.clock.advance(1)
    expect(await world.sessions()).toEqual([])
  })

  it('of many sessions ends each in its time', async () => {
    const world = await SessionWorld.begun()
    const ids = []
    for (let i = 0; i < 200; i++) ids.push(await world.create({ TTL: `${10 + (i % 3)}s` }))
    await world.clock.advance(20 * second)
    expect(await world.sessions()).toEqual(ids.filter((_, i) => i % 3 > 0).sort())
    await world.clock.advance(2 * second)
    expect(await world.sessions()).toHaveLength(66)
    await world.clock.advance(2 * second)
    expect(await world.sessions()).toEqual([])
    expect(world.clock.timers).toBe(0)
  })

  it('a refused end is tried again after a second', async () => {
    const world = await SessionWorld.begun()
    const id = await world.create({ TTL: '10s' })
    world.server.failNext = { kind: 'overloaded', message: 'full' }
    await world.clock.advance(20 * second)
    expect(await world.sessions()).toEqual([id])
    expect(world.clock.logged).toContain('could not end sessions that were not renewed')
    await world.clock.advance(second)
    expect(await world.sessions()).toEqual([])
  })

  it('is not renewed after an end whose outcome is unknown, for that may still take effect', async () => {
    const world = await SessionWorld.begun()
    const id = await world.create({ TTL: '10s' })
    world.server.failNext = { kind: 'outcome-unknown', message: 'no space left on the disk' }
    await world.clock.advance(20 * second)
    expect(await world.sessions()).toEqual([id])
    expect(failureOf(await world.renew(id))).toMatch(/^outcome-unknown: the session was not renewed in time/)
    world.server.failNext = { kind: 'disk-full' }
    await world.clock.advance(second)
    expect(failureOf(await world.renew(id))).toMatch(/^outcome-unknown/)
    await world.server.context.propose(sessionDestroy, { ids: [id] })
    expect(failureOf(await world.renew(id))).toBe(`not-found: Session id '${id}' not found`)
    await world.clock.advance(second)
    expect(world.server.context.duty(sessionExpiry)?.isUnsure(id)).toBe(false)
  })

  it('is that of a session, too, of which it was not known whether it would come to be', async () => {
    const world = await SessionWorld.begun()
    world.server.failNext = { kind: 'outcome-unknown', message: 'no space left on the disk' }
    const created = await world.server.request('PUT', '/v1/session/create', '{"TTL":"10s"}')
    expect(failureOf(created)).toBe('outcome-unknown: no space left on the disk')
    const [id] = world.drawn.slice(-1) as [string]
    await world.clock.advance(45 * second)
    const body = { id, name: '', node: 'node-a', checks: [], behaviour: 'release' as const, lockDelayNs: 0 }
    await world.server.context.propose(sessionCreate, { ...body, ttl: '10s', ttlMs: 10_000 })
    await world.clock.advance(20 * second)
    expect(await world.sessions()).toEqual([id])
    await world.clock.advance(20 * second)
    expect(await world.sessions()).toEqual([])
    expect(world.clock.timers).toBe(0)
  })

  it('a renewal that comes while the end is being replicated learns how that came out', async () => {
    const world = await SessionWorld.begun()
    const id = await world.create({ TTL: '10s' })
    const expiry = world.server.context.duty(sessionExpiry)
    const held = world.clock.env.deferred<void>()
    const { propose } = world.server.context
    Object.assign(world.server.context, {
      propose: async (...args: Parameters<typeof propose>) => {
        await held.promise
        return propose(...args)
      },
    })
    await world.clock.advance(20 * second)
    expect(expiry?.isEnding(id)).toBe(true)
    let answer: unknown
    const renewing = world.renew(id).then((response) => {
      answer = response
    })
    await settled()
    expect(answer).toBeUndefined()
    held.resolve()
    await renewing
    expect(answer).toMatchObject({ kind: 'failure', failure: { kind: 'not-found' } })
  })

  it('a renewal during which the end begins learns how that came out', async () => {
    const world = await SessionWorld.begun()
    const id = await world.create({ TTL: '10s' })
    const { deferred } = world.clock.env
    const [leading, ending] = [deferred<void>(), deferred<void>()]
    const { leads, propose } = world.server.context
    Object.assign(world.server.context, {
      leads: async () => {
        await leading.promise
        return leads()
      },
      propose: async (...args: Parameters<typeof propose>) => {
        await ending.promise
        return propose(...args)
      },
    })
    const renewing = world.renew(id)
    await settled()
    await world.clock.advance(20 * second)
    expect(world.server.context.duty(sessionExpiry)?.isEnding(id)).toBe(true)
    leading.resolve()
    await settled()
    ending.resolve()
    expect(failureOf(await renewing)).toBe(`not-found: Session id '${id}' not found`)
  })

  it('two that are due within the same millisecond end one after the other', async () => {
    const world = await SessionWorld.begun()
    const first = await world.create({ TTL: '10s' })
    await world.clock.advance(0.5)
    const second = await world.create({ TTL: '10s' })
    const isThere = (id: string): boolean => sessionById(world.server.read(), id) !== undefined
    await world.clock.advance(19_999.5)
    expect([isThere(first), isThere(second)]).toEqual([false, true])
    await world.clock.advance(0.5)
    expect(isThere(second)).toBe(false)
  })

  it('alarms of sessions that ended otherwise do not pile up', async () => {
    const world = await SessionWorld.begun()
    for (let i = 0; i < 1300; i++) {
      const id = await world.create({ TTL: '24h' })
      await world.request('PUT', `/v1/session/destroy/${id}`)
    }
    expect(world.server.context.duty(sessionExpiry)?.alarmCount).toBeLessThan(1100)
  })

  it('what servers do with sessions and keys is measured under the names of the field', async () => {
    const world = await SessionWorld.begun()
    const id = await world.create({ TTL: '10s' })
    await world.renew(id)
    await world.request('PUT', `/v1/kv/k?acquire=${id}`, 'v')
    await world.request('PUT', '/v1/txn', '[{"KV":{"Verb":"set","Key":"a"}}]')
    await world.clock.advance(20 * second)
    expect([...world.metrics].sort()).toEqual([
      'kvs.apply',
      'session.apply',
      'session.renew',
      'session_ttl.active',
      'session_ttl.invalidate',
      'txn.apply',
    ])
  })
})
