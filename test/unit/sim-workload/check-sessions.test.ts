import { expect, it } from 'vitest'
import { CheckSessions } from '../../../sim/workload/check-sessions.ts'
import { textOf } from '../../../src/base/bytes.ts'
import type { HttpRequest } from '../../../src/env/http.ts'
import { inSimulation } from '../sim-world/in-simulation.ts'

const http = { host: '10.0.0.1', port: 8500 }

/** What one instance asked for, while each session was good for two turns at the lock. */
function asked() {
  return inSimulation({}, async (simulation) => {
    const lines: string[] = []
    const told: object[] = []
    let sessions = 0
    let turns = 0
    simulation.addNode({ name: 'c1', host: http.host }).boot((env) =>
      env.http
        .serve(http, async ({ method, target, body }: HttpRequest) => {
          lines.push(`${method} ${target} ${body === 'too-large' ? '' : textOf(body)}`)
          const isCreation = target.startsWith('/v1/session/create')
          if (isCreation) turns = 0
          if (isCreation) return { status: 200, headers: [], body: JSON.stringify({ ID: `id-${++sessions}` }) }
          if (++turns > 2) return { status: 500, headers: [], body: 'invalid session' }
          return { status: 200, headers: [['X-Svc-Fence', '7']], body: 'true' }
        })
        .then(() => undefined),
    )
    simulation.addNode({ name: 'working', host: '10.0.0.9' }).boot((env) => {
      const world = {
        decisions: simulation.decisions,
        endpointOf: () => http,
        tell: (_: string, fact: object) => void told.push(fact),
      }
      const plan = { name: 'my shops', service: 'my-shops', services: 1, ttlMs: 2_000, timeoutMs: 1_000 }
      new CheckSessions(env, plan, world as unknown as ConstructorParameters<typeof CheckSessions>[2], ['c1']).start()
    })
    await simulation.run({ untilMs: 60_000 })
    return { lines, told, sessions: () => sessions }
  })
}

it('instances contend with sessions over their own check, of either behaviour, and make another when one is over', async () => {
  const { lines, told, sessions } = await asked()
  const made = lines.filter((line) => line.includes('/v1/session/create'))
  expect(made.length).toBeGreaterThan(8)
  expect(made.every((line) => line.includes('"Checks":["serfHealth","service:my-shops-1"]'))).toBe(true)
  expect(new Set(made.map((line) => /"Behavior":"(\w+)"/.exec(line)?.[1]))).toEqual(new Set(['delete', 'release']))
  expect(told[0]).toEqual({ key: 'my-shops/working-1', session: 'id-1', fence: 7 })
  expect(new Set(told.map((fact) => 'session' in fact && fact.session)).size).toBeGreaterThanOrEqual(sessions() - 1)
})
