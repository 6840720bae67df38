import { describe, expect, it } from 'vitest'
import { fullState } from '../../../src/gossip/core/answers.ts'
import { memberNamed, members, self, stats } from '../../../src/gossip/core/views.ts'
import { alive, dead, joins, leaves, nodeState, Subject } from './subject.ts'

describe('a word on leaving', () => {
  it('makes a living member leaving, which changes nothing else, and is passed on', () => {
    const me = new Subject().know('a')
    me.hear(leaves('a', 5))
    expect(me.record('a').status).toBe('leaving')
    expect(me.changes()).toEqual([])
    expect(me.spoken()).toContainEqual(leaves('a', 5))
  })

  it('makes a failed member one that left', () => {
    const me = new Subject().know('a', 'b')
    me.hear(dead('a', 1))
    me.hear(leaves('a', 5))
    expect(me.changes()).toEqual(['left a'])
    expect([stats(me.core).failed, stats(me.core).left]).toEqual([0, 1])
  })

  it('is ignored when a newer word on the member is known', () => {
    const me = new Subject().know('a')
    me.hear(joins('a', 5), leaves('a', 4), leaves('a', 5))
    expect(me.record('a').status).toBe('alive')
  })

  it('is taken back by a newer word on joining', () => {
    const me = new Subject().know('a')
    me.hear(leaves('a', 5), joins('a', 6))
    expect(me.record('a').status).toBe('alive')
    me.hear(leaves('a', 5))
    expect(me.record('a').status).toBe('alive')
  })

  it('about the agent itself is refuted with a newer word on joining, also when it is of the same time', () => {
    const me = new Subject().know('a')
    me.exchange({ lamport: 4 }, 'join-answer')
    expect(me.record('me').statusTime).toBe(4)
    me.hear(leaves('me', 4))
    expect(me.record('me').statusTime).toBe(5)
    me.hear(leaves('me', 9))
    expect(me.record('me').status).toBe('alive')
    expect(me.spoken()).toContainEqual(joins('me', 10))
  })

  it('goes on once for each new time, not again when it returns', () => {
    const me = new Subject().know('a')
    me.hear(leaves('a', 5))
    me.spoken()
    me.pass(60_000)
    expect(me.core.intents.size).toBe(0)
    me.hear(leaves('a', 5))
    expect(me.core.intents.size).toBe(0)
  })
})

describe('a word of joining', () => {
  it('about one that left waits for the word that it lives, and its time is told as none of leaving', () => {
    const me = new Subject().know('a', 'b')
    me.hear(leaves('a', 5), dead('a', 1, 'a'))
    me.hear(joins('a', 9), joins('a', 9))
    expect(me.record('a')).toMatchObject({ status: 'left', statusTime: 5 })
    expect(fullState(me.core, false)).toMatchObject({ left: ['a'] })
    expect(fullState(me.core, false).statusTimes).toContainEqual(['a', 5])
    me.hear(alive('a', 2))
    expect(me.record('a')).toMatchObject({ status: 'alive', statusTime: 9 })
    expect(fullState(me.core, false).left).toEqual([])
  })

  it('about one that left, from another that holds it dead as well, says that it failed since', () => {
    const me = new Subject().know('a', 'b')
    me.hear(leaves('a', 5), dead('a', 1, 'a'))
    me.changes()
    me.exchange({ nodes: [nodeState('a', 2, 'dead')], statusTimes: [['a', 9]] })
    expect(me.record('a')).toMatchObject({ status: 'failed', statusTime: 9 })
    expect([stats(me.core).failed, stats(me.core).left]).toEqual([1, 0])
  })

  it('of a life before, heard about the agent itself, is answered with a newer one', () => {
    const me = new Subject().know('a')
    me.hear(joins('me', 20))
    expect(me.record('me').statusTime).toBe(21)
    expect(me.spoken()).toContainEqual(joins('me', 21))
  })
})

