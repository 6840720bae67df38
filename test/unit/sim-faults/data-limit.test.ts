import { describe, expect, it } from 'vitest'
import { DataLimit } from '../../../sim/faults/data-limit.ts'
import { fc } from '../../fast-check.ts'

function limitOf(...standing: readonly (readonly string[])[]): DataLimit {
  return new DataLimit({ standing: () => standing })
}

describe('the limit on destroyed data', () => {
  it('spares all until there is a configuration', () => {
    expect(limitOf().allows('a')).toBe(false)
  })

  it('lets a minority go, and no more', () => {
    const limit = limitOf(['a', 'b', 'c', 'd', 'e'])
    for (const id of ['a', 'd']) {
      expect(limit.allows(id)).toBe(true)
      limit.lose(id)
    }
    for (const id of ['b', 'c', 'e']) expect(limit.allows(id)).toBe(false)
    expect(limit.allows('a')).toBe(true)
  })

  it('lets nothing of two voters go, and nothing of one', () => {
    expect(limitOf(['a', 'b']).allows('a')).toBe(false)
    expect(limitOf(['a']).allows('a')).toBe(false)
  })

  it('holds for every configuration that a server may still use', () => {
    const limit = limitOf(['a', 'b', 'c'], ['a', 'b', 'c', 'd', 'e'])
    limit.lose('a')
    expect(limit.allows('b')).toBe(false)
    expect(limit.allows('d')).toBe(true)
  })

  it('lets go of servers without a vote', () => {
    expect(limitOf(['a', 'b', 'c']).allows('newcomer')).toBe(true)
  })

  it('no longer counts a server that was taken out everywhere', () => {
    let standing = [['a', 'b', 'c']]
    const limit = new DataLimit({ standing: () => standing })
    limit.lose('a')
    standing = [['b', 'c', 'd']]
    expect(limit.allows('b')).toBe(true)
    limit.lose('b')
    expect(limit.allows('c')).toBe(false)
  })

  it('holds without those that are about to leave, too', () => {
    const limit = limitOf(['a', 'b', 'c'])
    expect(limit.allowsLeaving('c')).toBe(true)
    limit.leaves('c')
    expect(limit.allows('a')).toBe(false)
    const worn = limitOf(['a', 'b', 'c'])
    worn.lose('a')
    expect(worn.allowsLeaving('c')).toBe(false)
    expect(worn.allowsLeaving('a')).toBe(true)
  })

  it('does not let every server leave: one stays with the data', () => {
    expect(limitOf(['a']).allowsLeaving('a')).toBe(false)
    const two = limitOf(['a', 'b'])
    expect(two.allowsLeaving('a')).toBe(true)
    two.leaves('a')
    expect(two.allowsLeaving('b')).toBe(false)
  })

  it('knows when no majority is left whose data is whole', () => {
    let standing = [['a', 'b', 'c']]
    const limit = new DataLimit({ standing: () => standing })
    limit.lose('a')
    expect(limit.lacksMajority()).toBe(false)
    standing = [['a', 'b']]
    expect(limit.lacksMajority()).toBe(true)
  })

  it('leaves in every majority a server whose data is whole, whatever is asked of it', () => {
    const voters = fc.uniqueArray(fc.constantFrom(...'abcdefg'), { minLength: 1 })
    fc.assert(
      fc.property(
        fc.array(voters, { minLength: 1, maxLength: 4 }),
        fc.array(fc.constantFrom(...'abcdefg')),
        (all, asked) => {
          const limit = limitOf(...all)
          const lost = new Set<string>()
          for (const id of asked) {
            if (!limit.allows(id)) continue
            limit.lose(id)
            lost.add(id)
          }
          return all.every((ids) => ids.filter((id) => lost.has(id)).length * 2 < ids.length)
        },
      ),
    )
  })
})
