import { describe, expect, it } from 'vitest'
import { leavesMax } from '../../../src/agent/mesh/leaves.ts'
import type { Failure } from '../../../src/model/failure.ts'
import { modifyIndexOf } from '../../../src/model/log-position.ts'
import { settled } from '../features/hand-clock.ts'
import { hourMs, LeafMesh, lifeMs } from './leaf-mesh.ts'

const refused: Failure = { kind: 'permission-denied', message: 'Permission denied' }

describe('the leaves of an agent', () => {
  it('are one for each service and token, asked for once and then kept', async () => {
    const mesh = new LeafMesh()
    expect(await mesh.ask()).toEqual(['1', 'key-1', 7, 'MISS'])
    expect(await mesh.ask()).toEqual(['1', 'key-1', 7, 'HIT'])
    expect(await mesh.ask('db')).toEqual(['2', 'key-2', 8, 'MISS'])
    expect(await mesh.ask('web', 'other')).toEqual(['3', 'key-3', 9, 'MISS'])
    expect(mesh.signed).toEqual([
      { request: 'key-1 of web in x', token: 't' },
      { request: 'key-2 of db in x', token: 't' },
      { request: 'key-3 of web in x', token: 'other' },
    ])
    mesh.leaves.stop()
    expect(mesh.clock.timers).toBe(0)
  })

  it('are counted under the names of the field', async () => {
    const mesh = new LeafMesh()
    await mesh.ask()
    await mesh.ask()
    mesh.failing = { kind: 'no-leader' }
    await mesh.ask('db')
    await mesh.clock.advance(1_000)
    const names = ['miss_new', 'fetch_success', 'hit', 'miss_new', 'fetch_error']
    expect(mesh.counted).toEqual(names.map((name) => `svc.cache.connect-ca-leaf.${name}`))
  })

  it('are requested once for all concurrent callers', async () => {
    const mesh = new LeafMesh()
    const asked = await Promise.all(Array.from({ length: 50 }, () => mesh.ask()))
    expect(new Set(asked.map(String))).toEqual(new Set(['1,key-1,7,MISS']))
    expect(mesh.signed).toHaveLength(1)
  })

  it('are renewed within the last part of their lives, with another key, without a request', async () => {
    const mesh = new LeafMesh()
    mesh.drawn = 0.5
    await mesh.ask()
    await mesh.clock.advance(lifeMs * 0.75 - 2 * 60_000)
    expect(mesh.signed).toHaveLength(1)
    await mesh.clock.advance(2 * 60_000)
    expect(await mesh.ask()).toEqual(['2', 'key-2', 8, 'HIT'])
    expect(mesh.signed).toHaveLength(2)
  })

  it('are renewed at different times, as they are drawn', async () => {
    const times = []
    for (const drawn of [0, 0.3, 0.999]) {
      const mesh = new LeafMesh()
      mesh.drawn = drawn
      await mesh.ask()
      while (mesh.signed.length < 2) await mesh.clock.advance(60_000)
      times.push(mesh.clock.env.clock.monoMs() / lifeMs)
      mesh.leaves.stop()
    }
    expect(times[0]).toBeCloseTo(0.6, 2)
    expect(times[1]).toBeCloseTo(0.69, 2)
    expect(times[2]).toBeCloseTo(0.9, 2)
  })

  it('are renewed soon after a clock was put forward, and not over and over', async () => {
    const mesh = new LeafMesh()
    await mesh.ask()
    await mesh.clock.advance(4 * hourMs)
    mesh.wallOffsetMs = 60 * hourMs
    await mesh.clock.advance(5 * 60_000)
    expect(mesh.signed).toHaveLength(2)
    // The leader's clock stands where it stood: by this agent's, the new one has only a day left, too.
    await mesh.clock.advance(3 * hourMs)
    expect(mesh.signed).toHaveLength(2)
  })

  it('are not asked for in a rush where the clock on the wall says that the newest has expired', async () => {
    const mesh = new LeafMesh()
    mesh.wallOffsetMs = 1_000 * hourMs
    for (let at = 0; at < 20; at++) expect(String(await mesh.ask())).toContain('1,key-1,7')
    await mesh.clock.advance(12 * hourMs)
    expect(mesh.signed.length).toBeLessThanOrEqual(5)
  })

  it('are renewed in time by the time that has passed where the clock on the wall was put back', async () => {
    const mesh = new LeafMesh()
    await mesh.ask()
    mesh.wallOffsetMs = -1_000 * hourMs
    await mesh.clock.advance(lifeMs * 0.9)
    expect(mesh.signed).toHaveLength(2)
  })

  it('are given out while servers refuse, as long as they are good, and are asked for again with pauses', async () => {
    const mesh = new LeafMesh()
    await mesh.ask()
    mesh.failing = { kind: 'no-leader' }
    await mesh.clock.advance(lifeMs - hourMs)
    expect(await mesh.ask()).toEqual(['1', 'key-1', 7, 'HIT'])
    const tries = mesh.signed.length
    expect(tries).toBeGreaterThan(10)
    expect(tries).toBeLessThan(28 * 60 + 20)
    expect(mesh.clock.logged).toEqual(['a leaf certificate could not be renewed: the agent tries again'])
    expect(new Set(mesh.signed.slice(1).map(({ request }) => request))).toEqual(new Set(['key-2 of web in x']))
    await mesh.clock.advance(hourMs)
    expect(await mesh.ask()).toBe('no-leader')
    mesh.failing = undefined
    await mesh.clock.advance(2 * 60_000)
    expect(await mesh.ask()).toEqual([String(mesh.signed.length), 'key-2', 8, 'HIT'])
  })

  it('are asked for in the name of the mesh that there is now, although an attempt was made in that of another', async () => {
    const mesh = new LeafMesh()
    await mesh.ask()
    mesh.failing = { kind: 'no-leader' }
    await mesh.rotate('r1', 'r2')
    await mesh.clock.advance(10_000)
    expect(mesh.signed.at(-1)?.request).toBe('key-2 of web in x')
    // The datacenter has become one mesh with its primary one.
    mesh.failing = undefined
    mesh.trustDomain = 'y'
    await mesh.rotate('r1', 'r2', 'r3')
    await mesh.clock.advance(60_000)
    expect(mesh.signed.at(-1)?.request).toBe('key-3 of web in y')
    expect(await mesh.ask()).toEqual([String(mesh.signed.length), 'key-3', 27, 'HIT'])
  })

  it('fail for the caller where there has never been one, and nothing is cached of that', async () => {
    const mesh = new LeafMesh()
    mesh.failing = { kind: 'no-leader' }
    expect(await mesh.ask()).toBe('no-leader')
    expect([mesh.leaves.size, mesh.clock.timers]).toEqual([0, 0])
    const off = new LeafMesh()
    off.rootsFailing = { kind: 'refused', message: 'Connect must be enabled in order to use this endpoint' }
    expect(await off.ask()).toBe('refused')
    expect(off.leaves.size).toBe(0)
  })

  it('have indexes that none had before the last start of the agent: a client that knows one takes no news of it', async () => {
    const indexOf = async (mesh: LeafMesh) => (await mesh.ask())[2]
    const before = await indexOf(new LeafMesh(1_000_000))
    // The agent starts again, and nothing has changed at the servers.
    expect(await indexOf(new LeafMesh(1_005_000))).toBeGreaterThan(Number(before))
  })

  it('wait for an authority that has not begun', async () => {
    const early = new LeafMesh()
    early.view = () => ({ index: modifyIndexOf(1), list: { activeRootId: '', trustDomain: '', roots: [] } })
    expect(await early.ask()).toBe('refused')
    expect(early.keys).toEqual([])
  })
})

