import { describe, expect, it } from 'vitest'
import type { OwnAnswer } from '../../../sim/checkers/keys/own-words.ts'
import { ownOperations } from '../../../sim/workload/own/owner-groups.ts'
import { Owners } from '../../../sim/workload/own/owners.ts'
import { textOf } from '../../../src/base/bytes.ts'
import type { HttpRequest, HttpResponse } from '../../../src/env/http.ts'
import { inSimulation } from '../sim-world/in-simulation.ts'

const http = { host: '10.0.0.1', port: 8500 }

/** What one client asked in twenty seconds, and how its answers were judged. */
function asked(names: readonly string[], answer: (request: HttpRequest) => HttpResponse) {
  return inSimulation({}, async (simulation) => {
    const requests: string[] = []
    const answers: OwnAnswer[] = []
    let left = 0
    simulation.addNode({ name: 'a1', host: http.host }).boot((env) =>
      env.http
        .serve(http, async (request) => {
          requests.push(`${request.method} ${request.target}`)
          return answer(request)
        })
        .then(() => undefined),
    )
    const operations = names.map((name) => [name, ownOperations[name] as (typeof ownOperations)[string]] as const)
    const plan = { name: 'o', clients: 1, ratePerSecond: 5, timeoutMs: 1_000, operations }
    simulation.addNode({ name: 'owners', host: '10.0.0.9' }).boot((env) => {
      const invariants = {
        excusesStaleDefault: false,
        eventNow: () => 0,
        of: () => ({ sessionTtlMinMs: 10_000, isOver: () => false, left: () => void left++ }),
        tell: (_: string, told: OwnAnswer) => void answers.push(told),
      }
      const server = () => ({ name: 'a1', endpoint: http, isServer: true })
      const world = { nowUs: () => 0, decisions: simulation.decisions, server, invariants }
      new Owners(env, plan, world as unknown as ConstructorParameters<typeof Owners>[2]).start()
    })
    await simulation.run({ untilMs: 20_000 })
    return { requests, answers, left }
  })
}

const said = (status: number, body: string): HttpResponse => ({ status, headers: [['X-Svc-Index', '9']], body })

describe('owners', () => {
  it('know that a key is gone when they have not written it, and that it is there when they have', async () => {
    const { answers } = await asked(['put', 'get'], ({ method }) => said(method === 'PUT' ? 200 : 404, 'true'))
    const reads = answers.filter(({ what }) => what.startsWith('GET'))
    expect(reads.some(({ isAsExpected }) => isAsExpected)).toBe(true)
    const wrong = reads.filter(({ isAsExpected }) => !isAsExpected)
    expect(wrong.length).toBeGreaterThan(0)
    expect(wrong.every(({ must, told }) => must.length > told.length)).toBe(true)
  })

  it('leave their keys where no answer tells what became of a change, and begin with others', async () => {
    const { requests, answers, left } = await asked(['put'], () => said(500, 'No cluster leader'))
    expect([answers, left]).toEqual([[], requests.length])
    expect(new Set(requests.map((line) => /own\/o-1\.(\d+)\//.exec(line)?.[1])).size).toBe(requests.length)
  })

  it('ask for times to live at both limits, and expect to be refused beyond them', async () => {
    const { answers } = await asked(['session limits'], () => said(200, '{"ID":"x"}'))
    expect(new Set(answers.map(({ must }) => must))).toEqual(new Set(['created', 'refused']))
    expect(answers.filter(({ isAsExpected }) => !isAsExpected).every(({ must }) => must === 'refused')).toBe(true)
  })

  it('expect no session of another node in the list of a node', async () => {
    const session = (ID: string, Node: string) => ({
      ID,
      Node,
      Checks: null,
      LockDelay: 0,
      Behavior: 'release',
      TTL: '',
    })
    const made: string[] = []
    const { answers } = await asked(['session create', 'session list'], ({ method, body }) => {
      if (method === 'PUT') return said(200, JSON.stringify({ ID: `id-${made.push(textOf(body as Uint8Array))}` }))
      const own = made.map((each, at) => ({ ...(JSON.parse(each) as object), ID: `id-${at + 1}`, Checks: null }))
      return said(200, JSON.stringify([...own, session('another', 'a2')]))
    })
    const lists = answers.filter(({ what }) => what.startsWith('GET'))
    expect(lists.length).toBeGreaterThan(0)
    expect(lists.every(({ isAsExpected, told }) => !isAsExpected && told.includes('another of a2'))).toBe(true)
  })
})
