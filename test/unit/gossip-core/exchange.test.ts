import { describe, expect, it } from 'vitest'
import { lamportMax } from '../../../src/gossip/core/bounds.ts'
import { addressOf, alive, dead, joins, leaves, nodeState, Subject, suspect, versions } from './subject.ts'

describe('a full state', () => {
  it('sends all that is known, in order of name, including members that have left or are leaving', () => {
    const me = new Subject().know('z', 'a', 'b', 'c')
    me.hear(joins('a', 3), dead('b', 1, 'b'), leaves('z', 7), suspect('c', 1))
    const state = me.state()
    expect(state.nodes.map(({ node, state: of, incarnation }) => `${node} ${of} ${incarnation}`)).toEqual([
      'a alive 1',
      'b dead 1',
      'c suspect 1',
      'me alive 1',
      'z alive 1',
    ])
    expect(state.statusTimes).toEqual([
      ['a', 3],
      ['b', 0],
      ['c', 0],
      ['me', 0],
      ['z', 7],
    ])
    expect([state.left, state.lamport, state.join]).toEqual([['b', 'z'], 8, false])
  })

  it('adds living members, and suspects those that are suspect or dead to the other', () => {
    const me = new Subject().know('a', 'b')
    me.exchange({ nodes: [nodeState('a', 1, 'dead'), nodeState('b', 1, 'suspect'), nodeState('c', 1, 'alive')] })
    expect(['a', 'b', 'c'].map((name) => me.holds(name))).toEqual(['suspect 1', 'suspect 1', 'alive 1'])
    expect(me.spoken()).toContainEqual(suspect('a', 1, 'me'))
  })

  it('adds no member that is dead to the other and unknown here', () => {
    const me = new Subject()
    me.exchange({ nodes: [nodeState('a', 1, 'dead'), nodeState('b', 1, 'suspect')] })
    expect(me.core.members.size).toBe(1)
  })

  it('that holds the agent itself dead is refuted, so that the answer carries the refutation', () => {
    const me = new Subject()
    me.exchange({ nodes: [nodeState('me', 6, 'dead')] }, 'request')
    expect(me.state().nodes).toEqual([nodeState('me', 7, 'alive')])
  })

  it('forwards a leave: a member said to leave by both has left when the other holds it dead', () => {
    const me = new Subject().know('a', 'b')
    me.hear(leaves('a', 5))
    me.exchange({ nodes: [nodeState('a', 1, 'dead')], statusTimes: [['a', 5]], left: ['a'] })
    expect(me.changes()).toEqual(['left a'])
  })

  it('makes a member leaving that left there and lives here, until its silence is sure', () => {
    const me = new Subject().know('a', 'b')
    me.exchange({ nodes: [nodeState('a', 1, 'dead')], statusTimes: [['a', 5]], left: ['a'] })
    expect([me.record('a').status, me.record('a').state]).toEqual(['leaving', 'suspect'])
    expect(me.changes(me.pass(30_000))).toContain('left a')
  })

  it('makes one that left of a failed one, also where both have the same time of its last word', () => {
    const me = new Subject().know('a', 'b')
    me.hear(joins('a', 5), dead('a', 1))
    me.exchange({ statusTimes: [['a', 5]], left: ['a'] })
    expect(me.changes()).toEqual(['left a'])
  })

  it('names one that left before it was known here, for five minutes, if its word was heard here', () => {
    const me = new Subject()
    me.hear(leaves('gone', 5), leaves('back', 6), joins('back', 7))
    me.exchange({ statusTimes: [['hearsay', 5]], left: ['hearsay'] })
    expect(me.state()).toMatchObject({
      statusTimes: [
        ['me', expect.any(Number)],
        ['gone', 5],
      ],
      left: ['gone'],
    })
    me.pass(330_000)
    expect(me.state().left).toEqual([])
  })

  it('makes one that left of a failed one by the word of an agent that never knew it', () => {
    const restarted = new Subject()
    restarted.hear(leaves('a', 5))
    const me = new Subject().know('a')
    me.hear(dead('a', 1))
    const { statusTimes, left } = restarted.state()
    me.exchange({ statusTimes: statusTimes.filter(([node]) => node === 'a'), left })
    expect(me.changes()).toEqual(['left a'])
  })

  it('names no more than a pool holds, or it would be refused', () => {
    const me = new Subject()
    for (let i = 0; i < 8_191; i++) me.know(`n${i}`)
    me.hear(leaves('gone', 5))
    expect([me.state().statusTimes.length, me.state().left]).toEqual([8_192, []])
  })

  it('that is older does not make a member leave that has joined since', () => {
    const me = new Subject().know('a')
    me.hear(joins('a', 6))
    me.exchange({ nodes: [nodeState('a', 0, 'dead')], statusTimes: [['a', 5]], left: ['a'] })
    expect([me.record('a').status, me.holds('a')]).toEqual(['alive', 'alive 1'])
  })

  it('carries the clock, and the times of joining, which are not passed on: the others exchange theirs as well', () => {
    const me = new Subject().know('a')
    me.exchange({ lamport: 30, statusTimes: [['a', 12]] })
    expect([me.core.clock, me.record('a').statusTime, me.core.intents.size]).toEqual([30, 12, 0])
  })

  it('does not carry a clock beyond the greatest time, after which no word of leaving could be newer', () => {
    const me = new Subject().know('a')
    me.exchange({ lamport: lamportMax + 1 })
    expect(me.core.clock).toBeLessThan(10)
  })

  it('by which the agent joins is followed by its word of joining', () => {
    const me = new Subject()
    me.exchange({ lamport: 30, nodes: [nodeState('a', 1, 'alive')] }, 'join-answer')
    expect(me.spoken()).toContainEqual(joins('me', 30))
  })

  it('with a member of an incompatible protocol is refused, with a reason that names both', () => {
    const me = new Subject()
    const old = { ...versions, protocolMin: 0, protocolMax: 0, protocolSpoken: 0 }
    me.exchange(
      { nodes: [nodeState('a', 1, 'alive'), { ...nodeState('b', 1, 'alive'), versions: old }] },
      'join-answer',
    )
    expect(me.of('state-refused').map(({ reason }) => reason)).toEqual([
      "Node 'b' protocol version (0) is incompatible: [1, 0]",
    ])
    expect(me.core.members.size).toBe(1)
    expect(me.spoken()).not.toContainEqual(joins('me', 1))
  })

  it('of more members than a pool holds is refused', () => {
    const me = new Subject()
    me.exchange({ left: Array.from({ length: 8_193 }, (_, i) => `n${i}`) })
    expect(me.of('state-refused')).toHaveLength(1)
  })
})

