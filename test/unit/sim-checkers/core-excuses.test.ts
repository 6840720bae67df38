import { describe, expect, it } from 'vitest'
import { type CoreView, drawCore, excuseOf } from '../../../sim/checkers/core-excuses.ts'
import type { NamesDrawn } from '../../../sim/notation/selection.ts'

const five = ['s1', 's2', 's3', 's4', 's5'].map((name) => ({ name, id: name }))
const ids = five.map(({ id }) => id)
const first: NamesDrawn = { inOrder: (items) => items }
const last: NamesDrawn = { inOrder: (items) => [...items].reverse() }

describe('a core', () => {
  it('is just enough servers for a majority, in order of name', () => {
    expect(drawCore(five, [ids], first)).toEqual(['s1', 's2', 's3'])
    expect(drawCore(five, [ids], last)).toEqual(['s3', 's4', 's5'])
  })

  it('has a majority of every configuration that one of them may go by', () => {
    expect(drawCore(five, [ids, ['s4', 's5', 's1']], first)).toEqual(['s1', 's2', 's3', 's4'])
  })

  it('is none where those that are left are no majority', () => {
    expect(drawCore(five.slice(0, 2), [ids], first)).toBeUndefined()
    expect(drawCore(five, [['lost', 'gone', 's1']], first)).toBeUndefined()
    expect(drawCore(five, [], first)).toBeUndefined()
  })
})

const trio = ['s1', 's2', 's3']
const sound: CoreView = {
  core: trio,
  coreIds: trio,
  standing: [ids],
  leader: 's1',
  left: [],
  reaches: () => true,
  diskFails: () => false,
}

describe('excuses of a core that does not serve', () => {
  it('are none for a core that leads itself, or that has no leader', () => {
    expect(excuseOf(sound)).toBeUndefined()
    expect(excuseOf({ ...sound, reaches: () => false })).toBeUndefined()
    expect(excuseOf({ ...sound, leader: undefined })).toBeUndefined()
  })

  it('have one led from outside only while some server of the core is cut off from that leader, or its disk fails', () => {
    const outside = { ...sound, leader: 's5' }
    expect(excuseOf(outside)).toBeUndefined()
    expect(excuseOf({ ...outside, reaches: (from, to) => !(from === 's5' && to === 's2') })).toBe('led from outside')
    expect(excuseOf({ ...outside, reaches: (from, to) => !(from === 's2' && to === 's5') })).toBe('led from outside')
    expect(excuseOf({ ...outside, reaches: (from, to) => !(from === 's5' && to === 's4') })).toBeUndefined()
    expect(excuseOf({ ...outside, diskFails: (server) => server === 's5' })).toBe('led from outside')
    expect(excuseOf({ ...outside, diskFails: (server) => server !== 's5' })).toBeUndefined()
  })

  it('have members changed meanwhile only where a configuration has come of which the core is no majority', () => {
    expect(excuseOf({ ...sound, standing: [ids, ['s1', 's2', 's4', 's5']] })).toBe('members changed meanwhile')
    expect(excuseOf({ ...sound, standing: [ids, ['s1', 's2', 's4']] })).toBeUndefined()
  })

  it('have one left meanwhile only where a server of the core has left', () => {
    expect(excuseOf({ ...sound, left: ['s2'] })).toBe('left meanwhile')
    expect(excuseOf({ ...sound, left: ['s4'] })).toBeUndefined()
  })
})
