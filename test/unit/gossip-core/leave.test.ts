import { describe, expect, it } from 'vitest'
import { createGossip } from '../../../src/gossip/core/state.ts'
import { step } from '../../../src/gossip/core/step.ts'
import { self } from '../../../src/gossip/core/views.ts'
import { alive, dead, leaves, Subject, suspect } from './subject.ts'

describe('leaving', () => {
  it('is over at once for a member that is alone', () => {
    const me = new Subject()
    me.do({ kind: 'leave-requested' })
    expect(me.of('left')).toHaveLength(1)
    expect(me.changes()).toEqual(['left me'])
    expect(self(me.core).status).toBe('left')
    expect(me.timers.size).toBe(0)
  })

  it('shows in its own list from the first moment, and is no failure to itself', () => {
    const me = new Subject().know('a')
    me.do({ kind: 'leave-requested' })
    expect(self(me.core).status).toBe('leaving')
    while (me.of('left').length === 0) me.pass(100)
    expect(self(me.core).status).toBe('left')
  })

  it('is over at once when all others are gone', () => {
    const me = new Subject().know('a')
    me.hear(dead('a', 1))
    me.do({ kind: 'leave-requested' })
    expect(me.of('left')).toHaveLength(1)
  })

  it('[MEM-009] says first that it means to leave, then that it is gone, then waits for that to spread', () => {
    const me = new Subject().know('a', 'b')
    const beganMs = me.nowMs
    me.do({ kind: 'leave-requested' })
    const said: string[] = []
    while (me.of('left').length === 0) {
      const next = [...me.timers].toSorted((a, b) => a[1] - b[1])[0]
      if (next === undefined) throw new Error('leaving has come to a stand')
      for (const { messages } of me.of('send', me.fire(next[0]))) {
        for (const message of messages) if ('node' in message && message.node === 'me') said.push(message.kind)
      }
    }
    expect(said.filter((kind) => kind === 'leave-intent')).toHaveLength(4)
    expect(said.filter((kind) => kind === 'dead')).toHaveLength(4)
    expect(said.indexOf('dead')).toBeGreaterThan(said.lastIndexOf('leave-intent'))
    expect(me.nowMs - beganMs).toBeGreaterThan(3_000)
    expect(me.nowMs - beganMs).toBeLessThan(6_000)
  })

  it('takes five seconds for each word at most, however few there are to hear it', () => {
    const me = new Subject({ timing: { ...new Subject().core.options.timing, gossipIntervalMs: 60_000 } }).know('a')
    me.do({ kind: 'leave-requested' })
    const effects = me.pass(5_000)
    expect(me.changes(effects)).toEqual(['left me'])
    expect(me.of('left', me.pass(7_999))).toHaveLength(0)
    expect(me.of('left', me.pass(1))).toHaveLength(1)
  })

  it('asked for again changes nothing', () => {
    const me = new Subject().know('a')
    me.do({ kind: 'leave-requested' })
    expect(me.do({ kind: 'leave-requested' })).toEqual([])
  })

  it('is not refuted by the leaving member, whichever member claims it', () => {
    const me = new Subject().know('a', 'b')
    me.do({ kind: 'leave-requested' })
    me.hear(leaves('me', 20))
    expect(self(me.core).status).toBe('leaving')
    me.pass(5_000)
    expect(self(me.core).status).toBe('left')
    me.hear(alive('me', 9), suspect('me', 9), dead('me', 9))
    expect(me.holds('me')).toBe('dead 1')
    me.exchange({ nodes: [] }, 'join-answer')
    expect(self(me.core).status).toBe('left')
  })

  it('ends the probing of others, not the answering of their pings', () => {
    const me = new Subject().know('a', 'b')
    me.do({ kind: 'leave-requested' })
    me.pass(2_500)
    expect(self(me.core).status).toBe('left')
    expect(['probe', 'push-pull', 'reconnect', 'reap'].filter((timer) => me.timers.has(timer as 'probe'))).toEqual([])
    me.hear({ kind: 'ping', sequence: 4, node: 'me' })
    expect(me.of('send')[0]?.messages[0]?.kind).toBe('ack')
  })

  it('still refutes a false word of its death while it only means to leave', () => {
    const me = new Subject().know('a', 'b')
    me.do({ kind: 'leave-requested' })
    me.hear(suspect('me', 1))
    expect(me.holds('me')).toBe('alive 2')
  })
})

describe('before its start', () => {
  it('a core takes no event', () => {
    const me = new Subject()
    const core = createGossip(me.core.options)
    expect(step(core, { kind: 'leave-requested' }, 0, me.random)).toEqual([])
  })
})