describe('exchanges', () => {
  it('are held with a random living member in each interval', () => {
    const me = new Subject().know('a', 'b')
    me.hear(dead('b', 1))
    me.fire('push-pull')
    expect(me.of('exchange')).toEqual([
      { kind: 'exchange', with: addressOf('a'), node: 'a', join: false, purpose: 'push-pull' },
    ])
    const firstMs = me.nowMs
    me.fire('push-pull')
    expect(me.nowMs - firstMs).toBe(30_000)
  })
})

describe('reconnecting', () => {
  it('[MEM-015] tries a failed member in each interval as a join, until it lives again', () => {
    const me = new Subject().know('a')
    me.hear(dead('a', 1))
    const firstMs = me.nowMs
    me.fire('reconnect')
    expect(me.nowMs - firstMs).toBeLessThanOrEqual(30_000)
    expect(me.of('exchange')).toEqual([
      { kind: 'exchange', with: addressOf('a'), node: 'a', join: true, purpose: 'reconnect' },
    ])
    me.hear(alive('a', 2))
    expect(me.changes()).toEqual(['joined a'])
    me.fire('reconnect')
    expect(me.of('exchange')).toEqual([])
    expect(me.timers.has('reconnect')).toBe(false)
  })

  it('is shared: with many alive, each tries seldom', () => {
    const me = new Subject().know('gone', ...Array.from({ length: 9 }, (_, i) => `n${i}`))
    me.hear(dead('gone', 1))
    let tries = 0
    for (let i = 0; i < 200; i++) tries += me.of('exchange', me.fire('reconnect')).length
    // 1 failed to 10 alive: one in ten.
    expect(tries).toBeGreaterThan(5)
    expect(tries).toBeLessThan(45)
  })

  it('is shared among those that are there: members that left try nothing', () => {
    const names = Array.from({ length: 6 }, (_, i) => `left${i}`)
    const me = new Subject().know('gone', 'a', 'b', ...names)
    me.hear(dead('gone', 1), ...names.map((name) => dead(name, 1, name)))
    let tries = 0
    for (let i = 0; i < 200; i++) tries += me.of('exchange', me.fire('reconnect')).length
    // 1 failed to 3 alive: one in three.
    expect(tries).toBeGreaterThan(45)
    expect(tries).toBeLessThan(90)
  })

  it('leaves no interval out where all have failed, and tries no more often', () => {
    const me = new Subject().know('a', 'b', 'c')
    me.hear(dead('a', 1), dead('b', 1), dead('c', 1))
    me.fire('reconnect')
    for (let i = 0; i < 50; i++) {
      const beforeMs = me.nowMs
      expect(me.of('exchange', me.fire('reconnect'))).toMatchObject([{ join: true, purpose: 'reconnect' }])
      expect(me.nowMs - beforeMs).toBe(30_000)
    }
  })

  it('tries each failed member once in a round, in an order of its own', () => {
    const names = ['a', 'b', 'c', 'd', 'e']
    const orders = new Set<string>()
    const me = new Subject().know(...names)
    me.hear(...names.map((name) => dead(name, 1)))
    me.fire('reconnect')
    // The timer has fired once: the rest of the first round.
    const nextTried = () => me.of('exchange', me.fire('reconnect')).map(({ node }) => node)
    const first = [...me.of('exchange').map(({ node }) => node)]
    while (first.length < names.length) first.push(...nextTried())
    expect(first.toSorted()).toEqual(names)
    for (let round = 0; round < 10; round++) {
      const tried = names.flatMap(nextTried)
      expect(tried.toSorted()).toEqual(names)
      orders.add(tried.join())
    }
    expect(orders.size).toBeGreaterThan(5)
  })

  it('begins anew with a failed member that has lived again meanwhile', () => {
    const me = new Subject().know('a', 'b')
    me.hear(dead('a', 1), dead('b', 1))
    me.fire('reconnect')
    const [tried] = me.of('exchange').map(({ node }) => node ?? '')
    const other = tried === 'a' ? 'b' : 'a'
    me.hear(alive(tried ?? '', 2), dead(tried ?? '', 2))
    const next = [0, 1].flatMap(() => me.of('exchange', me.fire('reconnect')).map(({ node }) => node))
    expect(next.toSorted()).toEqual(['a', 'b'])
    expect(next).toContain(other)
  })

  it('[MEM-011] never contacts a member that left', () => {
    const me = new Subject().know('a', 'b')
    me.hear(dead('a', 1, 'a'), dead('b', 1))
    me.hear(leaves('b', 4))
    const done = me.pass(400_000)
    expect(me.of('exchange', done)).toEqual([])
    expect(me.of('stream-ping', done)).toEqual([])
    expect(me.of('send', done)).toEqual([])
  })
})