describe('a token', () => {
  it('that may write no more than the capitalized name of a service is no longer given what was kept for it', async () => {
    const mesh = new LeafMesh()
    expect(await mesh.ask('Web')).toEqual(['1', 'key-1', 7, 'MISS'])
    mesh.only.set('t', 'Web')
    expect(await mesh.ask('Web')).toBe('permission-denied')
    mesh.only.set('t', 'web')
    expect(await mesh.ask('web')).toEqual(['2', 'key-2', 8, 'MISS'])
  })

  it('that may not write the service is given nothing, kept or not, and what was kept for it goes', async () => {
    const mesh = new LeafMesh()
    mesh.denied.add('bad')
    expect(await mesh.ask('web', 'bad')).toBe('permission-denied')
    expect([mesh.leaves.size, mesh.signed.length]).toEqual([0, 0])
    await mesh.ask('web', 't')
    mesh.denied.add('t')
    expect(await mesh.ask('web', 't')).toBe('permission-denied')
    mesh.denied.clear()
    expect(await mesh.ask('web', 't')).toEqual(['2', 'key-2', 8, 'MISS'])
  })

  it('that loses its rights while it waits is given nothing at the end', async () => {
    const mesh = new LeafMesh()
    await mesh.ask()
    const waiting = mesh.ask('web', 't', { minIndex: modifyIndexOf(7), waitMs: 1_000 })
    await settled()
    mesh.gone.add('t')
    await mesh.clock.advance(1_000)
    expect(await waiting).toBe('token-not-found')
  })

  it('that servers refuse at a renewal ends what is cached for it, and waiting callers learn why', async () => {
    const mesh = new LeafMesh()
    await mesh.ask()
    const waiting = mesh.ask('web', 't', { minIndex: modifyIndexOf(7), waitMs: 600_000 })
    await settled()
    mesh.failing = refused
    await mesh.rotate('r1', 'r2')
    await mesh.clock.advance(10_000)
    expect(await waiting).toBe('permission-denied')
    expect([mesh.leaves.size, mesh.clock.timers]).toEqual([0, 0])
  })
})

