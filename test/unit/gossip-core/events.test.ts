import { describe, expect, it } from 'vitest'
import type { Message } from '../../../src/gossip/core/messages.ts'
import { Subject } from './subject.ts'

const payload = new Uint8Array([1, 2])

function fired(lamport: number, name = 'deploy', of: Uint8Array = payload): Message {
  return { kind: 'user-event', lamport, name, payload: of, coalesce: false }
}

function told(me: Subject): string[] {
  return me.of('user-event').map(({ lamport, name }) => `${name} ${lamport}`)
}

/** User events that it would pass on. */
function news(me: Subject): Message[] {
  const messages: Message[] = []
  me.core.news.take(messages, 1_000_000, 10_000, 1_000)
  return messages
}

describe('a user event', () => {
  it('is told and passed on once, however often it is heard', () => {
    const me = new Subject().know('a')
    me.hear(fired(5), fired(5))
    expect(told(me)).toEqual(['deploy 5'])
    me.hear(fired(5))
    expect(told(me)).toEqual([])
    expect(news(me)).toEqual([fired(5)])
  })

  it('of the same time is another one if its name or its payload differs', () => {
    const me = new Subject()
    me.hear(fired(5), fired(5, 'other'), fired(5, 'deploy', new Uint8Array([9])))
    expect(told(me)).toEqual(['deploy 5', 'other 5', 'deploy 5'])
  })

  it('fired here is later than all that was heard', () => {
    const me = new Subject().know('a')
    me.hear(fired(41))
    me.do({ kind: 'event-fired', name: 'mine', payload })
    expect(told(me)).toEqual(['mine 42'])
    me.do({ kind: 'event-fired', name: 'mine', payload })
    expect(told(me)).toEqual(['mine 43'])
    expect(news(me)).toHaveLength(3)
  })

  it('so old that it may have been forgotten is dropped', () => {
    const me = new Subject()
    me.hear(fired(1_000))
    me.hear(fired(487))
    expect([told(me), me.counted('gossip.dropped.old')]).toEqual([[], 1])
    me.hear(fired(489))
    expect(told(me)).toEqual(['deploy 489'])
  })

  it('with a time that no honest clock has is dropped', () => {
    const me = new Subject()
    me.hear(fired(4_503_599_627_370_497))
    expect([told(me), me.counted('gossip.dropped.number')]).toEqual([[], 1])
  })

  it('that others know is told after an exchange, and not passed on as gossip', () => {
    const me = new Subject().know('a')
    me.exchange({ eventLamport: 8, events: [{ lamport: 7, events: [{ name: 'deploy', payload }] }] })
    expect(told(me)).toEqual(['deploy 7'])
    expect(news(me)).toEqual([])
    expect(me.state()).toMatchObject({ eventLamport: 8, events: [{ lamport: 7 }] })
  })

  it('of before it joined is none of its own', () => {
    const me = new Subject()
    me.exchange({ eventLamport: 8, events: [{ lamport: 7, events: [{ name: 'deploy', payload }] }] }, 'join-answer')
    expect(told(me)).toEqual([])
    me.hear(fired(7), fired(8))
    expect(told(me)).toEqual(['deploy 8'])
  })

  it('of one time there is room for so many', () => {
    const me = new Subject()
    for (let n = 0; n < 200; n++) me.hear(fired(5, `n${n}`))
    expect(me.state().events[0]?.events).toHaveLength(64)
  })
})