describe('reaping', () => {
  it('forgets a failed member after 72 hours, not before', () => {
    const me = new Subject().know('a')
    me.hear(dead('a', 1))
    me.pass(72 * 3_600_000 - 1)
    expect(me.core.members.has('a')).toBe(true)
    expect(me.changes(me.pass(15_001))).toEqual(['reaped a'])
    expect(me.core.members.has('a')).toBe(false)
    expect([...me.timers.keys()].filter((timer) => timer !== 'reconnect')).toEqual([])
  })

  it('forgets one that left after 24 hours, and counts from when it was gone, not from when it was forced', () => {
    const me = new Subject().know('a', 'b')
    me.hear(dead('a', 1, 'a'), dead('b', 1))
    me.pass(12 * 3_600_000)
    me.do({ kind: 'force-leave-requested', name: 'b' })
    me.pass(12 * 3_600_000 - 1)
    expect(me.core.members.size).toBe(3)
    expect(me.changes(me.pass(15_001)).sort()).toEqual(['reaped a', 'reaped b'])
  })

  it('begins a new life: the name may come back with any incarnation', () => {
    const me = new Subject().know('a')
    me.hear(alive('a', 9), dead('a', 9, 'a'))
    me.pass(25 * 3_600_000)
    me.hear(alive('a', 1))
    expect(me.holds('a')).toBe('alive 1')
  })
})