describe('an intent of a member not known yet', () => {
  it('is kept and passed on, and counts when the member comes', () => {
    const me = new Subject().know('x')
    me.hear(leaves('a', 5), joins('b', 6))
    expect(me.spoken()).toEqual(expect.arrayContaining([leaves('a', 5), joins('b', 6)]))
    me.know('a', 'b')
    expect([me.record('a').status, me.record('b').status]).toEqual(['leaving', 'alive'])
    expect([me.record('a').statusTime, me.record('b').statusTime]).toEqual([5, 6])
    me.hear(dead('a', 1))
    expect(me.record('a').status).toBe('left')
  })

  it('gives way to a newer one, not to an older', () => {
    const me = new Subject()
    me.hear(leaves('a', 5), joins('a', 6), leaves('a', 4))
    me.know('a')
    expect([me.record('a').status, me.record('a').statusTime]).toEqual(['alive', 6])
  })

  it('is forgotten after five minutes', () => {
    const me = new Subject()
    me.hear(leaves('a', 5))
    me.pass(330_000)
    expect(me.core.recentIntents.size).toBe(0)
    expect(me.timers.size).toBe(0)
  })

  it('is dropped and counted beyond 1,024 of them', () => {
    const me = new Subject()
    for (let i = 0; i < 1_025; i++) me.hear(leaves(`n${i}`, 5))
    expect(me.counted('gossip.dropped.full')).toBe(1)
    expect(me.core.recentIntents.size).toBe(1_024)
    expect(me.core.intents.size).toBe(1_024)
  })
})

describe('the Lamport clock', () => {
  it('is later than every word heard', () => {
    const me = new Subject().know('a')
    me.hear(joins('a', 41))
    expect(stats(me.core).memberTime).toBe(42)
  })

  it('accepts no malformed time, and none beyond 2^52, and counts it', () => {
    const me = new Subject().know('a')
    for (const lamport of [4_503_599_627_370_497, -1, 0.5, Number.NaN, Number.POSITIVE_INFINITY]) {
      me.hear(leaves('a', lamport), joins('a', lamport))
      expect(me.counted('gossip.dropped.number')).toBe(2)
    }
    expect(me.record('a').status).toBe('alive')
    expect(stats(me.core).memberTime).toBe(1)
    me.exchange({ lamport: 4_503_599_627_370_490 }, 'join-answer')
    me.hear(joins('a', 4_503_599_627_370_496))
    expect(stats(me.core).memberTime).toBe(4_503_599_627_370_496)
  })
})

describe('force', () => {
  it('takes a failed member for one that left, and says so to others', () => {
    const me = new Subject().know('a', 'b')
    me.hear(joins('a', 3), dead('a', 1))
    me.do({ kind: 'force-leave-requested', name: 'a' })
    expect(me.changes()).toEqual(['left a'])
    expect(me.spoken()).toContainEqual(leaves('a', 4))
  })

  it('without a target, or against the agent itself, makes no member leave', () => {
    const me = new Subject().know('a')
    expect(me.do({ kind: 'force-leave-requested', name: 'nobody' })).toEqual([])
    me.do({ kind: 'force-leave-requested', name: 'me' })
    expect(self(me.core).status).toBe('alive')
    expect(me.core.recentIntents.size).toBe(0)
  })
})

describe('what is shown', () => {
  it('is each member with its status, in order of name, whatever the order of arrival', () => {
    const me = new Subject().know('z', 'a', 'q', 'b')
    me.hear(dead('q', 1), dead('b', 1, 'b'), leaves('z', 3))
    expect(members(me.core).map(({ name, status }) => `${name} ${status}`)).toEqual([
      'a alive',
      'b left',
      'me alive',
      'q failed',
      'z leaving',
    ])
    expect(memberNamed(me.core, 'q')?.status).toBe('failed')
    expect(memberNamed(me.core, 'nobody')).toBeUndefined()
  })

  it('is the same list until something changes', () => {
    const me = new Subject().know('a')
    const before = members(me.core)
    me.hear(alive('a', 2))
    expect(members(me.core)).toBe(before)
    me.hear(leaves('a', 3))
    expect(members(me.core)).not.toBe(before)
    expect(before[0]?.status).toBe('alive')
  })

  it('tells of the agent itself when it starts', () => {
    expect(new Subject().changes()).toEqual(['joined me'])
  })
})
