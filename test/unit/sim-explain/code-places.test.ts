import { describe, expect, it } from 'vitest'
import { codePlaces } from '../../../sim/explain/code-places.ts'

describe('places in the code', () => {
  const failing = [
    { 'src/a.js': '1-9,20-22,40', 'src/base/b.js': '5' },
    { 'src/a.js': '1-9,20-22,40', 'src/base/b.js': '5' },
  ]

  it('ran in every failing run, and in none that passed or only at last', () => {
    const passing = [{ 'src/a.js': '1-9,40' }]
    const early = { 'src/a.js': '1-9' }
    const places = codePlaces({ failing, passing, early })
    expect(
      places.map(({ file, first, last, isOfFailures, isLate }) => [file, first, last, isOfFailures, isLate]),
    ).toEqual([
      ['src/a.js', 20, 22, true, true],
      ['src/base/b.js', 5, 5, true, true],
      ['src/a.js', 40, 40, false, true],
    ])
  })

  it('are not what one failing run alone has', () => {
    const other = { 'src/a.js': '1-9' }
    expect(codePlaces({ failing: [...failing, other], passing: [other], early: other })).toEqual([])
  })

  it('are those of the last moments where no run passed', () => {
    const places = codePlaces({ failing, passing: [], early: { 'src/a.js': '1-9,20-22', 'src/base/b.js': '5' } })
    expect(places).toEqual([{ file: 'src/a.js', first: 40, last: 40, isOfFailures: false, isLate: true }])
  })
})
