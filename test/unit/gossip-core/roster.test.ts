import { describe, expect, it } from 'vitest'
import { delist, enlist, hearsGossip, pickMembers } from '../../../src/gossip/core/roster.ts'
import { Subject } from './subject.ts'

describe('the roster of members to probe', () => {
  const listed = (me: Subject): readonly string[] => me.core.roster.map(({ name }) => name).sort()

  it('has each member once, and none that was removed', () => {
    const me = new Subject().know('a', 'b')
    enlist(me.core, me.record('a'))
    expect(listed(me)).toEqual(['a', 'b', 'me'])
    delist(me.core, me.record('a'))
    expect(listed(me)).toEqual(['b', 'me'])
  })

  it.each([0, 1, 2, 3])('gives as many members as suit, although every draw is the same place, %d', (place) => {
    const me = new Subject().know('a', 'b', 'c')
    me.core.turn.random = { fraction: () => 0, below: (bound) => Math.min(place, bound - 1) }
    const picked = (wanted: number): readonly string[] =>
      pickMembers(me.core, wanted, hearsGossip, me.record('b')).map(({ name }) => name)
    expect(picked(3).toSorted()).toEqual(['a', 'c'])
    expect(picked(1)).toHaveLength(1)
  })
})
