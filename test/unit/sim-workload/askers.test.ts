import { describe, expect, it } from 'vitest'
import type { TimelyAnswer } from '../../../sim/checkers/reads/timely-facts.ts'
import { Askers, type AskerWorld } from '../../../sim/workload/askers.ts'
import { offeredIn } from '../../../sim/workload/timely-questions.ts'
import type { DnsRecord, Rcode } from '../../../src/dns-wire/message.ts'
import type { ReceivedResponse } from '../../../src/dns-wire/question.ts'
import type { HttpRequest } from '../../../src/env/http.ts'
import { inSimulation } from '../sim-world/in-simulation.ts'

const endpoint = { host: '10.0.0.1', port: 8500 }
const rows = JSON.stringify([{ Node: 'b', ServiceID: 'w1', ServicePort: 80, ServiceTags: ['blue'] }])
const health = JSON.stringify([
  {
    Node: { Node: 'b' },
    Service: { ID: 'w1', Port: 80, Tags: ['blue'] },
    Checks: [
      { CheckID: 'z', Status: 'passing' },
      { CheckID: 'a', Status: 'warning' },
    ],
  },
])
const found = JSON.stringify({ Service: 'web', Nodes: JSON.parse(health), Failovers: 0 })
const nodes = JSON.stringify([{ Node: 'b', Address: '10.0.0.2' }])
const answers: Readonly<Record<string, string>> = {
  '/v1/catalog/service/web': rows,
  '/v1/health/service/web': health,
  '/v1/catalog/nodes': nodes,
  '/v1/query/find-web/execute': found,
}

it('asks in every way, and tells what was wanted of kept answers, and what they say of themselves', async () => {
  let defined = 0
  const { told, asked } = await inSimulation({}, async (simulation) => {
    const [told, asked]: [TimelyAnswer[], string[]] = [[], []]
    simulation.addNode({ name: 'a1', host: endpoint.host }).boot((env) =>
      env.http
        .serve(endpoint, async ({ method, target, headers }: HttpRequest) => {
          // The first definition of the query is refused, as if no server led.
          if (method === 'POST') return { status: ++defined === 1 ? 500 : 200, headers: [], body: '{"ID":"q"}' }
          const [path = '', query = 'plain'] = target.split('?')
          asked.push(`${query} ${headers.get('cache-control') ?? ''}`.trim())
          const isFailed = asked.length % 7 === 0
          const cache: [string, string][] = target.includes('cached')
            ? [
                ['X-Cache', 'HIT'],
                ['Age', '4'],
              ]
            : [
                ['X-Svc-KnownLeader', asked.length % 2 === 0 ? 'true' : 'false'],
                ['X-Svc-LastContact', '70'],
              ]
          return { status: isFailed ? 500 : 200, headers: cache, body: answers[path] ?? '' }
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
      const plan = {
        name: 'users',
        service: 'web',
        clients: 2,
        names: false,
        cached: true,
        queries: true,
        host: '10.0.0.9',
        everyMs: { min: 50, max: 100 },
      }
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
      'stale',
      'stale&near=b',
      'stale&near=c',
      'cached',
      'cached must-revalidate',
      'cached max-age=0',
      'cached max-age=2',
      'cached max-age=1, stale-if-error=3',
      'cached must-revalidate, stale-if-error=600',
    ]),
  )
  expect(told.length).toBeLessThan(asked.length)
  expect(defined).toBe(2)
  const health = 'b/w1:80 [blue] {a warning z passing}'
  const lists = { instances: 'b/w1:80 [blue]', health, found: health, nodes: 'b at 10.0.0.2' }
  expect(new Set(told.map(({ of }) => of))).toEqual(new Set(['instances', 'health', 'found', 'nodes']))
  for (const { of, how, kept, told: text, lastContactMs } of told) {
    expect(text).toBe(lists[of])
    expect(kept === undefined ? 'none' : `${kept.hit} ${kept.age}`).toBe(how === 'cached' ? 'HIT 4' : 'none')
    expect(how === 'stale' ? [70, undefined] : [undefined]).toContain(lastContactMs)
  }
  expect(told.some(({ lastContactMs }) => lastContactMs === 70)).toBe(true)
})

describe('names', () => {
  const srv = (target: string, port: number): DnsRecord => ({
    name: 'web.service.svc.',
    type: 'SRV',
    ttl: 0,
    priority: 1,
    weight: 1,
    port,
    target,
  })
  const response = (rcode: Rcode, answers: readonly DnsRecord[]) => ({ rcode, answers }) as unknown as ReceivedResponse

  it('are read as places, as none, or as refused', () => {
    const two = [srv('c2.node.dc1.svc.', 81), srv('c1.node.dc1.svc.', 80)]
    expect(offeredIn(response('NOERROR', two))).toBe('port 80, port 81')
    expect(offeredIn(response('NXDOMAIN', []))).toBe('')
    expect(offeredIn(response('SERVFAIL', []))).toBeUndefined()
  })
})
