import { describe, expect, it } from 'vitest'
import type { RootsView } from '../../../src/agent/mesh/leaf-source.ts'
import { RootsWatch } from '../../../src/agent/mesh/roots-watch.ts'
import { err, ok } from '../../../src/base/result.ts'
import { type ModifyIndex, modifyIndexOf } from '../../../src/model/log-position.ts'
import { HandClock, settled } from '../features/hand-clock.ts'

const list = { activeRootId: 'r1', trustDomain: 'x', roots: [] }

describe('the roots that an agent follows', () => {
  it('are those of a new cluster as soon as that can be asked, though its indexes are lower', async () => {
    const clock = new HandClock()
    const asked: number[] = []
    let view: RootsView = { list, index: modifyIndexOf(900) }
    let isAway = false
    let end = (): void => undefined
    const roots = async (minIndex: ModifyIndex) => {
      asked.push(minIndex)
      if (minIndex >= view.index) await new Promise<void>((resolve) => (end = resolve))
      return isAway ? err({ kind: 'no-servers' } as const) : ok(view)
    }
    const turns: unknown[] = []
    const onChange = (turn: unknown): void => void turns.push(turn)
    const watch = new RootsWatch({ env: clock.env, source: { roots }, wanted: () => true, onChange })
    await watch.list()
    await settled()
    isAway = true
    end()
    await settled()
    isAway = false
    view = { list: { ...list, activeRootId: 'r2' }, index: modifyIndexOf(12) }
    await clock.advance(120_000)
    expect([asked, turns, watch.ageMs()]).toEqual([[0, 900, 0, 12], ['another root'], 0])
    watch.stop()
    end()
    await settled()
  })

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
