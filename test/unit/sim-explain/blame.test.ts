import { describe, expect, it } from 'vitest'
import { blame } from '../../../sim/explain/blame.ts'
import type { Rerun } from '../../../sim/explain/reruns.ts'
import type { Suspect } from '../../../sim/explain/suspects.ts'

const suspect = (name: string, rule = 1): Suspect => {
  return {
    kind: 'fault',
    text: name,
    atUs: 1_000_000 * Number(name.slice(1)),
    without: [name],
    rule,
    cost: Number(name.slice(1)),
  }
}

/** A program that fails as this says of what it is without. */
async function judged(
  suspects: readonly Suspect[],
  fails: (without: readonly string[], chance: number, forkMs: number) => boolean,
  runs = 500,
) {
  let made = 0
  const reruns = {
    get isSpent() {
      return made >= runs
    },
    failing: async (asked: readonly Rerun[]) =>
      asked.map(({ without, chance, forkMs }) => {
        if (made >= runs) return undefined
        made++
        return fails(without, chance, forkMs)
      }),
  }
  const blamed = await blame({ suspects, failsAtUs: 9_000_000, atRest: false, reruns })
  return {
    blamed: blamed.map((each) => ({ name: each.suspect.text, word: each.judgement, without: each.without.tries })),
    laterMs: blamed.map(({ laterMs }) => laterMs),
    made,
  }
}

describe('blame', () => {
  const five = ['f1', 'f2', 'f3', 'f4', 'f5'].map((name) => suspect(name))

  it('puts what the failure needs first, with few runs', async () => {
    const { blamed, made } = await judged(five, (without) => !without.includes('f3'))
    expect(blamed[0]).toEqual({ name: 'f3', word: 'needs', without: 6 })
    expect(blamed.slice(1, 5).map(({ word }) => word)).not.toContain('needs')
    expect(made).toBeLessThan(80)
  })

  it('judges no fault alone where none is needed', async () => {
    const { blamed, made } = await judged(five, () => true)
    expect(blamed).toEqual([{ name: 'all 5 faults together', word: 'not needed', without: 8 }])
    expect(made).toBe(8)
  })

  it('leaves out no more decisions together than a worker takes', async () => {
    const many = Array.from({ length: 5_001 }, (_, at) => suspect(`f${at / 1000}`))
    let most = 0
    await judged(many, (without) => {
      most = Math.max(most, without.length)
      return true
    })
    expect(most).toBeGreaterThan(0)
    expect(most).toBeLessThanOrEqual(5_000)
  })

  it('tries several of one rule where each can stand in for the other', async () => {
    const { blamed } = await judged(five.slice(0, 2), (without) => without.length < 2)
    expect(blamed[0]).toMatchObject({ name: 'all 2 of the rule that did: f1', word: 'needs' })
  })

  it('does not put down to a suspect what other chance alone does', async () => {
    const { blamed } = await judged(five.slice(0, 1), () => false)
    expect(blamed[0]).toMatchObject({ name: 'f1', word: 'seldom' })
  })

  it('leaves chance alone for longer where the failure is seldom, until it comes back', async () => {
    // What happens by chance until 6 s leads to the failure at 9 s.
    const { blamed, laterMs } = await judged(
      five.slice(1, 2),
      (without, _, forkMs) => forkMs > 6_000 && !without.includes('f2'),
    )
    expect(blamed).toEqual([{ name: 'f2', word: 'needs', without: 6 }])
    // Halfway from 2.001 s to 9 s are 5.5 s, and three quarters are 7.25 s.
    expect(laterMs).toEqual([7_250])
  })

  it('makes no more runs where the failure follows at once, so that there is no later moment', async () => {
    const { blamed, made } = await judged([suspect('f8.999')], () => false)
    expect(blamed).toEqual([{ name: 'f8.999', word: 'seldom', without: 9 }])
    expect(made).toBe(18)
  })

  it('has the earlier verdict where the budget ends before the later one', async () => {
    const { blamed, laterMs } = await judged(five.slice(0, 1), () => false, 18)
    expect(blamed).toEqual([{ name: 'f1', word: 'seldom', without: 9 }])
    expect(laterMs).toEqual([undefined])
  })

  it('ends with its budget, and says what it has', async () => {
    const { blamed, made } = await judged(five, (without) => !without.includes('f3'), 10)
    expect(made).toBe(10)
    expect(blamed.every(({ word }) => word === 'open')).toBe(true)
  })
})
