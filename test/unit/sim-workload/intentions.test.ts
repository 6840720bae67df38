import { expect, it } from 'vitest'
import type { IntentionChange, IntentionDecision } from '../../../sim/checkers/intentions/intention-facts.ts'
import { IntentionClients } from '../../../sim/workload/intention-clients.ts'
import type { HttpRequest } from '../../../src/env/http.ts'
import { inSimulation } from '../sim-world/in-simulation.ts'

const http = { host: '10.0.0.1', port: 8500 }

it('changes intentions and asks for decisions, and tells what was answered, where the answer leaves nothing open', async () => {
  const { changes, decisions, lines } = await inSimulation({}, async (simulation) => {
    const [changes, decisions, lines]: [IntentionChange[], IntentionDecision[], string[]] = [[], [], []]
    simulation.addNode({ name: 'a1', host: http.host }).boot((env) =>
      env.http
        .serve(http, async ({ method, target }: HttpRequest) => {
          lines.push(`${method} ${target.split('?')[0]}`)
          if (target.includes('/check')) return { status: 200, headers: [], body: '{"Allowed":true}' }
          if (target.includes('/authorize')) return { status: 200, headers: [], body: '{"Authorized":false}' }
          if (lines.length % 3 === 0) return { status: 500, headers: [], body: 'No cluster leader' }
          if (lines.length % 5 === 0) return { status: 500, headers: [], body: 'duplicate intention found: x' }
          return { status: 200, headers: [], body: method === 'DELETE' ? 'true' : `{"ID":"i${lines.length}"}` }
        })
        .then(() => undefined),
    )
    const rates = { authors: 2, askers: 2, changesPerSecond: 8, questionsPerSecond: 8 }
    simulation.addNode({ name: 'clients', host: '10.0.0.9' }).boot((env) => {
      const world = {
        nowUs: () => simulation.nowMs * 1_000,
        decisions: simulation.decisions,
        agent: () => ({ name: 'a1', endpoint: http, isServer: true }),
        tell: (name: string, told: never) => void (name === 'intention answered' ? changes : decisions).push(told),
      }
      const plan = { name: 'office', names: ['web', 'db'], domain: 'mesh.svc', ...rates }
      new IntentionClients(env, plan, world as unknown as ConstructorParameters<typeof IntentionClients>[2]).start()
    })
    await simulation.run({ untilMs: 20_000 })
    return { changes, decisions, lines }
  })
  expect(new Set(changes.map(({ kind }) => kind))).toEqual(new Set(['create', 'update', 'delete']))
  expect(new Set(changes.map(({ outcome }) => outcome))).toEqual(new Set(['done', 'duplicate']))
  expect(changes.length).toBeLessThan(lines.filter((line) => !/check|authorize/.test(line)).length)
  expect(changes.every(({ kind, wanted }) => (wanted === undefined) === (kind === 'delete'))).toBe(true)
  expect(new Set(decisions.map(({ how, isAllowed }) => `${how} ${isAllowed}`))).toEqual(
    new Set(['check true', 'authorize false']),
  )
})
