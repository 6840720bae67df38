import { describe, expect, it } from 'vitest'
import { reapTombstones } from '../../../src/features/kv/duty.ts'
import { kvTable, reapedFloor, tombstoneTable } from '../../../src/features/kv/tables.ts'
import { HandClock } from './hand-clock.ts'
import { LoneServer } from './lone-server.ts'

const minute = 60_000

function withClock(): { clock: HandClock; server: LoneServer } {
  const clock = new HandClock()
  return { clock, server: new LoneServer(clock.env) }
}

async function putAndDelete(server: LoneServer, ...keys: readonly string[]): Promise<void> {
  for (const key of keys) await server.request('PUT', `/v1/kv/${key}`, 'x')
  for (const key of keys) await server.request('DELETE', `/v1/kv/${key}`)
}

/** Puts and deletes so many keys, each with a tombstone of its own, sixty in a request. */
async function inTransactions(server: LoneServer, count: number): Promise<void> {
  for (const Verb of ['set', 'delete']) {
    for (let first = 0; first < count; first += 60) {
      const length = Math.min(60, count - first)
      const operations = Array.from({ length }, (_, at) => ({ KV: { Verb, Key: `k${first + at}`, Value: 'eA==' } }))
      await server.request('PUT', '/v1/txn', JSON.stringify(operations))
    }
  }
}

function tombstones(server: LoneServer): string[] {
  return [...server.read().all(tombstoneTable)].map(({ key }) => key)
}

describe('reaping tombstones', () => {
  it('[KV-004] the leader replicates a command that reaps a tombstone, no earlier than 15 minutes after it came and at most 30 s later', async () => {
    const { clock, server } = withClock()
    await server.request('PUT', '/v1/kv/kept', 'x')
    const duty = reapTombstones.start(server.context)
    await clock.advance(10_000)
    await putAndDelete(server, 'a')
    const indexBefore = server.index
    await clock.advance(15 * minute - 1)
    expect(tombstones(server)).toEqual(['a'])
    expect(server.index).toBe(indexBefore)
    await clock.advance(30_001)
    expect(tombstones(server)).toEqual([])
    expect(server.index).toBe(indexBefore + 1)
    expect(server.read().lastChange(reapedFloor)).toBe(indexBefore)
    expect(server.read().get(kvTable, 'kept')).toBeDefined()
    duty.close()
  })

  it('tombstones of different ages are reaped each in its time', async () => {
    const { clock, server } = withClock()
    const duty = reapTombstones.start(server.context)
    await putAndDelete(server, 'a')
    await clock.advance(5 * minute)
    await putAndDelete(server, 'b')
    await clock.advance(10 * minute + 30_000)
    expect(tombstones(server)).toEqual(['b'])
    await clock.advance(5 * minute)
    expect(tombstones(server)).toEqual([])
    duty.close()
  })

  it('a new leader counts anew from when it first saw them', async () => {
    const { clock, server } = withClock()
    const first = reapTombstones.start(server.context)
    await putAndDelete(server, 'a')
    await clock.advance(14 * minute)
    first.close()
    const second = reapTombstones.start(server.context)
    await clock.advance(15 * minute - 1)
    expect(tombstones(server)).toEqual(['a'])
    await clock.advance(1)
    expect(tombstones(server)).toEqual([])
    second.close()
  })

  it.each([100_000_016, 100_000_043, 100_000_070, 100_000_017])(
    'are reaped at the step at which they are old enough, by a clock that began at %i µs (scenarios/upgrade-0.4-to-0.5-tombstones.yaml, seeds 2 and 4)',
    async (startUs) => {
      const clock = new HandClock()
      const { monoMs } = clock.env.clock
      // Integers of microseconds, as clocks count: the last bit of a sum of milliseconds depends on where they began.
      const counting = { ...clock.env.clock, monoMs: () => (startUs + Math.round(monoMs() * 1000)) / 1000 }
      const server = new LoneServer({ ...clock.env, clock: counting })
      await putAndDelete(server, 'a')
      const duty = reapTombstones.start(server.context)
      await clock.advance(15 * minute - 1)
      expect(tombstones(server)).toEqual(['a'])
      await clock.advance(1)
      expect(tombstones(server)).toEqual([])
      duty.close()
    },
  )

  it('a refused command is tried again at the next step', async () => {
    const { clock, server } = withClock()
    await putAndDelete(server, 'a')
    const duty = reapTombstones.start(server.context)
    await clock.advance(15 * minute - 1)
    server.failNext = { kind: 'overloaded', message: 'full' }
    await clock.advance(1)
    expect(tombstones(server)).toEqual(['a'])
    expect(clock.logged).toEqual(['could not reap tombstones'])
    await clock.advance(30_000)
    expect(tombstones(server)).toEqual([])
    duty.close()
  })

  it('more tombstones than one command takes are reaped by several', async () => {
    const { clock, server } = withClock()
    await inTransactions(server, 1500)
    expect(tombstones(server)).toHaveLength(1500)
    const duty = reapTombstones.start(server.context)
    const before = server.index
    await clock.advance(15 * minute)
    expect(tombstones(server)).toEqual([])
    expect(server.index).toBe(before + 2)
    duty.close()
  })

  it('nothing is proposed while there is nothing to reap, and closing ends the timer', async () => {
    const { clock, server } = withClock()
    const duty = reapTombstones.start(server.context)
    await clock.advance(60 * minute)
    expect(server.index).toBe(0)
    expect(clock.timers).toBe(1)
    duty.close()
    expect(clock.timers).toBe(0)
  })

  it('a server of a release without tombstones leaves them to others', () => {
    const { clock, server } = withClock()
    reapTombstones.start({ ...server.context, release: { major: 0, minor: 4, patch: 1 } }).close()
    expect(clock.timers).toBe(0)
  })
})
