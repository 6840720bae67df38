import { describe, expect, it } from 'vitest'
import { judgementOf, strengthOf } from '../../../sim/explain/trial.ts'
import { wilson } from '../../../sim/report/interval.ts'

const of = (fails: number, tries: number) => ({ fails, tries })

describe("Wilson's interval", () => {
  it('is that of the paper', () => {
    const { low, high } = wilson(of(1, 20))
    expect(low).toBeCloseTo(0.0089, 3)
    expect(high).toBeCloseTo(0.2361, 3)
  })

  it('has room at both ends, and is everything without a try', () => {
    expect(wilson(of(0, 20)).high).toBeCloseTo(0.1611, 3)
    expect(wilson(of(20, 20)).low).toBeCloseTo(0.8389, 3)
    expect(wilson(of(0, 0))).toEqual({ low: 0, high: 1 })
  })
})

describe('a trial', () => {
  it('ends early where the answer is clear', () => {
    expect(judgementOf({ unchanged: of(6, 6), without: of(0, 6) })).toBe('needs')
    expect(judgementOf({ unchanged: of(0, 6), without: of(6, 6) })).not.toBe('needs')
    expect(judgementOf({ unchanged: of(0, 8), without: of(8, 8) })).toBe('not needed')
  })

  it('goes on where few tries could be chance', () => {
    expect(judgementOf({ unchanged: of(3, 3), without: of(0, 3) })).toBe('open')
    expect(judgementOf({ unchanged: of(6, 6), without: of(3, 6) })).toBe('open')
  })

  it('needs no unchanged run for what fails without it every time', () => {
    expect(judgementOf({ unchanged: of(0, 0), without: of(8, 8) })).toBe('not needed')
    expect(judgementOf({ unchanged: of(0, 0), without: of(5, 5) })).toBe('open')
  })

  it('cannot tell where the failure does not come again with other chance', () => {
    expect(judgementOf({ unchanged: of(0, 12), without: of(0, 12) })).toBe('seldom')
  })

  it('has a last word after twenty tries', () => {
    expect(judgementOf({ unchanged: of(14, 20), without: of(11, 20) })).toBe('not needed')
    expect(strengthOf({ unchanged: of(20, 20), without: of(1, 20) })).toBeCloseTo(0.95)
  })
})
