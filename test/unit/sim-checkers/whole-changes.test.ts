import { describe, expect, it } from 'vitest'
import { AppliedKeys } from '../../../sim/checkers/keys/applied-keys.ts'
import { WholeChanges } from '../../../sim/checkers/keys/whole-changes.ts'
import { recorder } from './reports.ts'

function checker(...changes: readonly (readonly [key: string, index: number, value: string | undefined])[]) {
  const { judge, lines } = recorder()
  const applied = new AppliedKeys()
  for (const [key, index, value] of changes) applied.changed(key, index, value)
  return { whole: new WholeChanges(judge, applied), lines }
}

describe('K2 of a CAS', () => {
  it('accepts one that took effect on what it expected, and one that was refused on something else', () => {
    const { whole, lines } = checker(['a', 3, 'x'], ['b', 4, 'y'], ['b', 5, undefined])
    whole.compared('a', 7, { expected: 3, tookEffect: true, isDelete: false })
    whole.compared('a', 8, { expected: 2, tookEffect: false, isDelete: false })
    whole.compared('b', 9, { expected: 0, tookEffect: true, isDelete: false })
    whole.compared('c', 10, { expected: 0, tookEffect: true, isDelete: false })
    whole.compared('b', 11, { expected: 4, tookEffect: false, isDelete: false })
    expect(lines).toEqual([])
  })

  it('reports one that took effect on something else, and one that was refused without a cause', () => {
    const { whole, lines } = checker(['a', 3, 'x'])
    whole.compared('a', 7, { expected: 2, tookEffect: true, isDelete: false })
    whole.compared('a', 8, { expected: 3, tookEffect: false, isDelete: false })
    whole.compared('b', 9, { expected: 4, tookEffect: true, isDelete: false })
    expect(lines).toEqual([
      "K2: CAS at 7 on key 'a' took effect: it expected index 2, and the key was at 3",
      "K2: CAS at 8 on key 'a' was refused: it expected index 3, and the key was at 3",
      "K2: CAS at 9 on key 'b' took effect: it expected index 4, and the key was at 0",
    ])
  })
})

describe('K2 of deletions', () => {
  it('lets one by index take effect on a key that is not there, whatever it expected', () => {
    const { whole, lines } = checker(['a', 3, 'x'], ['b', 4, undefined])
    whole.compared('b', 7, { expected: 2, tookEffect: true, isDelete: true })
    whole.compared('a', 8, { expected: 3, tookEffect: true, isDelete: true })
    whole.compared('a', 9, { expected: 2, tookEffect: false, isDelete: true })
    expect(lines).toEqual([])
    whole.compared('a', 10, { expected: 2, tookEffect: true, isDelete: true })
    expect(lines).toEqual(["K2: delete by CAS at 10 on key 'a' took effect: it expected index 2, and the key was at 3"])
  })

  it('leaves nothing of a tree', () => {
    const { whole, lines } = checker()
    whole.treeDeleted(5, 'a/', [])
    whole.treeDeleted(6, 'a/', ['a/b'])
    expect(lines).toEqual(["K2: all keys under 'a/' were deleted at 6, but not 'a/b'"])
  })
})

describe('K2 of a transaction', () => {
  it('accepts all or nothing', () => {
    const { whole, lines } = checker()
    whole.transaction(
      5,
      true,
      new Map([
        ['a', true],
        ['b', true],
      ]),
    )
    whole.transaction(
      6,
      false,
      new Map([
        ['a', false],
        ['b', false],
      ]),
    )
    expect(lines).toEqual([])
  })

  it('reports a part', () => {
    const { whole, lines } = checker()
    whole.transaction(
      5,
      true,
      new Map([
        ['a', true],
        ['b', false],
      ]),
    )
    whole.transaction(
      6,
      false,
      new Map([
        ['a', false],
        ['b', true],
      ]),
    )
    expect(lines).toEqual([
      "K2: the transaction at 5 took effect, but not on key 'b'",
      "K2: the transaction at 6 was refused, but changed key 'b'",
    ])
  })

  it('reports a value in effect of one that a client was told is refused', () => {
    const { whole, lines } = checker(['a', 3, 'x'])
    whole.refused('x', 'write of x')
    whole.refused('y', 'write of y')
    whole.judge()
    expect(lines).toEqual(['K2: refused as a whole, but in effect at 3: write of x'])
  })
})

describe('K2 of an answer with several keys', () => {
  // Together: {} {a x} {a x, b y} {a z, b y} {a z}
  const changes = [
    ['a', 2, 'x'],
    ['b', 4, 'y'],
    ['a', 6, 'z'],
    ['b', 8, undefined],
  ] as const
  const row = (key: string, modifyIndex: number, value: string) => ({ key, value, modifyIndex })

  it('accepts each state that there was', () => {
    const { whole, lines } = checker(...changes)
    const states = [
      [],
      [row('a', 2, 'x')],
      [row('a', 2, 'x'), row('b', 4, 'y')],
      [row('a', 6, 'z'), row('b', 4, 'y')],
      [row('a', 6, 'z')],
    ]
    for (const state of states) whole.listed(['a', 'b', 'c'], state, 's1')
    expect(lines).toEqual([])
  })

  it('reports a mixture of two states', () => {
    const { whole, lines } = checker(...changes, ['c', 9, 'w'])
    whole.listed(['a', 'b'], [row('b', 4, 'y')], 's1')
    whole.listed(['a', 'b', 'c'], [row('a', 2, 'x'), row('c', 9, 'w')], 's2')
    expect(lines).toEqual([
      'K2: a list at s1 shows keys in a combination that never existed: a absent, b 4',
      'K2: a list at s2 shows keys in a combination that never existed: a 2, b absent, c 9',
    ])
  })

  it('reports a value that the key never held at that index', () => {
    const { whole, lines } = checker(...changes)
    whole.listed(['a'], [row('a', 6, 'x')], 's1')
    expect(lines).toEqual(["K2: key 'a' in a list at s1: 'x' at index 6, which it never had"])
  })
})
