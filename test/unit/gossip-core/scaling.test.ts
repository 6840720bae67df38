import { describe, expect, it } from 'vitest'
import { log2, pushPullMs, retransmitLimit, suspicionMinMs, suspicionMs } from '../../../src/gossip/core/scaling.ts'

describe('quantities that grow with the pool', () => {
  it('the logarithm is right to 16 binary digits, never above the true one', () => {
    for (let n = 1; n <= 10_000; n += 7) {
      const error = Math.log2(n) - log2(n)
      expect(error).toBeGreaterThanOrEqual(-1e-9)
      expect(error).toBeLessThan(1 / 65_536 + 1e-9)
    }
  })

  it('a message is passed on as often as memberlist does it', () => {
    const cases = [1, 9, 10, 99, 100, 999, 1_000]
    expect(cases.map((members) => retransmitLimit(4, members))).toEqual([4, 4, 8, 8, 12, 12, 16])
  })

  it('a suspicion lasts at least as in memberlist, to the thousandth', () => {
    for (const members of [1, 2, 5, 9, 10, 11, 50, 99, 101, 512, 1_000, 8_192]) {
      const expected = 4 * Math.max(1, Math.log10(members)) * 1_000
      expect(Math.abs(suspicionMinMs(4, members, 1_000) - expected)).toBeLessThanOrEqual(8)
    }
  })

  it('confirmations shorten a suspicion from the longest to the shortest time, the first one most', () => {
    const [none, one, two, three] = [0, 1, 2, 3].map((confirmed) => suspicionMs(confirmed, 2, 4_000, 24_000))
    expect([none, two, three]).toEqual([24_000, 4_000, 4_000])
    expect(Math.abs((one ?? 0) - (24_000 - (Math.log(2) / Math.log(3)) * 20_000))).toBeLessThanOrEqual(2)
    expect(suspicionMs(0, 0, 4_000, 24_000)).toBe(4_000)
  })

  it('full states are exchanged more seldom with each doubling beyond 32 members', () => {
    const cases = [1, 32, 33, 64, 65, 128, 129]
    expect(cases.map((members) => pushPullMs(30, members))).toEqual([30, 30, 60, 60, 90, 90, 120])
  })
})
