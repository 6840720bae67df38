import { describe, expect, it } from 'vitest'
import { alive, nodeState, Subject } from './subject.ts'

/** A member with a meta of 7 is a stranger. */
function subject(): Subject {
  const isStranger = ({ meta }: { meta: Uint8Array }): boolean => meta[0] === 7
  return new Subject({ refuse: (members) => (members.some(isStranger) ? 'a stranger' : undefined) })
}
const strange = { meta: new Uint8Array([7]) }

describe('a member that may not be in the pool', () => {
  it('does not become one by a word that it lives', () => {
    const me = subject()
    me.hear(alive('a', 1, strange), alive('b', 1))
    expect(me.changes()).toEqual(['joined b'])
    expect(me.counted('gossip.dropped.refused')).toBe(1)
  })

  it('cannot change into one', () => {
    const me = subject().know('a')
    me.hear(alive('a', 2, strange))
    expect(me.holds('a')).toBe('alive 1')
  })

  for (const [what, join, how] of [
    ['a member that joins through us', true, 'request'],
    ['a member that we join', false, 'join-answer'],
  ] as const) {
    it(`makes a whole state refused, of one ${what}`, () => {
      const me = subject()
      const nodes = [{ ...nodeState('a', 1, 'alive'), ...strange }, nodeState('b', 1, 'alive')]
      me.exchange({ nodes, join }, how)
      expect(me.of('state-refused')).toMatchObject([{ reason: 'a stranger' }])
      expect(me.changes()).toEqual([])
    })
  }

  it('is left out of an exchange between members', () => {
    const me = subject()
    me.exchange({ nodes: [{ ...nodeState('a', 1, 'alive'), ...strange }, nodeState('b', 1, 'alive')] })
    expect(me.changes()).toEqual(['joined b'])
  })

  it('does not count where it is dead', () => {
    const me = subject()
    me.exchange({ nodes: [{ ...nodeState('a', 1, 'dead'), ...strange }, nodeState('b', 1, 'alive')] }, 'join-answer')
    expect(me.changes()).toEqual(['joined b'])
  })
})
