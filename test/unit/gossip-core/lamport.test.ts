import { describe, expect, it } from 'vitest'
import { lamportMax } from '../../../src/gossip/core/bounds.ts'
import { leapMax } from '../../../src/gossip/core/lamport.ts'
import type { Message } from '../../../src/gossip/core/messages.ts'
import { stats } from '../../../src/gossip/core/views.ts'
import { addressOf, joins, leaves, Subject } from './subject.ts'

function fired(lamport: number, name = 'deploy'): Message {
  return { kind: 'user-event', lamport, name, payload: new Uint8Array([1]), coalesce: false }
}

function query(lamport: number, id: number): Message {
  const rest = { filters: [], flags: 0, relayFactor: 0, timeoutMs: 1_000, name: 'q', payload: new Uint8Array(0) }
  return { kind: 'query', lamport, id, from: addressOf('asker'), ...rest }
}

const several = Array.from({ length: 100 }, (_, i) => i)

describe('one forged time', () => {
  it('of a user event leaves room for all later ones', () => {
    const me = new Subject().know('a')
    me.hear(fired(lamportMax), fired(lamportMax - 1))
    expect(me.counted('gossip.dropped.ahead')).toBe(2)
    const told = several.flatMap((i) => {
      me.do({ kind: 'event-fired', name: `mine ${i}`, payload: new Uint8Array([1]) })
      const own = me.of('user-event')
      me.hear(fired(stats(me.core).eventTime, `of another ${i}`))
      return [...own, ...me.of('user-event')]
    })
    expect(told.length).toBe(200)
    expect(told.at(-1)?.lamport).toBe(200)
  })

  it('of a query leaves room for all later ones', () => {
    const me = new Subject().know('a')
    me.hear(query(lamportMax, 0))
    const told = several.flatMap((i) => {
      me.hear(query(stats(me.core).queryTime, i))
      return me.of('query')
    })
    expect(told.length).toBe(100)
  })

  it('of an intent to leave does not make a member leave that has not, and later intents count', () => {
    const me = new Subject().know('a')
    me.hear(leaves('a', lamportMax), joins('b', lamportMax))
    expect([me.record('a').status, me.core.recentIntents.size, stats(me.core).memberTime]).toEqual(['alive', 0, 1])
    me.hear(leaves('a', 7))
    expect([me.record('a').status, stats(me.core).memberTime]).toEqual(['leaving', 8])
  })

  it('in an exchange of states is no better', () => {
    const me = new Subject().know('a')
    me.exchange({
      statusTimes: [['a', lamportMax]],
      left: ['a'],
      events: [{ lamport: lamportMax, events: [{ name: 'deploy', payload: new Uint8Array(0) }] }],
    })
    expect([me.record('a').status, me.of('user-event').length, me.counted('gossip.dropped.ahead')]).toEqual([
      'alive',
      0,
      2,
    ])
  })
})

describe('a clock', () => {
  it('leaps so far in all within a minute, and steps at any time', () => {
    const me = new Subject().know('a')
    const half = leapMax / 2
    me.hear(fired(half), fired(2 * half - 1), fired(2 * half + 2_000))
    expect([me.of('user-event').length, me.counted('gossip.dropped.ahead')]).toEqual([2, 1])
    me.hear(fired(2 * half), fired(2 * half + 1_000))
    expect(me.of('user-event').length).toBe(2)
    me.nowMs += 30_000
    me.hear(fired(4 * half), fired(3 * half))
    expect(me.of('user-event').map(({ lamport }) => lamport)).toEqual([3 * half])
    me.nowMs += 3_600_000
    me.hear(fired(5 * half + 2), fired(4 * half))
    expect(me.of('user-event').map(({ lamport }) => lamport)).toEqual([4 * half])
  })

  it('believes the pool that it joins, however far that is ahead', () => {
    const me = new Subject()
    const far = lamportMax - 1_000
    me.exchange({ lamport: far, eventLamport: far, queryLamport: far, statusTimes: [['a', far - 1]] }, 'join-answer')
    expect(stats(me.core)).toMatchObject({ eventTime: far, queryTime: far })
    expect(stats(me.core).memberTime).toBeGreaterThanOrEqual(far)
    me.hear(fired(far + 5))
    expect(me.of('user-event').length).toBe(1)
  })

  it('that others have left far behind catches up by exchanges, as far as it may leap each time', () => {
    const me = new Subject().know('a')
    const far = 2.5 * leapMax
    const clocks = { lamport: far, eventLamport: far, queryLamport: far }
    const times: number[][] = []
    for (let minute = 0; minute < 4; minute++) {
      me.exchange(clocks, minute % 2 === 0 ? 'answer' : 'request')
      me.exchange(clocks)
      const { memberTime, eventTime, queryTime } = stats(me.core)
      times.push([memberTime, eventTime, queryTime])
      me.nowMs += 60_000
    }
    const reached = [1 + leapMax, 1 + 2 * leapMax, far, far]
    expect(times).toEqual(reached.map((time) => [time, time, time]))
  })
})
