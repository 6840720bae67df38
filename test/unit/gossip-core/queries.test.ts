import { describe, expect, it, vi } from 'vitest'
import type { Message, QueryFilter } from '../../../src/gossip/core/messages.ts'
import { addressOf, alive, dead, Subject, versions } from './subject.ts'

const payload = new Uint8Array([1])
type Query = Extract<Message, { kind: 'query' }>

function query(lamport: number, more: Partial<Query> = {}): Query {
  return {
    kind: 'query',
    lamport,
    id: 7,
    from: addressOf('asker'),
    filters: [],
    flags: 1,
    relayFactor: 0,
    timeoutMs: 1_000,
    name: 'uptime',
    payload,
    ...more,
  }
}

function sent(me: Subject): string[] {
  return me.of('send').flatMap(({ to, messages }) => messages.map(({ kind }) => `${kind} to ${to.host}`))
}

const tagged = { tagOf: (_: Uint8Array, tag: string) => (tag === 'role' ? 'web-server' : undefined) }

describe('a query of another', () => {
  it('is acknowledged, told and passed on once', () => {
    const me = new Subject().know('a')
    me.hear(query(5), query(5))
    expect(sent(me)).toEqual(['query-response to host-asker'])
    expect(me.of('query')).toHaveLength(1)
    const passedOn: Message[] = []
    me.core.news.take(passedOn, 10_000, 10, 100)
    expect(passedOn).toEqual([query(5)])
  })

  it('is not acknowledged or passed on where it does not want that', () => {
    const me = new Subject().know('a')
    me.hear(query(5, { flags: 2 }))
    expect(sent(me)).toEqual([])
    expect(me.core.news.size).toBe(0)
    expect(me.of('query')).toHaveLength(1)
  })

  it('is judged by expressions only up to a cost, whichever member asks, and is forwarded nevertheless', () => {
    const me = new Subject(tagged).know('a')
    const costly: QueryFilter = { kind: 'tag', tag: 'role', expression: '(a{400}|web)' }
    for (let id = 1; id <= 100; id++) me.hear(query(5 + id, { id, filters: [costly] }))
    expect(me.core.news.size).toBe(100)
    expect(me.counted('gossip.dropped.filter')).toBe(1)
    const cheap = query(500, { filters: [{ kind: 'tag', tag: 'role', expression: '^web' }] })
    me.hear(cheap)
    expect(sent(me)).toEqual([])
    me.nowMs += 1_000
    me.hear({ ...cheap, lamport: 501 })
    expect(sent(me)).toEqual(['query-response to host-asker'])
  })

  const role = (expression: string): QueryFilter => ({ kind: 'tag', tag: 'role', expression })
  for (const [what, filters, takes] of [
    ['its name', [{ kind: 'nodes', names: ['a', 'me'] }], true],
    ['other names', [{ kind: 'nodes', names: ['a'] }], false],
    ['a tag that matches', [role('^web')], true],
    ['a tag that does not match', [role('^db')], false],
    ['a tag that it does not have', [{ kind: 'tag', tag: 'dc', expression: 'x' }], false],
    ['one of two that matches', [role('web'), { kind: 'nodes', names: ['a'] }], false],
    ['an expression that is none', [role('*')], false],
    ['a filter of later releases', [{ kind: 'unknown', bytes: payload }], false],
  ] as const) {
    it(`is ${takes ? 'answered' : 'only passed on'} when it filters by ${what}`, () => {
      const me = new Subject(tagged).know('a')
      me.hear(query(5, { filters }))
      expect(me.of('query')).toHaveLength(takes ? 1 : 0)
      expect(me.core.news.size).toBe(1)
    })
  }

  it('is answered straight, and by way of as many others as it wants', () => {
    const me = new Subject().know('a', 'b', 'c')
    const asked = query(5, { relayFactor: 2 })
    me.do({ kind: 'query-responded', query: asked, payload })
    const [direct, ...relayed] = me.of('send')
    expect(direct).toMatchObject({
      to: addressOf('asker'),
      messages: [{ kind: 'query-response', flags: 0, from: 'me' }],
    })
    expect(relayed).toHaveLength(2)
    for (const { to, messages } of relayed) {
      expect(to.host).toMatch(/^host-[abc]$/)
      expect(messages).toMatchObject([{ kind: 'relay', to: addressOf('asker'), response: { from: 'me' } }])
    }
  })

  it('is answered by way of one other where it wants one', () => {
    const me = new Subject().know('a', 'b', 'c')
    me.do({ kind: 'query-responded', query: query(5, { relayFactor: 1 }), payload })
    expect(me.of('send').map(({ messages }) => messages[0]?.kind)).toEqual(['query-response', 'relay'])
  })

  it('wants no more relays than are of use', () => {
    const me = new Subject().know('a', 'b', 'c', 'd', 'e', 'f', 'g', 'h')
    me.do({ kind: 'query-responded', query: query(5, { relayFactor: 255 }), payload })
    expect(me.of('send')).toHaveLength(6)
    const few = new Subject().know('a')
    few.do({ kind: 'query-responded', query: query(5, { relayFactor: 2 }), payload })
    expect(few.of('send')).toHaveLength(1)
  })

  it('is not answered by way of members that do not relay answers', () => {
    const me = new Subject()
    for (const name of ['a', 'b', 'c']) me.hear(alive(name, 1, { versions: { ...versions, protocolMax: 4 } }))
    me.do({ kind: 'query-responded', query: query(5, { relayFactor: 2 }), payload })
    expect(me.of('send').map(({ to }) => to)).toEqual([addressOf('asker')])
  })

  it('gets no answer that is larger than allowed', () => {
    const me = new Subject().know('a')
    me.do({ kind: 'query-responded', query: query(5), payload: new Uint8Array(1_025) })
    expect([me.of('send').length, me.counted('gossip.dropped.full')]).toEqual([0, 1])
  })
})

