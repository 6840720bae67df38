import { expect, it } from 'vitest'
import { Comparers, type ComparerWorld } from '../../../sim/workload/comparing/comparers.ts'
import type { Verdict } from '../../../sim/workload/comparing/question.ts'
import { inSimulation } from '../sim-world/in-simulation.ts'

/** What was compared in a minute by a client whose question has this basis and these verdicts. */
function compared(basis: (nowMs: number) => string | undefined, verdict: (ask: number) => Verdict | undefined) {
  return inSimulation({}, async (simulation) => {
    const seen: (string | undefined)[] = []
    let [changes, asks] = [0, 0]
    simulation.addNode({ name: 'comparers', host: '10.0.0.9' }).boot((env) => {
      const world: ComparerWorld = {
        draws: (nth) => simulation.decisions.draws('comparers', nth),
        question: () => ({
          law: 'E7',
          text: 'web',
          basis: () => basis(simulation.nowMs),
          ask: async () => verdict(++asks),
        }),
        changed: () => void changes++,
        compared: (_law, _what, fault) => void seen.push(fault),
      }
      new Comparers(env, '10.0.0.9', { clients: 1, everyMs: { min: 100, max: 200 } }, world).start()
    })
    await simulation.run({ untilMs: 60_000 })
    return { seen, changes, asks: () => asks }
  })
}

it('comparers tell of what is not as it must be, once it was asked for thrice', async () => {
  const well = await compared(
    () => 'held',
    () => ({ fault: undefined }),
  )
  expect(well.seen.length).toBeGreaterThan(30)
  expect(well.asks()).toBe(well.seen.length)
  const wrong = await compared(
    () => 'held',
    () => ({ fault: 'is wrong' }),
  )
  expect(new Set(wrong.seen)).toEqual(new Set(['is wrong']))
  expect(wrong.asks() - 3 * wrong.seen.length).toBeLessThan(3)
  const drawn = await compared(
    () => 'held',
    () => ({ fault: 'is in disorder', isFinal: true }),
  )
  expect(drawn.asks()).toBe(drawn.seen.length)
  // Once it is as it must be, nothing is said of what it was before.
  const late = await compared(
    () => 'held',
    (ask) => ({ fault: ask % 2 === 1 ? 'is late' : undefined }),
  )
  expect(new Set(late.seen)).toEqual(new Set([undefined]))
})

it('compare nothing while the agents hold something else each second, or it is unknown what', async () => {
  const moving = await compared(
    (nowMs) => String(Math.floor(nowMs / 700)),
    () => ({ fault: undefined }),
  )
  expect([moving.seen, moving.asks()]).toEqual([[], 0])
  const unknown = await compared(
    () => undefined,
    () => ({ fault: undefined }),
  )
  expect([unknown.seen, unknown.asks(), unknown.changes]).toEqual([[], 0, 0])
  const silent = await compared(
    () => 'held',
    () => undefined,
  )
  expect(silent.seen).toEqual([])
})
