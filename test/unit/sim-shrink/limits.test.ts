import { describe, expect, it } from 'vitest'
import { shorterPages } from '../../../sim/shrink/limits.ts'
import type { Failing } from '../../../sim/shrink/oracle.ts'
import { rulesOf } from '../../../sim/shrink/page.ts'

/** A run in which the first rule has fired `often` times, and the second one twice. */
function failing(often: number): Failing {
  const fired = (rule: number, count: number) =>
    Array.from({ length: count }, (_, at) => ({ rule, nth: at + 1, atUs: at, afterMs: 0, did: [] }))
  return {
    page: {
      faults: [
        { when: 'vote given', do: [{ crash: 'it' }] },
        { when: 'leader elected', do: [{ crash: 'it' }] },
      ],
    },
    seed: 1,
    wrong: { kind: 'R6', text: 'R6', atUs: 1 },
    account: { firings: [...fired(0, often), ...fired(1, 2)], stepsUs: [] },
  }
}

describe('making a long run shorter', () => {
  it('limits each rule to a part of what it has, with as many seeds as bring the same chance', () => {
    const pages = shorterPages(failing(120), 1)
    const limits = pages.map(({ page }) => rulesOf(page).map((rule) => rule['times']))
    expect(limits).toEqual([
      [30, 2],
      [60, 2],
      [90, 2],
    ])
    expect(pages.map(({ seeds }) => seeds)).toEqual([12, 6, 4])
  })

  it('takes more seeds where few of them fail, up to a bound, and leaves a short run alone', () => {
    expect(shorterPages(failing(120), 4).map(({ seeds }) => seeds)).toEqual([48, 24, 16])
    expect(shorterPages(failing(120), 40).map(({ seeds }) => seeds)).toEqual([60, 60, 60])
    expect(shorterPages(failing(4), 1)).toEqual([])
  })
})
