import { describe, expect, it } from 'vitest'
import { RootsWatch } from '../../../src/agent/mesh/roots-watch.ts'
import { ok } from '../../../src/base/result.ts'
import { modifyIndexOf } from '../../../src/model/log-position.ts'
import { HandClock, settled } from '../features/hand-clock.ts'

const list = { activeRootId: 'r1', trustDomain: 'x', roots: [] }

describe('the roots that an agent follows', () => {
  it('are asked for with growing pauses while servers answer at once without news', async () => {
    const clock = new HandClock()
    let asked = 0
    const roots = async () => {
      asked++
      // Without a pause the watch would never come to an end.
      if (asked > 1_000) watch.stop()
      return ok({ list, index: modifyIndexOf(3) })
    }
    const watch = new RootsWatch({ env: clock.env, source: { roots }, wanted: () => true, onChange: () => undefined })
    expect(await watch.list()).toEqual(ok(list))
    for (let turn = 0; turn < 20; turn++) await settled()
    expect(asked).toBeLessThan(5)
    const before = asked
    await clock.advance(8_000)
    expect([asked - before, watch.ageMs()]).toEqual([3, 1_000])
    watch.stop()
    await settled()
    expect(clock.timers).toBe(0)
  })
})
