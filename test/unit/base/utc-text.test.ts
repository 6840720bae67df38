import { expect, it } from 'vitest'
import { utcText } from '../../../src/base/utc-text.ts'
import { fc } from '../../fast-check.ts'

it('writes a moment as the platform does, without fractions', () => {
  fc.assert(
    fc.property(fc.integer({ min: 0, max: Date.UTC(9999, 11, 31) }), (ms) => {
      expect(utcText(ms)).toBe(`${new Date(ms).toISOString().slice(0, 19)}Z`)
    }),
  )
  for (const text of ['2000-02-29T23:59:59Z', '2100-02-28T00:00:00Z', '2100-03-01T00:00:00Z', '1970-01-01T00:00:00Z']) {
    expect(utcText(Date.parse(text))).toBe(text)
  }
})
