import { describe, expect, it } from 'vitest'
import { aheadMs } from '../../../src/http/ui/page/explain/clock.ts'

describe('the clock of the servers', () => {
  it('counts where it differs from that of the browser by more than a minute', () => {
    expect(aheadMs(100_000, 40_000)).toBe(0)
    expect(aheadMs(100_001, 40_000)).toBe(60_001)
    expect(aheadMs(0, 90_000)).toBe(-90_000)
  })
})
