import { describe, expect, it } from 'vitest'
import { ddmin } from '../../../sim/shrink/ddmin.ts'
import { fc } from '../../fast-check.ts'

type Fails = (units: readonly number[]) => boolean

/** Judges lists by a law, and counts them. */
function judge(fails: Fails) {
  const tried: (readonly number[])[] = []
  const tryLists = async (lists: readonly (readonly number[])[]): Promise<readonly number[] | undefined> => {
    for (const list of lists) {
      tried.push(list)
      if (fails(list)) return list
    }
    return undefined
  }
  return { tried, tryLists }
}

const upTo = (count: number): readonly number[] => Array.from({ length: count }, (_, at) => at)

/** Fails where all of some group are there: groups may be of any size, and there may be several. */
const groups = fc.array(fc.uniqueArray(fc.nat(39), { maxLength: 6 }), { minLength: 1, maxLength: 4 })
const hasGroup =
  (all: readonly (readonly number[])[]): Fails =>
  (units) =>
    all.some((group) => group.every((unit) => units.includes(unit)))

/** What no order of dropping makes easier: it fails with an odd number of certain units, and no other. */
const hasOdd =
  (of: readonly number[]): Fails =>
  (units) =>
    of.filter((unit) => units.includes(unit)).length % 2 === 1

describe('ddmin', () => {
  it('ends with a list that fails, in its order, of which no unit can be dropped', async () => {
    const law = fc.oneof(
      groups.map(hasGroup),
      fc
        .uniqueArray(fc.nat(39), { minLength: 1, maxLength: 9 })
        .filter((of) => of.length % 2 === 1)
        .map(hasOdd),
    )
    await fc.assert(
      fc.asyncProperty(law, async (fails) => {
        const { tried, tryLists } = judge(fails)
        const kept = await ddmin(upTo(40), tryLists)
        expect(fails(kept)).toBe(true)
        expect(kept).toEqual(upTo(40).filter((unit) => kept.includes(unit)))
        for (const unit of kept) expect(fails(kept.filter((other) => other !== unit))).toBe(false)
        expect(tried.length).toBeLessThan(40 * 40)
      }),
    )
  })

  it('asks little where little is needed', async () => {
    const nothing = judge(() => true)
    expect(await ddmin(upTo(40), nothing.tryLists)).toEqual([])
    expect(nothing.tried).toEqual([[]])
    const one = judge(hasGroup([[17]]))
    expect(await ddmin(upTo(64), one.tryLists)).toEqual([17])
    expect(one.tried.length).toBeLessThan(24)
  })

  it('goes on from what is there: units that vanish with others are not tried again', async () => {
    const { tried, tryLists } = judge(hasGroup([[3, 30]]))
    // Unit 31 is there only where 30 is, and 5 never without 4.
    const there = (units: readonly number[]): readonly number[] =>
      units.filter((unit) => (unit !== 31 || units.includes(30)) && (unit !== 5 || units.includes(4)))
    const kept = await ddmin(upTo(40), async (lists) => {
      const list = await tryLists(lists)
      return list && there(list)
    })
    expect(kept).toEqual([3, 30])
    expect(tried.every((list) => list.length < 40)).toBe(true)
  })

  it('ends where it is told to', async () => {
    const { tried, tryLists } = judge(hasGroup([upTo(40)]))
    expect(await ddmin(upTo(40), tryLists, (stuckFor) => stuckFor < 4)).toEqual(upTo(40))
    expect(tried.length).toBeLessThan(12)
  })
})
