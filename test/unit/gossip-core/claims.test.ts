import { describe, expect, it } from 'vitest'
import { addressOf, alive, dead, leaves, Subject, suspect, versions } from './subject.ts'

describe('a claim that a member is alive', () => {
  it('brings a new member, which is told and passed on', () => {
    const me = new Subject()
    me.hear(alive('a', 1))
    expect(me.changes()).toEqual(['joined a'])
    expect(me.holds('a')).toBe('alive 1')
    expect(me.spoken()).toContainEqual(alive('a', 1))
  })

  it('keeps its own copy of the tags, not the packet that they came in', () => {
    const me = new Subject()
    const packet = new Uint8Array(1_400)
    me.hear(alive('a', 1, { meta: packet.subarray(10, 12) }))
    me.hear(alive('a', 2, { meta: packet.subarray(20, 23) }))
    packet.fill(9)
    expect(me.record('a').meta).toEqual(new Uint8Array(3))
    expect(me.record('a').meta.buffer.byteLength).toBe(3)
    expect(me.spoken()).toContainEqual(alive('a', 2, { meta: new Uint8Array(3) }))
  })

  it('overrides only what is of a lower incarnation, in every state', () => {
    for (const accusation of [alive('a', 5), suspect('a', 5), dead('a', 5)]) {
      const me = new Subject().know('a', 'b', 'c')
      me.hear(alive('a', 5), accusation)
      const before = me.holds('a')
      me.hear(alive('a', 4), alive('a', 5))
      expect(me.holds('a')).toBe(before)
      me.hear(alive('a', 6))
      expect(me.holds('a')).toBe('alive 6')
    }
  })

  it('tells of changed tags as an update, and not of a mere incarnation', () => {
    const me = new Subject().know('a')
    me.hear(alive('a', 2))
    expect(me.changes()).toEqual([])
    me.hear(alive('a', 3, { meta: new Uint8Array([9]) }))
    expect(me.changes()).toEqual(['updated a'])
    expect(me.record('a').meta).toEqual(new Uint8Array([9]))
  })

  it('does not raise the dead when it is heard late, however long after', () => {
    const me = new Subject().know('a', 'b')
    me.hear(dead('a', 1))
    me.pass(3_600_000)
    me.hear(alive('a', 1))
    expect(me.record('a').status).toBe('failed')
  })

  it('from another address is a conflict while the holder of the name lives, and for a while after its death', () => {
    const me = new Subject().know('a', 'b')
    const elsewhere = alive('a', 7, { address: { host: 'elsewhere', port: 1 } })
    me.hear(elsewhere)
    expect(me.counted('gossip.dropped.conflict')).toBe(1)
    me.hear(dead('a', 1))
    me.hear(elsewhere)
    expect(me.counted('gossip.dropped.conflict')).toBe(1)
    me.nowMs += 30_001
    me.hear(elsewhere)
    expect(me.changes()).toEqual(['joined a'])
    expect(me.record('a').address.host).toBe('elsewhere')
  })

  it('from another address is believed at once when the holder of the name has left', () => {
    const me = new Subject().know('a')
    me.hear(dead('a', 1, 'a'))
    me.hear(alive('a', 2, { address: { host: 'elsewhere', port: 1 } }))
    expect(me.changes()).toEqual(['joined a'])
  })

  it('is logged as a conflict at most twice a minute for one name', () => {
    const me = new Subject().know('a')
    const elsewhere = alive('a', 7, { address: { host: 'elsewhere', port: 1 } })
    me.hear(elsewhere)
    expect(me.of('note')).toHaveLength(1)
    for (let i = 0; i < 100; i++) me.hear(elsewhere)
    expect(me.of('note')).toHaveLength(0)
  })

  it('of a member that speaks another protocol is dropped', () => {
    const me = new Subject()
    me.hear(alive('a', 1, { versions: { ...versions, protocolMin: 0, protocolMax: 0, protocolSpoken: 0 } }))
    expect(me.core.members.has('a')).toBe(false)
    expect(me.counted('gossip.dropped.malformed')).toBe(1)
  })
})

describe('a claim that a member is suspect or dead', () => {
  it('is ignored about an unknown member', () => {
    const me = new Subject()
    me.hear(suspect('a', 1), dead('a', 1), dead('a', 1, 'a'))
    expect(me.core.members.size).toBe(1)
  })

  it('is ignored where a newer word of life is known', () => {
    const me = new Subject().know('a')
    me.hear(alive('a', 3), suspect('a', 2), dead('a', 2))
    expect(me.holds('a')).toBe('alive 3')
  })

  it('of suspicion does not make a dead member a suspect', () => {
    const me = new Subject().know('a')
    me.hear(dead('a', 1), suspect('a', 2))
    expect(me.holds('a')).toBe('dead 1')
  })

  it('of death tells of a failure, is passed on, and takes its incarnation', () => {
    const me = new Subject().know('a')
    me.hear(dead('a', 4))
    expect(me.changes()).toEqual(['failed a'])
    expect(me.holds('a')).toBe('dead 4')
    expect(me.spoken()).toContainEqual(dead('a', 4))
  })

  it('of death by the member itself means that it left', () => {
    for (const from of ['a', '']) {
      const me = new Subject().know('a')
      me.hear(dead('a', 1, from))
      expect(me.changes()).toEqual(['left a'])
      expect(me.record('a').status).toBe('left')
    }
  })

  it('of death after a leave message means that it left, whichever member says so', () => {
    const me = new Subject().know('a')
    me.hear(leaves('a', 5), dead('a', 1, 'other'))
    expect(me.changes()).toEqual(['left a'])
  })

  it('takes the place of what waited to be passed on about the same member', () => {
    const me = new Subject().know('a', 'b', 'c')
    me.hear(suspect('a', 1), dead('a', 1))
    expect(me.spoken().filter((message) => 'node' in message && message.node === 'a')).toEqual([dead('a', 1)])
  })
})

