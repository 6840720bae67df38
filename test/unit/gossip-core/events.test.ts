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

  it('that fits into no packet is told, and holds up no other that waits to be passed on', () => {
    const sizeOf = (message: Message) => (message.kind === 'user-event' ? 60 + message.payload.length : 60)
    const me = new Subject({ sizeOf }).know('a')
    const large = Array.from({ length: 20 }, (_, at) => fired(at + 1, 'large', new Uint8Array(1_337 + at)))
    me.hear(...large)
    expect(told(me)).toHaveLength(20)
    expect(me.counted('gossip.dropped.full')).toBe(20)
    me.hear(fired(30, 'fits', new Uint8Array(1_336)))
    expect(news(me)).toMatchObject([{ name: 'fits' }])
  })

  it('is remembered with others up to a size, beyond which the oldest are forgotten, and stay told', () => {
    const me = new Subject()
    const most = (1 << 20) / (1_000 + 64 + 3)
    for (let lamport = 1; lamport <= 40; lamport++) {
      me.hear(...Array.from({ length: 64 }, (_, at) => fired(lamport, 'e', new Uint8Array(1_000).fill(at))))
      expect(told(me)).toHaveLength(64)
    }
    const heard = me.core.events.all()
    const kept = heard.flatMap(({ events }) => events).length
    expect(kept).toBeLessThanOrEqual(most)
    expect(kept).toBeGreaterThan(most - 64)
    expect(heard.map(({ lamport }) => lamport)).toEqual(Array.from({ length: 15 }, (_, at) => 26 + at))
    me.hear(fired(25, 'e', new Uint8Array(1_000)), fired(26, 'e', new Uint8Array(1_000)))
    expect([told(me), me.counted('gossip.dropped.old')]).toEqual([[], 1])
    me.hear(fired(26 + 512, 'e', new Uint8Array(1_000)))
    expect([told(me), me.core.events.all().length]).toEqual([['e 538'], 15])
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
