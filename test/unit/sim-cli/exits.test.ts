import { describe, expect, it } from 'vitest'
import { exitOf, graver } from '../../../sim/cli/terminal.ts'
import type { SeedVerdict } from '../../../sim/report/seed-record.ts'

/** As docs/seed-records.md has them. */
const documented: Readonly<Record<SeedVerdict, number>> = {
  passed: 0,
  failed: 1,
  'not deterministic': 3,
  'leftover state': 3,
  undecided: 4,
  stuck: 5,
  'out of memory': 5,
  died: 5,
}

describe('the exit code of a seed', () => {
  it.each(Object.entries(documented) as [SeedVerdict, number][])('that is %s is %i', (verdict, code) => {
    expect(exitOf({ verdict })).toBe(code)
  })

  it('gives way to that of a graver one: what is not deterministic has no meaning', () => {
    const fromMildest = [0, 6, 4, 1, 5, 2, 3]
    for (const [at, one] of fromMildest.entries()) {
      for (const other of fromMildest.slice(at))
        expect([graver(one, other), graver(other, one)]).toEqual([other, other])
    }
  })
})
