import { expect, it } from 'vitest'
import type { SettledAnswer, SettledRequest } from '../../../sim/checkers/refusal-facts.ts'
import { mistakesAbout } from '../../../sim/workload/mistakes/kind.ts'
import { MistakenClients, type MistakenWorld } from '../../../sim/workload/mistakes/mistaken-clients.ts'
import { accepted, get, post, put, refused, type Settled } from '../../../sim/workload/mistakes/settled.ts'
import type { HttpRequest } from '../../../src/env/http.ts'
import { inSimulation } from '../sim-world/in-simulation.ts'

const endpoint = { host: '10.0.0.1', port: 8500, token: 'root' }

/** What a server is asked within this time, and what the checkers are told, by clients with this table. */
function sent(table: readonly Settled[], untilMs: number) {
  return inSimulation({}, async (simulation) => {
    const [asked, began, answered]: [string[], SettledRequest[], SettledAnswer[]] = [[], [], []]
    simulation.addNode({ name: 'a1', host: endpoint.host }).boot((env) =>
      env.http
        .serve(endpoint, async ({ method, target, headers }: HttpRequest) => {
          asked.push(`${method} ${target} ${headers.get('x-svc-token')}`)
          const isMade = method === 'POST'
          return { status: isMade ? 200 : 400, headers: [], body: isMade ? '{"ID":"made-1"}' : 'Missing name' }
        })
        .then(() => undefined),
    )
    simulation.addNode({ name: 'mistakes', host: '10.0.0.9' }).boot((env) => {
      const world: MistakenWorld = {
        decisions: simulation.decisions,
        agent: () => ({ name: 'a1', endpoint, isServer: true, isCatchingUp: false }),
        isInContact: () => true,
        isCalm: () => true,
        nowUs: () => simulation.nowUs,
        eventNow: () => 3,
        tell: (name, fact) => {
          if (name === 'settled request began') began.push(fact as SettledRequest)
          if (name === 'settled request answered') answered.push(fact as SettledAnswer)
        },
      }
      new MistakenClients(env, { name: 'all', clients: 1, table, everyMs: { min: 100, max: 100 } }, world).start()
    })
    await simulation.run({ untilMs })
    return { asked, began, answered }
  })
}

it('sends every request of its table before it begins anew', async () => {
  const table = ['a', 'b', 'c', 'd', 'e'].map((name) => refused(name, () => get(`/v1/${name}`), 400, /Missing/))
  const { asked, began, answered } = await sent(table, 1_600)
  expect(new Set(asked.slice(0, 5)).size).toBe(5)
  expect(new Set(asked.slice(5, 10))).toEqual(new Set(asked.slice(0, 5)))
  expect(asked[0]).toMatch(/^GET \/v1\/[a-e] root$/)
  expect(new Set(began.map(({ mark }) => mark)).size).toBe(began.length)
  expect(answered[0]?.tookMs).toBeGreaterThan(1)
  expect(answered[0]?.tookMs).toBeLessThan(100)
  expect(answered[0]).toMatchObject({
    what: began[0]?.what,
    calledIn: 3,
    mark: began[0]?.mark,
    status: 400,
    body: 'Missing name',
    right: { status: 400, body: /Missing/ },
    isInContact: true,
    isCalm: true,
  })
})

it('makes first what the request needs, and names its ID', async () => {
  const table = [accepted('other', ({ made }) => put(`/v1/thing/${made}`, {}), /./, { first: () => post('/v1/thing') })]
  const { asked, began } = await sent(table, 350)
  expect(asked.slice(0, 2)).toEqual(['POST /v1/thing root', 'PUT /v1/thing/made-1 root'])
  expect(began[0]).toMatchObject({ what: 'PUT /v1/thing/made-1 at a1 (other)', leaves: 'effect', calledIn: 3 })
  const fails = [refused('never', () => get('/v1/a'), 400, /./, { first: () => put('/v1/b') })]
  expect((await sent(fails, 1_000)).began).toEqual([])
})

it('has a mark in every request that may leave something in the log', () => {
  const parts = { mark: 'the-mark', other: 'o', made: 'm' }
  const silent = Object.values(mistakesAbout)
    .flat()
    .filter(({ request, leaves }) => {
      const { target, body = '' } = request(parts)
      return leaves !== 'nothing' && !`${target}${body}`.includes(parts.mark)
    })
  expect(silent.map(({ about }) => about)).toEqual([])
})
