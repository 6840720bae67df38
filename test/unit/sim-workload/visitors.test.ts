import { describe, expect, it } from 'vitest'
import type { Visit } from '../../../sim/checkers/access/access-facts.ts'
import { Visitors } from '../../../sim/workload/visitor-clients.ts'
import type { HttpRequest } from '../../../src/env/http.ts'
import { inSimulation } from '../sim-world/in-simulation.ts'

const http = { host: '10.0.0.1', port: 8500 }

/** The visits, while an agent answered all of them like this for ten seconds. */
function visitsTo(status: number, body: string, tokens: readonly string[] = ['a', 'b']) {
  return inSimulation({}, async (simulation) => {
    const visits: Visit[] = []
    const asked: string[] = []
    simulation.addNode({ name: 'a1', host: http.host }).boot((env) =>
      env.http
        .serve(http, async ({ method, target, headers }: HttpRequest) => {
          asked.push(`${method} ${target} ${headers.get('x-svc-token') ?? ''}`)
          return { status, headers: [], body }
        })
        .then(() => undefined),
    )
    const plan = {
      name: 'v',
      clients: 2,
      key: 'shop-#/door',
      names: [],
      operations: [],
      operator: undefined,
      ratePerSecond: 5,
      timeoutMs: 1_000,
    }
    simulation.addNode({ name: 'visitors', host: '10.0.0.9' }).boot((env) => {
      const world = {
        nowUs: () => simulation.nowMs * 1_000,
        decisions: simulation.decisions,
        agent: () => ({ name: 'a1', endpoint: http }),
        tokens: () => tokens,
        eventNow: () => 0,
        onVisit: (visit: Visit) => void visits.push(visit),
      }
      new Visitors(env, plan, world as unknown as ConstructorParameters<typeof Visitors>[2]).start()
    })
    await simulation.run({ untilMs: 10_000 })
    return { visits, asked }
  })
}

describe('visitors', () => {
  it('come with each token, for its own key and sometimes for that of another, and tell what they were told', async () => {
    const { visits, asked } = await visitsTo(200, 'true')
    expect(visits.length).toBeGreaterThan(20)
    expect(new Set(visits.map(({ secret }) => secret))).toEqual(new Set(['a', 'b']))
    expect(new Set(visits.map(({ secret, needs }) => `${secret} ${needs[0]?.name}`)).size).toBe(4)
    expect(new Set(visits.map(({ what, said }) => `${what.split(' ')[0]} ${said}`))).toEqual(
      new Set(['read allowed', 'write allowed']),
    )
    expect(asked.every((line) => /^(GET|PUT) \/v1\/kv\/shop-[01]\/door [ab]$/.test(line))).toBe(true)
    expect(visits.every(({ callUs, returnUs }) => callUs < returnUs)).toBe(true)
  })

  it.each([
    [403, 'Permission denied', 'denied'],
    [403, 'ACL not found', 'not found'],
    [400, 'Bad request', 'denied'],
  ])('told %i %s say that they were %s', async (status, body, said) => {
    const { visits } = await visitsTo(status, body)
    expect(new Set(visits.map((visit) => visit.said))).toEqual(new Set([said]))
  })

  it.each([404, 500])('told %i say nothing, for that says nothing of rights', async (status) => {
    const { visits, asked } = await visitsTo(status, 'x')
    expect([visits.length, asked.length > 20]).toEqual([0, true])
  })

  it('do not come while there is no token', async () => {
    expect((await visitsTo(200, 'true', [])).asked).toEqual([])
  })
})
