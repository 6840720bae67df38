import { expect, it } from 'vitest'
import type { EventLook } from '../../../sim/checkers/events/event-facts.ts'
import { EventUsers, type EventWorld } from '../../../sim/workload/events/event-users.ts'
import type { HttpRequest } from '../../../src/env/http.ts'
import { inSimulation } from '../sim-world/in-simulation.ts'

const endpoint = { host: '10.0.0.1', port: 8500 }

it('fires events, looks for each where it should be, twice where it is not, and listens', async () => {
  const { looks, fired, told } = await inSimulation({}, async (simulation) => {
    const [looks, fired, told]: [EventLook[], string[], Set<string>] = [[], [], new Set()]
    simulation.addNode({ name: 'a1', host: endpoint.host }).boot((env) =>
      env.http
        .serve(endpoint, async ({ method, target }: HttpRequest) => {
          if (method === 'GET') return { status: 200, headers: [['x-svc-index', '1']], body: '[]' }
          fired.push(decodeURIComponent(target))
          return { status: 200, headers: [], body: '{"ID":"e"}' }
        })
        .then(() => undefined),
    )
    simulation.addNode({ name: 'events', host: '10.0.0.9' }).boot((env) => {
      const world = {
        nowUs: () => simulation.nowMs * 1_000,
        decisions: simulation.decisions,
        agents: () => [{ name: 'a1', endpoint, boot: 1 }],
        tagsAt: () => [['blue']],
        tell: (name: string, fact: unknown) => {
          told.add(name)
          if (name === 'event looked for') looks.push(fact as EventLook)
        },
        spreadMs: () => 1_000,
        exchangeMs: () => 3_000,
      }
      const plan = { name: 'all', everyMs: { min: 500, max: 600 }, service: 'web', tag: 'blue' }
      new EventUsers(env, plan, world as unknown as EventWorld).start()
    })
    await simulation.run({ untilMs: 30_000 })
    return { looks, fired, told }
  })
  expect(fired.length).toBeGreaterThan(30)
  for (const filter of [/\?node=\^a1\$$/, /\?node=a$/, /\?service=\^web\$$/, /\?service=web&tag=blue$/, /deploy$/]) {
    expect(
      fired.some((target) => filter.test(target)),
      String(filter),
    ).toBe(true)
  }
  const [early, late] = (['gossip', 'exchange'] as const).map((after) => looks.filter((look) => look.after === after))
  expect(looks.every(({ isThere, node }) => !isThere && node === 'a1')).toBe(true)
  expect((early ?? []).length).toBeGreaterThan((late ?? []).length)
  expect((late ?? []).length).toBeGreaterThan(20)
  expect(told).toContain('event wait began')
  expect(told).toContain('events listed')
})
