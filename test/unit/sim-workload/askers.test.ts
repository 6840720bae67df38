import { expect, it } from 'vitest'
import type { TimelyAnswer } from '../../../sim/checkers/reads/timely-facts.ts'
import { Askers, type AskerWorld } from '../../../sim/workload/askers.ts'
import type { HttpRequest } from '../../../src/env/http.ts'
import { inSimulation } from '../sim-world/in-simulation.ts'

const endpoint = { host: '10.0.0.1', port: 8500 }
const rows = JSON.stringify([{ Node: 'b', ServiceID: 'w1', ServicePort: 80, ServiceTags: ['blue'] }])

it('asks in every way, and tells what was wanted of kept answers, and what they say of themselves', async () => {
  const { told, asked } = await inSimulation({}, async (simulation) => {
    const [told, asked]: [TimelyAnswer[], string[]] = [[], []]
    simulation.addNode({ name: 'a1', host: endpoint.host }).boot((env) =>
      env.http
        .serve(endpoint, async ({ target, headers }: HttpRequest) => {
          asked.push(`${target.split('?')[1] ?? 'plain'} ${headers.get('cache-control') ?? ''}`.trim())
          const isFailed = asked.length % 7 === 0
          const cache: [string, string][] = target.includes('cached')
            ? [
                ['X-Cache', 'HIT'],
                ['Age', '4'],
              ]
            : []
          return { status: isFailed ? 500 : 200, headers: cache, body: rows }
        })
        .then(() => undefined),
    )
    simulation.addNode({ name: 'askers', host: '10.0.0.9' }).boot((env) => {
      const world = {
        nowUs: () => simulation.nowMs * 1_000,
        decisions: simulation.decisions,
        agent: () => ({ name: 'a1', endpoint, isServer: false }),
        nodes: ['b', 'c'],
        bootOf: () => 1,
        tell: (name: string, fact: unknown) => {
          if (name === 'service told') told.push(fact as TimelyAnswer)
        },
      }
      const plan = { name: 'users', service: 'web', clients: 2, everyMs: { min: 50, max: 100 } }
      new Askers(env, plan, world as unknown as AskerWorld).start()
    })
    await simulation.run({ untilMs: 10_000 })
    return { told, asked }
  })
  expect(new Set(asked)).toEqual(
    new Set([
      'plain',
      'near=b',
      'near=c',
      'consistent',
      'consistent&near=b',
      'consistent&near=c',
      'cached',
      'cached must-revalidate',
      'cached max-age=0',
      'cached max-age=2',
      'cached max-age=1, stale-if-error=3',
      'cached must-revalidate, stale-if-error=600',
    ]),
  )
  expect(told.length).toBeLessThan(asked.length)
  expect(told.every(({ instances, nodes }) => instances === 'b/w1:80 [blue]' && nodes[0] === 'b')).toBe(true)
  for (const { how, kept } of told) {
    expect(kept === undefined ? 'none' : `${kept.hit} ${kept.age}`).toBe(how === 'cached' ? 'HIT 4' : 'none')
  }
})
