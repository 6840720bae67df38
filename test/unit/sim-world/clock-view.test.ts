import { describe, expect, it } from 'vitest'
import { ClockView } from '../../../sim/world/node-clock.ts'
import { fc } from '../../fast-check.ts'
import { inSimulation, rest } from './in-simulation.ts'

describe('a clock as a view of true time', () => {
  it('finds the first instant at which it shows a reading', () => {
    const rates = fc.integer({ min: 500_000, max: 1_500_000 })
    const time = fc.integer({ min: 0, max: 4_000_000_000_000 })
    fc.assert(
      fc.property(rates, time, fc.nat(1_000_000_000), fc.nat(100_000_000), (rate, start, later, ahead) => {
        const clock = new ClockView(start, 77)
        clock.setRate(rate / 1_000_000, start)
        const now = start + later
        const reading = clock.at(now) + ahead
        const due = clock.trueTimeOf(reading, now)
        expect(due).toBeGreaterThanOrEqual(now)
        expect(clock.at(due)).toBeGreaterThanOrEqual(reading)
        if (due > now) expect(clock.at(due - 1)).toBeLessThan(reading)
      }),
    )
  })

  it('never goes back, and goes on from where it was when its rate changes', () => {
    const rates = fc.array(fc.integer({ min: 500_000, max: 1_500_000 }), { minLength: 1, maxLength: 20 })
    fc.assert(
      fc.property(rates, (rateList) => {
        const clock = new ClockView(0, 0)
        let last = 0
        for (const [at, rate] of rateList.entries()) {
          const now = at * 1_000_003
          const before = clock.at(now)
          clock.setRate(rate / 1_000_000, now)
          expect(clock.at(now)).toBe(before)
          for (const us of [1, 2, 3, 999_999]) {
            expect(clock.at(now + us)).toBeGreaterThanOrEqual(last)
            last = clock.at(now + us)
          }
        }
      }),
    )
  })

  it('refuses a rate that no crystal has', () => {
    expect(() => new ClockView(0, 0).setRate(2, 0)).toThrow('0.5 to 1.5')
  })
})

describe('the clocks of a node', () => {
  it('run at its rate, and its timers with them, those already set too', async () => {
    await inSimulation({}, async (simulation) => {
      const node = simulation.addNode({ name: 'n', host: '10.0.0.1', clock: { rate: 1.25 } })
      const firedAtMs: number[] = []
      node.boot((env) => {
        for (const ms of [100, 1000]) env.timers.after(ms, () => firedAtMs.push(simulation.nowMs))
      })
      simulation.at(200, () => node.clock.setRate(0.5))
      await simulation.run({ untilMs: 5000 })
      // 100 ms at 1.25 take 80; of 1000, 250 pass in the first 200 ms and 750 take 1500 at 0.5.
      expect(firedAtMs).toEqual([80, 1700])
    })
  })

  it('keep the wall clock apart: steps and offsets move it, and no timer', async () => {
    await inSimulation({ startWallMs: 1_000_000 }, async (simulation) => {
      const node = simulation.addNode({ name: 'n', host: '10.0.0.1', clock: { wallOffsetMs: -250, monoStartMs: 5 } })
      const seen = await simulation.play(
        node,
        async (env) => {
          const readings = [env.clock.wallMs(), env.clock.monoMs()]
          await rest(env, 100)
          node.clock.stepWall(-5000)
          readings.push(env.clock.wallMs(), env.clock.monoMs())
          node.clock.setWallOffset(40)
          readings.push(env.clock.wallMs())
          return readings
        },
        1000,
      )
      expect(seen).toEqual([999_750, 5, 994_850, 105, 1_000_140])
      expect(simulation.nowMs).toBe(100)
    })
  })
})
