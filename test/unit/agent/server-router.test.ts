import { describe, expect, it } from 'vitest'
import { ServerRouter } from '../../../src/agent/requests/asking/server-router.ts'
import type { Env } from '../../../src/env/env.ts'
import { HandClock } from '../features/hand-clock.ts'
import { clientMember, FakePool, serverMember } from './fake-pool.ts'

function routerOver(pool: FakePool, below: (bound: number) => number = () => 0) {
  const clock = new HandClock()
  const env = { ...clock.env, random: { draws: () => ({ below }) } } as unknown as Env
  return { router: new ServerRouter(env, pool.pool, 'dc1'), clock }
}

describe('the server that a client asks', () => {
  it('is one that the pool holds alive in its own datacenter', () => {
    const foreign = { ...serverMember(3), tags: { ...serverMember(3).tags, dc: 'dc2' } }
    const { router } = routerOver(new FakePool([clientMember(1), foreign, serverMember(2, 'failed')]))
    expect(router.pick()).toBeUndefined()
    const { router: other } = routerOver(new FakePool([clientMember(1), serverMember(1), serverMember(2, 'left')]))
    expect(other.pick()).toMatchObject({ name: 's1', address: '10.0.0.1:8300' })
    expect(other.count).toBe(1)
  })

  it('stays the same until it does not answer', () => {
    const { router } = routerOver(new FakePool([serverMember(1), serverMember(2), serverMember(3)]))
    const first = router.pick()?.id ?? ''
    expect(router.pick()?.id).toBe(first)
    router.failed('id-of-nobody')
    expect(router.pick()?.id).toBe(first)
    const asked = [first]
    for (let i = 0; i < 2; i++) {
      router.failed(asked.at(-1) ?? '')
      asked.push(router.pick()?.id ?? '')
    }
    expect(asked.sort()).toEqual(['id-s1', 'id-s2', 'id-s3'])
  })

  it('is another as soon as the pool no longer holds it alive', () => {
    const pool = new FakePool([serverMember(1), serverMember(2)])
    const { router } = routerOver(pool)
    const first = router.pick()?.name === 's1' ? 1 : 2
    pool.set(serverMember(first, 'failed'), 'failed')
    expect(router.pick()?.name).toBe(first === 1 ? 's2' : 's1')
  })

  it('notifies waiting callers when the first one appears', () => {
    const pool = new FakePool([])
    const { router } = routerOver(pool)
    let told = 0
    const waiting = router.onAppeared(() => told++)
    pool.set(clientMember(1), 'joined')
    expect(told).toBe(0)
    pool.set(serverMember(1), 'joined')
    expect(told).toBe(1)
    waiting.close()
    pool.set(serverMember(2), 'joined')
    expect(told).toBe(1)
  })

  it('is drawn anew from time to time, and no subscription is left after the end', async () => {
    const pool = new FakePool([serverMember(1), serverMember(2)])
    const { router, clock } = routerOver(pool)
    const before = router.pick()?.id
    await clock.advance(120_000)
    expect(router.pick()?.id).not.toBe(before)
    router.stop()
    expect([clock.timers, pool.listeners]).toEqual([0, 0])
  })

  it('is drawn anew after three minutes at the latest', async () => {
    let drawn = 0
    const { clock } = routerOver(new FakePool([serverMember(1), serverMember(2)]), (bound) => {
      drawn++
      return bound - 1
    })
    const before = drawn
    await clock.advance(179_998)
    expect(drawn).toBe(before)
    await clock.advance(1)
    expect(drawn).toBeGreaterThan(before)
  })
})

describe('whether any server can be asked', () => {
  it('is known once a server has answered, and no more when the last try at every one failed', () => {
    const pool = new FakePool([serverMember(1), serverMember(2)])
    const { router } = routerOver(pool)
    expect(router.troubles).toEqual(['no server has answered yet'])
    router.unreached('id-s1', 'it does not answer')
    expect(router.troubles).toEqual(['no server can be reached: s1: it does not answer'])
    router.answered('id-s2')
    expect(router.troubles).toEqual([])
    router.unreached('id-s2', 'it refuses connections')
    expect(router.troubles).toEqual(['no server can be reached: s1: it does not answer; s2: it refuses connections'])
    pool.set(serverMember(2, 'failed'), 'failed')
    expect(router.troubles).toEqual(['no server can be reached: s1: it does not answer'])
    pool.set(serverMember(1, 'failed'), 'failed')
    expect(router.troubles).toEqual(['no server is known to be alive'])
  })

  it('is not said of a server that the pool does not hold alive', () => {
    const { router } = routerOver(new FakePool([serverMember(1)]))
    router.answered('id-of-nobody')
    expect(router.troubles).toEqual(['no server has answered yet'])
  })
})