describe('the number of leaves', () => {
  it('is bounded: the leaf that was asked for least recently is dropped, unless a caller waits for it', async () => {
    const mesh = new LeafMesh()
    for (let at = 0; at < leavesMax; at++) await mesh.ask(`s${at}`)
    await mesh.ask('s0')
    await mesh.ask('one more')
    expect(mesh.leaves.size).toBe(leavesMax)
    const before = mesh.signed.length
    await mesh.ask('s0')
    expect(mesh.signed.length).toBe(before)
    await mesh.ask('s1')
    expect(mesh.signed.length).toBe(before + 1)
  })

  it('takes the leaf from the caller that was about to get it, with the reason', async () => {
    const mesh = new LeafMesh()
    await mesh.ask('web')
    const waiting = mesh.ask('web', 't', { minIndex: modifyIndexOf(7), waitMs: 1_000 })
    await settled()
    for (let at = 1; at < leavesMax; at++) await mesh.ask(`s${at}`)
    let answer = (): void => undefined
    mesh.asking = new Promise((resolve) => {
      answer = resolve
    })
    await mesh.clock.advance(1_000)
    mesh.asking = undefined
    await mesh.ask('one more')
    answer()
    expect(await waiting).toBe('overloaded')
  })

  it('is not exceeded where all of them are waited for: the next is refused', async () => {
    const mesh = new LeafMesh()
    let sign = (): void => undefined
    mesh.held = new Promise((resolve) => {
      sign = resolve
    })
    const asked = Array.from({ length: leavesMax }, (_, at) => mesh.ask(`s${at}`))
    await settled()
    expect(await mesh.ask('one more')).toBe('overloaded')
    sign()
    await Promise.all(asked)
    expect(mesh.leaves.size).toBe(leavesMax)
  })

  it('is dropped when no request came for three days: it is not renewed again', async () => {
    const mesh = new LeafMesh()
    await mesh.ask()
    await mesh.clock.advance(200 * hourMs)
    expect([mesh.leaves.size, mesh.clock.timers]).toEqual([0, 0])
    expect(mesh.signed.length).toBeLessThanOrEqual(3)
  })
})