describe('a word about the agent itself', () => {
  it('of suspicion or death is refuted with a higher incarnation, which costs local health', () => {
    for (const accusation of [suspect('me', 7), dead('me', 7)]) {
      const me = new Subject().know('a')
      me.hear(accusation)
      expect(me.holds('me')).toBe('alive 8')
      expect(me.core.health).toBe(1)
      expect(me.spoken()).toContainEqual(alive('me', 8))
    }
  })

  it('of an older incarnation is ignored', () => {
    const me = new Subject({ incarnation: 9 }).know('a')
    me.hear(suspect('me', 9), dead('me', 9), alive('me', 9))
    expect(me.holds('me')).toBe('alive 10')
    expect(me.core.health).toBe(0)
  })

  it('of life is refuted when it is of a life before, with a higher incarnation or other tags', () => {
    const me = new Subject()
    me.hear(alive('me', 1))
    expect(me.holds('me')).toBe('alive 1')
    me.hear(alive('me', 1, { meta: new Uint8Array([99]) }))
    expect(me.holds('me')).toBe('alive 2')
    me.hear(alive('me', 6))
    expect(me.holds('me')).toBe('alive 7')
  })

  it('from another address is a conflict, and nothing else', () => {
    const me = new Subject()
    me.hear(alive('me', 50, { address: addressOf('thief') }))
    expect(me.counted('gossip.dropped.conflict')).toBe(1)
    expect(me.of('note')[0]?.level).toBe('error')
    expect(me.holds('me')).toBe('alive 1')
  })
})

describe('what no honest member says', () => {
  it('an incarnation beyond 2^31, or none at all, is dropped and counted, about whomever', () => {
    for (const incarnation of [2_147_483_649, 4_294_967_295, -1, 1.5, Number.NaN]) {
      const me = new Subject().know('a')
      const before = me.holds('a')
      for (const message of [alive('a', incarnation), suspect('a', incarnation), dead('a', incarnation)]) {
        me.hear(message)
        expect(me.counted('gossip.dropped.number')).toBe(1)
      }
      me.hear(suspect('me', incarnation), dead('me', incarnation), alive('b', incarnation))
      expect(me.counted('gossip.dropped.number')).toBe(3)
      expect([me.holds('a'), me.holds('me'), me.core.members.size]).toEqual([before, 'alive 1', 2])
    }
  })

  it('the greatest incarnation is refuted by none that wraps or that others would drop', () => {
    const me = new Subject().know('a')
    me.hear(suspect('me', 2_147_483_648))
    expect(me.holds('me')).toBe('alive 1')
    expect(me.of('note').map(({ level }) => level)).toContain('error')
  })

  it('names, addresses and metadata out of bounds are dropped and counted', () => {
    const me = new Subject()
    const bad = [
      alive('', 1),
      alive('n'.repeat(129), 1),
      alive('ä'.repeat(65), 1),
      alive('a', 1, { meta: new Uint8Array(513) }),
      alive('a', 1, { address: { host: '', port: 1 } }),
      alive('a', 1, { address: { host: 'h'.repeat(65), port: 1 } }),
      alive('a', 1, { address: { host: 'h', port: 0 } }),
      alive('a', 1, { address: { host: 'h', port: 65_536 } }),
      leaves('', 3),
      leaves('n'.repeat(129), 3),
    ]
    for (const message of bad) {
      me.hear(message)
      expect(me.counted('gossip.dropped.malformed')).toBe(1)
    }
    me.know('a')
    for (const message of [suspect('a', 1, ''), suspect('a', 1, 'n'.repeat(129)), dead('a', 1, 'n'.repeat(129))]) {
      me.hear(message)
      expect(me.counted('gossip.dropped.malformed')).toBe(1)
    }
    expect(me.holds('a')).toBe('alive 1')
    expect(me.core.members.size).toBe(2)
  })

  it('more members than a pool holds are dropped and counted', () => {
    const me = new Subject()
    for (let i = 0; i < 8_191; i++) me.hear(alive(`n${i}`, 1))
    expect(me.core.members.size).toBe(8_192)
    me.hear(alive('one-more', 1))
    expect(me.counted('gossip.dropped.full')).toBe(1)
    expect(me.core.members.size).toBe(8_192)
  })
})

describe('new tags', () => {
  it('go out with the next incarnation, and are reported as an update', () => {
    const me = new Subject().know('a')
    me.do({ kind: 'meta-changed', meta: new Uint8Array([5]) })
    expect(me.changes()).toEqual(['updated me'])
    expect(me.spoken()).toContainEqual(alive('me', 2, { meta: new Uint8Array([5]) }))
  })

  it('that are the old ones change nothing', () => {
    const me = new Subject()
    expect(me.do({ kind: 'meta-changed', meta: new Uint8Array([1]) })).toEqual([])
  })
})
