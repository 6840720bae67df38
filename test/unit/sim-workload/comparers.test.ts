import { expect, it } from 'vitest'
import type { AskedFor, HeldInstance } from '../../../sim/checkers/registrations/read-truth.ts'
import { Comparers, type ComparerWorld } from '../../../sim/workload/comparers.ts'
import { inSimulation } from '../sim-world/in-simulation.ts'

const one: HeldInstance = { node: 'c1', id: 'web', port: 80, tags: ['blue'], nodeMeta: [], statuses: ['passing'] }

interface Compared {
  readonly what: string
  readonly expected: string
  readonly told: string
}

/** What was compared in a minute about a service that is held, and answered, like this. */
function compared(held: (nowMs: number) => readonly HeldInstance[] | undefined, told: (asked: AskedFor) => string) {
  return inSimulation({}, async (simulation) => {
    const seen: Compared[] = []
    let [changes, asks] = [0, 0]
    simulation.addNode({ name: 'comparers', host: '10.0.0.9' }).boot((env) => {
      const world: ComparerWorld = {
        draws: (nth) => simulation.decisions.draws('comparers', nth),
        agent: () => ({ name: 's1' }),
        held: () => held(simulation.nowMs),
        ask: async (_env, _host, _agent, asked) => {
          asks++
          return told(asked)
        },
        truth: {
          changed: () => void changes++,
          compared: (what, expected, said) => void seen.push({ what, expected, told: said }),
        },
      }
      const plan = {
        name: 'c',
        service: 'web',
        clients: 1,
        tags: ['blue'],
        nodeMeta: ['zone:north'],
        everyMs: { min: 100, max: 200 },
      }
      new Comparers(env, '10.0.0.9', plan, world).start()
    })
    await simulation.run({ untilMs: 60_000 })
    return { seen, changes, asks: () => asks }
  })
}

it('comparers ask in every way, and tell of what is not as the agents hold it, once it was asked for thrice', async () => {
  const { seen, asks } = await compared(
    () => [one],
    ({ face }) => (face === 'dns' ? 'c1:80' : 'c1/web:80'),
  )
  expect(seen.length).toBeGreaterThan(30)
  // Nobody has the metadata: an answer that has it all the same is asked for again.
  const wrong = seen.filter(({ expected, told }) => expected !== told)
  expect(wrong.every(({ what }) => what.includes('node-meta=zone:north'))).toBe(true)
  expect(asks()).toBe(seen.length + 2 * wrong.length)
  const ways = new Set(seen.map(({ what }) => what.replace(/[?].*| at .*/, '')))
  expect(ways).toEqual(
    new Set(['/v1/health/service/web', '/v1/catalog/service/web', 'web.service.svc.', 'blue.web.service.svc.']),
  )
})

it('compare nothing while the agents hold something else each second, or nobody knows what', async () => {
  const moving = await compared(
    (nowMs) => [{ ...one, port: Math.floor(nowMs / 700) }],
    () => 'c1/web:80',
  )
  expect([moving.seen, moving.asks()]).toEqual([[], 0])
  const unknown = await compared(
    () => undefined,
    () => 'c1/web:80',
  )
  expect([unknown.seen, unknown.asks()]).toEqual([[], 0])
})
