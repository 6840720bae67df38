import { describe, expect, it } from 'vitest'
import { hasOtherMembers, WaitingReaders } from '../../../sim/workload/waiting-readers.ts'
import type { HttpRequest } from '../../../src/env/http.ts'
import { inSimulation } from '../sim-world/in-simulation.ts'

const http = { host: '10.0.0.1', port: 8500 }

/**
 * What one reader asked for in half a minute, while an agent answered at once with these indexes, one after the other.
 */
function questions(indexes: readonly number[], status = 200) {
  return inSimulation({}, async (simulation) => {
    const asked: { readonly index: number; readonly wait: number }[] = []
    const told: number[] = []
    simulation.addNode({ name: 'a1', host: http.host }).boot((env) =>
      env.http
        .serve(http, async ({ target }: HttpRequest) => {
          const [, index, wait] = /index=(\d+)&wait=(\d+)ms/.exec(target) ?? []
          asked.push({ index: Number(index), wait: Number(wait) })
          const answer = indexes[Math.min(asked.length, indexes.length) - 1]
          return { status, headers: [['X-Svc-Index', String(answer)]], body: '[]' }
        })
        .then(() => undefined),
    )
    const plan = {
      name: 'r',
      readers: 1,
      queries: ['/v1/kv/k?raw'],
      consistencies: ['default'] as const,
      waitMs: { min: 1_000, max: 2_000 },
      pauseMs: { min: 100, max: 200 },
      token: undefined,
      isStill: false,
    }
    simulation.addNode({ name: 'readers', host: '10.0.0.9' }).boot((env) => {
      const invariants = {
        of: () => ({ began: (read: object) => read }),
        tell: (_: string, { index }: { readonly index: number }) => void told.push(index),
      }
      const server = () => ({ name: 'a1', endpoint: http, isServer: true })
      const targetOf = (query: string): string => query.replace('SAVED', 'web')
      const world = { decisions: simulation.decisions, server, bootOf: () => 1, invariants, targetOf }
      new WaitingReaders(env, plan, world as unknown as ConstructorParameters<typeof WaitingReaders>[2]).start()
    })
    await simulation.run({ untilMs: 30_000 })
    return { asked, told }
  })
}

describe('an answer', () => {
  it.each([
    ['200 [{"a":1},{"b":2}]', '200 [{"b":2},{"a":1}]', false],
    ['200 {"a":["x"],"b":[]}', '200 {"b":[],"a":["x"]}', false],
    ['200 [{"a":1},{"a":1}]', '200 [{"a":1}]', true],
    ['200 {"a":["x","y"]}', '200 {"a":["y","x"]}', true],
    ['200 []', '404 []', true],
    ['200 null', '200 []', true],
    ['404 none', '404 none at all', true],
    ['', '200 []', true],
  ])('%s, and then %s, has other members: %s', (one, other, has) => {
    expect(hasOtherMembers(one, other)).toBe(has)
    expect(hasOtherMembers(one, one)).toBe(false)
  })
})

describe('readers', () => {
  it('ask from the index that they have, now and then far beyond it, and begin anew when it fell', async () => {
    const { asked, told } = await questions([5, 9, 9, 3, 3, 8])
    expect(asked[0]?.index).toBe(0)
    const small = asked.map(({ index }) => index % 10_000_000)
    expect(small.slice(0, 7)).toEqual([0, 5, 9, 9, 0, 3, 8])
    expect(asked.filter(({ index }) => index >= 10_000_000).length).toBeGreaterThan(2)
    expect(asked.every(({ wait }) => wait >= 1_000 && wait <= 2_000)).toBe(true)
    expect(told.slice(0, 3)).toEqual([5, 9, 9])
  })

  it('take an error for no answer, and keep their index', async () => {
    const { asked, told } = await questions([5], 500)
    expect([told, new Set(asked.map(({ index }) => index))]).toEqual([[], new Set([0])])
  })
})
