import { describe, expect, it } from 'vitest'
import { delist, enlist } from '../../../src/gossip/core/roster.ts'
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
})
