import { describe, expect, it } from 'vitest'
import { BroadcastQueue } from '../../../src/gossip/core/broadcast-queue.ts'
import type { Message } from '../../../src/gossip/core/messages.ts'
import { addressOf, alive, dead, Subject } from './subject.ts'

function message(node: string, lamport = 1): Message {
  return { kind: 'join-intent', lamport, node }
}

/** Names of what one packet with room for so many takes. */
function take(queue: BroadcastQueue, room: number, limit = 3): string[] {
  const into: Message[] = []
  queue.take(into, room * 12, 255, limit)
  return into.map((taken) => ('node' in taken ? taken.node : ''))
}

describe('what waits to be passed on', () => {
  it('goes out by how seldom it was sent, the newest first, and no more often than the limit', () => {
    const queue = new BroadcastQueue(100)
    for (const node of ['a', 'b', 'c']) queue.add(node, message(node), 10)
    expect(take(queue, 2)).toEqual(['c', 'b'])
    queue.add('d', message('d'), 10)
    expect(take(queue, 3)).toEqual(['d', 'a', 'c'])
    const sent = [take(queue, 9), take(queue, 9), take(queue, 9), take(queue, 9)].flat()
    expect(sent.toSorted()).toEqual(['a', 'a', 'b', 'b', 'c', 'd', 'd'])
    expect(queue.size).toBe(0)
  })

  it('is replaced by what is newer about the same member, which begins anew', () => {
    const queue = new BroadcastQueue(100)
    queue.add('a', message('a', 1), 10)
    take(queue, 1)
    queue.add('a', message('a', 2), 10)
    expect(queue.size).toBe(1)
    expect([take(queue, 5), take(queue, 5), take(queue, 5), take(queue, 5)]).toEqual([['a'], ['a'], ['a'], []])
  })

  it('fills the room with what fits, and leaves the rest for later', () => {
    const queue = new BroadcastQueue(100)
    queue.add('small', message('small'), 10)
    queue.add('large', message('large'), 100)
    expect(take(queue, 3)).toEqual(['small'])
    expect(take(queue, 20, 9)).toEqual(['large', 'small'])
  })

  it('is bounded: what was sent most gives way', () => {
    const queue = new BroadcastQueue(2)
    queue.add('a', message('a'), 10)
    queue.add('b', message('b'), 10)
    expect(take(queue, 1)).toEqual(['b'])
    queue.add('c', message('c'), 10)
    expect(queue.size).toBe(2)
    expect([queue.has('a'), queue.has('b'), queue.has('c')]).toEqual([true, false, true])
  })

  it('keeps nothing of what was replaced a thousand times', () => {
    const queue = new BroadcastQueue(10)
    for (let i = 0; i < 1_000; i++) queue.add('a', message('a', i), 10)
    expect(take(queue, 1_000)).toEqual(['a'])
    expect(queue.size).toBe(1)
  })
})

describe('gossip', () => {
  it('goes to three random others in each interval while there is news, and then has no timer', () => {
    const me = new Subject().know('a', 'b', 'c', 'd', 'e', 'f')
    me.fire('gossip')
    expect(me.of('send')).toHaveLength(3)
    expect(new Set(me.of('send').map(({ to }) => to.host)).size).toBe(3)
    const beganMs = me.nowMs
    let rounds = 1
    for (; me.timers.has('gossip'); rounds++) me.fire('gossip')
    expect(me.core.claims.size).toBe(0)
    expect(me.nowMs - beganMs).toBe(200 * (rounds - 1))
    me.hear(dead('a', 1))
    expect(me.timers.has('gossip')).toBe(true)
  })

  it('has no timer while there is no member to send to', () => {
    const me = new Subject()
    expect(me.core.claims.size).toBe(1)
    expect(me.timers.size).toBe(0)
  })

  it('rides on probes and answers as far as the packet has room', () => {
    const me = new Subject({ sizeOf: (of) => (of.kind === 'alive' ? 400 : 30) }).know('a', 'b', 'c', 'd', 'e')
    me.hear({ kind: 'ping', sequence: 1, node: 'me' })
    const [send] = me.of('send')
    expect(send?.messages.map(({ kind }) => kind)).toEqual(['ack', 'alive', 'alive', 'alive'])
  })

  it('puts at most 255 messages into a packet', () => {
    const me = new Subject({ sizeOf: () => 1 })
    for (let i = 0; i < 600; i++) me.hear(alive(`n${i}`, 1))
    me.fire('gossip')
    expect(me.of('send').map(({ messages }) => messages.length)).toEqual([255, 255, 255])
  })

  it('reaches failed members for a while, so that they can refute, but never members that left', () => {
    const me = new Subject().know('a', 'b')
    me.hear(dead('a', 1, 'other'), dead('b', 1, 'b'))
    me.fire('gossip')
    expect(me.of('send').map(({ to }) => to)).toEqual([addressOf('a')])
    me.nowMs += 31_000
    me.do({ kind: 'meta-changed', meta: new Uint8Array([7]) })
    me.fire('gossip')
    expect(me.of('send')).toEqual([])
  })
})
