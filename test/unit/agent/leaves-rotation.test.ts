import { describe, expect, it } from 'vitest'
import { err } from '../../../src/base/result.ts'
import { modifyIndexOf } from '../../../src/model/log-position.ts'
import { settled } from '../features/hand-clock.ts'
import { anyAge, LeafMesh, noWait } from './leaf-mesh.ts'

describe('after a rotation', () => {
  it('a caller gets a leaf of the new root at once', async () => {
    const mesh = new LeafMesh()
    mesh.drawn = 0.9
    await mesh.ask()
    await mesh.rotate('r1', 'r2')
    expect(await mesh.ask()).toEqual(['2', 'key-2', 17, 'HIT'])
    expect(await mesh.ask()).toEqual(['2', 'key-2', 17, 'HIT'])
  })

  it('leaves that no client asks for are replaced within a time that grows with the number of agents', async () => {
    for (const [members, spreadMs] of [
      [1, 10_000],
      [1_000, 50_000],
      [100_000, 600_000],
    ] as const) {
      const mesh = new LeafMesh()
      mesh.members = members
      await mesh.ask()
      mesh.drawn = 0.99
      await mesh.rotate('r1', 'r2')
      await mesh.clock.advance(spreadMs * 0.98)
      expect(mesh.signed).toHaveLength(1)
      await mesh.clock.advance(spreadMs * 0.02)
      expect(mesh.signed).toHaveLength(2)
      mesh.leaves.stop()
    }
  })

  it('a caller that waits for the next leaf is answered when it comes', async () => {
    const mesh = new LeafMesh()
    await mesh.ask()
    mesh.drawn = 0.5
    const waiting = mesh.ask('web', 't', { minIndex: modifyIndexOf(7), waitMs: 0 })
    await mesh.rotate('r1', 'r2')
    expect(mesh.signed).toHaveLength(1)
    await mesh.clock.advance(5_000)
    expect(await waiting).toEqual(['2', 'key-2', 17, 'HIT'])
  })

  it('the old leaf is given out where the servers do not sign', async () => {
    const mesh = new LeafMesh()
    await mesh.ask()
    mesh.drawn = 0.9
    await mesh.rotate('r1', 'r2')
    mesh.failing = { kind: 'overloaded', message: 'too many' }
    expect(await mesh.ask()).toEqual(['1', 'key-1', 7, 'HIT'])
  })

  it('a leaf of a root of which this agent has not heard is asked for once more, and then as good as any', async () => {
    const mesh = new LeafMesh()
    await mesh.ask('db')
    mesh.roots = ['r1', 'r2']
    mesh.index += 10
    expect(await mesh.ask()).toEqual(['2', 'key-2', 17, 'MISS'])
    await mesh.clock.advance(59_000)
    expect(mesh.signed).toHaveLength(2)
    await mesh.clock.advance(20 * 60_000)
    expect(mesh.signed).toHaveLength(3)
    await mesh.tell()
    await mesh.clock.advance(20 * 60_000)
    // The other one is replaced, this one is not.
    expect(mesh.signed.map(({ request }) => request)).toEqual(
      ['db', 'web', 'web', 'db'].map((name, at) => `key-${at + 1} of ${name} in x`),
    )
  })

  it('a leaf whose root is trusted no more, for a snapshot was restored, is replaced as soon as after a rotation', async () => {
    const mesh = new LeafMesh()
    mesh.drawn = 0.5
    await mesh.ask()
    await mesh.ask('db')
    await mesh.rotate('restored')
    expect(mesh.clock.logged.join()).toContain('the root of the kept leaf certificates is no longer trusted')
    await mesh.clock.advance(4_900)
    expect(mesh.signed).toHaveLength(2)
    await mesh.clock.advance(200)
    expect(mesh.signed).toHaveLength(4)
  })

  it('and a caller meanwhile gets one of a root that is trusted', async () => {
    const mesh = new LeafMesh()
    await mesh.ask()
    await mesh.rotate('restored')
    expect(await mesh.ask()).toEqual(['2', 'key-2', 17, 'HIT'])
  })

  it('a leaf of servers that are no more, whose indexes were higher than those of the new ones, is replaced after a minute', async () => {
    const mesh = new LeafMesh()
    mesh.index = 5_000
    await mesh.ask()
    mesh.index = 3
    await mesh.rotate('restored')
    await mesh.clock.advance(59_000)
    expect(mesh.signed).toHaveLength(1)
    await mesh.clock.advance(2_000)
    expect(mesh.signed).toHaveLength(2)
    await mesh.clock.advance(20 * 60_000)
    expect(mesh.signed).toHaveLength(2)
  })

  it('leaves of another trust domain below the same root are replaced, too: their names no longer count', async () => {
    const mesh = new LeafMesh()
    mesh.drawn = 0.5
    await mesh.ask()
    await mesh.ask('db')
    // New servers were given the root of those that lost their data, or the datacenter joined another with the same.
    mesh.trustDomain = 'y'
    await mesh.rotate('r1')
    expect(mesh.clock.logged.join()).toContain('the mesh has another trust domain')
    expect(await mesh.ask()).toEqual(['3', 'key-3', 17, 'HIT'])
    await mesh.clock.advance(4_900)
    expect(mesh.signed).toHaveLength(3)
    await mesh.clock.advance(20 * 60_000)
    expect(mesh.signed.slice(2).map(({ request }) => request)).toEqual(['key-3 of web in y', 'key-4 of db in y'])
  })

  it('a leaf of another trust domain that its agent has not heard of stays until the agent has', async () => {
    const mesh = new LeafMesh()
    await mesh.ask('db')
    mesh.trustDomain = 'y'
    mesh.index += 10
    expect(await mesh.ask()).toEqual(['2', 'key-2', 17, 'MISS'])
    expect(await mesh.ask()).toEqual(['2', 'key-2', 17, 'HIT'])
    await mesh.tell()
    await mesh.clock.advance(20 * 60_000)
    expect(mesh.signed.map(({ request }) => request.slice(6))).toEqual(['of db in x', 'of web in x', 'of db in y'])
  })

  it('a rotation that this agent could not hear of is seen when it hears again', async () => {
    const mesh = new LeafMesh()
    await mesh.ask()
    mesh.rootsFailing = { kind: 'no-servers' }
    for (const end of mesh.reads.splice(0)) end(err({ kind: 'no-servers' }))
    await mesh.clock.advance(10 * 60_000)
    const answer = await mesh.leaves.leaf('web', noWait, anyAge, { token: 't' })
    expect(answer.ok && answer.value.ageMs).toBe(10 * 60_000)
    mesh.roots = ['r1', 'r2']
    mesh.index += 10
    mesh.rootsFailing = undefined
    await mesh.clock.advance(2 * 60_000)
    expect(mesh.signed).toHaveLength(2)
  })
})