describe('an answer to be carried on', () => {
  const response = { kind: 'query-response', lamport: 5, id: 7, from: 'b', flags: 0, payload } as const

  it('costs no search of all members, whatever a packet asks for, and goes to those that are alive at that moment', () => {
    const me = new Subject().know('a', 'b', 'c')
    me.hear({ kind: 'relay', to: addressOf('a'), response })
    const searched = vi.spyOn(me.core.members, 'values')
    const relay = { kind: 'relay', to: addressOf('b'), response } as const
    me.hear(...Array.from({ length: 200 }, () => relay))
    expect([me.of('send').length, searched.mock.calls.length]).toEqual([200, 0])
    me.hear(dead('b', 1, 'b'), relay)
    expect([me.of('send').length, me.counted('gossip.dropped.relay')]).toEqual([0, 1])
    me.hear(alive('b', 2, { address: addressOf('d') }), relay, { ...relay, to: addressOf('d') })
    expect(me.of('send')).toMatchObject([{ to: addressOf('d'), messages: [response] }])
    me.hear(dead('a', 1, 'a'), alive('e', 1, { address: addressOf('d') }), dead('b', 2, 'b'))
    me.hear({ ...relay, to: addressOf('a') }, { ...relay, to: addressOf('d') })
    expect(me.of('send')).toMatchObject([{ to: addressOf('d'), messages: [response] }])
  })

  it('goes to a member, and to no other', () => {
    const me = new Subject().know('a')
    me.hear({ kind: 'relay', to: addressOf('a'), response })
    expect(me.of('send')).toMatchObject([{ to: addressOf('a'), messages: [response] }])
    me.hear({ kind: 'relay', to: { host: '192.0.2.1', port: 53 }, response })
    expect([me.of('send').length, me.counted('gossip.dropped.relay')]).toEqual([0, 1])
  })
})

describe('a query of its own', () => {
  const request = { token: 3, name: 'uptime', payload, filters: [], relayFactor: 0, timeoutMs: 5_000 }

  function asked(): { me: Subject; answer: (from: string, flags: number, lamport?: number) => void } {
    const me = new Subject().know('a', 'b')
    me.do({ kind: 'query-asked', request })
    const [[lamport, { id }] = [0, { id: 0 }]] = me.core.asks
    return {
      me,
      answer: (from, flags, at = lamport) => {
        me.hear({ kind: 'query-response', lamport: at, id, from, flags, payload })
      },
    }
  }

  it('is put to itself too', () => {
    const { me } = asked()
    expect(me.of('query')).toHaveLength(1)
    expect(me.of('query-acked')).toMatchObject([{ token: 3, from: 'me' }])
  })

  it('takes one acknowledgement and one answer of each member', () => {
    const { me, answer } = asked()
    answer('a', 1)
    expect(me.of('query-acked')).toEqual([{ kind: 'query-acked', token: 3, from: 'a' }])
    answer('a', 1)
    expect(me.of('query-acked')).toEqual([])
    answer('a', 0)
    expect(me.of('query-answered')).toMatchObject([{ token: 3, from: 'a' }])
    answer('a', 0)
    expect(me.of('query-answered')).toEqual([])
  })

  it('takes no answer to another one, nor from a sender that is no member', () => {
    const { me, answer } = asked()
    answer('a', 0, 77)
    answer('nobody', 0)
    expect(me.of('query-answered')).toEqual([])
  })

  it('is over when its time is up, and nothing counts afterwards', () => {
    const { me, answer } = asked()
    me.fire('query')
    expect([me.nowMs, me.of('query-over')]).toEqual([5_000, [{ kind: 'query-over', token: 3 }]])
    answer('a', 0)
    expect(me.effects).toEqual([])
  })

  it('ends when no more is wanted', () => {
    const { me } = asked()
    me.do({ kind: 'query-ended', token: 3 })
    expect([me.core.asks.size, me.timers.has('query')]).toEqual([0, false])
  })

  it('is refused when too many are under way', () => {
    const me = new Subject()
    for (let token = 0; token < 64; token++) me.do({ kind: 'query-asked', request: { ...request, token } })
    me.do({ kind: 'query-asked', request: { ...request, token: 64 } })
    expect(me.of('query-over')).toEqual([{ kind: 'query-over', token: 64 }])
  })

  it('is refused while another one has the same time, because the clock has reached its maximum', () => {
    const me = new Subject()
    me.exchange({ queryLamport: 4_503_599_627_370_496 }, 'join-answer')
    me.do({ kind: 'query-asked', request: { ...request, token: 1 } })
    expect(me.of('query-over')).toEqual([])
    me.do({ kind: 'query-asked', request: { ...request, token: 2 } })
    expect(me.of('query-over')).toEqual([{ kind: 'query-over', token: 2 }])
    me.fire('query')
    expect(me.of('query-over')).toEqual([{ kind: 'query-over', token: 1 }])
  })

  it('waits as long as gossip takes in a pool of that size', () => {
    const me = new Subject()
    me.do({ kind: 'query-asked', request: { ...request, timeoutMs: undefined } })
    expect(me.timers.get('query')).toBe(3_200)
  })
})
