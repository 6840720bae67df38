import { describe, expect, it } from 'vitest'
import { Distribution } from '../../../sim/studies/distribution.ts'

describe('a distribution of measured values', () => {
  it('gives percentiles by nearest rank', () => {
    const values = new Distribution([50, 15, 40, 20, 35])
    expect([0, 5, 20, 30, 40, 50, 99, 100].map((percent) => values.percentile(percent))).toEqual([
      15, 15, 15, 20, 20, 35, 50, 50,
    ])
  })

  it('gives least, median, mean, greatest, and how many lie beyond a limit', () => {
    const { count, min, median, mean, max, ...rest } = summary(new Distribution([4, 1, 7, 2]))
    expect({ count, min, median, mean, max, ...rest }).toEqual({
      count: 4,
      min: 1,
      median: 2,
      mean: 3.5,
      max: 7,
      above: 2,
    })
  })

  it('of one value is that value', () => {
    expect(summary(new Distribution([9]))).toEqual({ count: 1, min: 9, median: 9, mean: 9, max: 9, above: 1 })
  })
})

function summary(values: Distribution) {
  const { count, min, median, mean, max } = values
  return { count, min, median, mean, max, above: values.countAbove(3) }
}