describe('a caller that waits for a leaf', () => {
  it('waits for as long as it says, or five minutes', async () => {
    const mesh = new LeafMesh()
    await mesh.ask()
    for (const [waitMs, forMs] of [
      [1_000, 1_000],
      [0, 300_000],
    ] as const) {
      let told: unknown
      const waiting = mesh.ask('web', 't', { minIndex: modifyIndexOf(7), waitMs }).then((answer) => {
        told = answer
      })
      await settled()
      await mesh.clock.advance(forMs - 1)
      expect(told).toBeUndefined()
      await mesh.clock.advance(1)
      await waiting
      expect(told).toEqual(['1', 'key-1', 7, 'HIT'])
    }
  })

  it('is answered at once with any other index: a lower one is old, a higher one is of a life before', async () => {
    const mesh = new LeafMesh()
    await mesh.ask()
    expect(await mesh.ask('web', 't', { minIndex: modifyIndexOf(6), waitMs: 0 })).toEqual(['1', 'key-1', 7, 'HIT'])
    expect(await mesh.ask('web', 't', { minIndex: modifyIndexOf(900), waitMs: 0 })).toEqual(['1', 'key-1', 7, 'HIT'])
  })

  it('leaves nothing behind when it goes away', async () => {
    const mesh = new LeafMesh()
    await mesh.ask()
    const timers = mesh.clock.timers
    let abort = (): void => undefined
    const waiting = mesh.ask('web', 't', { minIndex: modifyIndexOf(7), waitMs: 0 }, anyAge, {
      onAbort: (use) => (abort = use),
    })
    await settled()
    expect(mesh.clock.timers).toBe(timers + 1)
    abort()
    await waiting
    expect(mesh.clock.timers).toBe(timers)
  })

  it('and says that nothing kept will do is given a new leaf with a new key', async () => {
    const mesh = new LeafMesh()
    await mesh.ask()
    await mesh.clock.advance(1_000)
    expect(await mesh.ask('web', 't', noWait, { revalidate: true })).toEqual(['2', 'key-2', 8, 'MISS'])
  })

  it('and says so again and again is given no more than one in a second, and none while servers refuse', async () => {
    const mesh = new LeafMesh()
    const anew = () => mesh.ask('web', 't', noWait, { revalidate: true })
    expect(await anew()).toEqual(['1', 'key-1', 7, 'MISS'])
    for (let at = 0; at < 100; at++) {
      expect(await anew()).toEqual(['1', 'key-1', 7, 'HIT'])
      await mesh.clock.advance(9)
    }
    await mesh.clock.advance(100)
    expect(await anew()).toEqual(['2', 'key-2', 8, 'MISS'])
    await mesh.clock.advance(1_000)
    mesh.failing = { kind: 'overloaded', message: 'too many' }
    for (let at = 0; at < 100; at++) expect(await anew()).toEqual(['2', 'key-2', 8, 'HIT'])
    expect(mesh.signed).toHaveLength(3)
  })
})
