import { expect, it } from 'vitest'
import type { FewRightsFire, FewRightsList } from '../../../sim/checkers/events/event-facts.ts'
import type { EventWorld } from '../../../sim/workload/events/event-users.ts'
import { FewRights } from '../../../sim/workload/events/few-rights.ts'
import type { HttpRequest } from '../../../src/env/http.ts'
import { inSimulation } from '../sim-world/in-simulation.ts'

const endpoint = { host: '10.0.0.1', port: 8500 }
const row = (name: string) => ({
  ID: name,
  Name: name,
  Payload: 'eA==',
  NodeFilter: '',
  ServiceFilter: '',
  TagFilter: '',
  LTime: 1,
})

it('fires events of every name with the token, and lists with it between two lists without it', async () => {
  const { fires, lists, asked } = await inSimulation({}, async (simulation) => {
    const [fires, lists, asked]: [FewRightsFire[], FewRightsList[], Set<string>] = [[], [], new Set()]
    simulation.addNode({ name: 'a1', host: endpoint.host }).boot((env) =>
      env.http
        .serve(endpoint, async ({ method, target, headers }: HttpRequest) => {
          const token = headers.get('x-svc-token') ?? 'none'
          asked.add(`${method} ${target} ${token}`)
          if (method === 'PUT')
            return { status: target.endsWith('deploy') ? 200 : 403, headers: [], body: '{"ID":"e"}' }
          const events = token === 'few' ? [row('deploy')] : [row('deploy'), row('restart')]
          return { status: 200, headers: [['x-svc-index', '1']], body: JSON.stringify(events) }
        })
        .then(() => undefined),
    )
    simulation.addNode({ name: 'events', host: '10.0.0.9' }).boot((env) => {
      const world = {
        nowUs: () => simulation.nowMs * 1_000,
        decisions: simulation.decisions,
        agents: () => [{ name: 'a1', endpoint, boot: 1 }],
        tell: (name: string, fact: unknown) => {
          if (name === 'event answered with few rights') fires.push(fact as FewRightsFire)
          if (name === 'events shown to few rights') lists.push(fact as FewRightsList)
        },
      }
      const plan = { name: 'users', token: () => 'few', may: 'deploy', everyMs: { min: 50, max: 100 } }
      new FewRights(env, plan, world as unknown as EventWorld).start()
    })
    await simulation.run({ untilMs: 5_000 })
    return { fires, lists, asked }
  })
  expect(asked).toEqual(
    new Set([
      'PUT /v1/event/fire/deploy few',
      'PUT /v1/event/fire/restart few',
      'GET /v1/event/list none',
      'GET /v1/event/list few',
    ]),
  )
  expect(new Set(fires.map(({ mayWrite, outcome }) => `${mayWrite} ${outcome}`))).toEqual(
    new Set(['true fired', 'false refused']),
  )
  expect(lists.length).toBeGreaterThan(5)
  for (const { before, shown, after } of lists) expect([before.length, shown.length, after.length]).toEqual([2, 1, 2])
})
